//! Members of a batch have batches too
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Muon {
    pt: f32,
}

#[derive(RNTuple)]
#[rntuple(batch)]
struct Event {
    met: f32,
    muons: Vec<Muon>,
}

fn main() {}
