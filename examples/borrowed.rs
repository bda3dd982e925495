//! Reads without copies. Explained in the book, chapter "Without copies".

use std::collections::BTreeMap;
use std::path::Path;

use rntuple::{RNTuple, Reader, Result, WriteOptions, Writer};

// ANCHOR: types
#[derive(RNTuple)]
#[rntuple(borrowed)]
struct Muon {
    pt: f32,
    charge: i8,
}

#[derive(RNTuple)]
#[rntuple(borrowed)]
struct Event {
    met: f32,
    label: String,
    muons: Vec<Muon>,
    /// A map cannot be borrowed.
    #[rntuple(owned)]
    weights: BTreeMap<u32, f32>,
}
// ANCHOR_END: types

fn event(number: u8) -> Event {
    let muons = (0..number % 3).map(|i| Muon { pt: 40.0 - f32::from(i), charge: 1 });
    let label = format!("event {number}");
    Event { met: f32::from(number), label, muons: muons.collect(), weights: [(1, 0.5)].into() }
}

// ANCHOR: function
fn leading(muons: MuonSlice<'_>) -> Option<MuonRef<'_>> {
    muons.iter().max_by(|a, b| a.pt.total_cmp(&b.pt))
}
// ANCHOR_END: function

fn walk(path: &Path) -> Result<()> {
    // ANCHOR: walk
    let reader = Reader::<Event>::open(path, "Events")?;
    let mut events = reader.borrowed();
    while let Some(event) = events.next()? {
        let label: &str = event.label;
        let pt: &[f32] = event.muons.pt;
        println!("{label}: {} muons, {} GeV in all", pt.len(), pt.iter().sum::<f32>());
        for muon in event.muons {
            println!("  {} {}", muon.pt, muon.charge);
        }
    }
    // ANCHOR_END: walk
    // ANCHOR: for_each
    let mut sum = 0.0;
    reader.borrowed().for_each(|event| {
        if let Some(muon) = leading(event.muons) {
            sum += muon.pt * event.weights[&1];
        }
    })?;
    // ANCHOR_END: for_each
    assert_eq!(sum, 6.0 * 40.0 * 0.5);
    Ok(())
}

fn slices(path: &Path) -> Result<()> {
    let reader = Reader::<Event>::open(path, "Events")?;
    // ANCHOR: slices
    let mut events = reader.borrowed();
    let (mut met, mut muons) = (0.0, 0);
    while let Some(events) = events.next_slice(1000)? {
        met += events.met.iter().sum::<f32>();
        muons += events.muons.items().pt.len();
    }
    // ANCHOR_END: slices
    assert_eq!((met, muons), (45.0, 9));
    Ok(())
}

fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("events.root");
    let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new())?;
    writer.fill_all(&(0..10).map(event).collect::<Vec<_>>())?;
    writer.finish()?;
    walk(&path)?;
    slices(&path)
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
