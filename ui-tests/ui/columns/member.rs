//! Types of members are columnar too, or the member is kept in rows
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Muon {
    pt: f32,
}

#[derive(RNTuple)]
#[rntuple(columnar)]
struct Event {
    met: f32,
    muons: Vec<Muon>,
}

fn main() {}
