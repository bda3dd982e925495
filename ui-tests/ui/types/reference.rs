//! References are only written, and only those that are shared
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(skip_writing)]
struct Event {
    name: &'static str,
}

#[derive(RNTuple)]
#[rntuple(skip_reading)]
struct Mutable<'a> {
    met: &'a mut f32,
}

fn main() {}
