//! Field names are not empty
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(rename = "")]
    run: u32,
}

fn main() {}
