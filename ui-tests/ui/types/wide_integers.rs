//! Integers have up to 64 bits
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    id: u128,
    time: [i128; 2],
}

fn main() {}
