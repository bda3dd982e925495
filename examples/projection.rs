//! Reads a part of a file. Explained in the book, chapter "A part of the file".
#![expect(clippy::unwrap_used, reason = "what the program shows would be wrong")]

use std::path::Path;

use rntuple::cxx::Cardinality;
use rntuple::{ErrorKind, RNTuple, Reader, Result, WriteOptions, Writer};

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
    #[rntuple(skip_writing)]
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

mod parallel {
    use rntuple::RNTuple;

    // ANCHOR: parallel
    #[derive(RNTuple)]
    pub(super) struct Event {
        #[rntuple(flatten, prefix = "Muon_")]
        pub(super) muons: Muons,
        #[rntuple(flatten, prefix = "MET_")]
        pub(super) met: Met,
    }

    /// The fields `Muon_pt`, `Muon_eta` and `Muon_charge`: one value for each muon of the event.
    #[derive(RNTuple)]
    pub(super) struct Muons {
        pub(super) pt: Vec<f32>,
        pub(super) eta: Vec<f32>,
        pub(super) charge: Vec<i32>,
    }

    /// The fields `MET_pt` and `MET_phi`.
    #[derive(RNTuple)]
    pub(super) struct Met {
        pub(super) pt: f32,
        pub(super) phi: f32,
    }

    impl Muons {
        /// Transverse momentum and charge of each muon.
        pub(super) fn iter(&self) -> impl Iterator<Item = (f32, i32)> {
            self.pt.iter().copied().zip(self.charge.iter().copied())
        }
    }
    // ANCHOR_END: parallel
}

/// As CMS's NanoAOD has it.
#[derive(RNTuple)]
#[expect(non_snake_case, reason = "names of the file")]
struct Nano {
    nMuon: i32,
    Muon_pt: Vec<f32>,
    Muon_eta: Vec<f32>,
    Muon_phi: Vec<f32>,
    Muon_charge: Vec<i32>,
    MET_pt: f32,
    MET_phi: f32,
}

fn read_parallel(path: &Path) -> Result<()> {
    let mut writer = Writer::create(path, "Events", WriteOptions::new())?;
    writer.fill(&Nano {
        nMuon: 2,
        Muon_pt: vec![41.0, 32.0],
        Muon_eta: vec![0.5, -1.5],
        Muon_phi: vec![1.0, 2.0],
        Muon_charge: vec![1, -1],
        MET_pt: 12.5,
        MET_phi: 0.5,
    })?;
    writer.finish()?;
    // ANCHOR: parallel_read
    let reader = Reader::<parallel::Event>::open(path, "Events")?;
    for event in &reader {
        let event = event?;
        let charge: i32 = event.muons.iter().filter(|(pt, _)| *pt > 25.0).map(|(_, charge)| charge).sum();
        assert_eq!(charge, 0);
    }
    // ANCHOR_END: parallel_read
    let event = reader.entries().next().unwrap()?;
    assert_eq!((event.muons.eta, event.met.pt, event.met.phi), (vec![0.5, -1.5], 12.5, 0.5));
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
    read_parallel(&directory.path().join("nano.root"))?;
    Ok(())
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
