//! Unknown attributes are no comments
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(colour)]
struct Event {
    #[rntuple(shape::square = 3)]
    run: u32,
}

fn main() {}
