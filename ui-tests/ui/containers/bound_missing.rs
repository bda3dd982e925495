//! Bounds say enough
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(bound = "T: Clone", skip_reading)]
struct Event<T> {
    value: T,
}

fn main() {}
