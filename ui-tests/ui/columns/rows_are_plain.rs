//! Values that are kept as they are can be cloned and shown
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Muon {
    pt: f32,
}

#[derive(RNTuple)]
#[rntuple(columnar)]
struct Event {
    met: f32,
    #[rntuple(rows)]
    muons: Vec<Muon>,
}

fn main() {}
