//! A batch has a name
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(batch = physics::Events)]
struct Elsewhere {
    met: f32,
}

#[derive(RNTuple)]
#[rntuple(batch = 3)]
struct Number {
    met: f32,
}

#[derive(RNTuple)]
#[rntuple(batch(Events))]
struct List {
    met: f32,
}

#[derive(RNTuple)]
struct Event {
    #[rntuple(batch)]
    met: f32,
}

fn main() {}
