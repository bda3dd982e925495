//! Versions count from 1 on
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(version = 0)]
struct Zero {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(version = 4294967295)]
struct Most {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(version = 4294967296)]
struct More {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(version = "2")]
struct Text {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(version = 2)]
enum Shape {
    Circle(f32),
}

fn main() {}
