//! Types of members are borrowed too, or the member is owned
use std::collections::BTreeMap;

use rntuple::RNTuple;

#[derive(RNTuple)]
struct Muon {
    pt: f32,
}

#[derive(RNTuple)]
#[rntuple(borrowed)]
struct Event {
    muons: Vec<Muon>,
    counts: BTreeMap<u32, u32>,
}

fn main() {}
