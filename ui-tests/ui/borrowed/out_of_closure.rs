//! Nor does it leave the closure that it is lent to
use rntuple::{RNTuple, Reader, Result};

#[derive(RNTuple)]
#[rntuple(borrowed)]
struct Event {
    met: f32,
    label: String,
    hits: Vec<f32>,
}

fn all(reader: &Reader<Event>) -> Result<()> {
    let mut labels = Vec::new();
    reader.borrowed().for_each(|event| labels.push(event.label))?;
    println!("{labels:?}");
    Ok(())
}

fn main() {}
