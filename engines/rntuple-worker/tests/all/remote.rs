//! Where parts of a query run: on workers, and not in the program that asks.

use datafusion::prelude::SessionContext;
use datafusion_distributed::display_plan_ascii;
use rntuple_datafusion::TableOptions;
use rntuple_engine_tests::{
    FILES, NO_FILES, QUERIES, Sample, copy_of_others, failure, local, rows, tables, tables_of_others,
};

use crate::Cluster;

/// The plan of a query: what the program does, and what each stage does, with the number of tasks.
async fn stages(context: &SessionContext, query: &str) -> Vec<(usize, String)> {
    let plan = context.sql(query).await.unwrap().create_physical_plan().await.unwrap();
    let mut stages = Vec::new();
    for line in display_plan_ascii(plan.as_ref(), false).lines() {
        match line.trim_start().strip_prefix("┌───── ") {
            Some(head) => {
                let tasks = head.split_once("tasks=").and_then(|(_, rest)| rest.split(',').next());
                stages.push((tasks.map_or(1, |tasks| tasks.parse().unwrap()), String::new()));
            }
            None => stages.last_mut().unwrap().1 += line,
        }
    }
    stages
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_read_what_the_session_cannot() {
    let sample = Sample::write();
    let here = local();
    tables(&here, &sample, &TableOptions::new()).await;
    let cluster = Cluster::start(2, &["--store", "file:///"]);
    let context = cluster.session_of(&[NO_FILES], 2, |builder| builder);
    tables_of_others(&context, &sample).await;
    for query in QUERIES {
        assert_eq!(rows(&context, query).await, rows(&here, query).await, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn joins_and_windows_are_stages_of_several_tasks() {
    let sample = Sample::write();
    let cluster = Cluster::start(2, &["--store", "file:///"]);
    let context = cluster.session();
    tables(&context, &sample, &TableOptions::new()).await;
    let mut found = 0;
    for query in QUERIES {
        for (word, node) in
            [(" JOIN ", "JoinExec"), (" OVER ", "WindowAggExec"), ("GROUP BY", "AggregateExec")]
        {
            if query.contains(word) {
                let stages = stages(&context, query).await;
                let (head, rest) = stages.split_first().unwrap();
                assert!(!head.1.contains(node) && !head.1.contains("DataSourceExec"), "{query}: {stages:#?}");
                assert!(
                    rest.iter().any(|(tasks, stage)| *tasks > 1 && stage.contains(node)),
                    "{query}: {stages:#?}"
                );
                found += 1;
            }
        }
    }
    assert!(found >= 7, "{found}");
}

/// The last part of a query runs in the program, and writes its file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_is_read_by_workers_and_written_by_the_session() {
    let sample = Sample::write();
    let cluster = Cluster::start(2, &["--store", "file:///"]);
    let context = cluster.session();
    tables(&context, &sample, &TableOptions::new()).await;
    let copy = |name: &str| format!("COPY (SELECT * FROM events) TO '{}'", sample.path(name).display());
    let stages = stages(&context, &copy("skim.root")).await;
    let is_in = |node: &str| -> Vec<bool> { stages.iter().map(|(_, stage)| stage.contains(node)).collect() };
    assert_eq!(is_in("DataSinkExec"), [true, false], "{stages:#?}");
    assert_eq!(is_in("DistributedLeafExec"), [false, true], "{stages:#?}");
    assert_eq!(stages[1].0, 2, "{stages:#?}");

    let read = || -> Vec<u64> { cluster.processes.iter().map(|process| process.read()).collect() };
    let before = read();
    assert_eq!(rows(&context, &copy("skim.root")).await, ["8000"]);
    let size = |run| sample.path(&format!("run{run}.root")).metadata().unwrap().len();
    let size: u64 = (0..FILES).map(size).sum();
    for (after, before) in read().into_iter().zip(before) {
        assert!(after - before > size / 3, "{} of {size} bytes", after - before);
    }
    copy_of_others(&context, &sample).await;

    let others = cluster.session_of(&[NO_FILES], 2, |builder| builder);
    tables_of_others(&others, &sample).await;
    assert!(failure(&others, &copy("none.root")).await.contains("--store file://"));
    assert!(!sample.path("none.root").exists());
}
