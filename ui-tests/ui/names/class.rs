//! Classes have names
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(type_name = "")]
struct Event {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(type_name = "Energy")]
struct Energy(f32);

#[derive(RNTuple)]
#[rntuple(type_name = phys::Muon)]
struct Muon {
    pt: f32,
}

#[derive(RNTuple)]
#[rntuple(untyped = true)]
struct Record {
    pt: f32,
}

#[derive(RNTuple)]
#[rntuple(untyped)]
enum Shape {
    Circle(f32),
    #[rntuple(type_name(Square))]
    Square { side: f32 },
}

fn main() {}
