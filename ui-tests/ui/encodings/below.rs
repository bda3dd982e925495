//! `at` names a field below the member, and its encoding
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(at = "_0")]
    a: Vec<String>,
    #[rntuple(at("_0"))]
    b: Vec<String>,
    #[rntuple(at(_0, offsets = "Index32"))]
    c: Vec<String>,
    #[rntuple(at("_0", compression = "lz4"))]
    d: Vec<String>,
    #[rntuple(at("_0", offsets = "Real32"))]
    e: Vec<String>,
    #[rntuple(at("_0", f16), at("_0", encoding = "Real32"))]
    f: Vec<f32>,
}

fn main() {}
