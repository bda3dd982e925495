//! Field names are distinct
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    pt: f32,
    #[rntuple(rename = "pt")]
    transverse_momentum: f32,
}

#[derive(RNTuple)]
enum Shape {
    Box(f32, #[rntuple(rename = "_0")] f32),
}

fn main() {}
