//! Truncated numbers keep 10 to 31 bits
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(truncate(bits = 9))]
    few: f32,
    #[rntuple(truncate(bits = 32))]
    many: f32,
    #[rntuple(truncate)]
    none: f32,
    #[rntuple(truncate(bits = "18"))]
    text: f32,
    #[rntuple(truncate(bit = 18))]
    misspelled: f32,
}

fn main() {}
