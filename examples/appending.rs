//! Adds entries, and then columns, to a file that is there. Explained in the book, chapter "Appending".

use std::path::Path;

use rntuple::check::{CheckOptions, check_file};
use rntuple::extend::ColumnAdder;
use rntuple::{RNTuple, Reader, Result, RootFile, WriteOptions, Writer};

// ANCHOR: types
#[derive(RNTuple)]
struct Event {
    number: u64,
    energy: f64,
}
// ANCHOR_END: types

fn take_data(path: &Path) -> Result<()> {
    let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new())?;
    for number in 0..1000 {
        writer.fill(&Event { number, energy: 50.0 })?;
    }
    writer.finish()?;
    Ok(())
}

fn take_more(path: &Path) -> Result<()> {
    // ANCHOR: append
    let mut writer = Writer::<Event>::append(path, "Events", WriteOptions::new())?;
    for number in writer.entry_count()..1500 {
        writer.fill(&Event { number, energy: 60.0 })?;
    }
    let summary = writer.finish()?;
    assert_eq!(summary.entries, 500);
    // ANCHOR_END: append
    Ok(())
}

fn calibrate(path: &Path) -> Result<()> {
    // ANCHOR: columns
    #[derive(RNTuple)]
    struct Calibrated {
        calibrated: f64,
    }

    let events = Reader::<Event>::open(path, "Events")?;
    let mut adder = ColumnAdder::<Calibrated>::append(path, "Events", WriteOptions::new())?;
    for event in events.entries() {
        adder.fill(&Calibrated { calibrated: 1.02 * event?.energy })?;
    }
    adder.finish()?;
    // ANCHOR_END: columns
    Ok(())
}

fn give_up(path: &Path) -> Result<()> {
    // ANCHOR: dropped
    #[derive(RNTuple)]
    struct Everything {
        number: u64,
        energy: f64,
        calibrated: f64,
    }

    let mut writer = Writer::<Everything>::append(path, "Events", WriteOptions::new())?;
    writer.fill(&Everything { number: 1500, energy: 70.0, calibrated: 71.4 })?;
    writer.commit_cluster()?;
    drop(writer);
    assert_eq!(Reader::<Everything>::open(path, "Events")?.entry_count()?, 1500);
    // ANCHOR_END: dropped
    let last = Reader::<Everything>::open(path, "Events")?.get(1499)?;
    assert_eq!((last.number, last.energy, last.calibrated), (1499, 60.0, 61.2));
    Ok(())
}

fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("events.root");
    take_data(&path)?;
    take_more(&path)?;
    calibrate(&path)?;
    give_up(&path)?;
    let report = check_file(&RootFile::open(&path)?, CheckOptions::new());
    // Nothing is wrong. What was given up is after the end of the file, where the next append writes.
    assert!(report.faults.is_empty() && report.unreferenced_bytes > 0, "{report:?}");
    Ok(())
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
