//! Defaults of members come from somewhere
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Vertex {
    x: f32,
}

fn text() -> String {
    String::new()
}

#[derive(RNTuple)]
struct Event {
    #[rntuple(default)]
    vertex: Vertex,
    #[rntuple(default = nowhere)]
    run: u32,
    #[rntuple(default = "text")]
    met: f32,
}

fn main() {}
