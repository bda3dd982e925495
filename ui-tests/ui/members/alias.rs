//! Aliases are names of one member
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(alias = "pt", alias = "pT")]
    pt: f32,
    #[rntuple(alias = "pT")]
    momentum: f32,
    #[rntuple(alias("e"))]
    energy: f32,
    #[rntuple(alias = "a b")]
    mass: f32,
}

fn main() {}
