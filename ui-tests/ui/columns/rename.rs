//! An error next to `columnar` is the only one
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(columnar, rename = "Written")]
enum Shape {
    Circle { radius: f32 },
    Point,
}

#[derive(RNTuple)]
#[rntuple(columnar)]
struct Event {
    shape: Shape,
}

fn main() {}
