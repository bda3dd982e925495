//! Descriptions are text, units are in brackets already
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(description(transverse momentum))]
    pt: f32,
    #[rntuple(description)]
    eta: f32,
    #[rntuple(unit = "[GeV]")]
    energy: f32,
    #[rntuple(unit = "")]
    mass: f32,
    #[rntuple(unit = GeV)]
    met: f32,
}

fn main() {}
