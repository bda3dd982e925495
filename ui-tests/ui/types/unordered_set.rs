//! Items of hashed collections are in order
use rntuple::RNTuple;

use std::collections::HashSet;

#[derive(PartialEq, Eq, Hash, RNTuple)]
struct Id(u8);

#[derive(RNTuple)]
struct Event {
    ids: HashSet<Id>,
}

fn main() {}
