//! A projected field has a name of its own.
use rntuple::RNTuple;
#[derive(RNTuple)]
#[rntuple(project(
    met: f32 = "energy",
    size: Cardinality = "hits",
    size: Cardinality32 = "hits",
    "n hits": Cardinality = "hits",
))]
struct Event {
    energy: f32,
    hits: Vec<f32>,
    met: f64,
}

fn main() {}
