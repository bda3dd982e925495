//! Files whose rows are sorted, and say so.

use std::path::Path;
use std::sync::Arc;

use datafusion::physical_plan::displayable;
use datafusion::prelude::SessionContext;
use rntuple::{RNTuple, WriteOptions, Writer};
use rntuple_datafusion::{RNTupleTable, TableOptions};

use crate::sample::{context, rows};

#[derive(RNTuple)]
struct Event {
    run: u32,
    number: u64,
    met: f32,
}

/// Writes files of runs, each sorted if it says so.
async fn table(folder: &Path, context: &SessionContext, files: &[(u32, bool)]) {
    let mut paths = Vec::new();
    for (run, sorted) in files {
        let path = folder.join(format!("run{run}.root"));
        let options = WriteOptions::new();
        let options = if *sorted { options.sorted_by(["run", "number"]) } else { options };
        let mut writer = Writer::create(&path, "Events", options).unwrap();
        for number in 0..1000u64 {
            let number = if *sorted { number } else { number * 7 % 1000 };
            writer.fill(&Event { run: *run, number, met: (number % 10) as f32 }).unwrap();
        }
        writer.finish().unwrap();
        paths.push(path.to_str().unwrap().to_owned());
    }
    let table = RNTupleTable::open(&context.state(), paths, TableOptions::new()).await.unwrap();
    context.deregister_table("events").unwrap();
    context.register_table("events", Arc::new(table)).unwrap();
}

async fn plan(context: &SessionContext, query: &str) -> String {
    let plan = context.sql(query).await.unwrap().create_physical_plan().await.unwrap();
    displayable(plan.as_ref()).indent(false).to_string()
}

#[tokio::test]
async fn rows_that_are_sorted_are_not_sorted_again() {
    let folder = tempfile::tempdir().unwrap();
    for partitions in [1, 2, 5] {
        let context = context(partitions, 64);
        table(folder.path(), &context, &[(1, true), (2, true), (3, true)]).await;
        let query = "SELECT run, number FROM events WHERE met = 3 ORDER BY run, number";
        let shown = plan(&context, query).await;
        assert!(!shown.contains("SortExec"), "{shown}");
        let found = rows(&context, query).await;
        let expected = (1..4).flat_map(|run| (0..100).map(move |i| format!("{run} | {}", i * 10 + 3)));
        assert!(found.into_iter().eq(expected), "{partitions}");
        // Another order is none that they are in.
        assert!(plan(&context, "SELECT run FROM events ORDER BY number").await.contains("SortExec"));
        assert!(plan(&context, "SELECT run FROM events ORDER BY run DESC").await.contains("SortExec"));
    }
}

#[tokio::test]
async fn an_order_that_one_file_lacks_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let context = context(2, 64);
    table(folder.path(), &context, &[(1, true), (2, false)]).await;
    let query = "SELECT number FROM events WHERE run = 2 ORDER BY run, number LIMIT 3";
    assert!(plan(&context, query).await.contains("SortExec"));
    assert_eq!(rows(&context, query).await, ["0", "1", "2"]);
}
