//! Something is left to derive
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(read_only, write_only)]
struct Event {
    met: f32,
}

fn main() {}
