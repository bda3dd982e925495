//! A slice is lent until the next batch is requested
//!
//! Use it before that, copy what is kept (`to_vec`), or read into columns that own their memory: `read_into`.
use rntuple::{RNTuple, Reader, Result};

#[derive(RNTuple)]
#[rntuple(columnar)]
struct Event {
    met: f32,
    label: String,
    hits: Vec<f32>,
}

fn last_two(reader: &Reader<Event>) -> Result<()> {
    let mut batches = reader.batches(100);
    let mut last: Option<&[f32]> = None;
    while let Some(events) = batches.lend()? {
        if let Some(last) = last {
            println!("{events:?} after {last:?}");
        }
        last = Some(events.met);
    }
    Ok(())
}

fn main() {}
