//! Compressions are known by their names
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(compression = "zstandard")]
    a: f32,
    #[rntuple(compression = "ztd")]
    b: f32,
    #[rntuple(compression = "lz4:12")]
    c: f32,
    #[rntuple(compression = 505)]
    d: f32,
    #[rntuple(compression = "none:1")]
    e: f32,
}

fn main() {}
