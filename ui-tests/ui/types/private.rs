//! A public type that borrows, is generic or is a columnar newtype shows the types of its members
//!
//! Make these as visible as the type that has them.
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(columnar)]
struct Hit {
    adc: u16,
}

#[derive(RNTuple)]
pub struct Event<'a> {
    hits: &'a [Hit],
}

#[derive(RNTuple)]
#[rntuple(columnar)]
pub struct Signal(Hit);

fn main() {}
