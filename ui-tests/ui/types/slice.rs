//! A member has a fixed size
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    hits: [f32],
}

#[derive(RNTuple)]
struct Label {
    lines: (u32, str),
}

// What is only written may end in a slice, for Rust's structs may.
#[derive(RNTuple)]
#[rntuple(skip_reading)]
struct Tail {
    run: u32,
    hits: [f32],
}

fn main() {}
