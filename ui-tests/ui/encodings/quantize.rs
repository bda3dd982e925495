//! Quantized numbers have a range
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(quantize(bits = 33, min = 0, max = 1))]
    many: f32,
    #[rntuple(quantize(bits = 12, min = 5.0, max = -5.0))]
    empty: f32,
    #[rntuple(quantize(bits = 12, min = 0.0))]
    missing: f32,
    #[rntuple(quantize(bits = 12, bits = 13, min = 0.0, max = 1.0))]
    twice: f32,
    #[rntuple(quantize(bits = 12, min = 1e-310, max = 1.0))]
    tiny: f32,
    #[rntuple(quantize(bits = 12, min = 0.0, max = 1.0, outside = "clip"))]
    policy: f32,
}

fn main() {}
