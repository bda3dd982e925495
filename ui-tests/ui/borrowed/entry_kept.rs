//! An entry lives until the next one is asked for
use rntuple::{RNTuple, Reader, Result};

#[derive(RNTuple)]
#[rntuple(borrowed)]
struct Event {
    met: f32,
    label: String,
    hits: Vec<f32>,
}

fn last_two(reader: &Reader<Event>) -> Result<()> {
    let mut events = reader.borrowed();
    let mut last = None;
    while let Some(event) = events.next()? {
        if let Some(last) = last {
            println!("{event:?} after {last:?}");
        }
        last = Some(event);
    }
    Ok(())
}

fn main() {}
