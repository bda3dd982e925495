//! The value of a newtype has no name of its own
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Energy(#[rntuple(f16, rename = "energy")] f32);

#[derive(RNTuple)]
enum Shape {
    Circle(#[rntuple(rename = "radius")] f32),
    Square(#[rntuple(skip)] f32),
}

fn main() {}
