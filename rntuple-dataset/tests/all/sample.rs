//! Rows, and data sets of them.

use rntuple::RNTuple;
use rntuple_dataset::Table;
use tempfile::TempDir;

#[derive(RNTuple, Clone, Debug, PartialEq)]
pub(crate) struct Muon {
    pub(crate) pt: f32,
    pub(crate) charge: i8,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) run: u32,
    pub(crate) number: u64,
    pub(crate) met: Option<f32>,
    pub(crate) muons: Vec<Muon>,
}

pub(crate) fn event(run: u32, number: u64) -> Event {
    let muon = |i: u64| Muon { pt: (number + i) as f32, charge: if i.is_multiple_of(2) { 1 } else { -1 } };
    Event {
        run,
        number,
        met: (!number.is_multiple_of(3)).then_some(number as f32 / 2.0),
        muons: (0..number % 4).map(muon).collect(),
    }
}

pub(crate) fn create() -> (TempDir, Table) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.rnds");
    let table = Table::create::<Event>(path.to_str().unwrap(), "Events").unwrap();
    (directory, table)
}

/// Appends events in clusters of 7.
pub(crate) fn append(table: &Table, run: u32, numbers: std::ops::Range<u64>) -> rntuple_dataset::Snapshot {
    table
        .append::<Event>(|writer| {
            for number in numbers {
                writer.fill(&event(run, number))?;
                if number % 7 == 6 {
                    writer.commit_cluster()?;
                }
            }
            Ok(())
        })
        .unwrap()
}
