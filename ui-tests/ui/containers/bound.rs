//! Bounds are where-clauses
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(bound = "T Clone")]
struct Event<T> {
    value: T,
}

#[derive(RNTuple)]
#[rntuple(bound = Clone)]
struct Other<T> {
    value: T,
}

fn main() {}
