//! The crate is where it is said to be
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(crate = physics::rntuple)]
struct Event {
    run: u32,
}

fn main() {}
