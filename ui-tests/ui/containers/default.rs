//! The default of a struct comes from somewhere
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(default)]
struct Event {
    run: u32,
    met: f32,
}

#[derive(RNTuple)]
#[rntuple(default = nowhere)]
struct Other {
    run: u32,
}

fn main() {}
