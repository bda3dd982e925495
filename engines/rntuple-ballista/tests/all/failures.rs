use std::time::Duration;

use datafusion::prelude::SessionContext;
use rntuple_datafusion::TableOptions;
use rntuple_engine_tests::{Sample, failure, local, rows, tables, within};

use crate::Cluster;

/// A query whose first stage takes a while for each row.
const SLOW: &str = "SELECT run, sum(cardinality(range(0, 20000 + CAST(number % 10 AS BIGINT)))) FROM events GROUP BY run ORDER BY run";

/// A query whose second stage takes a while, and needs rows of the first one.
const SLOW_LATER: &str = "SELECT number % 8 AS part, sum(cardinality(range(0, 20000 + CAST(found AS BIGINT)))) FROM \
     (SELECT number, count(*) AS found FROM events GROUP BY number) GROUP BY part ORDER BY part";

async fn start(sample: &Sample) -> (Cluster, SessionContext) {
    let cluster = Cluster::start(2);
    let context = cluster.session().await;
    tables(&context, sample, &TableOptions::new()).await;
    cluster.ready(&context).await;
    (cluster, context)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_goes_on_without_an_executor_of_its_first_stage() {
    let sample = Sample::write();
    let here = local();
    tables(&here, &sample, &TableOptions::new()).await;
    let expected = rows(&here, SLOW).await;
    let (mut cluster, context) = start(&sample).await;
    let query = tokio::spawn(async move { rows(&context, SLOW).await });
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!query.is_finished());
    cluster.executors[1].kill();
    assert_eq!(within(60, "the query", query).await.unwrap(), expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_that_needs_rows_of_a_lost_executor_fails_and_can_run_again() {
    let sample = Sample::write();
    let here = local();
    tables(&here, &sample, &TableOptions::new()).await;
    let expected = rows(&here, SLOW_LATER).await;
    let (mut cluster, context) = start(&sample).await;
    let before = cluster.files(1);
    let same = context.clone();
    let query = tokio::spawn(async move { failure(&same, SLOW_LATER).await });
    let has_rows = async {
        while cluster.files(1) == before {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    };
    within(60, "rows", has_rows).await;
    assert!(!query.is_finished());
    cluster.executors[1].kill();
    let error = within(60, "the query", query).await.unwrap();
    assert!(error.to_lowercase().contains("cancel"), "{error}");
    assert_eq!(rows(&context, SLOW_LATER).await, expected);
}
