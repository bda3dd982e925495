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
#[rntuple(rename_all = "kebab-case")]
enum Detector {
    Barrel(f32),
    EndCap(f32),
}

fn main() {}
