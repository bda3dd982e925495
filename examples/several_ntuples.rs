//! Writes several ntuples to one file, and adds more to it. Explained in the book, chapter "Several ntuples".

use std::path::Path;

use rntuple::root::FileOptions;
use rntuple::{RNTuple, Reader, Result, RootFile, RootFileWriter, WriteOptions, Writer};

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

fn add(path: &Path) -> Result<()> {
    // ANCHOR: add
    #[derive(RNTuple)]
    struct Calibration {
        channel: u16,
        gain: f32,
    }

    let file = RootFileWriter::append(path, FileOptions::new())?;
    let mut calibrations = file.writer::<Calibration>("conditions/Calibration", WriteOptions::new())?;
    for channel in 0..128 {
        calibrations.fill(&Calibration { channel, gain: 1.02 })?;
    }
    calibrations.finish()?;
    file.finish()?;

    let calibrations = Reader::<Calibration>::open(path, "conditions/Calibration")?;
    assert_eq!(calibrations.entry_count()?, 128);
    assert_eq!(Reader::<Event>::open(path, "Events")?.entry_count()?, 300);
    // ANCHOR_END: add
    let last = calibrations.get(127)?;
    assert_eq!((last.channel, last.gain), (127, 1.02));
    Ok(())
}

fn add_one(path: &Path) -> Result<()> {
    // ANCHOR: add_one
    let mut runs = Writer::<Run>::create_in(path, "MoreRuns", WriteOptions::new())?;
    runs.fill(&Run { number: 4, lumi: 0.5 })?;
    runs.finish()?;

    // A name that is taken is refused.
    let taken = Writer::<Run>::create_in(path, "Events", WriteOptions::new());
    assert!(taken.is_err());
    // ANCHOR_END: add_one
    assert_eq!(RootFile::open(path)?.ntuples()?.len(), 4);
    Ok(())
}

fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("events.root");
    write(&path)?;
    read(&path)?;
    add(&path)?;
    add_one(&path)
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
