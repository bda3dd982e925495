//! A form of the whole type cannot be followed
use rntuple::RNTuple;
use serde::Serialize;

#[derive(RNTuple, Serialize, Clone)]
#[rntuple(serde_compat)]
#[serde(into = "f32")]
struct Energy {
    value: f32,
}

impl From<Energy> for f32 {
    fn from(energy: Energy) -> Self {
        energy.value
    }
}

fn main() {}
