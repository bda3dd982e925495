//! Alternatives are numbered without gaps
use rntuple::RNTuple;

#[derive(RNTuple)]
enum Gap {
    #[rntuple(index = 0)]
    Circle(f32),
    #[rntuple(index = 2)]
    Square(f32),
}

#[derive(RNTuple)]
enum Twice {
    #[rntuple(index = 1)]
    Circle(f32),
    Square(f32),
}

#[derive(RNTuple)]
enum Values {
    #[rntuple(index = "0")]
    Circle(f32),
    #[rntuple(index = -1)]
    Square(f32),
    #[rntuple(index = 5000000000)]
    Point(f32),
}

fn main() {}
