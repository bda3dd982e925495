//! Writes several ntuples to one file. Explained in the book, chapter "Several ntuples".

use std::path::Path;

use rntuple::root::FileOptions;
use rntuple::{RNTuple, Reader, Result, RootFile, RootFileWriter, WriteOptions};

// ANCHOR: types
#[derive(RNTuple)]
struct Event {
    number: u64,
    met: f32,
}

#[derive(RNTuple)]
struct Run {
    number: u32,
    lumi: f64,
}
// ANCHOR_END: types

fn write(path: &Path) -> Result<()> {
    // ANCHOR: write
    let file = RootFileWriter::create(path, FileOptions::new())?;
    let mut events = file.writer::<Event>("Events", WriteOptions::new())?;
    let mut runs = file.writer::<Run>("conditions/2026/Runs", WriteOptions::new())?;
    for run in 1..=3 {
        for number in 0..100 {
            events.fill(&Event { number, met: 20.0 })?;
        }
        runs.fill(&Run { number: run, lumi: 0.5 })?;
    }
    events.finish()?;
    runs.finish()?;
    file.finish()?;
    // ANCHOR_END: write
    Ok(())
}

fn read(path: &Path) -> Result<()> {
    // ANCHOR: read
    let file = RootFile::open(path)?;
    let paths: Vec<String> = file.ntuples()?.iter().map(|key| key.path()).collect();
    assert_eq!(paths, ["Events", "conditions/2026/Runs"]);

    let events = Reader::<Event>::open(&file, "Events")?;
    let runs = Reader::<Run>::open(&file, "conditions/2026/Runs")?;
    assert_eq!((events.entry_count()?, runs.entry_count()?), (300, 3));
    assert_eq!(runs.get(2)?.number, 3);
    // ANCHOR_END: read
    let first = Reader::<Event>::open(path, "Events")?.get(0)?;
    assert_eq!((first.number, first.met, runs.get(0)?.lumi), (0, 20.0, 0.5));
    Ok(())
}

fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("events.root");
    write(&path)?;
    read(&path)
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
