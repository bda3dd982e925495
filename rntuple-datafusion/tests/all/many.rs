//! Data sets of very many fragments: what a plan knows of them it knows without opening their files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use datafusion::physical_plan::displayable;
use datafusion::prelude::SessionContext;
use prost::Message;
use rntuple::{RNTuple, Reader, WriteOptions, Writer};
use rntuple_datafusion::{RNTupleTable, TableOptions};
use rntuple_dataset::format::transaction::{Append, CreateIndex};
use rntuple_dataset::format::{Any, DataFragment, IndexUuid, Transaction};
use rntuple_dataset::{Adopt, IndexOptions, Snapshot, Source, Table};

use crate::counted::counted;
use crate::sample::{context, rows};

#[derive(RNTuple)]
struct Event {
    run: u32,
    number: u64,
    met: f32,
    a: u8,
    b: u8,
    c: u8,
    d: u8,
    e: u8,
    f: u8,
    g: u8,
    h: u8,
}

fn event(run: u32, number: u64) -> Event {
    let met = (number * 7 % 10) as f32;
    Event { run, number, met, a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8 }
}

fn write(path: &Path, run: u32) {
    let mut writer =
        Writer::create(path, "Events", WriteOptions::new().sorted_by(["run", "number"])).unwrap();
    (0..3).for_each(|number| writer.fill(&event(run, number)).unwrap());
    writer.finish().unwrap();
}

fn create(folder: &Path) -> Table {
    let table = Table::create::<Event>(folder.join("events.rnds").to_str().unwrap(), "Events").unwrap();
    table.set_sort_order(&["run", "number"]).unwrap();
    table
}

async fn session(snapshot: &Snapshot) -> SessionContext {
    let context = context(2, 64);
    let table = RNTupleTable::snapshot(snapshot, TableOptions::new()).await.unwrap();
    context.register_table("events", Arc::new(table)).unwrap();
    context
}

async fn plan(context: &SessionContext, query: &str) -> String {
    let plan = context.sql(query).await.unwrap().create_physical_plan().await.unwrap();
    displayable(plan.as_ref()).one_line().to_string() + &displayable(plan.as_ref()).indent(false).to_string()
}

const RUNS: u32 = 300;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_fragments_than_are_asked_keep_the_order_that_the_index_knows() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_owned();
    let paths = |folder: &Path| -> Vec<PathBuf> {
        // Not in the order of the runs.
        (0..RUNS).map(|run| folder.join(format!("run{}.root", run * 7 % RUNS))).collect()
    };
    let made = tokio::task::spawn_blocking(move || {
        let table = create(&place);
        let files = paths(&place);
        files.iter().zip(0..).for_each(|(path, run)| write(path, run * 7 % RUNS));
        let sources: Vec<_> =
            files.iter().map(|path| Source::new(path.to_str().unwrap(), Adopt::InPlace)).collect();
        (table.append_files(&sources).unwrap(), table.index_bounds(&IndexOptions::new()).unwrap())
    });
    let (without, with) = made.await.unwrap();
    let query = "SELECT run, number FROM events WHERE met < 5 ORDER BY run, number";
    let expected: Vec<String> = (0..RUNS).flat_map(|run| [0, 2].map(|n| format!("{run} | {n}"))).collect();
    for (snapshot, sorts) in [(&without, true), (&with, false)] {
        let context = session(snapshot).await;
        assert_eq!(rows(&context, query).await, expected);
        let shown = plan(&context, query).await;
        assert_eq!(shown.contains("SortExec"), sorts, "{shown}");
    }
    // Only the first rows are wanted: of 300 fragments, those are opened that have them.
    let context = session(&with).await;
    let first = "SELECT run, number FROM events ORDER BY run, number LIMIT 4";
    assert_eq!(rows(&context, first).await, ["0 | 0", "0 | 1", "0 | 2", "1 | 0"]);
    let counted = counted(&context, first).await;
    assert!(counted["files_considered"] - counted["files_skipped"] < 20, "{counted:?}");
    // A plan is made though the files are gone, but for the one with the types.
    let first = with.fragments().iter().find(|fragment| fragment.physical_rows > 0).unwrap();
    let first = with.location().data_file(&first.files[0].path);
    for path in paths(folder.path()) {
        if path != Path::new(&first) {
            std::fs::remove_file(path).unwrap();
        }
    }
    assert!(!plan(&session(&with).await, query).await.contains("SortExec"));
}

/// What the index of bounds has of a field, as it is stored.
#[derive(RNTuple, Clone)]
struct Record {
    field: i32,
    fragments: Vec<u32>,
    files: Vec<u64>,
    elements: Vec<u64>,
    nulls: Vec<u64>,
    nans: Vec<u64>,
    signed: Vec<i64>,
    unsigned: Vec<u64>,
    real: Vec<f64>,
    text: Vec<Vec<String>>,
}

