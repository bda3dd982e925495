use std::time::Duration;

use rntuple_datafusion::TableOptions;
use rntuple_engine_tests::{Sample, local, rows, tables, within};

use crate::Cluster;

/// A query that takes a while for each row.
const SLOW: &str = "SELECT run, count(*), sum(cardinality(range(0, 2000 + CAST(number % 10 AS BIGINT)))) FROM events GROUP BY run ORDER BY run";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_goes_on_without_an_executor_that_is_killed() {
    let sample = Sample::write();
    let here = local();
    tables(&here, &sample, &TableOptions::new()).await;
    let expected = rows(&here, SLOW).await;
    let mut cluster = Cluster::start(2);
    let context = cluster.session().await;
    tables(&context, &sample, &TableOptions::new()).await;
    let query = tokio::spawn(async move { rows(&context, SLOW).await });
    // It has rows that the next stage needs, and is at work on others.
    let has_rows = async {
        while !cluster.has_rows(1) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    within(60, "rows", has_rows).await;
    assert!(!query.is_finished());
    cluster.executors[1].kill();
    assert_eq!(within(60, "the query", query).await.unwrap(), expected);
}
