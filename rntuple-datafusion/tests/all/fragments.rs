//! Fragments of data sets that an index of bounds excludes: their files are not opened.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::SessionContext;
use datafusion_proto::bytes::{
    physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
};
use rntuple::{WriteOptions, Writer};
use rntuple_datafusion::{RNTuplePhysicalCodec, RNTupleTable, TableOptions};
use rntuple_dataset::{Adopt, IndexOptions, Snapshot, Source, Table};

use crate::counted::counted;
use crate::sample::{Event, context, event, rows, shown};

const RUNS: u32 = 6;
const PER_RUN: u64 = 100;

/// A data set with a fragment for each run, and one of values that grow from fragment to fragment.
async fn dataset(folder: &Path) -> Snapshot {
    let path = folder.join("events.rnds").to_str().unwrap().to_owned();
    // Data sets wait for their storage.
    let made = tokio::task::spawn_blocking(move || {
        let table = Table::create::<Event>(&path, "Events").unwrap();
        for run in 0..RUNS {
            let first = u64::from(run) * PER_RUN;
            let mut numbers = first..first + PER_RUN;
            table
                .append::<Event>(|writer| numbers.try_for_each(|number| writer.fill(&event(run, number))))
                .unwrap();
        }
        table.index_bounds(&IndexOptions::new()).unwrap()
    });
    made.await.unwrap()
}

/// A session with the data set.
async fn session(snapshot: &Snapshot) -> SessionContext {
    let context = context(1, 64);
    let table = RNTupleTable::snapshot(snapshot, TableOptions::new()).await.unwrap();
    context.register_table("events", Arc::new(table)).unwrap();
    context
}

/// Removes the files of the runs but for some.
fn keep(snapshot: &Snapshot, runs: &[u32]) {
    let with_rows = snapshot.fragments().iter().filter(|fragment| fragment.physical_rows > 0);
    for (run, fragment) in (0..).zip(with_rows) {
        for file in fragment.files.iter().filter(|_| !runs.contains(&run)) {
            let path = snapshot.location().data_file(&file.path);
            if Path::new(&path).exists() {
                std::fs::remove_file(path).unwrap();
            }
        }
    }
}

