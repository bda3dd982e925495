//! Defaults are functions
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(default = 5)]
    run: u32,
    #[rntuple(default = make())]
    met: f32,
}

fn main() {}
