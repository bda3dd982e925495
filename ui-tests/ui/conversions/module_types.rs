//! The functions of a module fit the member
use rntuple::RNTuple;

mod store {
    pub type Stored = f32;

    pub fn store(value: &f64) -> f32 {
        *value as f32
    }

    pub fn load(stored: f32) -> f64 {
        stored.into()
    }
}

#[derive(RNTuple)]
struct Event {
    #[rntuple(with = store)]
    a: f64,
    #[rntuple(with = store)]
    b: String,
}

fn main() {}
