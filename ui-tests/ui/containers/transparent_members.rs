//! The member of a transparent struct has no name
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(transparent, type_name = "Energy", default)]
struct Energy {
    #[rntuple(rename = "e")]
    energy: f32,
}

fn main() {}
