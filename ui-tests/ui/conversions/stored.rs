//! The stored form is storable
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(from = "usize", into = "u128")]
    a: f32,
}

fn main() {}
