//! Columns of alternatives have names of their own
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(columnar)]
#[allow(non_camel_case_types)]
enum Shape {
    Switches(f32),
    HalfOpen(f32),
    half_open(u8),
    Half { open: i8 },
}

fn main() {}
