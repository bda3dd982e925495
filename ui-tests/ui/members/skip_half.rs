//! A member that is not written has nothing to say about writing
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(skip_writing, f16)]
    a: f32,
    #[rntuple(skip_reading, alias = "b2")]
    b: f32,
    #[rntuple(skip_reading, skip_writing)]
    c: f32,
    #[rntuple(skip_reading = true)]
    d: f32,
    #[rntuple(skip_writing = true)]
    e: f32,
}

fn main() {}
