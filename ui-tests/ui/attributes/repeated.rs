//! Attributes are said once
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(rename = "a", rename = "b")]
    one: f32,
    #[rntuple(f16)]
    #[rntuple(f16)]
    two: f32,
}

fn main() {}
