//! What is upgraded has a way to be
use rntuple::RNTuple;

#[derive(RNTuple)]
struct EventV1 {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(upgrade_from(EventV1, when = version(1)))]
struct Event {
    run: u32,
}

fn main() {}
