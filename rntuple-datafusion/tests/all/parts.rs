//! One file that several partitions scan.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties as _, common};
use datafusion::prelude::SessionContext;
use rntuple::{WriteOptions, Writer};
use rntuple_datafusion::TableOptions;

use crate::counted::note;
use crate::sample::{context, event, rows, shown, tables};

/// A file with clusters of these numbers of entries.
fn write(folder: &Path, clusters: &[u64]) -> PathBuf {
    let path = folder.join("events.root");
    let mut writer = Writer::create(&path, "Events", WriteOptions::new().statistics(true)).unwrap();
    let mut number = 0;
    for count in clusters {
        for _ in 0..*count {
            writer.fill(&event(0, number)).unwrap();
            number += 1;
        }
        writer.commit_cluster().unwrap();
    }
    writer.finish().unwrap();
    path
}

/// The scan in the plan of a query.
async fn scan(context: &SessionContext, query: &str) -> Arc<dyn ExecutionPlan> {
    let plan = context.sql(query).await.unwrap().create_physical_plan().await.unwrap();
    let mut found = None;
    plan.apply(|node| {
        if node.name() == "DataSourceExec" {
            found = Some(node.clone());
        }
        Ok(TreeNodeRecursion::Continue)
    })
    .unwrap();
    found.unwrap()
}

/// The numbers that each partition of a scan gives.
async fn numbers(context: &SessionContext, scan: &Arc<dyn ExecutionPlan>) -> Vec<Vec<u64>> {
    let mut parts = Vec::new();
    for partition in 0..scan.output_partitioning().partition_count() {
        let batches = common::collect(scan.execute(partition, context.task_ctx()).unwrap()).await.unwrap();
        parts.push(shown(&batches).iter().map(|number| number.parse().unwrap()).collect());
    }
    parts
}

#[tokio::test]
async fn each_cluster_is_read_by_one_partition() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        (&[50; 8][..], 4),
        (&[50; 8], 8),
        (&[50; 9], 4),
        (&[30, 50, 70, 40, 60, 50], 3),
        (&[1, 1, 1, 300], 4),
    ];
    for ((clusters, partitions), takes) in cases.into_iter().flat_map(|case| [(case, false), (case, true)]) {
        let path = write(folder.path(), clusters);
        let context = context(partitions, 16);
        // Whether a partition may take parts of others, which DataFusion 55 does by default.
        rows(&context, &format!("SET datafusion.execution.enable_file_stream_work_stealing = {takes}")).await;
        tables(&context, &[path], TableOptions::new()).await;
        let total: u64 = clusters.iter().sum();
        // All rows, and those that a filter is true of.
        for (query, is_match) in [
            ("SELECT max(number) FROM events GROUP BY number", (|_| true) as fn(u64) -> bool),
            ("SELECT max(number) FROM events WHERE number % 3 = 1 GROUP BY number", |number| number % 3 == 1),
        ] {
            let scan = scan(&context, query).await;
            let parts = numbers(&context, &scan).await;
            let what = format!("{clusters:?}, {query}, takes: {takes}");
            assert_eq!(parts.len(), partitions, "{what}");
            let mut all = parts.concat();
            all.sort_unstable();
            assert!(all.into_iter().eq((0..total).filter(|number| is_match(*number))), "{what}");
            let mut first = 0;
            for count in clusters {
                let cluster = first..first + count;
                first = cluster.end;
                let readers = parts.iter().filter(|part| part.iter().any(|number| cluster.contains(number)));
                assert!(readers.count() <= 1, "{what}: several partitions have rows of {cluster:?}");
            }
            let mut counted = std::collections::HashMap::new();
            note(scan.as_ref(), &mut counted);
            assert_eq!(counted["clusters_considered"], clusters.len(), "{what}");
            assert_eq!(counted["entries_considered"] as u64, total, "{what}");
            // One large cluster is work for one partition, and others have none.
            let is_even = clusters.iter().max() < Some(&100);
            if !takes {
                assert_eq!(parts.iter().all(|part| !part.is_empty()), is_even, "{what}");
            }
        }
    }
}
