//! Attributes stand where they mean something
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(rename = "event")]
struct Event {
    #[rntuple(type_name = "ns::Run")]
    run: u32,
}

#[derive(RNTuple)]
enum Shape {
    #[rntuple(f16)]
    Circle(f32),
    Square(f32),
}

fn main() {}
