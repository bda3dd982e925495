//! Variants and tuples are compared too
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Vertex {
    x: f32,
}

#[derive(RNTuple)]
enum Hit {
    Pixel {
        x: f32,
        #[rntuple(flatten)]
        vertex: Vertex,
    },
}

#[derive(RNTuple)]
struct Pair(#[rntuple(flatten)] Vertex, #[rntuple(flatten)] Vertex);

fn main() {}
