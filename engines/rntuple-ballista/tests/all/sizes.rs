//! Messages that are too long, and lists with long offsets.

use rntuple_datafusion::TableOptions;
use rntuple_engine_tests::{EVENTS, FILES, Sample, failure, local, rows, tables};

use crate::Cluster;

/// A query with a constant of this many letters, which is a part of its plan.
fn query(letters: usize) -> String {
    format!("SELECT count(*) FROM events WHERE name <> '{}'", "a".repeat(letters))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_is_too_long_is_an_error_that_says_so() {
    let sample = Sample::write();
    let all = [(u64::from(FILES) * EVENTS).to_string()];
    for (of_scheduler, of_executors, letters, is_let_through) in [
        // The plan does not reach the scheduler.
        ("50000", "67108864", 100_000, false),
        // Longer than the limit of gRPC itself, 4 MiB, of which nothing is left where ours is the default.
        ("67108864", "67108864", 5_000_000, true),
        ("300000", "300000", 100, true),
    ] {
        let flags = |size| ["--store", "file:///", "--message-size", size];
        let cluster = Cluster::with_flags(1, &flags(of_scheduler), &flags(of_executors));
        let context = cluster.session().await;
        tables(&context, &sample, &TableOptions::new()).await;
        let query = query(letters);
        match is_let_through {
            true => {
                assert_eq!(rows(&context, &query).await, all, "{of_scheduler}, {of_executors}, {letters}")
            }
            false => {
                let error = failure(&context, &query).await;
                assert!(
                    error.contains("message length too large") && error.contains(of_scheduler),
                    "{error:.2000}"
                );
            }
        }
    }
}

/// The scheduler has a part that an executor does not take.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_part_that_is_too_long_for_an_executor_fails_the_query_alone() {
    let sample = Sample::write();
    let flags = ["--store", "file:///", "--message-size", "50000"];
    let cluster = Cluster::losing(1, &flags[..2], &flags);
    let context = cluster.session().await;
    tables(&context, &sample, &TableOptions::new()).await;
    // Ballista takes the executor for lost, again and again until the time for that has passed. Its log has the reason.
    let error = failure(&context, &query(100_000)).await;
    assert!(error.contains("all executors were lost"), "{error:.2000}");
    // It has come back for what is shorter.
    cluster.ready(&context).await;
    assert_eq!(rows(&context, &query(100)).await, ["8000"]);
}

/// Executors send rows as they are in files, and lists with offsets of 64 bits with them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_lists_are_those_of_one_process() {
    let sample = Sample::write();
    let here = local();
    tables(&here, &sample, &TableOptions::new()).await;
    let cluster = Cluster::start(2);
    let context = cluster.session().await;
    tables(&context, &sample, &TableOptions::new().large_lists(true)).await;
    cluster.ready(&context).await;
    // As on one machine, where a file of another executor is opened as it is, and as between machines.
    for is_far in [false, true] {
        rows(&context, &format!("SET ballista.shuffle.force_remote_read = {is_far}")).await;
        for query in [
            "SELECT number, muons FROM events ORDER BY number",
            "SELECT number, muons FROM events WHERE number = 77 ORDER BY number",
            "SELECT a.number, b.muons FROM events a JOIN events b ON a.number = b.number + 1 ORDER BY a.number",
            "SELECT name, max(muons[1]['pt']) FROM events GROUP BY name ORDER BY name",
            "SELECT count(*) FROM events WHERE cardinality(muons) = 2",
        ] {
            assert_eq!(rows(&context, query).await, rows(&here, query).await, "{query}, {is_far}");
        }
    }
}
