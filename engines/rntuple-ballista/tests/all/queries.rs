use rntuple_datafusion::TableOptions;
use rntuple_engine_tests::{Sample, compare, copies, tables};

use crate::Cluster;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_are_those_of_one_process() {
    let sample = Sample::write();
    let cluster = Cluster::start(2);
    let context = cluster.session().await;
    compare(&context, &sample, &TableOptions::new()).await;
    // And with the tables that workers of datafusion-distributed need.
    let context = cluster.session().await;
    compare(&context, &sample, &TableOptions::new().small_lists(true)).await;
    assert!(cluster.has_rows(0) && cluster.has_rows(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_written() {
    let sample = Sample::write();
    let cluster = Cluster::start(2);
    let context = cluster.session().await;
    tables(&context, &sample, &TableOptions::new()).await;
    copies(&context, &sample).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_query_runs_on_all_executors() {
    let sample = Sample::write();
    let cluster = Cluster::start(2);
    let context = cluster.session().await;
    tables(&context, &sample, &TableOptions::new()).await;
    cluster.ready(&context).await;
}
