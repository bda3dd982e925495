//! Orders that SQL declares: `CREATE EXTERNAL TABLE .. WITH ORDER`.

use std::path::Path;

use datafusion::physical_plan::displayable;
use datafusion::prelude::SessionContext;
use rntuple::{RNTuple, WriteOptions, Writer};

use crate::sample::{context, rows};

#[derive(RNTuple)]
struct Event {
    number: u64,
    met: f64,
}

/// Writes a file with these numbers, some in each cluster.
fn write(folder: &Path, name: &str, numbers: impl IntoIterator<Item = u64>, statistics: bool) {
    let path = folder.join(name);
    let mut writer = Writer::create(path, "Events", WriteOptions::new().statistics(statistics)).unwrap();
    for (row, number) in (0..).zip(numbers) {
        writer.fill(&Event { number, met: (number % 10) as f64 }).unwrap();
        if row % 25 == 24 {
            writer.commit_cluster().unwrap();
        }
    }
    writer.finish().unwrap();
}

async fn create(context: &SessionContext, folder: &Path) {
    rows(context, "DROP TABLE IF EXISTS events").await;
    let create = format!(
        "CREATE EXTERNAL TABLE events STORED AS RNTUPLE WITH ORDER (number ASC) LOCATION '{}/'",
        folder.display()
    );
    rows(context, &create).await;
}

/// Whether rows are sorted, and not read in order.
async fn sorts(context: &SessionContext, query: &str) -> bool {
    let plan = context.sql(query).await.unwrap().create_physical_plan().await.unwrap();
    displayable(plan.as_ref()).indent(false).to_string().contains("SortExec")
}

const ALL: &str = "SELECT number FROM events ORDER BY number";

fn texts(numbers: impl IntoIterator<Item = u64>) -> Vec<String> {
    numbers.into_iter().map(|number| number.to_string()).collect()
}

#[tokio::test]
async fn a_declared_order_is_used() {
    for (partitions, statistics) in [(1, true), (2, true), (5, true), (5, false), (1, false)] {
        let folder = tempfile::tempdir().unwrap();
        for (name, first) in [("a.root", 200), ("b.root", 0), ("c.root", 100)] {
            write(folder.path(), name, first..first + 100, statistics);
        }
        let context = context(partitions, 16);
        create(&context, folder.path()).await;
        for (query, expected) in [
            (ALL, texts(0..300)),
            ("SELECT number FROM events ORDER BY number LIMIT 7", texts(0..7)),
            ("SELECT number FROM events WHERE met = 3 ORDER BY number LIMIT 4", texts([3, 13, 23, 33])),
            ("SELECT number FROM events WHERE number > 150 ORDER BY number", texts(151..300)),
        ] {
            // Of files that are read one after the other, it has to be known that their rows come so.
            let is_used = statistics || partitions >= 3;
            let what = format!("{query}, {partitions} partitions, statistics: {statistics}");
            assert_eq!(!sorts(&context, query).await, is_used, "{what}");
            assert_eq!(rows(&context, query).await, expected, "{what}");
        }
        assert!(sorts(&context, "SELECT number FROM events ORDER BY number DESC").await);
        assert!(sorts(&context, "SELECT number FROM events ORDER BY met").await);
    }
}

/// The order is believed: DataFusion reads what is declared to be sorted as it is.
#[tokio::test]
async fn an_order_that_is_not_that_of_the_rows_is_believed() {
    let folder = tempfile::tempdir().unwrap();
    let numbers: Vec<u64> = (0..100).map(|row| row * 37 % 100).collect();
    write(folder.path(), "a.root", numbers.clone(), true);
    let context = context(4, 16);
    create(&context, folder.path()).await;
    assert!(!sorts(&context, ALL).await);
    let found = rows(&context, ALL).await;
    assert_ne!(found, texts(0..100));
    let mut sorted = found.clone();
    sorted.sort_by_key(|number| number.parse::<u64>().unwrap());
    // No row is lost.
    assert_eq!(sorted, texts(0..100));
    // What does not need the order is right.
    let query = "SELECT count(*), sum(number), max(number) FROM events WHERE number >= 50";
    assert_eq!(rows(&context, query).await, ["50 | 3725 | 99"]);
}
