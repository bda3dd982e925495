//! Integers of C have no fixed width
use rntuple::RNTuple;

#[derive(RNTuple)]
#[repr(C)]
enum Channel {
    A,
    B,
}

fn main() {}
