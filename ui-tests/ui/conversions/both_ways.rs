//! A type that is only written as another must be readable itself
use rntuple::RNTuple;

#[derive(Clone)]
struct Opaque;

impl From<Opaque> for u8 {
    fn from(_: Opaque) -> Self {
        0
    }
}

#[derive(RNTuple)]
struct Event {
    #[rntuple(into = "u8")]
    a: Opaque,
}

fn main() {}
