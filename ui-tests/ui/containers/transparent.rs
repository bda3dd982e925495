//! A transparent struct has one value
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(transparent)]
struct Pair {
    a: f32,
    b: f32,
}

#[derive(RNTuple)]
#[rntuple(transparent)]
struct Nothing {
    #[rntuple(skip)]
    a: f32,
}

#[derive(RNTuple)]
#[rntuple(transparent = true)]
struct Flag {
    a: f32,
}

fn main() {}
