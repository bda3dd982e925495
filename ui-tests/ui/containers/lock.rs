//! What is locked is one type, and what is written
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(lock = "event.rntlock")]
struct Event<T> {
    value: T,
}

#[derive(RNTuple)]
#[rntuple(lock = "")]
struct Empty {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(lock)]
struct Missing {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(lock = "event.rntlock", skip_writing)]
struct Both {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(lock = "shape.rntlock")]
enum Shape {
    Circle(f32),
}

fn main() {}
