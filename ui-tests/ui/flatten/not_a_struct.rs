//! Only structs with named members are flattened
use rntuple::RNTuple;

#[derive(RNTuple)]
enum Shape {
    Circle(f32),
}

#[derive(RNTuple)]
struct Event {
    #[rntuple(flatten)]
    number: f32,
    #[rntuple(flatten)]
    shape: Shape,
}

fn main() {}