/// What the index says of the order.
#[derive(Clone, PartialEq, Message)]
struct Details {
    #[prost(int32, repeated, tag = "1")]
    sorted_by: Vec<i32>,
    #[prost(bytes = "vec", tag = "2")]
    sorted: Vec<u8>,
}

fn bitmap(fragments: std::ops::Range<u32>) -> Vec<u8> {
    let mut bytes = Vec::new();
    roaring::RoaringBitmap::from_iter(fragments).serialize_into(&mut bytes).unwrap();
    bytes
}

/// A data set with fragments that are all in one file, of which its index says that they follow one another: as one of as
/// many files, to a plan.
fn simulated(folder: &Path, count: u32) -> Snapshot {
    let table = create(folder);
    let file = folder.join("run0.root");
    write(&file, 0);
    let source = Source::new(file.to_str().unwrap(), Adopt::InPlace);
    table.append_files(&[source]).unwrap();
    let snapshot = table.index_bounds(&IndexOptions::new()).unwrap();
    let log = table.log().clone();
    let commit = |transaction: Transaction| {
        let (log, base) = (log.clone(), table.snapshot().unwrap());
        rntuple_object_store::wait(async move { log.commit(transaction, base.manifest()).await }).unwrap();
    };
    // The first one has no rows.
    let one = snapshot.fragments()[1].clone();
    let more = (2..count).map(|id| DataFragment { id: id.into(), ..one.clone() });
    commit(Transaction::new(snapshot.version(), Append { fragments: more.collect() }));

    let index = snapshot.indices()[0].clone();
    let uuid = |bytes: &[u8]| {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    };
    let place = |bytes: &[u8]| folder.join("events.rnds/_indices").join(uuid(bytes)).join("bounds.root");
    let reader = Reader::<Record>::open(place(&index.uuid.as_ref().unwrap().uuid), "Bounds").unwrap();
    let new = [7; 16];
    std::fs::create_dir_all(place(&new).parent().unwrap()).unwrap();
    let mut writer = Writer::<Record>::create(place(&new), "Bounds", WriteOptions::new()).unwrap();
    for record in reader.entries() {
        let Record { field, files, elements, .. } = record.unwrap();
        let (all, length) = (1..count, count as usize - 1);
        let mut forged = Record {
            field,
            fragments: all.clone().collect(),
            files: vec![files[0]; length],
            elements: vec![elements[0]; length],
            nulls: vec![0; length],
            nans: vec![0; length],
            signed: Vec::new(),
            unsigned: Vec::new(),
            real: Vec::new(),
            text: Vec::new(),
        };
        match field {
            0 => forged.unsigned = all.flat_map(|run| [u64::from(count - run); 2]).collect(),
            1 => forged.unsigned = all.flat_map(|_| [0, 2]).collect(),
            _ => continue,
        }
        writer.fill(&forged).unwrap();
    }
    writer.finish().unwrap();
    let details = Details { sorted_by: vec![0, 1], sorted: bitmap(1..count) };
    let kind = index.index_details.as_ref().unwrap().type_url.clone();
    let mut forged = index.clone();
    forged.uuid = Some(IndexUuid { uuid: new.to_vec() });
    forged.fragment_bitmap = bitmap(1..count);
    forged.index_details = Some(Any { type_url: kind, value: details.encode_to_vec() });
    let create = CreateIndex { new_indices: vec![forged], removed_indices: vec![index] };
    commit(Transaction::new(table.snapshot().unwrap().version(), create));
    table.snapshot().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_thousand_fragments_keep_the_order() {
    const COUNT: u32 = 100_001;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_owned();
    let snapshot = tokio::task::spawn_blocking(move || simulated(&place, COUNT)).await.unwrap();
    assert_eq!(snapshot.fragments().len(), COUNT as usize);
    let start = Instant::now();
    let context = session(&snapshot).await;
    // No file can be opened any more.
    std::fs::remove_file(folder.path().join("run0.root")).unwrap();
    let query = "SELECT run, number, met FROM events WHERE number > 1 ORDER BY run, number";
    let shown = plan(&context, query).await;
    assert!(!shown.contains("SortExec") && shown.contains("SortPreservingMergeExec"), "{shown:.2000}");
    assert!(shown.contains("output_ordering=[run"), "{shown:.2000}");
    // Other columns first, and an order that is a part of it.
    let shown = plan(&context, "SELECT met, run FROM events ORDER BY run LIMIT 3").await;
    assert!(!shown.contains("SortExec"), "{shown:.2000}");
    // Without the first column of the order, there is none.
    assert!(plan(&context, "SELECT number FROM events ORDER BY number").await.contains("SortExec"));
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}
