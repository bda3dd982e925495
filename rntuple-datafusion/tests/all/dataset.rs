use std::sync::Arc;

use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::physical_plan::collect;
use object_store::memory::InMemory;
use rntuple::RNTuple;
use rntuple::storage::{LocalFile, Protocol, ReadAt};
use rntuple_datafusion::{RNTuplePhysicalCodec, RNTupleTable, TableOptions};
use rntuple_dataset::Table;
use rntuple_dataset::format::ManifestFile;
use rntuple_dataset::format::names::NamingScheme;

use crate::sample::{Event, context, event, rows, shown};

#[derive(RNTuple)]
struct Number {
    number: u64,
}

#[derive(RNTuple)]
struct Scale {
    scale: f32,
}

async fn register(
    context: &datafusion::prelude::SessionContext,
    name: &str,
    snapshot: &rntuple_dataset::Snapshot,
) {
    let table = RNTupleTable::snapshot(snapshot, TableOptions::new()).await.unwrap();
    context.register_table(name, Arc::new(table)).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn versions_of_data_sets_are_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.rnds");
    let made = path.clone();
    // Data sets wait for their storage.
    let (before, after) = tokio::task::spawn_blocking(move || {
        let table = Table::create::<Event>(made.to_str().unwrap(), "Events").unwrap();
        for run in 1..4u32 {
            table
                .append::<Event>(|writer| (0..100).try_for_each(|number| writer.fill(&event(run, number))))
                .unwrap();
        }
        let before = table.snapshot().unwrap();
        table.delete_where(&"number >= 1010 and number < 1090".parse().unwrap()).unwrap();
        let twice = |event: &Number| Scale { scale: event.number as f32 * 2.0 };
        table.add_columns(|events: Vec<Number>| events.iter().map(twice).collect()).unwrap();
        table.delete_where(&"run == 3".parse().unwrap()).unwrap();
        (before, table.snapshot().unwrap())
    })
    .await
    .unwrap();
    let context = context(3, 64);
    register(&context, "before", &before).await;
    register(&context, "after", &after).await;
    assert_eq!(rows(&context, "SELECT count(*), count(DISTINCT run) FROM before").await, ["300 | 3"]);
    assert_eq!(rows(&context, "SELECT count(*) FROM after").await, ["120"]);
    let query = "SELECT number, scale FROM after WHERE number > 1005 AND number < 1095 ORDER BY number";
    let found = rows(&context, query).await;
    assert_eq!(found.len(), 4 + 5);
    assert_eq!(found[0], "1006 | 2012.0");
    assert_eq!(rows(&context, "SELECT count(*) FROM after WHERE scale = number * 2").await, ["120"]);

    // Elsewhere, from the folder and the version alone.
    let there = crate::sample::context(3, 64);
    let codec = RNTuplePhysicalCodec::default();
    let plan = context.sql(query).await.unwrap().create_physical_plan().await.unwrap();
    let bytes = datafusion_proto::bytes::physical_plan_to_bytes_with_extension_codec(plan, &codec).unwrap();
    let context_there = there.task_ctx();
    let plan = datafusion_proto::bytes::physical_plan_from_bytes_with_extension_codec(
        &bytes,
        &context_there,
        &codec,
    )
    .unwrap();
    assert_eq!(shown(&collect(plan, there.task_ctx()).await.unwrap()), found);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_narrower_types_are_rows_like_others() {
    #[derive(RNTuple)]
    struct Wide {
        number: i64,
        met: f64,
    }
    #[derive(RNTuple)]
    struct Narrow {
        met: f32,
        number: i16,
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (place, file) = (path("events.rnds"), path("narrow.root"));
    let snapshot = tokio::task::spawn_blocking(move || {
        let options = rntuple::WriteOptions::new().statistics(true);
        let mut writer = rntuple::Writer::<Narrow>::create(&file, "Events", options).unwrap();
        for number in 0..100 {
            writer.fill(&Narrow { met: f32::from(number) / 4.0, number }).unwrap();
        }
        writer.finish().unwrap();
        let table = Table::create::<Wide>(&place, "Events").unwrap();
        let wide = |number: i32| Wide { number: number.into(), met: f64::from(number) / 4.0 };
        table.append::<Wide>(|writer| (100..150).try_for_each(|number| writer.fill(&wide(number)))).unwrap();
        table.append_files(&[rntuple_dataset::Source::new(file, rntuple_dataset::Adopt::InPlace)]).unwrap()
    })
    .await
    .unwrap();
    let context = context(2, 64);
    register(&context, "events", &snapshot).await;
    let query = "SELECT count(*), sum(met), min(number), max(number) FROM events";
    assert_eq!(rows(&context, query).await, ["150 | 2793.75 | 0 | 149"]);
    let query = "SELECT number, met FROM events WHERE met > 24.5 AND number < 101 ORDER BY number";
    assert_eq!(rows(&context, query).await, ["99 | 24.75", "100 | 25.0"]);
}

#[derive(RNTuple)]
struct Spot {
    x: f32,
}

#[derive(RNTuple)]
struct Seen {
    seen: Option<Spot>,
}

/// Structs that are absent, in a column that was added, with and without an index of bounds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_of_absent_structs_of_added_columns_are_null() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("events.rnds").to_str().unwrap().to_owned();
    let made = tokio::task::spawn_blocking(move || {
        let table = Table::create::<Event>(&place, "Events").unwrap();
        for run in 0..2u32 {
            table
                .append::<Event>(|writer| (0..10).try_for_each(|number| writer.fill(&event(run, number))))
                .unwrap();
        }
        let seen = |event: &Number| {
            let is_seen = event.number.is_multiple_of(2);
            Seen { seen: is_seen.then_some(Spot { x: event.number as f32 }) }
        };
        let added = table.add_columns(|events: Vec<Number>| events.iter().map(seen).collect()).unwrap();
        [added, table.index_bounds(&rntuple_dataset::IndexOptions::new()).unwrap()]
    });
    for snapshot in made.await.unwrap() {
        let context = context(2, 4);
        register(&context, "events", &snapshot).await;
        for (query, expected) in [
            ("SELECT count(*), count(seen['x']), sum(seen['x']) FROM events", &["20 | 10 | 5040.0"][..]),
            ("SELECT count(*) FROM events WHERE seen['x'] IS NULL", &["10"]),
            ("SELECT number FROM events WHERE seen['x'] = 0", &["0"]),
            ("SELECT number FROM events WHERE seen['x'] < 3 ORDER BY number", &["0", "2"]),
            ("SELECT number FROM events WHERE seen['x'] > 1007", &["1008"]),
        ] {
            assert_eq!(rows(&context, query).await, *expected, "{query}");
        }
    }
}

/// Opens the files of this machine whose paths are those of URLs.
struct Elsewhere;

impl Protocol for Elsewhere {
    fn open(&self, url: &str) -> std::io::Result<Arc<dyn ReadAt>> {
        Ok(Arc::new(LocalFile::open(url.trim_start_matches("elsewhere://host"))?))
    }
}

/// Old versions of Lance state 0 for deletions that they did not count.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_that_a_manifest_does_not_count_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("events.rnds");
    let snapshot = tokio::task::spawn_blocking(move || {
        let table = Table::create::<Event>(place.to_str().unwrap(), "Events").unwrap();
        table
            .append::<Event>(|writer| (0..10).try_for_each(|number| writer.fill(&event(1, number))))
            .unwrap();
        let deleted = table.delete_where(&"number < 1003".parse().unwrap()).unwrap();
        let path = place.join(NamingScheme::V2.manifest(deleted.version()));
        let mut file = ManifestFile::read(&std::fs::read(&path).unwrap()).unwrap();
        file.manifest.fragments[1].deletion_file.as_mut().unwrap().num_deleted_rows = 0;
        std::fs::write(&path, file.to_bytes().unwrap()).unwrap();
        Table::open(place.to_str().unwrap()).unwrap().snapshot().unwrap()
    });
    let snapshot = snapshot.await.unwrap();
    assert!(!snapshot.fragments()[1].states_deleted_rows());
    let context = context(1, 64);
    register(&context, "events", &snapshot).await;
    assert_eq!(rows(&context, "SELECT count(*) FROM events").await, ["7"]);
}

