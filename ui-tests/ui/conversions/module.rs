//! A module has what it takes to store a value
use rntuple::RNTuple;

mod empty {}

mod half {
    pub type Stored = f32;

    pub fn store(value: &f64) -> f32 {
        *value as f32
    }
}

#[derive(RNTuple)]
struct Event {
    #[rntuple(with = empty)]
    a: f64,
    #[rntuple(with = half)]
    b: f64,
    #[rntuple(with = nowhere)]
    c: f64,
}

fn main() {}
