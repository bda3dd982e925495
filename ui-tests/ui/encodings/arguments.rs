//! Encodings with arguments have all of them, by name
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(truncate = 18)]
    a: f32,
    #[rntuple(quantize(12, -5.0, 5.0))]
    b: f32,
    #[rntuple(quantize = "12")]
    c: f32,
    #[rntuple(quantize)]
    d: f32,
    #[rntuple(quantize(bits = 12, min = "low", max = 1.0))]
    e: f32,
}

fn main() {}
