//! Keeps bounds of values, and looks only where they allow it. Explained in the book, chapter "Statistics".

use std::path::Path;

use rntuple::schema::ClusterId;
use rntuple::statistics::{Bounds, ElementStatistics, Statistics};
use rntuple::{Dataset, RNTuple, Reader, RootFile, WriteOptions, Writer};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

#[derive(RNTuple, Clone)]
struct Muon {
    pt: f32,
}

#[derive(RNTuple, Clone)]
struct Event {
    run: u32,
    muons: Vec<Muon>,
}

fn event(number: u32) -> Event {
    Event { run: 360_000 + number / 100, muons: vec![Muon { pt: number as f32 / 10.0 }; number as usize % 3] }
}

fn write(path: &Path) -> Result<()> {
    // ANCHOR: write
    let options = WriteOptions::new().statistics(true);
    let mut writer = Writer::<Event>::create(path, "Events", options)?;
    // ANCHOR_END: write
    for number in 0..1000 {
        writer.fill(&event(number))?;
        if number % 250 == 249 {
            writer.commit_cluster()?;
        }
    }
    writer.finish()?;
    Ok(())
}

// ANCHOR: search
/// Whether any element can be this one.
fn may_have(statistics: &ElementStatistics, wanted: u64) -> bool {
    match statistics.bounds {
        Bounds::Unsigned { min, max } => min <= wanted && wanted <= max,
        _ => true,
    }
}

/// The events of a run, and how many clusters were read for them.
fn events_of(path: &Path, run: u32) -> Result<(Vec<Event>, usize)> {
    let dataset = Dataset::open(&RootFile::open(path)?, "Events")?;
    let statistics = Statistics::of(&dataset)?.ok_or("the file has no statistics")?;
    let runs = statistics.field(dataset.schema().find("run").ok_or("no such field")?, 0)?;
    let reader = Reader::<Event>::open(path, "Events")?;
    let (mut events, mut read) = (Vec::new(), 0);
    for (number, cluster) in (0..).map(ClusterId).zip(dataset.clusters()) {
        let cluster = cluster?;
        // What is not known must be read.
        if runs.cluster(number).is_some_and(|known| !may_have(known, run.into())) {
            continue;
        }
        read += 1;
        for event in reader.entries_in(cluster.first_entry..cluster.first_entry + cluster.entry_count) {
            events.extend(Some(event?).filter(|event| event.run == run));
        }
    }
    Ok((events, read))
}
// ANCHOR_END: search

fn later(path: &Path, side: &Path) -> Result<()> {
    // ANCHOR: later
    let dataset = Dataset::open(&RootFile::open(path)?, "Events")?;
    let statistics = Statistics::compute(&dataset)?;
    statistics.save(side, WriteOptions::new())?;

    let statistics = Statistics::open(&RootFile::open(side)?, &dataset)?;
    let pt = statistics.field(dataset.schema().find("muons._0.pt").ok_or("no such field")?, 0)?;
    println!("{:?}", pt.file());
    // ANCHOR_END: later
    Ok(())
}

fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("events.root");
    write(&path)?;
    let (events, read) = events_of(&path, 360_003)?;
    assert_eq!((events.len(), read), (100, 1));
    assert!(
        events.iter().all(|event| event.run == 360_003 && event.muons.iter().all(|muon| muon.pt >= 30.0))
    );
    later(&path, &directory.path().join("statistics.root"))
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
