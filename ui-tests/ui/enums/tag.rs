//! Alternatives are numbered without gaps
use rntuple::RNTuple;

#[derive(RNTuple)]
enum Gap {
    #[rntuple(tag = 0)]
    Circle(f32),
    #[rntuple(tag = 2)]
    Square(f32),
}

#[derive(RNTuple)]
enum Twice {
    #[rntuple(tag = 1)]
    Circle(f32),
    Square(f32),
}

#[derive(RNTuple)]
enum Values {
    #[rntuple(tag = "0")]
    Circle(f32),
    #[rntuple(tag = -1)]
    Square(f32),
    #[rntuple(tag = 5000000000)]
    Point(f32),
}

fn main() {}
