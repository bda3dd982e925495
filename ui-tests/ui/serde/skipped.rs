//! What serde skips is stored where the member says so
use rntuple::RNTuple;
use serde::Serialize;

#[derive(RNTuple, Serialize)]
#[rntuple(serde_compat)]
struct Event {
    run: u32,
    #[serde(skip)]
    #[rntuple(f16)]
    cache: f32,
    // This is how.
    #[serde(skip)]
    #[rntuple(skip = false, f16)]
    weight: f32,
}

#[derive(RNTuple)]
struct Other {
    #[rntuple(skip = false)]
    run: u32,
    #[rntuple(skip = 1)]
    cache: f32,
}

fn main() {}
