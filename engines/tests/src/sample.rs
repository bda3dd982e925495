//! Files with events, and a data set.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::prelude::SessionContext;
use rntuple::{RNTuple, WriteOptions, Writer};
use rntuple_datafusion::{RNTupleTable, TableOptions};
use rntuple_dataset::{Location, Log, Table};
use tempfile::TempDir;

#[derive(RNTuple)]
struct Muon {
    pt: f32,
    charge: i8,
}

#[derive(RNTuple)]
struct Event {
    run: u32,
    number: u64,
    met: f32,
    name: String,
    muons: Vec<Muon>,
}

#[derive(RNTuple)]
struct Run {
    run: u32,
    luminosity: f64,
}

#[derive(RNTuple)]
struct Number {
    number: u64,
}

#[derive(RNTuple)]
struct Weight {
    weight: f64,
}

/// An event of files that are in order.
#[derive(RNTuple)]
struct Sorted {
    number: u64,
    met: f32,
}

/// How many files there are.
pub const FILES: u32 = 8;

/// How many events each file has.
pub const EVENTS: u64 = 1000;

/// Numbers are such that sums are exact, in whatever order they are added.
fn event(run: u32, number: u64, events: u64) -> Event {
    let muon =
        |i: u64| Muon { pt: (number % 64 + i * 8) as f32, charge: if i.is_multiple_of(2) { 1 } else { -1 } };
    Event {
        run,
        number: u64::from(run) * events + number,
        met: ((number * 7) % 100) as f32,
        name: format!("trigger {}", number % 13),
        muons: (0..number % 4).map(muon).collect(),
    }
}

/// Writes files `run0.root`, `run1.root`, .. with this number of events each.
pub fn write_events(folder: &Path, files: u32, events: u64) {
    for run in 0..files {
        let path = folder.join(format!("run{run}.root"));
        let mut writer = Writer::create(&path, "Events", WriteOptions::new()).unwrap();
        for number in 0..events {
            writer.fill(&event(run, number, events)).unwrap();
            if number % (events / 4) == events / 4 - 1 {
                writer.commit_cluster().unwrap();
            }
        }
        writer.finish().unwrap();
    }
}

/// Writes files `sorted0.root`, `sorted1.root`, .. that declare the order of their rows. In all files together each number comes
/// once, and each file has one of any [`FILES`] numbers that follow one another: in order, none comes before another.
fn write_sorted(folder: &Path) {
    for file in 0..FILES {
        let path = folder.join(format!("sorted{file}.root"));
        let mut writer = Writer::create(&path, "Events", WriteOptions::new().sorted_by(["number"])).unwrap();
        for row in 0..EVENTS {
            let number = row * u64::from(FILES) + u64::from(file);
            writer.fill(&Sorted { number, met: ((number * 7) % 100) as f32 }).unwrap();
        }
        writer.finish().unwrap();
    }
}

/// A folder with [`FILES`] files of events, as many in order, one of runs, and a data set of which rows were deleted.
#[derive(Debug)]
pub struct Sample {
    folder: TempDir,
    /// The version before rows were deleted.
    old: u64,
}

impl Sample {
    /// Writes all of it.
    pub fn write() -> Self {
        let folder = TempDir::new().unwrap();
        write_events(folder.path(), FILES, EVENTS);
        write_sorted(folder.path());
        let mut writer =
            Writer::create(folder.path().join("luminosity.root"), "Runs", WriteOptions::new()).unwrap();
        for run in 0..FILES {
            writer.fill(&Run { run, luminosity: f64::from(run) / 2.0 }).unwrap();
        }
        writer.finish().unwrap();
        let table = Table::create::<Event>(&text(&folder.path().join("events.rnds")), "Events").unwrap();
        for run in 0..FILES {
            table
                .append::<Event>(|writer| {
                    (0..100).try_for_each(|number| writer.fill(&event(run, number, EVENTS)))
                })
                .unwrap();
        }
        let old = table.snapshot().unwrap().version();
        table.delete_where(&"number >= 2010 and number < 3090".parse().unwrap()).unwrap();
        let weight = |event: &Number| Weight { weight: event.number as f64 / 4.0 };
        table.add_columns(|events: Vec<Number>| events.iter().map(weight).collect()).unwrap();
        Self { folder, old }
    }

    /// Where it is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Makes the tables `events`, `runs`, `sorted`, `version` and `old` in a session.
    pub async fn register(&self, context: &SessionContext, options: &TableOptions) {
        let files = [("events", "run?.root"), ("runs", "luminosity.root"), ("sorted", "sorted?.root")];
        for (name, files) in files {
            let table =
                RNTupleTable::open(&context.state(), [text(&self.path(files))], options.clone()).await;
            context.register_table(name, Arc::new(table.unwrap())).unwrap();
        }
        let place = text(&self.path("events.rnds"));
        self.register_versions(context, options, Location::new(&place).unwrap()).await;
    }

    /// Makes the tables `version` and `old` of the data set at some place.
    pub(crate) async fn register_versions(
        &self,
        context: &SessionContext,
        options: &TableOptions,
        place: Location,
    ) {
        let old = self.old;
        // Data sets wait for their storage.
        let opened = tokio::task::spawn_blocking(move || {
            let table = Table::from_log(Log::new(place)).unwrap();
            [("version", table.snapshot().unwrap()), ("old", table.at(old).unwrap())]
        });
        for (name, snapshot) in opened.await.unwrap() {
            let table = RNTupleTable::snapshot(&snapshot, options.clone()).await.unwrap();
            context.register_table(name, Arc::new(table)).unwrap();
        }
    }
}

pub(crate) fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}
