//! A data set on S3: versions are committed by conditional requests.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use rntuple::RNTuple;
use rntuple_dataset::{CleanupOptions, CompactOptions, Location, Log, Table};
use rntuple_object_store::Options;
use rntuple_remote_tests::servers::{ACCESS_KEY, Moto, SECRET_KEY};

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
    let now = std::time::Duration::ZERO;
    let cleaned = table.cleanup(&CleanupOptions::older_than(now).unreferenced_after(now)).unwrap();
    assert_eq!(cleaned.versions.len(), 7);
    let report = table.check(true).unwrap();
    assert!(report.is_sound(), "{:?}", report.findings);
    assert_eq!((report.versions, report.files), (1, 1));
}
