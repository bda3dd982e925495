use std::sync::Arc;

use datafusion_distributed::display_plan_ascii;
use rntuple_datafusion::{RNTupleTable, TableOptions};
use rntuple_dataset::Location;
use rntuple_engine_tests::{
    BUCKET, FILES, QUERIES, Sample, compare, compare_at, copies, elsewhere, failure, folders_with_values,
    local, register_s3, rows, serve, serve_root, serve_s3, tables, within,
};

use crate::Cluster;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_are_those_of_one_process() {
    let sample = Sample::write();
    let cluster = Cluster::start(2, &["--store", "file:///"]);
    cluster.workers().check().await.unwrap();
    compare(&cluster.session(), &sample, &TableOptions::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_in_order_are_dealt_to_any_number_of_workers() {
    let sample = Sample::write();
    let here = local();
    tables(&here, &sample, &TableOptions::new()).await;
    for workers in [3, 5] {
        let cluster = Cluster::start(workers, &["--store", "file:///"]);
        let context = cluster.session();
        tables(&context, &sample, &TableOptions::new()).await;
        for query in QUERIES.iter().filter(|query| query.contains("sorted")) {
            assert_eq!(rows(&context, query).await, rows(&here, query).await, "{workers}: {query}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_elsewhere_are_read_by_workers_with_their_store() {
    let sample = Sample::write();
    let (server, store) = serve(&sample);
    let (cluster, others) =
        (Cluster::start(2, &["--store", &store]), Cluster::start(2, &["--store", "file:///"]));
    let session = |cluster: &Cluster| cluster.session_of(&[&store], 2, |builder| builder);
    elsewhere(&session(&cluster), &session(&others), &sample, &server).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_on_xrootd_are_read_by_workers() {
    let sample = Sample::write();
    let Some((_server, store)) = serve_root(&sample) else { return };
    let cluster = Cluster::start(2, &["--store", &store]);
    let context = cluster.session_of(&[&store], 2, |builder| builder);
    let dataset = Location::new(&format!("{store}//events.rnds")).unwrap();
    compare_at(&context, &sample, &|name| format!("{store}//{name}"), Some(dataset)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn objects_of_s3_are_read_by_workers_with_keys_of_their_own() {
    let sample = Sample::write();
    let Some((server, variables)) = serve_s3(&sample) else { return };
    let cluster = Cluster::start_with(&variables, 2, &["--store", BUCKET]);
    let context = cluster.session();
    let dataset = register_s3(&context, &server);
    compare_at(&context, &sample, &|name| format!("{BUCKET}/{name}"), Some(dataset)).await;

    // The session's keys are not sent: workers without any read nothing.
    let others = Cluster::start(2, &["--store", "file:///"]);
    let context = others.session();
    register_s3(&context, &server);
    let files = [format!("{BUCKET}/run0.root"), format!("{BUCKET}/run1.root")];
    let table = RNTupleTable::open(&context.state(), files, TableOptions::new()).await.unwrap();
    context.register_table("events", Arc::new(table)).unwrap();
    let error = failure(&context, "SELECT run, sum(number) FROM events GROUP BY run").await;
    assert!(error.contains("--store s3://campaign"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_written() {
    let sample = Sample::write();
    let cluster = Cluster::start(2, &["--store", "file:///"]);
    let context = cluster.session();
    tables(&context, &sample, &TableOptions::new()).await;
    copies(&context, &sample).await;
    folders_with_values(&context, &sample).await.unwrap();
}

/// A scan of one partition has its limit by itself: nothing above it counts rows once more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_is_one_for_all_workers() {
    let sample = Sample::write();
    let cluster = Cluster::start(3, &["--store", "file:///"]);
    let (here, there) = (local(), cluster.session());
    for context in [&here, &there] {
        tables(context, &sample, &TableOptions::new()).await;
        for (name, file) in [("one", "run0.root"), ("ordered", "sorted0.root")] {
            let paths = [sample.path(file).display().to_string()];
            let table = RNTupleTable::open(&context.state(), paths, TableOptions::new()).await.unwrap();
            context.register_table(name, Arc::new(table)).unwrap();
        }
    }
    for first in [
        "SELECT number FROM one LIMIT 100",
        "SELECT number FROM one WHERE number >= 0 LIMIT 100",
        "SELECT number FROM ordered ORDER BY number LIMIT 100",
        "SELECT number FROM ordered WHERE met >= 0 ORDER BY number LIMIT 7",
        // The limit is not in the scan.
        "SELECT number FROM one ORDER BY met, number LIMIT 100",
        "SELECT number FROM ordered ORDER BY met DESC, number LIMIT 100",
        "SELECT CAST(muon['pt'] AS BIGINT) AS number FROM (SELECT unnest(muons) AS muon FROM one) LIMIT 100",
        "SELECT row_number() OVER (ORDER BY number) AS number FROM ordered",
        "SELECT row_number() OVER (ORDER BY met, number) AS number FROM one",
        "SELECT sum(number) OVER () AS number FROM one",
        "SELECT count(met) AS number FROM (SELECT met FROM one LIMIT 100)",
        "SELECT sum(number) AS number FROM (SELECT number FROM one LIMIT 100)",
        "SELECT max(number) AS number FROM ordered",
    ] {
        for query in [
            format!("SELECT count(b.number) FROM ({first}) a JOIN events b ON a.number = b.number"),
            format!("SELECT count(*) FROM (({first}) UNION ALL SELECT number FROM events)"),
            format!("SELECT number % 3 AS k, count(*) FROM ({first}) GROUP BY k ORDER BY k"),
        ] {
            assert_eq!(rows(&there, &query).await, rows(&here, &query).await, "{query}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scans_are_cut_over_all_workers() {
    let sample = Sample::write();
    let cluster = Cluster::start(2, &["--store", "file:///"]);
    let context = cluster.session();
    tables(&context, &sample, &TableOptions::new()).await;
    let query = "SELECT run, count(*), sum(met) FROM events GROUP BY run";
    let plan = context.sql(query).await.unwrap().create_physical_plan().await.unwrap();
    let plan = display_plan_ascii(plan.as_ref(), false);
    // Each of two tasks has files of its own, and none is in both.
    let leaves: Vec<&str> =
        plan.lines().filter(|line| line.contains("run0.root") || line.contains("run7.root")).collect();
    assert!(plan.contains("DistributedLeafExec"), "{plan}");
    assert_eq!(leaves.len(), 2, "{plan}");
    for run in 0..FILES {
        assert!(plan.contains(&format!("run{run}.root")), "{plan}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_open_what_they_were_given() {
    let sample = Sample::write();
    // The session may read files, and its workers may not.
    let cluster = Cluster::start(2, &["--store", "http://127.0.0.1:9"]);
    let context = cluster.session();
    tables(&context, &sample, &TableOptions::new()).await;
    for query in ["SELECT sum(number) FROM events", "SELECT sum(number) FROM version"] {
        let run = async { context.sql(query).await?.collect().await };
        let error = within(60, query, run).await.unwrap_err().to_string();
        assert!(error.contains("--store file://") && error.contains("worker http://127.0.0.1"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plans_have_a_largest_size() {
    let sample = Sample::write();
    let cluster = Cluster::start(2, &["--store", "file:///", "--plan-size", "1000"]);
    let context = cluster.session();
    tables(&context, &sample, &TableOptions::new()).await;
    let query = "SELECT sum(number) FROM events";
    let run = async { context.sql(query).await?.collect().await };
    let error = within(60, query, run).await.unwrap_err().to_string();
    // The engine drops the answer to the plan, and waits ten seconds for it to be set.
    assert!(error.contains("worker http://127.0.0.1"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_that_would_be_sent_wrong_are_refused() {
    let sample = Sample::write();
    let cluster = Cluster::start(2, &["--store", "file:///"]);
    let context = cluster.session();
    tables(&context, &sample, &TableOptions::new().large_lists(true)).await;
    let query = "SELECT number, muons FROM events";
    let run = async { context.sql(query).await?.collect().await };
    let error = within(60, query, run).await.unwrap_err().to_string();
    assert!(error.contains("large_lists") && error.contains("muons"), "{error}");
    // Of lists that are not sent, nothing is asked.
    let query = "SELECT count(*) FROM events WHERE cardinality(muons) = 2";
    assert_eq!(rows(&context, query).await, ["2000"]);
}
