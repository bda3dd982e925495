//! Reads a file. Explained in the book, chapter "Reading it back".

use std::path::Path;

use rntuple::{RNTuple, Reader, Result, WriteOptions, Writer};

#[derive(Clone, Debug, Default, PartialEq, RNTuple)]
struct Muon {
    pt: f32,
    charge: i8,
}

#[derive(Clone, Debug, Default, PartialEq, RNTuple)]
struct Event {
    number: u64,
    muons: Vec<Muon>,
}

fn event(number: u64) -> Event {
    let muons = (0..number % 3).map(|i| Muon { pt: 40.0 - i as f32, charge: 1 });
    Event { number, muons: muons.collect() }
}

fn read(path: &Path) -> Result<()> {
    // ANCHOR: entries
    let reader = Reader::<Event>::open(path, "Events")?;
    println!("{} entries", reader.entry_count()?);
    for event in reader.entries() {
        let event = event?;
        println!("event {}: {} muons", event.number, event.muons.len());
    }
    // ANCHOR_END: entries
    assert!(reader.entries().map(Result::unwrap).eq((0..10).map(event)));
    Ok(())
}

fn read_one(path: &Path) -> Result<()> {
    // ANCHOR: one
    let reader = Reader::<Event>::open(path, "Events")?;
    let seventh = reader.get(7)?;
    let some: Vec<Event> = reader.entries_in(2..5).collect::<Result<_>>()?;
    // ANCHOR_END: one
    assert_eq!(seventh, event(7));
    assert_eq!(some, [event(2), event(3), event(4)]);
    assert!(reader.get(10).is_err());
    Ok(())
}

fn read_fast(path: &Path) -> Result<()> {
    // ANCHOR: reuse
    let reader = Reader::<Event>::open(path, "Events")?;
    let mut entries = reader.entries();
    let mut event = Event::default();
    let mut sum = 0.0;
    while entries.read_into(&mut event)? {
        sum += event.muons.iter().map(|muon| muon.pt).sum::<f32>();
    }
    // ANCHOR_END: reuse
    assert_eq!(sum, 3.0 * 40.0 + 3.0 * (40.0 + 39.0));
    Ok(())
}

fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("events.root");
    let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new())?;
    writer.fill_all(&(0..10).map(event).collect::<Vec<_>>())?;
    writer.finish()?;
    read(&path)?;
    read_one(&path)?;
    read_fast(&path)
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
