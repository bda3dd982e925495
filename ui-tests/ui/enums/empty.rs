//! An enum has variants
use rntuple::RNTuple;

#[derive(RNTuple)]
enum Nothing {}

fn main() {}
