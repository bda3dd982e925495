//! Arguments of generic types are storable
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Hit<T> {
    value: T,
}

struct Opaque;

#[derive(RNTuple)]
struct Event {
    hits: Vec<Hit<Opaque>>,
}

fn main() {}
