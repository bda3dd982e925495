//! Addresses are not stored
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    data: *const f32,
}

fn main() {}
