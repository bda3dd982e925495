//! Reads many files as one, and joins them with others. Explained in the book, chapter "Many files".

use std::path::Path;

use rntuple::join::DuplicateKeys;
use rntuple::{Files, RNTuple, ReadOptions, Reader, Result, Value, WriteOptions, Writer};

// ANCHOR: types
#[derive(RNTuple)]
struct Event {
    run: u32,
    number: u64,
    met: f32,
}

#[derive(RNTuple)]
struct Weights {
    nominal: f64,
}

#[derive(RNTuple)]
struct Calibration {
    run: u32,
    number: u64,
    scale: f32,
}
// ANCHOR_END: types

const RUNS: u32 = 3;
const EVENTS: u64 = 100;

/// Three runs of a hundred events each, weights for all of them, and scales for every tenth.
fn write(directory: &Path) -> Result<()> {
    let options = WriteOptions::new;
    let mut weights = Writer::create(directory.join("weights.root"), "Weights", options())?;
    let mut scales = Writer::create(directory.join("calibration.root"), "Calibration", options())?;
    for run in 1..=RUNS {
        let file = directory.join(format!("run{run}.root"));
        let mut events = Writer::create(file, "Events", options())?;
        for number in 0..EVENTS {
            events.fill(&Event { run, number, met: 20.0 })?;
            weights.fill(&Weights { nominal: 0.5 })?;
            if number % 10 == 0 {
                scales.fill(&Calibration { run, number, scale: 1.1 })?;
            }
        }
        events.finish()?;
    }
    weights.finish()?;
    scales.finish()?;
    Ok(())
}

fn read(directory: &Path) -> Result<()> {
    let pattern = directory.join("run*.root").display().to_string();
    // ANCHOR: open
    let reader = Reader::<Event>::open(Files::glob(&pattern)?, "Events")?;
    for (number, name) in reader.files().iter().enumerate() {
        println!("{name}: entries {:?}", reader.entries_of_file(number)?);
    }
    let mut sum = 0.0;
    for event in reader.entries() {
        sum += event?.met;
    }
    // ANCHOR_END: open
    assert_eq!(sum, 6000.0);

    // ANCHOR: threads
    use rayon::prelude::*;

    let high =
        reader.par_entries().filter(|event| event.as_ref().is_ok_and(|event| event.met > 10.0)).count();
    // ANCHOR_END: threads
    assert_eq!(high, 300);

    // ANCHOR: locate
    let event = reader.get(217)?;
    if let Some((file, entry)) = reader.locate(217)? {
        println!("event {} of run {} is entry {entry} of file {file}", event.number, event.run);
    }
    // ANCHOR_END: locate
    assert_eq!((event.run, event.number), (3, 17));

    // ANCHOR: list
    let files = [directory.join("run1.root"), directory.join("run3.root")];
    let some = Reader::<Value>::open_with(files, "Events", ReadOptions::new().open_files(4))?;
    // ANCHOR_END: list
    assert_eq!(some.entry_count()?, 200);

    // ANCHOR: select
    let good = reader.select(|event| event.run != 2 && event.met > 10.0)?;
    let also = reader.entries_in(&good).map(|event| Ok(event?.met)).sum::<Result<f32>>()?;
    // ANCHOR_END: select
    assert_eq!((good.entry_count(), also), (200, 4000.0));
    Ok(())
}

fn beside(directory: &Path) -> Result<()> {
    let pattern = directory.join("run*.root").display().to_string();
    // ANCHOR: zip
    let events = Reader::<Event>::open(Files::glob(&pattern)?, "Events")?;
    let weights = Reader::<Weights>::open(directory.join("weights.root"), "Weights")?;
    let mut sum = 0.0;
    for entry in events.zip(&weights)?.entries() {
        let (event, weights) = entry?;
        sum += f64::from(event.met) * weights.nominal;
    }
    // ANCHOR_END: zip
    assert_eq!(sum, 3000.0);
    Ok(())
}

// ANCHOR: key
#[derive(RNTuple, PartialEq, Eq, Hash)]
struct EventKey {
    run: u32,
    number: u64,
}
// ANCHOR_END: key

fn by_key(directory: &Path) -> Result<()> {
    let pattern = directory.join("run*.root").display().to_string();
    let events = Reader::<Event>::open(Files::glob(&pattern)?, "Events")?;
    // ANCHOR: join
    let scales = Reader::<Calibration>::open(directory.join("calibration.root"), "Calibration")?;
    let join = events.join_on::<EventKey, _>(&scales)?;
    let mut sum = 0.0;
    for entry in join.entries() {
        let (event, calibration) = entry?;
        sum += event.met * calibration.map_or(1.0, |calibration| calibration.scale);
    }
    // ANCHOR_END: join
    assert!((sum - 6060.0).abs() < 0.1);

    // ANCHOR: inner
    for entry in join.inner() {
        let (event, calibration) = entry?;
        assert_eq!((event.run, event.number), (calibration.run, calibration.number));
    }
    // ANCHOR_END: inner
    assert_eq!(join.inner().count(), 30);

    #[derive(RNTuple, PartialEq, Eq, Hash)]
    struct RunKey {
        run: u32,
    }
    assert!(events.join_on::<RunKey, _>(&scales).is_err());
    // ANCHOR: all
    let join = events.join_on_with::<RunKey, _>(&scales, DuplicateKeys::All)?;
    // ANCHOR_END: all
    assert_eq!(join.inner().count(), 300 * 10);
    Ok(())
}

fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    write(directory.path())?;
    read(directory.path())?;
    beside(directory.path())?;
    by_key(directory.path())
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
