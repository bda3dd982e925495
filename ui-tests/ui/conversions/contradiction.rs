//! A value is stored in one form
use rntuple::RNTuple;

mod store {}

#[derive(RNTuple)]
struct Event {
    #[rntuple(with = store, into = "u8")]
    a: f32,
    #[rntuple(from = "u8", try_from = "u8")]
    b: f32,
}

fn main() {}
