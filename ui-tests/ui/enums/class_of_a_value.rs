//! An alternative of one value has the class of the value
use rntuple::RNTuple;

#[derive(RNTuple)]
enum Shape {
    #[rntuple(type_name = "geo::Circle")]
    Circle(f32),
    #[rntuple(type_name = "geo::Square")]
    Square { side: f32 },
}

fn main() {}
