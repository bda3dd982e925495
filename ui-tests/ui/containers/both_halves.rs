//! Something is left to derive
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(skip_writing, skip_reading)]
struct Event {
    met: f32,
}

fn main() {}
