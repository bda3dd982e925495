//! A type that is read from another can be made from it
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(from = "u64")]
    a: f32,
    #[rntuple(try_from = "f64")]
    b: String,
}

fn main() {}
