//! Members that are not read have a default
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Vertex {
    x: f32,
}

#[derive(RNTuple)]
struct Event {
    run: u32,
    #[rntuple(skip_reading)]
    vertex: Vertex,
}

fn main() {}
