use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::prelude::SessionContext;
use rntuple_datafusion::{RNTupleTable, TableOptions};
use rntuple_engine_tests::{rows, write_events};
use tempfile::TempDir;

use crate::Cluster;

const QUERY: &str = "SELECT run, count(*), sum(met), sum(array_sum(array_transform(muons, m -> m['pt'] * m['pt']))) \
                     FROM events WHERE name LIKE '%1%' GROUP BY run ORDER BY run";

const ROUNDS: usize = 7;

async fn timed(context: &SessionContext) -> Duration {
    let start = Instant::now();
    assert_eq!(rows(context, QUERY).await.len(), 8);
    start.elapsed()
}

/// Two workers with one core each, against one of them. `RNTUPLE_EVENTS` is the number of events of each file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs two cores of its own, and a release build"]
async fn two_workers_are_faster_than_one() {
    let events =
        std::env::var("RNTUPLE_EVENTS").ok().and_then(|events| events.parse().ok()).unwrap_or(400_000);
    let folder = TempDir::new().unwrap();
    write_events(folder.path(), 8, events);
    let pattern = folder.path().join("run?.root").to_str().unwrap().to_owned();
    let mut sessions = Vec::new();
    // Processes that have nothing to do take no time.
    for workers in 1..3 {
        let cluster = Cluster::start(workers, &["--store", "file:///"]);
        let context = cluster.session_with(1, |builder| builder);
        let table = RNTupleTable::open(&context.state(), [&pattern], TableOptions::new()).await.unwrap();
        context.register_table("events", Arc::new(table)).unwrap();
        timed(&context).await;
        sessions.push((cluster, context, Vec::new()));
    }
    for _ in 0..ROUNDS {
        for (_, context, times) in &mut sessions {
            times.push(timed(context).await);
        }
    }
    let medians = sessions.iter_mut().map(|(_, _, times)| {
        times.sort_unstable();
        times[ROUNDS / 2].as_secs_f64()
    });
    let medians: Vec<f64> = medians.collect();
    let ratio = medians[0] / medians[1];
    println!("one worker {:.3} s, two {:.3} s, {ratio:.2} times faster", medians[0], medians[1]);
    assert!(ratio >= 1.7, "{ratio:.2}");
}
