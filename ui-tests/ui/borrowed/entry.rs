//! Only entries that are borrowed are lent
use rntuple::{RNTuple, Reader};

#[derive(RNTuple)]
struct Event {
    met: f32,
}

fn lend(reader: &Reader<Event>) {
    let _ = reader.borrowed();
}

fn main() {}
