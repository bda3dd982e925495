use std::process::Command;
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

/// Keeps this process, as machines have cores of their own, to some of them.
fn keep_to(cores: &str) {
    let pid = std::process::id().to_string();
    let kept = Command::new("taskset").args(["-a", "-c", "-p", cores, &pid]).output().unwrap();
    assert!(kept.status.success(), "{kept:?}");
}

async fn timed(context: &SessionContext, cores: &str) -> Duration {
    keep_to(cores);
    let start = Instant::now();
    assert_eq!(rows(context, QUERY).await.len(), 8);
    start.elapsed()
}

/// Two workers with one core each, against one process with one core: the engine leaves a lone worker idle, and runs the query
/// where the session is. `RNTUPLE_EVENTS` is the number of events of each file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs two cores of its own, and a release build"]
async fn two_workers_are_faster_than_one() {
    let events =
        std::env::var("RNTUPLE_EVENTS").ok().and_then(|events| events.parse().ok()).unwrap_or(400_000);
    let folder = TempDir::new().unwrap();
    write_events(folder.path(), 8, events);
    let pattern = folder.path().join("run?.root").to_str().unwrap().to_owned();
    let mut sessions = Vec::new();
    for (workers, cores) in [(&[0][..], "0"), (&[0, 1], "0,1")] {
        let cluster = Cluster::with_cores(workers);
        // With one part, DataFusion plans no exchange of rows, and the query stays here.
        let context = cluster.session_with(2, |builder| builder);
        let table = RNTupleTable::open(&context.state(), [&pattern], TableOptions::new()).await.unwrap();
        context.register_table("events", Arc::new(table)).unwrap();
        timed(&context, cores).await;
        sessions.push((cluster, context, cores, Vec::new()));
    }
    for _ in 0..ROUNDS {
        for (_, context, cores, times) in &mut sessions {
            times.push(timed(context, cores).await);
        }
    }
    let medians = sessions.iter_mut().map(|(_, _, _, times)| {
        times.sort_unstable();
        times[ROUNDS / 2].as_secs_f64()
    });
    let medians: Vec<f64> = medians.collect();
    let ratio = medians[0] / medians[1];
    println!("one process {:.3} s, two workers {:.3} s, {ratio:.2} times faster", medians[0], medians[1]);
    assert!(ratio >= 1.7, "{ratio:.2}");
}
