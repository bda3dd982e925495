//! The fields of generic types have no names
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(predicates)]
struct Pair<T> {
    first: T,
    second: T,
}

fn main() {}
