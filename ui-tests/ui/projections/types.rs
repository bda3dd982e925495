//! A projected field is of a type that can be written, or a size.
use rntuple::RNTuple;
struct Unknown;

#[derive(RNTuple)]
#[rntuple(project(n: Unknown = "hits", m: Vec<usize> = "hits"))]
struct Event {
    hits: Vec<f32>,
}

fn main() {}
