//! Members of packed structs cannot be borrowed
use rntuple::RNTuple;

#[derive(RNTuple)]
#[repr(C, packed)]
struct Event {
    flag: u8,
    energy: f32,
}

fn main() {}
