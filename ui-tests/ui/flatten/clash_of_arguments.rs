//! Names of flattened members are compared for each argument of a generic type
use rntuple::{RNTuple, WriteOptions, Writer};

#[derive(RNTuple)]
struct Vertex {
    run: f32,
}

#[derive(RNTuple)]
struct Event<T: RNTuple> {
    run: u32,
    #[rntuple(flatten)]
    value: T,
}

fn main() {
    let _ = Writer::<Event<Vertex>>::create("events.root", "Events", WriteOptions::new());
}
