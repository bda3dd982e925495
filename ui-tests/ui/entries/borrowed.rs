//! What borrows is only written
use rntuple::{RNTuple, Reader, WriteOptions, Writer};

#[derive(RNTuple)]
struct Event<'a> {
    name: &'a str,
    hits: &'a [f32],
    label: &'static str,
}

fn main() {
    // Can be written..
    let _ = Writer::<Event>::create("events.root", "Events", WriteOptions::new());
    // .. but not read.
    let _ = Reader::<Event>::open("events.root", "Events");
}
