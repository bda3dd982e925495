use rntuple_engine_tests::{Sample, compare, copies, tables};

use crate::{Cluster, options};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_are_those_of_one_process() {
    let sample = Sample::write();
    let cluster = Cluster::start(2);
    let context = cluster.session().await;
    compare(&context, &sample, &options()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_written() {
    let sample = Sample::write();
    let cluster = Cluster::start(2);
    let context = cluster.session().await;
    tables(&context, &sample, &options()).await;
    copies(&context, &sample).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_query_runs_on_all_executors() {
    let sample = Sample::write();
    let cluster = Cluster::start(2);
    let context = cluster.session().await;
    tables(&context, &sample, &options()).await;
    cluster.ready(&context).await;
}
