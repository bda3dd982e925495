//! Names that a batch brings are free
use rntuple::RNTuple;

struct EventBatch;

#[derive(RNTuple)]
#[rntuple(batch)]
struct Event {
    met: f32,
}

#[derive(RNTuple)]
#[rntuple(batch = Shapes)]
enum Shape {
    Tags(f32),
    HalfOpen(f32),
    Half_open(u8),
    Positions,
}

fn main() {}
