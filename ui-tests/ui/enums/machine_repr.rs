//! Integers have the same width on all machines
use rntuple::RNTuple;

#[derive(RNTuple)]
#[repr(usize)]
enum Channel {
    A,
    B,
}

fn main() {}
