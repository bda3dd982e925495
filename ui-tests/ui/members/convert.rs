//! Conversions are of numbers, and lossy
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(convert = "exact")]
    met: f32,
    #[rntuple(convert)]
    run: u32,
    #[rntuple(convert = "lossy")]
    name: String,
}

fn main() {}
