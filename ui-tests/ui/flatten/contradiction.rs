//! A flattened struct has no field of its own
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Vertex {
    x: f32,
}

#[derive(RNTuple)]
struct Event {
    #[rntuple(flatten, rename = "v", unit = "cm", default)]
    vertex: Vertex,
    #[rntuple(flatten = "v_")]
    other: Vertex,
}

#[derive(RNTuple)]
struct Newtype(#[rntuple(flatten)] Vertex);

fn main() {}
