//! Names of variants are words, each its own
use rntuple::RNTuple;

#[derive(RNTuple)]
enum Shape {
    #[rntuple(rename = "big circle")]
    Circle(f32),
    #[rntuple(rename = "Point")]
    Square(f32),
    Point,
}

#[derive(RNTuple)]
#[rntuple(rename_all = "lowercase")]
enum Detector {
    EndCap(f32),
    Endcap(f32),
}

fn main() {}