/// A manifest may name any file. A plan leads to those alone that are in a store that the process was given.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_a_manifest_are_in_stores_that_are_registered() {
    rntuple::storage::register("elsewhere", Arc::new(Elsewhere));
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("events.rnds").to_str().unwrap().to_owned();
    let paths = crate::sample::write(folder.path());
    let snapshot = tokio::task::spawn_blocking(move || {
        let table = Table::create::<Event>(&place, "Events").unwrap();
        table.append::<Event>(|writer| writer.fill(&event(7, 1))).unwrap();
        let url = format!("elsewhere://host{}", paths[0].display());
        table.append_files(&[rntuple_dataset::Source::new(url, rntuple_dataset::Adopt::InPlace)]).unwrap()
    });
    let snapshot = snapshot.await.unwrap();
    let (here, there) = (context(1, 64), context(1, 64));
    register(&here, "events", &snapshot).await;
    let codec = RNTuplePhysicalCodec::default();
    let run = async |query: &str| {
        let plan = here.sql(query).await.unwrap().create_physical_plan().await.unwrap();
        let bytes =
            datafusion_proto::bytes::physical_plan_to_bytes_with_extension_codec(plan, &codec).unwrap();
        let there = there.task_ctx();
        let plan =
            datafusion_proto::bytes::physical_plan_from_bytes_with_extension_codec(&bytes, &there, &codec);
        collect(plan.unwrap(), there).await.map(|batches| shown(&batches))
    };
    let error = run("SELECT sum(run) FROM events").await.unwrap_err().to_string();
    assert!(error.contains("elsewhere://host"), "{error}");
    let url = ObjectStoreUrl::parse("elsewhere://host").unwrap();
    there.register_object_store(url.as_ref(), Arc::new(InMemory::new()));
    assert_eq!(run("SELECT sum(run) FROM events").await.unwrap(), ["407"]);
}
