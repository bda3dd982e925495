//! Variants that serde skips are stored
use rntuple::RNTuple;
use serde::Serialize;

#[derive(RNTuple, Serialize)]
#[rntuple(serde_compat)]
enum Hit {
    Strip(u32),
    #[serde(skip)]
    Pixel(u32),
}

fn main() {}
