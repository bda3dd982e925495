//! Trait objects have no known columns
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    detector: Box<dyn std::any::Any>,
}

fn main() {}
