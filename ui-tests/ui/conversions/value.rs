//! Conversions name types and modules
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(with)]
    a: f32,
    #[rntuple(with("store"))]
    b: f32,
    #[rntuple(from)]
    c: f32,
    #[rntuple(into = 5)]
    d: f32,
    #[rntuple(try_from = "Vec<")]
    e: f32,
}

fn main() {}
