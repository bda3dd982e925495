//! Bounds say enough
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(bound = "T: Clone", write_only)]
struct Event<T> {
    value: T,
}

fn main() {}
