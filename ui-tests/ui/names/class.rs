//! Classes have names
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(type_name = "")]
struct Event {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(type_name = "Energy")]
struct Energy(f32);

fn main() {}
