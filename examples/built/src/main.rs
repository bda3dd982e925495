//! Prints the energy of the events of a file. The program is compiled only if it can read the sample: see `build.rs`.

mod event;

use event::Event;
use rntuple::{Reader, Result};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../sample.root");

fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| SAMPLE.to_owned());
    for event in Reader::<Event>::open(path, "Events")?.entries() {
        let event = event?;
        let energy: f32 = event.hits.iter().map(|hit| hit.energy).sum();
        println!("event {}: {energy} MeV", event.number);
    }
    Ok(())
}
