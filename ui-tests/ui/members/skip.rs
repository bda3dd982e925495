//! Nothing is said of members that are skipped, but that they have a default
use rntuple::RNTuple;

struct NoDefault;

#[derive(RNTuple)]
struct Event {
    run: u32,
    #[rntuple(skip, f16)]
    described: f32,
    #[rntuple(skip)]
    cache: Option<NoDefault>,
}

#[derive(RNTuple)]
struct Cached {
    run: u32,
    #[rntuple(skip)]
    cache: NoDefault,
}

fn main() {}
