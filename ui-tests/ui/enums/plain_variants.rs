//! Variants without data are integers
use rntuple::RNTuple;

#[derive(RNTuple)]
#[repr(u8)]
enum Channel {
    #[rntuple(type_name = "A")]
    A,
    B,
}

fn main() {}
