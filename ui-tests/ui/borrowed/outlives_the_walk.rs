//! What is lent does not outlive the walk
use rntuple::{RNTuple, Reader, Result};

#[derive(RNTuple)]
#[rntuple(borrowed)]
struct Event {
    met: f32,
    label: String,
    hits: Vec<f32>,
}

fn first(reader: &Reader<Event>) -> Result<Option<EventRef<'_>>> {
    let mut events = reader.borrowed();
    events.next()
}

fn many(reader: &Reader<Event>) -> Result<&[f32]> {
    Ok(reader.borrowed().next_slice(100)?.unwrap().met)
}

fn main() {}
