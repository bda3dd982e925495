//! An enum without data is lent as itself, so it is a plain value
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(borrowed)]
#[repr(u8)]
enum Side {
    Left,
    Right,
}

fn main() {}
