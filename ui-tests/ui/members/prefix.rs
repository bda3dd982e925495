//! Prefixes are for the members of flattened structs
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Vertex {
    x: f32,
}

#[derive(RNTuple)]
struct Event {
    #[rntuple(prefix = "vtx_")]
    vertex: Vertex,
    #[rntuple(flatten, prefix = "vtx.")]
    dot: Vertex,
    #[rntuple(flatten, prefix = "")]
    empty: Vertex,
    #[rntuple(flatten, prefix)]
    none: Vertex,
}

fn main() {}
