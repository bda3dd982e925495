//! A column has one encoding
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(f16, truncate(bits = 18))]
    pt: f32,
    #[rntuple(offsets = "Index32", encoding = "SplitIndex64")]
    hits: Vec<f32>,
}

fn main() {}
