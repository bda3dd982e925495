//! Queries that fail, or are cancelled, while their rows are written.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use datafusion::execution::object_store::ObjectStoreUrl;
use futures_util::StreamExt as _;
use object_store::memory::InMemory;
use object_store::{ObjectStore as _, ObjectStoreExt as _};
use rntuple::{Dataset, RootFile};
use rntuple_datafusion::TableOptions;

use crate::sample::{context, rows, tables, write};

/// The last row divides by zero, when there are others already.
const FAILS: &str = "SELECT number, run, 1 / (1399 - CAST(number AS BIGINT)) AS x FROM events WHERE run = 1";

fn count(path: &Path) -> u64 {
    Dataset::open(&RootFile::open(path).unwrap(), "Events").unwrap().entry_count()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    entries.map(|name| name.into_string().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_that_fails_leaves_the_files_of_before() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let context = context(1, 50);
    tables(&context, &paths, TableOptions::new()).await;
    let store = Arc::new(InMemory::new());
    context.register_object_store(ObjectStoreUrl::parse("memory://files").unwrap().as_ref(), store.clone());
    let target = tempfile::tempdir().unwrap();
    let to = target.path().join("skim.root");
    let copy = format!("COPY ({FAILS}) TO '{}'", to.display());
    let fails = async |query: &str| {
        let error = context.sql(query).await.unwrap().collect().await.unwrap_err().to_string();
        assert!(error.to_lowercase().contains("zero"), "{query}: {error}");
    };
    fails(&copy).await;
    assert_eq!(names(target.path()), [""; 0]);
    rows(&context, &format!("COPY (SELECT number FROM events WHERE run = 2) TO '{}'", to.display())).await;
    fails(&copy).await;
    assert_eq!(count(&to), 400);
    assert_eq!(names(target.path()), ["skim.root"]);

    let parts = target.path().join("parts");
    let to_parts = |to: &str| format!("COPY ({FAILS}) TO '{to}' STORED AS ROOT PARTITIONED BY (run)");
    fails(&to_parts(&format!("{}/", parts.display()))).await;
    let left = if parts.exists() { names(&parts) } else { Vec::new() };
    assert!(left.iter().all(|folder| names(&parts.join(folder)).is_empty()), "{left:?}");

    fails(&format!("COPY ({FAILS}) TO 'memory://files/skim.root'")).await;
    fails(&to_parts("memory://files/parts/")).await;
    assert_eq!(store.list(None).count().await, 0);
    // A value that cannot be written is an error as well.
    let query = "COPY (SELECT make_array(number, NULL) AS a FROM events) TO 'memory://files/skim.root'";
    let error = context.sql(query).await.unwrap().collect().await.unwrap_err().to_string();
    assert!(error.contains("nested_nulls"), "{error}");
    assert!(store.head(&"skim.root".into()).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_that_is_cancelled_leaves_the_files_of_before() {
    let target = tempfile::tempdir().unwrap();
    let to = target.path().join("skim.root");
    let context = context(1, 50);
    rows(&context, &format!("COPY (SELECT 7 AS value) TO '{}'", to.display())).await;
    let store = Arc::new(InMemory::new());
    context.register_object_store(ObjectStoreUrl::parse("memory://files").unwrap().as_ref(), store.clone());
    for to in [to.to_str().unwrap(), "memory://files/skim.root"] {
        let query = format!("COPY (SELECT value FROM generate_series(1, 100000000000)) TO '{to}'");
        let run = async { context.sql(&query).await.unwrap().collect().await };
        assert!(tokio::time::timeout(Duration::from_millis(300), run).await.is_err());
    }
    // What still runs on other threads ends.
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(count(&to), 1);
    assert_eq!(names(target.path()), ["skim.root"]);
    assert_eq!(store.list(None).count().await, 0);
}
