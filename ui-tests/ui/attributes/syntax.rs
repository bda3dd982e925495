//! Attributes are lists of words
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(rename "pt")]
    a: f32,
    #[rntuple("f16")]
    b: f32,
    #[rntuple(from = Vec<u8>)]
    c: String,
    #[rntuple = "f16"]
    d: f32,
    #[rntuple(truncate(18))]
    e: f32,
    #[rntuple(with = "no path")]
    f: f32,
}

fn main() {}
