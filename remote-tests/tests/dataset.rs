//! Data sets far away: on S3, where versions are committed by conditional requests, and on a server of XRootD, where they
//! are committed through a store of manifests.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use rntuple::RNTuple;
use rntuple_dataset::{CleanupOptions, CompactOptions, ErrorKind, Location, Log, RedbManifestStore, Table};
use rntuple_object_store::Options;
use rntuple_remote_tests::servers::{ACCESS_KEY, Moto, SECRET_KEY, Xrootd};

#[derive(RNTuple)]
struct Event {
    run: u32,
    number: u64,
}

#[derive(RNTuple)]
struct Weight {
    weight: f64,
}

fn append(table: &Table, run: u32) {
    table
        .append::<Event>(|writer| (0..20).try_for_each(|number| writer.fill(&Event { run, number })))
        .unwrap();
}

#[test]
fn a_data_set_lives_on_s3() {
    let Some(server) = Moto::start() else { return };
    server.create_bucket("sets").unwrap();
    let options = Options::new()
        .config("aws_endpoint_url", server.endpoint())
        .config("aws_allow_http", "true")
        .config("aws_region", "us-east-1")
        .config("aws_access_key_id", ACCESS_KEY)
        .config("aws_secret_access_key", SECRET_KEY);
    rntuple_object_store::register_with(options.clone());
    let log = || Log::new(Location::with_options("s3://sets/events.rnds", &options).unwrap());
    let table = Table::create_in::<Event>(log(), "Events").unwrap();
    assert!(Table::create_in::<Event>(log(), "Events").is_err());

    // Each writer opens the data set itself.
    std::thread::scope(|scope| {
        for run in 0..4 {
            let log = log();
            scope.spawn(move || append(&Table::from_log(log).unwrap(), run));
        }
    });
    let all = table.snapshot().unwrap();
    assert_eq!((all.version(), all.len()), (5, 80));
    let deleted = table.delete_where(&"run == 2 or number < 5".parse().unwrap()).unwrap();
    assert_eq!(deleted.len(), 45);
    table
        .add_columns(|events: Vec<Event>| {
            events.iter().map(|event| Weight { weight: f64::from(event.run) }).collect()
        })
        .unwrap();
    let compact = table.compact(&CompactOptions::new()).unwrap();
    assert_eq!((compact.fragments().len(), compact.entry_count()), (1, 45));
    let sum: f64 = compact.reader::<Weight>().unwrap().entries().map(|it| it.unwrap().weight).sum();
    assert!((sum - 15.0 * (0.0 + 1.0 + 3.0)).abs() < 1e-9);
    table.tag("clean", compact.version()).unwrap();
    // S3 says when a file was written to the second, and what is not older than that stays.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    let now = std::time::Duration::ZERO;
    let cleaned = table.cleanup(&CleanupOptions::older_than(now).unreferenced_after(now)).unwrap();
    assert_eq!(cleaned.versions.len(), 7);
    let report = table.check(true).unwrap();
    assert!(report.is_sound(), "{:?}", report.findings);
    assert_eq!((report.versions, report.files), (1, 1));
}

#[test]
fn a_data_set_on_a_server_of_xrootd_is_read_and_committed_through_a_store() {
    let Some(server) = Xrootd::start() else { return };
    rntuple_xrootd::register();
    let folder = server.folder().join("events.rnds");
    let near = Table::create::<Event>(folder.to_str().unwrap(), "Events").unwrap();
    append(&near, 1);
    append(&near, 2);
    near.delete_where(&"run == 2 and number >= 5".parse().unwrap()).unwrap();
    near.tag("good", 4).unwrap();

    let url = server.url("/events.rnds");
    let far = Table::open(&url).unwrap();
    let snapshot = far.snapshot().unwrap();
    let numbers = |table: &Table| -> Vec<(u32, u64)> {
        let reader = table.snapshot().unwrap().reader::<Event>().unwrap();
        reader.entries().map(Result::unwrap).map(|event| (event.run, event.number)).collect()
    };
    assert_eq!((snapshot.version(), snapshot.len()), (4, 25));
    assert_eq!(numbers(&far), numbers(&near));
    assert_eq!(far.tags().unwrap(), near.tags().unwrap());
    assert!(far.check(true).unwrap().is_sound());

    // Two writers might both create a version.
    let error = far.append::<Event>(|writer| writer.fill(&Event { run: 3, number: 0 })).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    assert!(error.to_string().contains("with_manifest_store"), "{error}");
    assert_eq!(far.snapshot().unwrap().version(), 4);

    let shelf = Arc::new(RedbManifestStore::open(server.folder().join("manifests.redb")).unwrap());
    let log = || {
        let location = Location::new(&server.url("/other.rnds")).unwrap();
        Log::new(location).with_manifest_store(shelf.clone())
    };
    let table = Table::create_in::<Event>(log(), "Events").unwrap();
    std::thread::scope(|scope| {
        for run in 0..4 {
            let log = log();
            scope.spawn(move || append(&Table::from_log(log).unwrap(), run));
        }
    });
    assert_eq!(table.delete_where(&"run == 0".parse().unwrap()).unwrap().len(), 60);
    let compact = table.compact(&CompactOptions::new()).unwrap();
    assert_eq!((compact.fragments().len(), compact.entry_count()), (1, 60));
    let report = table.check(true).unwrap();
    assert!(report.is_sound(), "{:?}", report.findings);
    // What the server has is a data set like any other.
    let near = Table::open(server.folder().join("other.rnds").to_str().unwrap()).unwrap();
    assert_eq!(numbers(&near), numbers(&table));
}
