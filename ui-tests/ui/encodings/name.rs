//! Encodings are known by their names
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(encoding = "Real32Trunc")]
    a: f32,
    #[rntuple(encoding = "float")]
    b: f32,
    #[rntuple(offsets = "Int32")]
    c: Vec<f32>,
}

fn main() {}
