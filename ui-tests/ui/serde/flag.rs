//! Compatibility is asked for on the type, with one word
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(serde_compat = true)]
struct Event {
    #[rntuple(serde_compat)]
    run: u32,
}

fn main() {}
