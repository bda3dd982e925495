//! `usize` differs between machines
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    count: usize,
    offsets: Vec<Option<isize>>,
}

fn main() {}
