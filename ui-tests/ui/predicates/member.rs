//! Types of members have fields for predicates too
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Muon {
    pt: f32,
}

#[derive(RNTuple)]
#[rntuple(predicates)]
struct Event {
    met: f32,
    vertex: Muon,
}

fn main() {}
