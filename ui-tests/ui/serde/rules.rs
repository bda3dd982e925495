//! What serde says is checked like what is said here
use rntuple::RNTuple;
use serde::Serialize;

#[derive(RNTuple, Serialize)]
#[rntuple(serde_compat)]
struct Event {
    #[serde(rename = "muons.pt")]
    pt: f32,
    #[serde(rename = "eta")]
    pseudorapidity: f32,
    eta: f32,
}

#[derive(RNTuple, Serialize)]
struct Vertex {
    x: f32,
}

#[derive(RNTuple, Serialize)]
#[rntuple(serde_compat)]
struct Flat {
    #[serde(flatten)]
    #[rntuple(unit = "cm")]
    vertex: Vertex,
    #[serde(skip)]
    #[rntuple(f16)]
    cache: f32,
}

fn main() {}
