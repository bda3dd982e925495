//! So do its strings and slices
use rntuple::{RNTuple, Reader, Result};

#[derive(RNTuple)]
#[rntuple(borrowed)]
struct Event {
    met: f32,
    label: String,
    hits: Vec<f32>,
}

fn labels(reader: &Reader<Event>) -> Result<()> {
    let mut events = reader.borrowed();
    let Some(first) = events.next()? else { return Ok(()) };
    let (label, hits): (&str, &[f32]) = (first.label, first.hits);
    while let Some(event) = events.next()? {
        println!("{label} and {}", event.label);
    }
    println!("{hits:?}");
    Ok(())
}

fn main() {}
