//! An enum without data has an integer type
use rntuple::RNTuple;

#[derive(RNTuple)]
enum Channel {
    A,
    B = 7,
}

fn main() {}
