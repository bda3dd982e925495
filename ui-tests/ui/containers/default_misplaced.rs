//! Defaults are for structs that are read
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(default)]
enum Shape {
    Circle(f32),
}

#[derive(RNTuple, Default)]
#[rntuple(default, skip_reading)]
struct Written {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(default = 5)]
struct Number {
    run: u32,
}

fn main() {}
