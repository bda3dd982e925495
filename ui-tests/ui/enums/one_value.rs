//! The only value of a variant has no name
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Vertex {
    x: f32,
}

#[derive(RNTuple)]
enum Hit {
    Strip(#[rntuple(default, alias = "strip")] u32),
    Pixel(#[rntuple(flatten)] Vertex),
}

fn main() {}
