//! A member is owned only where the others are borrowed
use std::collections::BTreeMap;

use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(owned)]
    counts: BTreeMap<u32, u32>,
}

#[derive(RNTuple)]
#[rntuple(borrowed)]
struct Half {
    met: f32,
    #[rntuple(owned, skip_reading)]
    counts: BTreeMap<u32, u32>,
    #[rntuple(owned = "yes")]
    others: BTreeMap<u32, u32>,
}

#[derive(RNTuple)]
#[rntuple(owned)]
struct Run {
    number: u32,
}

fn main() {}
