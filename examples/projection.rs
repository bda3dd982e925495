//! Reads a part of a file. Explained in the book, chapter "A part of the file".
#![expect(clippy::unwrap_used, reason = "what the program shows would be wrong")]

use std::path::Path;

use rntuple::{Cardinality, ErrorKind, RNTuple, Reader, Result, WriteOptions, Writer};

// ANCHOR: written
#[derive(RNTuple)]
struct Event {
    run: u32,
    number: u64,
    met: f32,
    muons: Vec<Muon>,
    label: String,
}

#[derive(RNTuple)]
struct Muon {
    pt: f32,
    eta: f32,
    phi: f32,
    charge: i8,
}
// ANCHOR_END: written

fn write(path: &Path) -> Result<()> {
    let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new())?;
    for number in 0..100 {
        let muon = |charge| Muon { pt: 30.0, eta: 0.5, phi: 1.0, charge };
        let muons = vec![muon(1), muon(-1)];
        writer.fill(&Event { run: 1, number, met: 12.5, muons, label: "Z".to_owned() })?;
    }
    writer.finish()?;
    Ok(())
}

fn read_part(path: &Path) -> Result<()> {
    // ANCHOR: part
    /// The type is the selection: this one reads three columns of ten.
    #[derive(RNTuple)]
    struct Kinematics {
        muons: Vec<PtEta>,
    }

    #[derive(RNTuple)]
    struct PtEta {
        eta: f32,
        pt: f32,
    }

    let reader = Reader::<Kinematics>::open(path, "Events")?;
    for event in reader.entries() {
        assert_eq!(event?.muons.len(), 2);
    }
    assert_eq!(reader.selected_columns().len(), 3);
    assert_eq!(reader.schema().columns().count(), 10);
    // ANCHOR_END: part
    Ok(())
}

fn read_counts(path: &Path) -> Result<()> {
    // ANCHOR: counts
    /// How many muons there are, without any of them. There are no items to write, so the type is only read.
    #[derive(RNTuple)]
    #[rntuple(read_only)]
    struct Counts {
        muons: Cardinality,
    }

    let reader = Reader::<Counts>::open(path, "Events")?;
    assert_eq!(reader.selected_columns().len(), 1);
    // ANCHOR_END: counts
    for event in reader.entries() {
        assert_eq!(event?.muons, Cardinality(2));
    }
    Ok(())
}

fn read_wider(path: &Path) -> Result<()> {
    // ANCHOR: wider
    /// Numbers may be read into other types of their kind. A value that does not fit is an error.
    #[derive(RNTuple)]
    struct Other {
        run: i16,
        met: f64,
    }
    // ANCHOR_END: wider
    for event in Reader::<Other>::open(path, "Events")?.entries() {
        let event = event?;
        assert_eq!((event.run, event.met), (1, 12.5));
    }
    Ok(())
}

fn read_wrong(path: &Path) -> String {
    // ANCHOR: wrong
    #[derive(RNTuple)]
    struct Wrong {
        run: f32,
        muon: Vec<PtCharge>,
        muons: Vec<PtCharge>,
    }

    #[derive(RNTuple)]
    struct PtCharge {
        pt: f32,
        charge: String,
    }

    let error = Reader::<Wrong>::open(path, "Events").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert_eq!(error.mismatches().len(), 3);
    println!("{error}");
    // ANCHOR_END: wrong
    error.to_string()
}

/// What the error of [`read_wrong`] says.
pub(crate) fn differences() -> Result<String> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("events.root");
    write(&path)?;
    Ok(read_wrong(&path).replace(&path.display().to_string(), "events.root"))
}

fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("events.root");
    write(&path)?;
    read_part(&path)?;
    read_counts(&path)?;
    read_wider(&path)?;
    assert!(differences()?.starts_with("events.root: Events: "));
    Ok(())
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
