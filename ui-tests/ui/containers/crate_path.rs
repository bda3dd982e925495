//! The crate is found by a path
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(crate = 5)]
struct Event {
    run: u32,
}

fn main() {}
