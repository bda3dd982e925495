//! Writes a file. Explained in the book, chapter "Your first file".

use std::path::Path;

use rntuple::{RNTuple, Result, WriteOptions, Writer};

// ANCHOR: types
#[derive(RNTuple)]
struct Muon {
    /// Transverse momentum in GeV.
    pt: f32,
    /// Pseudorapidity.
    eta: f32,
    /// Azimuth in radians.
    phi: f32,
    /// Charge: -1 or 1.
    charge: i8,
}

#[derive(RNTuple)]
struct Event {
    /// Number of the event in its run.
    number: u64,
    /// Muons, hardest first.
    muons: Vec<Muon>,
}
// ANCHOR_END: types

fn write(path: &Path) -> Result<()> {
    // ANCHOR: write
    let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new())?;
    for number in 0..1000 {
        let muons = (0..number % 3).map(|i| Muon { pt: 40.0 - i as f32, eta: 0.5, phi: 1.0, charge: 1 });
        writer.fill(&Event { number, muons: muons.collect() })?;
    }
    let summary = writer.finish()?;
    println!("{} entries, {} bytes", summary.entries, summary.file_size);
    // ANCHOR_END: write
    assert_eq!(summary.entries, 1000);
    assert_eq!(summary.file_size, std::fs::metadata(path)?.len());
    Ok(())
}

// ANCHOR: borrowed
/// What another part of the program owns can be written in place: no entry is ever assembled.
#[derive(RNTuple)]
struct Borrowed<'a> {
    number: u64,
    label: &'a str,
    samples: &'a [f32],
}

fn write_borrowed(path: &Path, recording: &[f32]) -> Result<()> {
    let mut writer = Writer::<Borrowed>::create(path, "Pieces", WriteOptions::new())?;
    for (number, samples) in (0..).zip(recording.chunks(16)) {
        writer.fill(&Borrowed { number, label: "ch0", samples })?;
    }
    writer.finish()?;
    Ok(())
}
// ANCHOR_END: borrowed

fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    write(&directory.path().join("events.root"))?;
    write_borrowed(&directory.path().join("pieces.root"), &[0.25; 100])
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
