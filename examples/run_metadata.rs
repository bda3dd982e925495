//! Says something of whole runs, beside the events. Explained in the book, chapter "Run metadata".

use std::path::Path;

use rntuple::{Dataset, RNTuple, Reader, Result, RootFile, Value, WriteOptions, Writer};

// ANCHOR: types
#[derive(RNTuple)]
struct Event {
    met: f32,
}

/// What is the same for all events of a run.
#[derive(Debug, PartialEq, RNTuple)]
struct RunInfo {
    run: u32,
    generator: String,
    /// Least transverse momentum [GeV]
    cut: f64,
}

/// What was found out later, of any events.
#[derive(RNTuple)]
struct Quality {
    good: bool,
    reason: String,
}
// ANCHOR_END: types

fn write(path: &Path) -> Result<()> {
    // ANCHOR: write
    let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new())?;
    let runs = writer.attributes::<RunInfo>("RunInfo")?;
    for run in 361..364 {
        let range = runs.begin(&writer)?;
        for _ in 0..1000 {
            writer.fill(&Event { met: 31.4 })?;
        }
        range.commit(&writer, &RunInfo { run, generator: "Pythia 8.3".to_owned(), cut: 20.0 })?;
    }
    // ANCHOR_END: write
    // ANCHOR: add
    let quality = writer.attributes::<Quality>("Quality")?;
    quality.add(950..1100, &Quality { good: false, reason: "high voltage tripped".to_owned() })?;
    quality.add(0..3000, &Quality { good: true, reason: "stable beams".to_owned() })?;
    writer.finish()?;
    // ANCHOR_END: add
    Ok(())
}

fn read(path: &Path) -> Result<()> {
    // ANCHOR: read
    let reader = Reader::<Event>::open(path, "Events")?;
    let runs = reader.attributes::<RunInfo>("RunInfo")?;
    for attribute in &runs {
        let attribute = attribute?;
        let events = reader.entries_in(attribute.range);
        println!("run {}: {} events", attribute.value.run, events.count());
    }
    // ANCHOR_END: read
    // ANCHOR: covering
    let quality = reader.attributes::<Quality>("Quality")?;
    let mut reasons = Vec::new();
    for attribute in quality.covering(1000) {
        let Quality { good, reason } = attribute?.value;
        reasons.push((good, reason));
    }
    assert_eq!(reasons, [(false, "high voltage tripped".to_owned()), (true, "stable beams".to_owned())]);
    // ANCHOR_END: covering
    assert_eq!(runs.attribute_count(), 3);
    let middle = reader.attributes::<RunInfo>("RunInfo")?.get(1)?;
    assert_eq!((middle.range, middle.value.run, middle.value.cut), (1000..2000, 362, 20.0));
    assert_eq!(middle.value.generator, "Pythia 8.3");
    assert_eq!(reader.entries().next().transpose()?.map(|event| event.met), Some(31.4));
    Ok(())
}

fn explore(path: &Path) -> Result<()> {
    // ANCHOR: explore
    let file = RootFile::open(path)?;
    let dataset = Dataset::open(&file, "Events")?;
    for set in dataset.attribute_sets() {
        let set = dataset.attribute_set(&set.name)?;
        println!("{}: {} attributes", set.name(), set.entry_count());
    }
    let reader = Reader::<Value>::open(&file, "Events")?;
    for attribute in &reader.attributes::<Value>("RunInfo")? {
        println!("{:?}", attribute?);
    }
    // ANCHOR_END: explore
    Ok(())
}

fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("events.root");
    write(&path)?;
    read(&path)?;
    explore(&path)
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
