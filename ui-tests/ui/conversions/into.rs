//! A type that is written as another can be made into it
use rntuple::RNTuple;

struct Opaque;

impl From<Opaque> for u8 {
    fn from(_: Opaque) -> Self {
        0
    }
}

#[derive(RNTuple)]
struct Event {
    #[rntuple(into = "u64", skip_reading)]
    a: f32,
    #[rntuple(into = "u8", skip_reading, default = make)]
    b: Opaque,
}

fn make() -> Opaque {
    Opaque
}

fn main() {}
