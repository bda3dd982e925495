//! More files at a time than there are threads that may wait.

use std::sync::Arc;
use std::time::Duration;

use rntuple::{RNTuple, WriteOptions, Writer};
use rntuple_datafusion::{RNTupleTable, TableOptions};
use tokio::runtime::Builder;

use crate::sample::{context, rows};

/// Runs work that ends in time, in a runtime with few threads that may wait.
fn with_few_threads(work: impl Future<Output = ()>) {
    let mut runtime = Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).max_blocking_threads(8).enable_all().build().unwrap();
    let done = runtime.block_on(async { tokio::time::timeout(Duration::from_secs(100), work).await });
    // Threads that wait forever would be waited for.
    runtime.shutdown_background();
    done.expect("threads wait for each other");
}

#[test]
fn many_files_are_written_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let to = format!("{}/", folder.path().display());
    with_few_threads(async {
        let context = context(2, 50);
        let query = "SELECT value, value % 600 AS part FROM generate_series(1, 6000)";
        let copy = format!("COPY ({query}) TO '{to}' STORED AS ROOT PARTITIONED BY (part)");
        assert_eq!(rows(&context, &copy).await, ["6000"]);
        assert_eq!(std::fs::read_dir(&to).unwrap().count(), 600);
        let files = [format!("{to}**/*.root")];
        let table = RNTupleTable::open(&context.state(), files, TableOptions::new()).await.unwrap();
        context.register_table("written", Arc::new(table)).unwrap();
        assert_eq!(rows(&context, "SELECT count(*), sum(value) FROM written").await, ["6000 | 18003000"]);
    });
}

#[derive(RNTuple)]
struct Number {
    number: u64,
}

#[test]
fn many_files_in_order_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for file in 0..200u64 {
        let path = folder.path().join(format!("{file}.root"));
        let mut writer = Writer::create(&path, "Events", WriteOptions::new().sorted_by(["number"])).unwrap();
        (0..40).for_each(|row| writer.fill(&Number { number: row * 200 + file }).unwrap());
        writer.finish().unwrap();
        paths.push(path.to_str().unwrap().to_owned());
    }
    with_few_threads(async {
        // A file has more batches than are made before they are asked for.
        let context = context(2, 4);
        for name in ["a", "b", "c"] {
            let table = RNTupleTable::open(&context.state(), &paths, TableOptions::new()).await.unwrap();
            context.register_table(name, Arc::new(table)).unwrap();
        }
        let all = "SELECT number FROM a UNION ALL SELECT number FROM b UNION ALL SELECT number FROM c";
        let found = rows(&context, &format!("{all} ORDER BY number")).await;
        let expected = (0..8000).flat_map(|number| std::iter::repeat_n(number.to_string(), 3));
        assert!(found.into_iter().eq(expected));
    });
}
