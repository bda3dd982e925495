use rntuple_datafusion::TableOptions;
use rntuple_engine_tests::{Sample, compare, copies, elsewhere, folders_with_values, serve, tables};

use crate::Cluster;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_are_those_of_one_process() {
    let sample = Sample::write();
    let cluster = Cluster::start(2);
    let context = cluster.session().await;
    compare(&context, &sample, &TableOptions::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_elsewhere_are_read_by_executors_with_their_store() {
    let sample = Sample::write();
    let (server, store) = serve(&sample);
    let cluster = Cluster::with_stores(2, &store, &store);
    let others = Cluster::with_stores(2, &store, "file:///");
    let (context, of_others) = (cluster.session_of(&[&store]).await, others.session_of(&[&store]).await);
    elsewhere(&context, &of_others, &sample, &server).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_written() {
    let sample = Sample::write();
    let cluster = Cluster::start(2);
    let context = cluster.session().await;
    tables(&context, &sample, &TableOptions::new()).await;
    copies(&context, &sample).await;
    // Tables of DataFusion's own over our format cannot be sent as a part of its logical plans.
    let error = folders_with_values(&context, &sample).await.unwrap_err().to_string();
    assert!(error.contains("file format"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_query_runs_on_all_executors() {
    let sample = Sample::write();
    let cluster = Cluster::start(2);
    let context = cluster.session().await;
    tables(&context, &sample, &TableOptions::new()).await;
    cluster.ready(&context).await;
}
