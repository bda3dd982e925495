//! Reads and writes entries column by column. Explained in the book, chapter "Column by column".
#![expect(clippy::unwrap_used, reason = "what the program shows would be wrong")]

use std::path::Path;

use rntuple::columns::{Lazy, ListSlice, Lists};
use rntuple::{EntryList, RNTuple, Reader, Result, Value, WriteOptions, Writer};

// ANCHOR: types
#[derive(RNTuple)]
#[rntuple(columnar)]
struct Muon {
    pt: f32,
    charge: i8,
}

#[derive(RNTuple)]
#[rntuple(columnar)]
struct Event {
    met: f32,
    label: String,
    muons: Vec<Muon>,
    vertex: Option<f32>,
}
// ANCHOR_END: types

fn write(path: &Path) -> Result<()> {
    // ANCHOR: write
    let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new())?;

    // Columns that are gathered ..
    let mut events = EventColumns::default();
    for number in 0..1000_u16 {
        let muon = |charge| Muon { pt: f32::from(number), charge };
        let muons = vec![muon(1), muon(-1)];
        events.push(&Event { met: 12.5, label: "Z".to_owned(), muons, vertex: None });
    }
    writer.fill_columns(events.as_slice())?;

    // .. columns that are made of vectors ..
    let muons = MuonColumns { pt: vec![40.0; 3], charge: vec![1, -1, 1] };
    let events = EventColumns {
        met: vec![30.0, 20.0],
        label: ["W", "Z"].into_iter().collect(),
        muons: Lists::from_counts([1, 2], muons)?,
        vertex: rntuple::columns::Options::from_mask([true, false], vec![0.1])?,
    };
    writer.fill_columns(events.as_slice())?;
    writer.finish()?;
    // ANCHOR_END: write
    Ok(())
}

// ANCHOR: arrays
#[derive(RNTuple)]
#[rntuple(columnar)]
struct Hits {
    time: f64,
    energies: Vec<f32>,
}

/// Writes the arrays of a simulation; `offsets` say where the energies of each entry begin.
fn write_arrays(path: &Path, times: &[f64], offsets: &[u64], energies: &[f32]) -> Result<()> {
    let mut writer = Writer::<Hits>::create(path, "Hits", WriteOptions::new())?;
    let energies = ListSlice::from_offsets(offsets, energies)?;
    writer.fill_columns(HitsSlice { time: times, energies })?;
    writer.finish()?;
    Ok(())
}
// ANCHOR_END: arrays

fn lend(path: &Path) -> Result<()> {
    // ANCHOR: lend
    let reader = Reader::<Event>::open(path, "Events")?;
    let mut batches = reader.batches(256);
    let (mut entries, mut sum, mut hardest) = (0, 0.0, 0.0_f32);
    while let Some(events) = batches.lend()? {
        entries += events.len();
        let met: &[f32] = events.met;
        sum += met.iter().sum::<f32>();
        // The muons of all of these events, one after the other.
        let pt: &[f32] = events.muons.items().pt;
        hardest = pt.iter().copied().fold(hardest, f32::max);
    }
    assert_eq!((entries, sum, hardest), (1002, 12_550.0, 999.0));
    // ANCHOR_END: lend
    Ok(())
}

// ANCHOR: function
fn leading(muons: MuonSlice<'_>) -> Option<MuonRef<'_>> {
    muons.iter().max_by(|a, b| a.pt.total_cmp(&b.pt))
}
// ANCHOR_END: function

fn visit(path: &Path) -> Result<()> {
    let reader = Reader::<Event>::open(path, "Events")?;
    // ANCHOR: visit
    let mut sum = 0.0;
    reader.batches(256).visit(|event: EventRef<'_>| {
        let label: &str = event.label;
        if let Some(muon) = leading(event.muons).filter(|_| label == "Z") {
            sum += muon.pt;
        }
        Ok::<_, rntuple::Error>(())
    })?;
    assert_eq!(sum, 499_540.0);
    // ANCHOR_END: visit
    Ok(())
}

fn own(path: &Path) -> Result<()> {
    let reader = Reader::<Event>::open(path, "Events")?;
    // ANCHOR: own
    let mut columns = EventColumns::default();
    let mut batches = reader.batches_in(999..1002, 10);
    while batches.read_into(&mut columns)? {
        let met: &Vec<f32> = &columns.met;
        assert_eq!(met.len(), 3);
        assert_eq!(columns.muons.offsets(), [0, 2, 3, 5]);
        assert_eq!(columns.vertex.values(), &[0.1]);
    }
    // ANCHOR_END: own
    Ok(())
}

