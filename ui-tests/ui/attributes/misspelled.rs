//! Misspelled attributes are recognized
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(renamed = "pt")]
    a: f32,
    #[rntuple(trunc(bits = 18))]
    b: f32,
    #[rntuple(quantise(bits = 12, min = -5.0, max = 5.0))]
    c: f32,
    #[rntuple(encoding = "real16")]
    d: f32,
}

fn main() {}
