//! Unknown fields can be known
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Vertex {
    x: f32,
}

#[derive(RNTuple)]
#[rntuple(deny_unknown_fields)]
struct Event {
    run: u32,
    #[rntuple(flatten)]
    vertex: Vertex,
}

#[derive(RNTuple)]
#[rntuple(deny_unknown_fields, skip_reading)]
struct Written {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(deny_unknown_fields = true)]
struct Flag {
    run: u32,
}

fn main() {}
