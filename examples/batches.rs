//! Reads and writes many entries as arrays. Explained in the book, chapter "Entries as arrays".
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what the program shows would be wrong")]

use std::path::Path;

use rntuple::batch::Lists;
use rntuple::{RNTuple, Reader, Result, Value, WriteOptions, Writer};

// ANCHOR: types
#[derive(RNTuple)]
#[rntuple(batch)]
struct Muon {
    pt: f32,
    charge: i8,
}

#[derive(RNTuple)]
#[rntuple(batch)]
struct Event {
    met: f32,
    name: String,
    muons: Vec<Muon>,
    vertex: Option<f32>,
}
// ANCHOR_END: types

fn write(path: &Path) -> Result<()> {
    // ANCHOR: write
    let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new())?;

    // Entry by entry ..
    let mut batch = EventBatch::default();
    for number in 0..1000_u16 {
        let muon = |charge| Muon { pt: f32::from(number), charge };
        let muons = vec![muon(1), muon(-1)];
        batch.push(&Event { met: 12.5, name: "Z".to_owned(), muons, vertex: None });
    }
    writer.fill_batch(&batch)?;

    // .. or from arrays that a simulation has anyway.
    let muons = MuonBatchColumns { pt: vec![40.0; 3], charge: vec![1, -1, 1] };
    let columns = EventBatchColumns {
        met: vec![30.0, 20.0],
        name: ["W", "Z"].into_iter().collect(),
        muons: Lists::from_counts([1, 2], muons.try_into()?)?,
        vertex: rntuple::batch::Options::from_mask(vec![true, false], vec![0.1])?,
    };
    writer.fill_batch(&columns.try_into()?)?;
    writer.finish()?;
    // ANCHOR_END: write
    Ok(())
}

fn read(path: &Path) -> Result<()> {
    // ANCHOR: read
    let reader = Reader::<Event>::open(path, "Events")?;
    let mut batches = reader.batches(256);
    let mut batch = EventBatch::default();
    let (mut entries, mut sum) = (0, 0.0);
    while batches.read_into(&mut batch)? {
        entries += batch.len();
        let met: &[f32] = batch.met();
        sum += met.iter().sum::<f32>();
    }
    assert_eq!((entries, sum), (1002, 12_550.0));
    // ANCHOR_END: read

    // ANCHOR: nested
    let batch = reader.batches_in(999..1002, 10).next().unwrap()?;
    let muons = batch.muons();
    assert_eq!(muons.offsets(), [0, 2, 3, 5]);
    // The muons of all events, one after the other ..
    let (pt, charge): (&[f32], &[i8]) = (muons.pt(), muons.charge());
    assert_eq!((pt.len(), charge.len()), (5, 5));
    // .. and those of each event.
    for event in muons.ranges().map(|range| &pt[range]) {
        let hardest = event.iter().copied().fold(0.0, f32::max);
        assert!(hardest >= 40.0);
    }
    assert_eq!(batch.name().get(1), "W");
    assert_eq!(batch.vertex().mask(), [false, true, false]);
    assert_eq!(batch.vertex().values(), [0.1]);
    // ANCHOR_END: nested
    Ok(())
}

fn read_columns(path: &Path) -> Result<()> {
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
    let path = directory.path().join("batches.root");
    write(&path)?;
    read(&path)?;
    read_columns(&path)
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
