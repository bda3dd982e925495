use datafusion::common::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion_distributed::DistributedExt as _;
use futures_util::StreamExt as _;
use rntuple_datafusion::TableOptions;
use rntuple_engine_tests::{EVENTS, FILES, Sample, rows, tables, within};

use crate::Cluster;

/// All rows, with a column that makes them larger than what is under way between two processes.
const LARGE: &str = "SELECT number, repeat(name, 200) FROM events";

/// A query of which the first rows are there, and the rest is on its way.
async fn begun(cluster: &Cluster, sample: &Sample) -> SendableRecordBatchStream {
    let context = cluster.session_with(2, |builder| {
        let builder = builder.with_distributed_worker_connection_buffer_budget_bytes(1).unwrap();
        builder.with_distributed_shuffle_batch_size(16).unwrap()
    });
    tables(&context, sample, &TableOptions::new()).await;
    let stream = async { context.sql(LARGE).await.unwrap().execute_stream().await.unwrap() };
    let mut stream = within(60, "the plan", stream).await;
    within(60, "the first rows", stream.next()).await.unwrap().unwrap();
    stream
}

async fn rest(mut stream: SendableRecordBatchStream) -> Result<usize> {
    let mut rows = 0;
    while let Some(batch) = stream.next().await {
        rows += batch?.num_rows();
    }
    Ok(rows)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_whose_worker_is_killed_fails_and_names_it() {
    let sample = Sample::write();
    for killed in 0..2 {
        let mut cluster = Cluster::start(2, &["--store", "file:///"]);
        let stream = begun(&cluster, &sample).await;
        cluster.processes[killed].kill();
        let error = within(30, "the error", rest(stream)).await.unwrap_err().to_string();
        assert!(error.contains(&format!("worker {}", cluster.urls[killed])), "{error}");
        assert!(!error.contains(&cluster.urls[1 - killed]), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_is_gone_is_named_before_and_during_queries() {
    let sample = Sample::write();
    let mut cluster = Cluster::start(2, &["--store", "file:///"]);
    let context = cluster.session();
    tables(&context, &sample, &TableOptions::new()).await;
    let query = "SELECT run, count(*) FROM events GROUP BY run ORDER BY run";
    assert_eq!(rows(&context, query).await.len(), usize::try_from(FILES).unwrap());
    cluster.processes[1].kill();
    let failed = async { context.sql(query).await.unwrap().collect().await };
    let error = within(30, "the error", failed).await.unwrap_err().to_string();
    assert!(error.contains(&cluster.urls[1]), "{error}");
    let error = within(30, "the check", cluster.workers().check()).await.unwrap_err().to_string();
    assert!(error.contains(&cluster.urls[1]), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queries_end_before_a_worker_that_is_asked_to_stop() {
    let sample = Sample::write();
    let mut cluster = Cluster::start(2, &["--store", "file:///"]);
    let stream = begun(&cluster, &sample).await;
    cluster.processes[0].terminate();
    let rows = within(60, "the rest", rest(stream)).await.unwrap();
    assert!(rows as u64 > EVENTS * u64::from(FILES) / 2, "{rows}");
    assert!(cluster.processes[0].ended(30).success());
}
