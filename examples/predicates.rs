//! Reads the entries that a predicate matches. Explained in the book, chapter "Predicates".

use std::path::Path;

use rntuple::predicate::{Fields as _, Operand, Predicate};
use rntuple::{Files, RNTuple, Reader, Result, WriteOptions, Writer};

// ANCHOR: types
#[derive(RNTuple)]
#[rntuple(predicates)]
struct Muon {
    pt: f32,
    eta: f32,
}

#[derive(RNTuple)]
#[rntuple(predicates)]
struct Event {
    run: u32,
    number: u64,
    met: f32,
    muons: Vec<Muon>,
}
// ANCHOR_END: types

/// Four runs of a thousand events each, which are sorted by run and number.
fn write(directory: &Path) -> Result<()> {
    for run in 1..=4 {
        let file = directory.join(format!("run{run}.root"));
        // ANCHOR: write
        let options = WriteOptions::new().statistics(true);
        let mut writer = Writer::<Event>::create(file, "Events", options)?;
        // ANCHOR_END: write
        for number in 0..1000u16 {
            let muons =
                (0..number % 3).map(|muon| Muon { pt: f32::from(10 * muon + 15), eta: 0.5 }).collect();
            let met = f32::from(number % 100);
            writer.fill(&Event { run, number: number.into(), met, muons })?;
        }
        writer.finish()?;
    }
    Ok(())
}

fn read(directory: &Path) -> Result<()> {
    let pattern = directory.join("run*.root").display().to_string();
    let reader = Reader::<Event>::open(Files::glob(&pattern)?, "Events")?;

    // ANCHOR: typed
    let event = Event::fields();
    let wanted = event.met.gt(50.0) & event.muons.any(|muon| muon.pt.gt(20.0) & muon.eta.abs().lt(2.4));
    let filtered = reader.filter(&wanted)?;
    for event in filtered.entries() {
        let event = event?;
        assert!(event.met > 50.0);
    }
    // ANCHOR_END: typed

    // ANCHOR: text
    let wanted: Predicate = "met > 50 and any(muons, pt > 20 and abs(eta) < 2.4)".parse()?;
    let matching = reader.filter(&wanted)?.matching()?;
    // ANCHOR_END: text
    assert_eq!(matching, filtered.matching()?);
    assert_eq!(matching.entry_count(), 652);

    // ANCHOR: parts
    let wanted = Operand::field("met").gt(50) & Operand::size("muons").ge(2);
    println!("{wanted}");
    // ANCHOR_END: parts
    assert_eq!(wanted.to_string(), "met > 50 and size(muons) >= 2");

    // ANCHOR: key
    let event = Event::fields();
    let found = reader.filter(&(event.run.eq(3) & event.number.eq(17)))?;
    for event in found.entries() {
        println!("met of event 17 of run 3: {}", event?.met);
    }
    println!("{}", found.counters());
    // ANCHOR_END: key
    let counters = found.counters();
    assert_eq!((counters.files.considered, counters.files.skipped, counters.matched), (4, 3, 1));
    Ok(())
}

fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    write(directory.path())?;
    read(directory.path())
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
