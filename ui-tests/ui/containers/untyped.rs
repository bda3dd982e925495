//! A record has a class or none
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(untyped, type_name = "Event", version = 2)]
struct Event {
    run: u32,
}

fn main() {}
