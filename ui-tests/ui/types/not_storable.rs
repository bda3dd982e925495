//! Types of members have the derive too
use rntuple::RNTuple;

struct Opaque;

#[derive(RNTuple)]
struct Event {
    opaque: Opaque,
    shared: Vec<std::cell::RefCell<f32>>,
}

fn main() {}
