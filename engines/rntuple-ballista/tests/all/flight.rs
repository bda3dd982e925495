//! Executors that are killed while they run parts of a query.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::prelude::SessionContext;
use rntuple_datafusion::{RNTupleTable, TableOptions};
use rntuple_engine_tests::{
    EVENTS, FILES, Sample, entries, local, rows, serve, shown, slow, tables, until, within,
};

use crate::{Cluster, names};

/// A query of one stage with all files, and one that adds up.
const QUERY: &str = "SELECT run, count(*), sum(number), sum(met) FROM events GROUP BY run ORDER BY run";

/// The killed executor waits for a file that is on its way to it: there is a part of the query that it does not finish.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_part_in_flight_runs_again_elsewhere() {
    let sample = Sample::write();
    let here = local();
    tables(&here, &sample, &TableOptions::new()).await;
    let expected = rows(&here, QUERY).await;
    let (server, store) = serve(&sample);
    let port = server.address().port();

    let stores = ["--store", "file:///", "--store", &store];
    let mut cluster = Cluster::losing(2, &stores, &stores);
    let context = cluster.session_of(&["file:///", &store]).await;
    tables(&context, &sample, &TableOptions::new()).await;
    // With local files, so that no executor has a connection to the server.
    cluster.ready(&context).await;
    let urls = (0..FILES).map(|run| server.url(&format!("/run{run}.root")));
    let table = RNTupleTable::open(&context.state(), urls, TableOptions::new()).await.unwrap();
    context.deregister_table("events").unwrap();
    context.register_table("events", Arc::new(table)).unwrap();
    let (jobs, lost) = (cluster.jobs(0), 1);
    assert!(!cluster.executors.iter().any(|executor| executor.is_connected_to(port)));

    slow(&server);
    server.take_requests();
    let query = tokio::spawn(async move { rows(&context, QUERY).await });
    until(60, "both executors wait for files", || {
        cluster.executors.iter().all(|executor| executor.is_connected_to(port))
    })
    .await;
    assert!(!query.is_finished());
    cluster.executors[lost].kill();
    server.clear_rules();
    assert_eq!(within(60, "the query", query).await.unwrap(), expected);
    // The same query has continued: it did not begin again as another job.
    assert_eq!(cluster.jobs(0).len(), jobs.len() + 1);
}

/// A query of one part whose rows take a while.
fn skim(to: &Path) -> String {
    format!(
        "COPY (SELECT number, cardinality(range(0, 30000 + CAST(number % 10 AS BIGINT))) AS length \
         FROM (SELECT number FROM events LIMIT {EVENTS})) TO '{}'",
        to.display()
    )
}

/// A query whose last part takes a while, and needs rows of other ones.
fn numbered(to: &Path) -> String {
    format!(
        "COPY (SELECT number, cardinality(range(0, 30000 + CAST(row_number() OVER (ORDER BY number) AS BIGINT))) \
         AS length FROM events WHERE run < 2) TO '{}'",
        to.display()
    )
}

async fn copied(context: SessionContext, query: String) -> Result<Vec<String>> {
    Ok(shown(&context.sql(&query).await?.collect().await?))
}

/// The executor that writes a file is killed. Either Ballista runs that part again, or the query fails; a file of before is as
/// it was until the new one is complete.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_part_of_a_file_is_left_under_its_name() {
    let sample = Sample::write();
    for (query, is_of_one_part, of_before) in [
        (skim as fn(&Path) -> String, true, None),
        (skim, true, Some("of before")),
        (numbered, false, Some("of before")),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("skim.root");
        if let Some(text) = of_before {
            std::fs::write(&to, text).unwrap();
        }
        let part = folder.path().join(".skim.root.part");
        let store = ["--store", "file:///"];
        let mut cluster = Cluster::losing(2, &store, &store);
        let context = cluster.session().await;
        tables(&context, &sample, &TableOptions::new()).await;
        cluster.ready(&context).await;
        let query = tokio::spawn(copied(context, query(&to)));
        let writer = Cell::new(None);
        until(60, "an executor writes the file", || {
            writer.set(cluster.executors.iter().position(|executor| executor.has_open(&part)));
            writer.get().is_some()
        })
        .await;
        let writer = writer.get().unwrap();
        assert!(!query.is_finished());
        cluster.executors[writer].kill();
        // A file that is not complete has no name that looks so.
        assert_eq!(std::fs::read(&to).ok().as_deref(), of_before.map(str::as_bytes));
        let mut found = names(folder.path());
        found.remove("skim.root");
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [".skim.root.part"]);

        let done = within(120, "the copy", query).await.unwrap();
        let what = format!("one part: {is_of_one_part}, {of_before:?}, {done:?}");
        match done {
            Ok(count) => {
                assert!(is_of_one_part, "{what}");
                assert_eq!(count, [EVENTS.to_string()], "{what}");
                assert_eq!(entries(&to), EVENTS, "{what}");
            }
            Err(error) => {
                // Other parts were done, and their rows are lost with the executor.
                assert!(!is_of_one_part && error.to_string().contains("Cancelled"), "{what}");
                assert_eq!(std::fs::read(&to).ok().as_deref(), of_before.map(str::as_bytes), "{what}");
            }
        }
        assert!(names(folder.path()).iter().all(|name| name == "skim.root" || !name.ends_with(".root")));
    }
}
