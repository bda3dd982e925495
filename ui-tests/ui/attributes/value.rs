//! Attributes have values of one kind
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(rename)]
    a: f32,
    #[rntuple(rename = pt)]
    b: f32,
    #[rntuple(f16 = true)]
    c: f32,
    #[rntuple(skip(reading))]
    d: f32,
    #[rntuple]
    e: f32,
}

fn main() {}
