//! What a job that is stopped leaves, and how to lose little. Explained in the book, chapter "When the job is
//! stopped".
#![expect(clippy::unwrap_used, reason = "what the program shows would be wrong")]

use std::path::Path;

use rntuple::{RNTuple, Reader, Result, WriteOptions, Writer};

#[derive(Clone, Debug, PartialEq, RNTuple)]
struct Event {
    number: u64,
    hits: Vec<f32>,
}

fn simulate(number: u64) -> Event {
    Event { number, hits: (0..number % 5).map(|i| i as f32).collect() }
}

fn count(path: &Path) -> Result<u64> {
    Reader::<Event>::open(path, "Events")?.entry_count()
}

fn the_old_file_stays(path: &Path) -> Result<()> {
    // ANCHOR: old
    let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new())?;
    writer.fill(&simulate(0))?;
    writer.finish()?;

    // A second run of the job is stopped: a panic, an early `?`, a forgotten `finish`.
    let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new())?;
    writer.fill(&simulate(1))?;
    drop(writer);

    // The file of the first run is as it was.
    assert_eq!(count(path)?, 1);
    // ANCHOR_END: old
    Ok(())
}

// ANCHOR: saving
/// Writes events up to number `end`. What an earlier run has saved is continued; after each `step` events, all of them
/// can be read.
fn run(path: &Path, end: u64, step: u64) -> Result<()> {
    let options = WriteOptions::new;
    let mut writer = match path.exists() {
        true => Writer::<Event>::append(path, "Events", options())?,
        false => Writer::<Event>::create(path, "Events", options())?,
    };
    for number in writer.entry_count()..end {
        writer.fill(&simulate(number))?;
        if (number + 1) % step == 0 {
            writer.finish()?;
            writer = Writer::append(path, "Events", options())?;
        }
    }
    writer.finish()?;
    Ok(())
}
// ANCHOR_END: saving

fn little_is_lost(path: &Path) -> Result<()> {
    run(path, 2000, 1000)?;
    // A run that is stopped between two steps.
    let mut writer = Writer::<Event>::append(path, "Events", WriteOptions::new())?;
    writer.fill(&simulate(2000))?;
    drop(writer);
    assert_eq!(count(path)?, 2000);

    run(path, 3000, 1000)?;
    assert_eq!(count(path)?, 3000);
    let events = Reader::<Event>::open(path, "Events")?;
    assert!(events.entries().zip(0..).all(|(event, number)| event.unwrap() == simulate(number)));
    Ok(())
}

fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    the_old_file_stays(&directory.path().join("old.root"))?;
    little_is_lost(&directory.path().join("saved.root"))
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
