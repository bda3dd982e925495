//! Unions are not stored
use rntuple::RNTuple;

#[derive(RNTuple)]
union Bits {
    float: f32,
    int: u32,
}

fn main() {}
