//! Serde's default and the one of `#[rntuple(..)]` are the same
use rntuple::RNTuple;
use serde::{Deserialize, Serialize};

fn one() -> u32 {
    1
}

#[derive(RNTuple, Serialize, Deserialize)]
#[rntuple(serde_compat)]
struct Event {
    #[serde(default = "one")]
    #[rntuple(default)]
    run: u32,
}

fn main() {}
