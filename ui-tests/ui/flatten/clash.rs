//! The names of flattened members are distinct
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Vertex {
    x: f32,
    y: f32,
}

#[derive(RNTuple)]
struct Event {
    x: f32,
    #[rntuple(flatten)]
    vertex: Vertex,
}

fn main() {}
