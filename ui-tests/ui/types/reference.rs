//! References are only written, and only those that are shared
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(read_only)]
struct Event {
    name: &'static str,
}

#[derive(RNTuple)]
#[rntuple(write_only)]
struct Mutable<'a> {
    met: &'a mut f32,
}

fn main() {}
