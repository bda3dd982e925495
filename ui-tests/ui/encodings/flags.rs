//! Half precision and `Double32_t` need no number
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(f16(bits = 16))]
    a: f32,
    #[rntuple(double32 = true)]
    b: f64,
    #[rntuple(double32)]
    c: f32,
    #[rntuple(tag = 32)]
    d: Vec<f32>,
    #[rntuple(encoding)]
    e: f32,
    #[rntuple(double32, quantize(bits = 12, min = 0, max = 1))]
    f: f64,
}

fn main() {}
