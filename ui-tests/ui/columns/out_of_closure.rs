//! What `visit` lends does not leave its closure
//!
//! Keep a value of its own: `event.label.to_owned()`.
use rntuple::{Error, RNTuple, Reader, Result};

#[derive(RNTuple)]
#[rntuple(columnar)]
struct Event {
    met: f32,
    label: String,
    hits: Vec<f32>,
}

fn all(reader: &Reader<Event>) -> Result<()> {
    let mut labels = Vec::new();
    reader.batches(100).visit(|event| {
        labels.push(event.label);
        Ok::<_, Error>(())
    })?;
    println!("{labels:?}");
    Ok(())
}

fn main() {}
