//! Where parts of a query run: on executors, and not in the program that asks.

use rntuple_datafusion::TableOptions;
use rntuple_engine_tests::{
    NO_FILES, QUERIES, Sample, copy_of_others, local, rows, tables, tables_of_others,
};

use crate::Cluster;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn executors_read_and_write_what_the_session_cannot() {
    let sample = Sample::write();
    let here = local();
    tables(&here, &sample, &TableOptions::new()).await;
    let cluster = Cluster::start(2);
    let context = cluster.session_of(&[NO_FILES]).await;
    tables_of_others(&context, &sample).await;
    cluster.ready(&context).await;
    let jobs = || &cluster.jobs(0) | &cluster.jobs(1);
    for query in QUERIES {
        let before = jobs();
        assert_eq!(rows(&context, query).await, rows(&here, query).await, "{query}");
        // Executors have kept rows of one more query.
        assert_eq!((&jobs() - &before).len(), 1, "{query}");
    }
    copy_of_others(&context, &sample).await;
}

/// Each stage ends with what keeps its rows for the next one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn joins_and_windows_are_stages() {
    let sample = Sample::write();
    let cluster = Cluster::start(1);
    let context = cluster.session().await;
    tables(&context, &sample, &TableOptions::new()).await;
    let copy = "COPY (SELECT number FROM events) TO '/tmp/skim.root'";
    for (query, node) in QUERIES.iter().chain(&[copy]).flat_map(|query| {
        let nodes = [(" JOIN ", "JoinExec"), (" OVER ", "WindowAggExec"), ("COPY", "RNTupleSink")];
        nodes.into_iter().filter(|(word, _)| query.contains(word)).map(|(_, node)| (*query, node))
    }) {
        let plans = rows(&context, &format!("EXPLAIN {query}")).await;
        let plan = plans.iter().find(|plan| plan.starts_with("distributed_plan")).unwrap();
        assert!(plan.contains(node) && plan.matches("ShuffleWriterExec").count() > 1, "{query}: {plan}");
    }
}
