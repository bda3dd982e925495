//! Accessors of a batch have names of their own
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(batch = Shapes)]
#[allow(non_camel_case_types)]
enum Shape {
    Tags(f32),
    HalfOpen(f32),
    half_open(u8),
    Positions,
}

fn main() {}
