//! A field that does not exist is found out when the program is built
use rntuple::RNTuple;
use rntuple::predicate::Fields as _;

#[derive(RNTuple)]
#[rntuple(predicates)]
struct Muon {
    pt: f32,
}

#[derive(RNTuple)]
#[rntuple(predicates)]
struct Event {
    met: f32,
    muons: Vec<Muon>,
}

fn main() {
    let event = Event::fields();
    let _ = event.mett.gt(50.0);
    let _ = event.muons.any(|muon| muon.px.gt(20.0));
}
