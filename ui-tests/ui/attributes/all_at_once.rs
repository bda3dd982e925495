//! All mistakes are told at once
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(version = 0)]
struct Event {
    #[rntuple(rename = "event.number")]
    number: usize,
    #[rntuple(skip, f16)]
    cache: f32,
    #[rntuple(prefix = "vtx_")]
    vertex: f32,
    #[rntuple(unit = "[GeV]", alias = "number")]
    met: f32,
}

fn main() {}
