//! Adds members to the entries while they are written. Explained in the book, chapter "A schema that grows".

use std::path::Path;

use rntuple::{RNTuple, Reader, Result, WriteOptions, Writer};

// ANCHOR: types
#[derive(RNTuple)]
struct Event {
    number: u64,
    hits: Vec<f32>,
}

/// Known only after the first thousand events.
#[derive(RNTuple)]
struct Calibrated {
    scale: f32,
    bad_channels: Vec<u16>,
}
// ANCHOR_END: types

fn write(path: &Path) -> Result<()> {
    // ANCHOR: write
    let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new())?;
    for number in 0..1000 {
        writer.fill(&Event { number, hits: vec![0.5; 3] })?;
    }
    let mut writer = writer.extend::<Calibrated>()?;
    for number in 1000..1500 {
        let calibrated = Calibrated { scale: 1.02, bad_channels: vec![17] };
        writer.fill_both(&Event { number, hits: vec![0.5; 3] }, &calibrated)?;
    }
    writer.finish()?;
    // ANCHOR_END: write
    Ok(())
}

fn refused(path: &Path) -> Result<()> {
    // ANCHOR: refused
    #[derive(RNTuple)]
    struct Clash {
        hits: u32,
    }

    let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new())?;
    writer.fill(&Event { number: 1, hits: vec![] })?;
    let mut writer = match writer.extend::<Clash>() {
        Ok(_) => return Ok(()),
        Err(refused) => {
            // hits: two fields have this name
            eprintln!("{refused}");
            refused.writer
        }
    };
    writer.fill(&Event { number: 2, hits: vec![] })?;
    assert_eq!(writer.finish()?.entries, 2);
    // ANCHOR_END: refused
    Ok(())
}

fn read(path: &Path) -> Result<()> {
    // ANCHOR: read
    #[derive(RNTuple)]
    #[rntuple(skip_writing)]
    struct Late {
        number: u64,
        scale: f32,
        bad_channels: Vec<u16>,
    }

    let reader = Reader::<Late>::open(path, "Events")?;
    let before = reader.get(999)?;
    assert_eq!((before.number, before.scale, before.bad_channels.len()), (999, 0.0, 0));
    let behind = reader.get(1000)?;
    assert_eq!((behind.number, behind.scale, behind.bad_channels.len()), (1000, 1.02, 1));
    // ANCHOR_END: read
    Ok(())
}

fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("events.root");
    write(&path)?;
    read(&path)?;
    refused(&directory.path().join("refused.root"))
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
