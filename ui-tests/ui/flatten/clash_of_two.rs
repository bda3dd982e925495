//! Two flattened structs need prefixes
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Vertex {
    x: f32,
}

#[derive(RNTuple)]
struct Event {
    #[rntuple(flatten, prefix = "vtx_")]
    primary: Vertex,
    #[rntuple(flatten, prefix = "vtx_")]
    secondary: Vertex,
}

fn main() {}
