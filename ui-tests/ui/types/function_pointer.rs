//! Functions are not stored
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    callback: fn(f32) -> f32,
}

fn main() {}
