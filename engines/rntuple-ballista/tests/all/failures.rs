use std::time::Duration;

use datafusion::common::Result;
use datafusion::prelude::SessionContext;
use rntuple_datafusion::TableOptions;
use rntuple_engine_tests::{Sample, local, rows, shown, tables, within};

use crate::Cluster;

/// A query whose second stage takes a while, and needs rows of the first one.
const SLOW_LATER: &str = "SELECT number % 8 AS part, sum(cardinality(range(0, 20000 + CAST(found AS BIGINT)))) FROM \
     (SELECT number, count(*) AS found FROM events GROUP BY number) GROUP BY part ORDER BY part";

async fn start(sample: &Sample) -> (Cluster, SessionContext) {
    let store = ["--store", "file:///"];
    let cluster = Cluster::losing(2, &store, &store);
    let context = cluster.session().await;
    tables(&context, sample, &TableOptions::new()).await;
    cluster.ready(&context).await;
    (cluster, context)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_that_needs_rows_of_a_lost_executor_runs_again() {
    let sample = Sample::write();
    let here = local();
    tables(&here, &sample, &TableOptions::new()).await;
    let expected = rows(&here, SLOW_LATER).await;
    let (mut cluster, context) = start(&sample).await;
    lose_rows(&mut cluster, rows_of(&context, SLOW_LATER), |found| assert_eq!(found.unwrap(), expected))
        .await;
}

/// Another run could write next to what is left of the first one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_that_writes_files_is_not_run_again() {
    let sample = Sample::write();
    let (mut cluster, context) = start(&sample).await;
    let to = sample.path("skim.root");
    let copy = format!("COPY ({}) TO '{}'", SLOW_LATER, to.display());
    lose_rows(&mut cluster, rows_of(&context, &copy), |found| {
        let error = found.unwrap_err().to_string();
        assert!(error.contains("Cancelled"), "{error}");
    })
    .await;
    assert!(!to.exists());
}

/// The rows of a query as text.
fn rows_of(
    context: &SessionContext,
    query: &str,
) -> impl Future<Output = Result<Vec<String>>> + Send + use<> {
    let (context, query) = (context.clone(), query.to_owned());
    async move {
        let batches = context.sql(&query).await?.collect().await?;
        Ok(shown(&batches))
    }
}

/// Kills an executor when it has rows of a query whose first stage is done.
async fn lose_rows(
    cluster: &mut Cluster,
    query: impl Future<Output = Result<Vec<String>>> + Send + 'static,
    check: impl FnOnce(Result<Vec<String>>),
) {
    let before = cluster.files(1);
    let query = tokio::spawn(query);
    let has_rows = async {
        while cluster.files(1) == before {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    };
    within(60, "rows", has_rows).await;
    assert!(!query.is_finished());
    cluster.executors[1].kill();
    check(within(120, "the query", query).await.unwrap());
}
