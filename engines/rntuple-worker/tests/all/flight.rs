//! Workers that are killed while they run parts of a query.

use std::sync::Arc;

use datafusion::prelude::SessionContext;
use rntuple_datafusion::{RNTupleTable, TableOptions};
use rntuple_engine_tests::{FILES, FileServer, Sample, serve, slow, until, within};

use crate::Cluster;

/// Two workers, a session, and files on a server that is slow from now on.
async fn start(sample: &Sample) -> (Cluster, SessionContext, FileServer) {
    let (server, store) = serve(sample);
    let cluster = Cluster::start(2, &["--store", &store]);
    let context = cluster.session_of(&["file:///", &store], 2, |builder| builder);
    let urls = (0..FILES).map(|run| server.url(&format!("/run{run}.root")));
    let table = RNTupleTable::open(&context.state(), urls, TableOptions::new()).await.unwrap();
    context.register_table("events", Arc::new(table)).unwrap();
    slow(&server);
    (cluster, context, server)
}

/// Waits until each worker waits for a file, so that it has a part of the query that it has not finished.
async fn in_flight(cluster: &Cluster, server: &FileServer) {
    let port = server.address().port();
    until(60, "both workers wait for files", || {
        cluster.processes.iter().all(|worker| worker.is_connected_to(port))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_fails_with_a_part_in_flight() {
    let sample = Sample::write();
    for killed in 0..2 {
        let (mut cluster, context, server) = start(&sample).await;
        let query = "SELECT run, count(*), sum(number), sum(met) FROM events GROUP BY run ORDER BY run";
        let query = tokio::spawn(async move { context.sql(query).await?.collect().await });
        in_flight(&cluster, &server).await;
        assert!(!query.is_finished());
        cluster.processes[killed].kill();
        let error = within(30, "the error", query).await.unwrap().unwrap_err().to_string();
        assert!(error.contains(&format!("worker {}", cluster.urls[killed])), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_part_of_a_file_is_left_under_its_name() {
    let sample = Sample::write();
    for of_before in [None, Some("of before")] {
        let folder = tempfile::tempdir().unwrap();
        let (to, part) = (folder.path().join("skim.root"), folder.path().join(".skim.root.part"));
        if let Some(text) = of_before {
            std::fs::write(&to, text).unwrap();
        }
        let (mut cluster, context, server) = start(&sample).await;
        let copy = format!("COPY (SELECT number, met, muons FROM events) TO '{}'", to.display());
        let copy = tokio::spawn(async move { context.sql(&copy).await?.collect().await });
        // Rows have come, and others have not.
        until(60, "the file is written", || part.exists()).await;
        in_flight(&cluster, &server).await;
        assert!(!copy.is_finished());
        cluster.processes[1].kill();
        let error = within(30, "the error", copy).await.unwrap().unwrap_err().to_string();
        assert!(error.contains(&format!("worker {}", cluster.urls[1])), "{error}");
        assert_eq!(std::fs::read(&to).ok().as_deref(), of_before.map(str::as_bytes));
        let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> = names.filter(|name| name != "skim.root").collect();
        assert_eq!(left, [""; 0], "{error}");
    }
}
