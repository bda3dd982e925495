//! What the program reads.

use rntuple::RNTuple;

#[derive(RNTuple)]
pub(crate) struct Event {
    pub(crate) number: u64,
    pub(crate) hits: Vec<Hit>,
}

#[derive(RNTuple)]
pub(crate) struct Hit {
    pub(crate) energy: f32,
}