/// Conditions with the runs that have matches, and how many rows do.
const FILTERS: &[(&str, u32, &str)] = &[
    ("run = 4", 4, "100"),
    ("number BETWEEN 3310 AND 3320", 3, "11"),
    ("run IN (2, 99) AND met < 1000", 2, "98"),
    ("array_any_match(muons, m -> m['pt'] > 610)", 5, "3"),
    ("vertex['x'] < 50 AND vertex['x'] > 40", 1, "29"),
    // Nothing is known of the tag of a variant.
    ("decay['tag'] = 2 AND array_any_match(muons, m -> m['pt'] > 610)", 5, "3"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fragments_that_cannot_match_are_not_opened() {
    for (filter, run, count) in FILTERS {
        let folder = tempfile::tempdir().unwrap();
        let snapshot = dataset(folder.path()).await;
        let context = session(&snapshot).await;
        // The first was opened for its schema.
        keep(&snapshot, &[*run]);
        let query = format!("SELECT count(*), min(run), max(run) FROM events WHERE {filter}");
        assert_eq!(rows(&context, &query).await, [format!("{count} | {run} | {run}")], "{filter}");
        let counted = counted(&context, &query).await;
        assert_eq!((counted["files_considered"], counted["files_skipped"]), (6, 5), "{filter}");
        // Without an index of it, all are opened.
        let error = context.sql("SELECT sum(met) FROM events").await.unwrap().collect().await;
        assert!(error.is_err(), "{filter}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_plan_knows_of_fragments_excludes_them_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let snapshot = dataset(folder.path()).await;
    let here = session(&snapshot).await;
    for (query, runs, expected) in [
        // About members of lists the index is asked, once a file is open.
        (
            "SELECT count(*) FROM events WHERE array_any_match(muons, m -> m['pt'] > 486 AND m['pt'] < 489)",
            &[0, 4][..],
            "3",
        ),
        ("SELECT count(*) FROM events WHERE run = 4", &[4], "100"),
    ] {
        keep(&snapshot, runs);
        let there = context(1, 64);
        let codec = RNTuplePhysicalCodec::default();
        let plan = here.sql(query).await.unwrap().create_physical_plan().await.unwrap();
        let bytes = physical_plan_to_bytes_with_extension_codec(plan, &codec).unwrap();
        let plan = physical_plan_from_bytes_with_extension_codec(&bytes, &there.task_ctx(), &codec).unwrap();
        let batches = collect(plan, there.task_ctx()).await.unwrap();
        assert_eq!(shown(&batches), [expected], "{query}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn filters_that_are_known_while_a_query_runs_exclude_fragments() {
    for (query, run, expected) in [
        ("SELECT number FROM events ORDER BY number LIMIT 2", 0, &["0", "1"][..]),
        (
            "SELECT count(*) FROM events JOIN (VALUES (3)) AS wanted(run) ON events.run = wanted.run",
            3,
            &["100"],
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let snapshot = dataset(folder.path()).await;
        let context = session(&snapshot).await;
        keep(&snapshot, &[run]);
        assert_eq!(rows(&context, query).await, expected, "{query}");
        assert_eq!(counted(&context, query).await["files_skipped"], 5, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fragments_without_rows_are_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let snapshot = dataset(folder.path()).await;
    let path = snapshot.location().root().to_owned();
    let delete = |filter: &'static str| {
        let path = path.clone();
        tokio::task::spawn_blocking(move || {
            Table::open(&path).unwrap().delete_where(&filter.parse().unwrap()).unwrap();
            Table::open(&path).unwrap().snapshot().unwrap()
        })
    };
    let context = session(&delete("run != 5").await.unwrap()).await;
    keep(&snapshot, &[5]);
    assert_eq!(
        rows(&context, "SELECT count(*), sum(run) FROM events WHERE met < 1000 OR met > 1000").await,
        ["100 | 500"]
    );
    let context = session(&delete("run == 5").await.unwrap()).await;
    for (query, expected) in [
        ("SELECT count(*) FROM events", &["0"][..]),
        ("SELECT number, met FROM events WHERE met > 3 ORDER BY number LIMIT 3", &[]),
    ] {
        assert_eq!(rows(&context, query).await, expected, "{query}");
    }
}

/// Files that lack statistics may have them next to them, in the data set.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn statistics_next_to_files_skip_clusters() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, place) = (path("adopted.root"), path("events.rnds"));
    let made = tokio::task::spawn_blocking(move || {
        let mut writer = Writer::create(&file, "Events", WriteOptions::new()).unwrap();
        for number in 0..4 * PER_RUN {
            writer.fill(&event(1, number)).unwrap();
            if number % PER_RUN == PER_RUN - 1 {
                writer.commit_cluster().unwrap();
            }
        }
        writer.finish().unwrap();
        let table = Table::create::<Event>(&place, "Events").unwrap();
        let snapshot = table.append_files(&[Source::new(file, Adopt::InPlace)]).unwrap();
        assert!(table.add_statistics().unwrap() > 0);
        snapshot
    });
    let context = session(&made.await.unwrap()).await;
    let query = "SELECT number FROM events WHERE array_any_match(muons, m -> m['pt'] > 390)";
    assert_eq!(rows(&context, query).await.len(), 15);
    assert_eq!(counted(&context, query).await["clusters_skipped"], 3);
}

/// The order that the data set declares.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fragments_that_follow_one_another_keep_the_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.rnds").to_str().unwrap().to_owned();
    let made = tokio::task::spawn_blocking(move || {
        let table = Table::create::<Event>(&path, "Events").unwrap();
        table.set_sort_order(&["run", "number"]).unwrap();
        // Not in the order of the runs.
        for run in [3, 1, 5, 2, 4] {
            table
                .append::<Event>(|writer| {
                    (0..PER_RUN).try_for_each(|number| writer.fill(&event(run, number)))
                })
                .unwrap();
        }
        (table.snapshot().unwrap(), table.index_bounds(&IndexOptions::new()).unwrap())
    });
    let (without, with) = made.await.unwrap();
    let query = "SELECT run, number FROM events WHERE number % 50 = 3 ORDER BY run, number";
    let expected: Vec<String> =
        (1..6).flat_map(|run| [3, 53].map(|number| format!("{run} | {}", run * 1000 + number))).collect();
    for partitions in [1, 2, 8] {
        let session = async |snapshot: &Snapshot| {
            let context = context(partitions, 64);
            let table = RNTupleTable::snapshot(snapshot, TableOptions::new()).await.unwrap();
            context.register_table("events", Arc::new(table)).unwrap();
            context
        };
        let here = session(&with).await;
        let plan = here.sql(query).await.unwrap().create_physical_plan().await.unwrap();
        assert_eq!(sorts(plan.as_ref()), 0, "{partitions}");
        assert_eq!(rows(&here, query).await, expected, "{partitions}");
        // Elsewhere as well.
        let there = context(partitions, 64);
        let codec = RNTuplePhysicalCodec::default();
        let bytes = physical_plan_to_bytes_with_extension_codec(plan, &codec).unwrap();
        let plan = physical_plan_from_bytes_with_extension_codec(&bytes, &there.task_ctx(), &codec).unwrap();
        assert_eq!(sorts(plan.as_ref()), 0, "{partitions}");
        let declared: BTreeSet<String> = scans(plan.as_ref());
        assert!(declared.iter().all(|scan| scan.contains("output_ordering=[run")), "{declared:?}");
        assert_eq!(shown(&collect(plan, there.task_ctx()).await.unwrap()), expected, "{partitions}");
        // It is not known that they follow one another.
        let context = session(&without).await;
        assert_eq!(rows(&context, query).await, expected, "{partitions}");
        let plan = context.sql(query).await.unwrap().create_physical_plan().await.unwrap();
        assert_eq!(sorts(plan.as_ref()), usize::from(partitions < 5), "{partitions}");
    }
}

fn sorts(plan: &dyn ExecutionPlan) -> usize {
    let below: usize = plan.children().iter().map(|child| sorts(child.as_ref())).sum();
    below + usize::from(plan.name() == "SortExec")
}

fn scans(plan: &dyn ExecutionPlan) -> BTreeSet<String> {
    let mut found: BTreeSet<String> =
        plan.children().iter().flat_map(|child| scans(child.as_ref())).collect();
    if plan.name() == "DataSourceExec" {
        found.insert(datafusion::physical_plan::displayable(plan).one_line().to_string());
    }
    found
}
