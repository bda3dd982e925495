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

/// DataFusion 55 lets parts of a scan take files from each other where a limit is in the merge of an order.
#[tokio::test]
async fn files_are_read_in_order_under_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<(u32, bool)> = (0..12).map(|run| (run * 5 % 12, true)).collect();
    let query = "SELECT run, number FROM events WHERE number % 500 = 0 ORDER BY run, number LIMIT 7";
    let expected = ["0 | 0", "0 | 500", "1 | 0", "1 | 500", "2 | 0", "2 | 500", "3 | 0"];
    for partitions in [2, 3, 5] {
        let context = context(partitions, 64);
        table(folder.path(), &context, &files).await;
        let shown = plan(&context, query).await;
        assert!(!shown.contains("SortExec") && shown.contains("SortPreservingMergeExec"), "{shown}");
        for _ in 0..3 {
            assert_eq!(rows(&context, query).await, expected, "{partitions}");
        }
        // A session without the rule that keeps the order does not use one.
        let plain = SessionContext::new();
        let provider = context.table_provider("events").await.unwrap();
        plain.register_table("events", provider).unwrap();
        assert!(plan(&plain, query).await.contains("SortExec"));
        assert_eq!(rows(&plain, query).await, expected, "{partitions}");
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

/// What a join, a sort or an aggregate finds out while it runs is about the first rows, and does not choose them.
#[tokio::test]
async fn a_limit_counts_rows_before_what_comes_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let context = context(1, 10);
    table(folder.path(), &context, &[(1, true)]).await;
    let first = "(SELECT number, met FROM events ORDER BY run, number LIMIT 100)";
    let one = |number: u64| format!("(VALUES (arrow_cast({number}, 'UInt64'))) s(n)");
    for (query, expected) in [
        (format!("SELECT count(*) FROM {} JOIN {first} e ON e.number = s.n", one(500)), vec!["0"]),
        (format!("SELECT count(*) FROM {} JOIN {first} e ON e.number = s.n", one(99)), vec!["1"]),
        (format!("SELECT max(number) FROM {first}"), vec!["99"]),
        (format!("SELECT number FROM {first} ORDER BY met DESC, number DESC LIMIT 2"), vec!["99", "89"]),
    ] {
        let shown = plan(&context, &query).await;
        assert!(shown.contains("limit=100"), "{shown}");
        assert_eq!(rows(&context, &query).await, expected, "{query}");
        // As it is sent to another machine.
        #[cfg(feature = "codec")]
        {
            let plan = context.sql(&query).await.unwrap().create_physical_plan().await.unwrap();
            let sent = crate::codec::sent(plan, &context);
            let found = datafusion::physical_plan::collect(sent, context.task_ctx()).await.unwrap();
            assert_eq!(crate::sample::shown(&found), expected, "{query}");
        }
    }
}

#[derive(RNTuple)]
struct Tracks {
    tracks: Vec<Vec<u16>>,
    jets: Vec<Jet>,
}

#[derive(RNTuple)]
struct Jet {
    hits: Vec<Vec<u16>>,
}

/// `cardinality` counts the items of items, which the bounds of sizes are not about.
#[tokio::test]
async fn lists_of_lists_are_counted_by_their_items() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tracks.root");
    let mut writer = Writer::create(&path, "Events", WriteOptions::new().statistics(true)).unwrap();
    for _ in 0..10 {
        let hits = || vec![vec![1; 4]; 2];
        writer
            .fill(&Tracks { tracks: hits(), jets: vec![Jet { hits: hits() }, Jet { hits: vec![] }] })
            .unwrap();
    }
    writer.finish().unwrap();
    let paths = [path.to_str().unwrap()];
    let context = context(1, 10);
    for (name, leaves) in [("events", false), ("leaves", true)] {
        let options = TableOptions::new().leaves(leaves);
        let table = RNTupleTable::open(&context.state(), paths, options).await.unwrap();
        context.register_table(name, Arc::new(table)).unwrap();
    }
    for (query, expected) in [
        ("SELECT count(*) FROM events WHERE cardinality(tracks) = 8", "10"),
        ("SELECT count(*) FROM events WHERE cardinality(tracks) = 2", "0"),
        ("SELECT count(*) FROM events WHERE array_length(tracks) = 2", "10"),
        ("SELECT count(*) FROM events WHERE array_any_match(jets, j -> cardinality(j['hits']) > 5)", "10"),
        (r#"SELECT count(*) FROM leaves WHERE cardinality("jets.hits") = 8"#, "10"),
        (r#"SELECT count(*) FROM leaves WHERE array_length("jets.hits") = 2"#, "10"),
    ] {
        assert_eq!(rows(&context, query).await, [expected], "{query}");
    }
}
