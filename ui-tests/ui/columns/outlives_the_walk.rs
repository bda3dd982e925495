//! What is lent does not outlive the walk
//!
//! Take the batches as an argument (`&mut Batches<Event>`), or return columns that own their memory.
use rntuple::{RNTuple, Reader, Result};

#[derive(RNTuple)]
#[rntuple(columnar)]
struct Event {
    met: f32,
    label: String,
    hits: Vec<f32>,
}

fn first(reader: &Reader<Event>) -> Result<Option<EventSlice<'_>>> {
    let mut batches = reader.batches(100);
    batches.lend()
}

fn main() {}