// ANCHOR: late
#[derive(RNTuple)]
struct Selection {
    met: f32,
}

fn late(path: &Path) -> Result<()> {
    let selected: EntryList = Reader::<Selection>::open(path, "Events")?.select(|event| event.met > 25.0)?;
    let reader = Reader::<Event>::open(path, "Events")?;
    let mut batches = reader.batches_in(&selected, 256);
    while let Some(events) = batches.lend()? {
        assert_eq!(events.label.get(0), Some("W"));
    }
    Ok(())
}
// ANCHOR_END: late

// ANCHOR: lazy
#[derive(RNTuple)]
#[rntuple(columnar)]
struct Late {
    met: f32,
    muons: Lazy<Vec<Muon>>,
}

fn first_touch(path: &Path) -> Result<()> {
    let reader = Reader::<Late>::open(path, "Events")?;
    reader.batches(256).visit(|event| {
        if event.met > 25.0 {
            // Now the muons of this batch are decoded; those of the others never are.
            let muons: MuonSlice<'_> = event.muons.value()?;
            assert_eq!(muons.pt, [40.0]);
        }
        Ok(())
    })
}
// ANCHOR_END: lazy

// ANCHOR: selection
/// Selects in columns: a batch knows which entries it has.
fn select(path: &Path) -> Result<EntryList> {
    let reader = Reader::<Event>::open(path, "Events")?;
    let mut selected = Vec::new();
    let mut batches = reader.batches(256);
    while let Some(events) = batches.lend()? {
        let is_high: Vec<bool> = events.met.iter().map(|met| *met > 25.0).collect();
        let entries = batches.lent().zip(is_high).filter(|(_, is_high)| *is_high);
        selected.extend(entries.map(|(entry, _)| entry));
    }
    Ok(selected.into_iter().collect())
}
// ANCHOR_END: selection

// ANCHOR: skim
/// Some members of an event, and one that is computed.
#[derive(RNTuple)]
#[rntuple(columnar)]
struct Skim {
    met: f32,
    muons: Vec<Muon>,
    sum_pt: f32,
}

/// Writes what was selected, column by column.
fn skim(path: &Path, selected: &EntryList, to: &Path) -> Result<u64> {
    let reader = Reader::<Event>::open(path, "Events")?;
    let mut writer = Writer::<Skim>::create(to, "Events", WriteOptions::new())?;
    let mut batches = reader.batches_in(selected, 256);
    while let Some(EventSlice { met, muons, .. }) = batches.lend()? {
        let sum_pt: Vec<f32> = muons.iter().map(|muons| muons.pt.iter().sum()).collect();
        writer.fill_columns(SkimSlice { met, muons, sum_pt: &sum_pt })?;
    }
    Ok(writer.finish()?.entries)
}
// ANCHOR_END: skim

fn read_items(path: &Path) -> Result<()> {
    // ANCHOR: items
    let reader = Reader::<Value>::open(path, "Events")?;
    let mut items = reader.items::<Muon>("muons")?;
    items.choose_entry(1001)?;
    while let Some(muons) = items.lend(1000)? {
        assert_eq!((muons.pt, muons.charge), (&[40.0, 40.0][..], &[-1, 1][..]));
    }
    // ANCHOR_END: items
    Ok(())
}

fn read_column(path: &Path) -> Result<()> {
    // ANCHOR: column
    let reader = Reader::<Value>::open(path, "Events")?;
    let mut column = reader.column::<f32>("muons.pt")?;
    let mut hardest = 0.0_f32;
    while let Some(values) = column.next_chunk()? {
        hardest = values.iter().copied().fold(hardest, f32::max);
    }
    assert_eq!(hardest, 999.0);

    let mut sizes = Vec::new();
    reader.sizes("muons")?.read_into(usize::MAX, &mut sizes)?;
    assert_eq!(sizes.iter().sum::<u64>(), 2003);
    // ANCHOR_END: column
    Ok(())
}

fn main() -> Result<()> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("columns.root");
    write(&path)?;
    lend(&path)?;
    visit(&path)?;
    own(&path)?;
    late(&path)?;
    first_touch(&path)?;
    let selected = select(&path)?;
    assert_eq!(skim(&path, &selected, &directory.path().join("skim.root"))?, 1);
    read_items(&path)?;
    read_column(&path)?;
    write_arrays(&directory.path().join("hits.root"), &[0.5, 1.5], &[0, 2, 3], &[10.0, 20.0, 30.0])
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
