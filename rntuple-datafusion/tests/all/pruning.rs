use std::collections::HashMap;

use datafusion::physical_plan::{ExecutionPlan, collect, displayable};
use datafusion::prelude::SessionContext;
use rntuple_datafusion::TableOptions;

use crate::sample::{context, tables, write};

/// What the scans of a query counted.
async fn counted(context: &SessionContext, query: &str) -> HashMap<String, usize> {
    let plan = context.sql(query).await.unwrap().create_physical_plan().await.unwrap();
    collect(plan.clone(), context.task_ctx()).await.unwrap();
    let mut counted = HashMap::new();
    note(plan.as_ref(), &mut counted);
    counted
}

fn note(plan: &dyn ExecutionPlan, counted: &mut HashMap<String, usize>) {
    if plan.name() == "DataSourceExec" {
        for metric in plan.metrics().unwrap().iter() {
            *counted.entry(metric.value().name().to_owned()).or_default() += metric.value().as_usize();
        }
    }
    plan.children().iter().for_each(|child| note(child.as_ref(), counted));
}

#[tokio::test]
async fn clusters_without_a_match_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let context = context(1, 8192);
    tables(&context, &paths[..2], TableOptions::new()).await;
    for (query, skipped) in [
        ("SELECT met FROM events WHERE number = 1150", 7),
        ("SELECT met FROM events WHERE number > 2250 AND met > 3", 6),
        ("SELECT met FROM events WHERE array_any_match(muons, m -> m['pt'] > 415)", 6),
        ("SELECT met FROM events WHERE vertex['x'] < 20 AND run = 1", 7),
        ("SELECT met FROM events WHERE number IN (1001, 2399)", 6),
        ("SELECT met FROM events WHERE number + 1 = 5", 0),
    ] {
        let counted = counted(&context, query).await;
        assert_eq!(counted.get("clusters_skipped").copied().unwrap_or_default(), skipped, "{query}");
    }
}

#[tokio::test]
async fn rows_that_a_filter_leaves_are_put_together() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let context = context(1, 100);
    tables(&context, &paths[..1], TableOptions::new()).await;
    // Of 400 rows in batches of 100. Those that are more than half full are handed on as they are.
    for (condition, lengths) in
        [("% 5 = 3", vec![80]), ("% 2 = 1", vec![100, 100]), ("% 3 > 0", vec![67, 67, 66, 67])]
    {
        let query = format!("SELECT number, muons, name FROM events WHERE number {condition}");
        let batches = context.sql(&query).await.unwrap().collect().await.unwrap();
        let found: Vec<_> = batches.iter().map(|batch| batch.num_rows()).collect();
        assert_eq!(found, lengths, "{query}");
    }
}

#[tokio::test]
async fn filters_that_are_known_while_a_query_runs_skip_clusters() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let context = context(1, 8192);
    tables(&context, &paths[..2], TableOptions::new()).await;
    // The first file has the least numbers.
    let counted = counted(&context, "SELECT met FROM events ORDER BY number LIMIT 3").await;
    assert!(counted["clusters_skipped"] >= 4, "{counted:?}");
}

#[tokio::test]
async fn members_that_no_one_looks_at_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let context = context(1, 8192);
    tables(&context, &paths[..1], TableOptions::new()).await;
    let bytes = |query: &'static str| {
        let context = context.clone();
        async move { counted(&context, query).await["bytes_scanned"] }
    };
    let all = bytes("SELECT muons FROM events").await;
    let pt = bytes("SELECT array_transform(muons, m -> m['pt']) FROM events").await;
    let filtered =
        bytes("SELECT array_transform(array_filter(muons, m -> m['pt'] > 3), m -> m['pt']) FROM events")
            .await;
    let charge = bytes("SELECT cardinality(muons) FROM events").await;
    assert!(pt < all && charge < pt, "{all} {pt} {charge}");
    assert_eq!(filtered, pt);
    let where_pt = bytes("SELECT 1 FROM events WHERE array_any_match(muons, m -> m['pt'] > -1)").await;
    assert_eq!(where_pt, pt);
    let vertex = bytes("SELECT vertex FROM events").await;
    let x = bytes("SELECT vertex['x'] FROM events").await;
    assert!(x < vertex, "{x} {vertex}");
    // What is above the scan is seen as well.
    let groups = bytes(
        "SELECT array_max(array_transform(muons, m -> m['pt'])) AS most, count(*) FROM events GROUP BY most",
    )
    .await;
    assert_eq!(groups, pt);
    let sum = bytes("SELECT sum(array_sum(array_transform(muons, m -> m['pt']))) FROM events").await;
    assert_eq!(sum, pt);
    let unnested =
        bytes("SELECT m['pt'] FROM (SELECT unnest(muons) AS m FROM events) WHERE m['pt'] > 3").await;
    assert_eq!(unnested, pt);
    let sorted =
        bytes("SELECT muons[1]['pt'] FROM (SELECT muons FROM events ORDER BY cardinality(muons)) LIMIT 5")
            .await;
    assert!(sorted < all, "{sorted} {all}");
    // Nothing at all.
    let context = &context;
    assert_eq!(counted(context, "SELECT count(*) FROM events WHERE 1 = 1").await.get("bytes_scanned"), None);
}

#[tokio::test]
async fn filters_and_projections_are_part_of_the_scan() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let context = context(1, 8192);
    tables(&context, &paths, TableOptions::new()).await;
    let query = "SELECT number + 1 FROM events WHERE met > 5 AND name <> 'event 3'";
    let plan = context.sql(query).await.unwrap().create_physical_plan().await.unwrap();
    let shown = displayable(plan.as_ref()).indent(false).to_string();
    assert!(!shown.contains("FilterExec") && !shown.contains("ProjectionExec"), "{shown}");
    assert!(shown.contains("predicate=met"), "{shown}");
}
