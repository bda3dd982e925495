use std::path::{Path, PathBuf};

use datafusion::physical_plan::displayable;
use rntuple::field::WriteField;
use rntuple::{Entry, RNTuple, WriteOptions, Writer};
use rntuple_datafusion::TableOptions;

use crate::counted::counted;
use crate::sample::{context, rows, tables, write};

#[tokio::test]
async fn clusters_without_a_match_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let context = context(1, 8192);
    tables(&context, &paths[..2], TableOptions::new()).await;
    for (query, files, clusters, entries) in [
        // Of a cluster with a match, a page of 32 rows is looked into, or the rows that have items in a page of these.
        ("SELECT met FROM events WHERE number = 1150", 1, 3, 368),
        ("SELECT met FROM events WHERE number > 2250 AND met > 3", 1, 2, 232),
        ("SELECT met FROM events WHERE array_any_match(muons, m -> m['pt'] > 415)", 0, 6, 772),
        ("SELECT met FROM events WHERE vertex['x'] < 20 AND run = 1", 1, 3, 336),
        ("SELECT met FROM events WHERE number IN (1001, 2399)", 0, 6, 764),
        ("SELECT met FROM events WHERE number + 1 = 5", 0, 0, 0),
    ] {
        let counted = counted(&context, query).await;
        let skipped = ["files_skipped", "clusters_skipped", "entries_skipped"].map(|name| counted[name]);
        assert_eq!(skipped, [files, clusters, entries], "{query}");
        let of = [counted["files_considered"], counted["clusters_considered"], counted["entries_considered"]];
        assert_eq!(of, [2, (2 - files) * 4, (2 - files) * 400], "{query}");
    }
}

/// A variant has no field that is its tag: statistics cannot be asked about it.
#[tokio::test]
async fn a_condition_that_statistics_cannot_be_asked_about_leaves_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let context = context(1, 8192);
    tables(&context, &paths[..1], TableOptions::new()).await;
    let skipped = async |condition: &str| {
        let counted = counted(&context, &format!("SELECT met FROM events WHERE {condition}")).await;
        ["files_skipped", "clusters_skipped", "pages_skipped", "entries_skipped"].map(|name| counted[name])
    };
    assert_eq!(skipped("decay['tag'] = 2").await, [0; 4]);
    let alone = skipped("number > 1390").await;
    assert_eq!(alone[1], 3);
    for condition in [
        "decay['tag'] = 2 AND number > 1390",
        "number > 1390 AND decay['tag'] = 2",
        "number > 1390 AND (decay['tag'] = 2 AND decay['tag'] < 3)",
        "decay['tag'] = 2 AND number > 1390 OR number > 1395 AND decay['tag'] = 1",
    ] {
        assert_eq!(skipped(condition).await, alone, "{condition}");
    }
    assert_eq!(skipped("decay['tag'] = 2 OR number > 1390").await, [0; 4]);
    let query = "SELECT number FROM events WHERE decay['tag'] = 2 AND number > 1395 ORDER BY number";
    assert_eq!(rows(&context, query).await, ["1397", "1399"]);
}

/// NaN as x86 makes it of 0/0: DataFusion has it below all numbers.
#[tokio::test]
async fn nan_with_a_minus_sign_is_found_where_numbers_are_large() {
    #[derive(RNTuple)]
    struct Event {
        number: u8,
        met: f32,
        large: f64,
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nan.root");
    let mut writer = Writer::create(&path, "Events", WriteOptions::new().statistics(true)).unwrap();
    let nan = f32::from_bits(0xffc0_0000);
    for (number, met) in [(0, 1.0), (1, 2.0), (2, 50.0), (3, nan), (4, 60.0), (5, 70.0)] {
        writer.fill(&Event { number, met, large: met.into() }).unwrap();
        if number % 2 == 1 {
            writer.commit_cluster().unwrap();
        }
    }
    writer.finish().unwrap();
    for partitions in [1, 2] {
        let context = context(partitions, 2);
        tables(&context, std::slice::from_ref(&path), TableOptions::new()).await;
        for (query, expected) in [
            ("SELECT number FROM events WHERE met < 5 ORDER BY number", &["0", "1", "3"][..]),
            ("SELECT number FROM events WHERE large <= 0 ORDER BY number", &["3"]),
            ("SELECT number FROM events WHERE 1 > large ORDER BY number", &["3"]),
            ("SELECT number FROM events WHERE met BETWEEN -1 AND 1 ORDER BY number", &["0"]),
            ("SELECT number FROM events ORDER BY met LIMIT 2", &["3", "0"]),
            ("SELECT number FROM events WHERE met > 55 ORDER BY number", &["4", "5"]),
        ] {
            assert_eq!(rows(&context, query).await, *expected, "{query}");
        }
        // The last cluster has no NaN.
        let counted = counted(&context, "SELECT number FROM events WHERE met < 0").await;
        assert_eq!(counted["clusters_skipped"], 2);
    }
}

#[tokio::test]
async fn explain_analyze_shows_what_was_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let context = context(1, 8192);
    tables(&context, &paths[..2], TableOptions::new()).await;
    let shown = rows(&context, "EXPLAIN ANALYZE SELECT met FROM events WHERE number = 1150").await.join("\n");
    for counter in [
        "files_considered=2",
        "files_skipped=1",
        "clusters_considered=4",
        "clusters_skipped=3",
        "pages_considered=4",
        "pages_skipped=3",
        "entries_considered=400",
        "entries_skipped=368",
        "rows_matched=1",
    ] {
        assert!(
            shown.contains(&format!("{counter},")) || shown.contains(&format!("{counter}]")),
            "{counter}: {shown}"
        );
    }
    let counted = counted(&context, "SELECT met FROM events WHERE number = 1150").await;
    let (scanned, skipped) = (counted["bytes_scanned"], counted["bytes_skipped"]);
    assert!(scanned > 0 && skipped > 0, "{scanned} {skipped}");
    assert!(shown.contains(&format!("bytes_skipped={skipped}")), "{shown}");
}

#[tokio::test]
async fn a_limit_reads_one_cluster_of_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    for partitions in [1, 4] {
        let context = context(partitions, 8192);
        tables(&context, &paths, TableOptions::new()).await;
        for (query, expected) in [
            ("SELECT number FROM events LIMIT 5", &["1000", "1001", "1002", "1003", "1004"][..]),
            ("SELECT number FROM events LIMIT 2 OFFSET 3", &["1003", "1004"]),
        ] {
            assert_eq!(rows(&context, query).await, expected);
            let counted = counted(&context, query).await;
            let looked = ["files_considered", "clusters_considered", "entries_considered"];
            assert_eq!(looked.map(|name| counted[name]), [1, 1, 5], "{query}, {partitions}");
        }
    }
    // With a filter, until there are enough rows.
    let context = context(1, 8192);
    tables(&context, &paths, TableOptions::new()).await;
    for (query, clusters) in [
        ("SELECT number FROM events WHERE met > 5 LIMIT 5", 1),
        ("SELECT number FROM events WHERE number % 100 > 97 LIMIT 5", 3),
    ] {
        assert_eq!(rows(&context, query).await.len(), 5, "{query}");
        let counted = counted(&context, query).await;
        let looked = ["files_considered", "clusters_considered", "clusters_skipped"];
        assert_eq!(looked.map(|name| counted[name]), [1, clusters, 0], "{query}");
    }
    // What is above a limit sees its rows alone.
    assert_eq!(rows(&context, "SELECT count(*) FROM (SELECT met FROM events LIMIT 5)").await, ["5"]);
    assert_eq!(rows(&context, "SELECT count(*) FROM (SELECT met FROM events LIMIT 500)").await, ["500"]);
    assert_eq!(rows(&context, "SELECT number FROM events LIMIT 0").await, [""; 0]);
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
    let of_file = counted(&context, "SELECT met FROM events ORDER BY number LIMIT 3").await;
    assert_eq!((of_file["files_skipped"], of_file["files_considered"]), (1, 2), "{of_file:?}");
    // Both have the same vertices, and the greatest are in the last cluster.
    let of_clusters = counted(&context, "SELECT met FROM events ORDER BY vertex['x'] DESC LIMIT 3").await;
    assert_eq!((of_clusters["files_skipped"], of_clusters["clusters_skipped"]), (0, 3), "{of_clusters:?}");
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
    // Through joins, unions and windows, of each side. A filter that a join makes would read keys twice.
    let set = "SET datafusion.optimizer.enable_dynamic_filter_pushdown = false";
    context.sql(set).await.unwrap().collect().await.unwrap();
    let [number, key] =
        [bytes("SELECT number FROM events").await, bytes("SELECT run, number FROM events").await];
    for (query, expected) in [
        (
            "SELECT a.number, array_transform(b.muons, m -> m['pt']) FROM events a JOIN events b ON a.number = b.number",
            pt + 2 * number,
        ),
        (
            "SELECT array_transform(b.muons, m -> m['pt']) FROM events a LEFT JOIN events b ON a.number = b.number AND a.run < b.run + 1",
            pt + 2 * key,
        ),
        (
            "SELECT array_transform(muons, m -> m['pt']) FROM events WHERE number IN (SELECT number FROM events)",
            pt + 2 * number,
        ),
        ("SELECT m[1]['pt'] FROM (SELECT muons AS m FROM events UNION ALL SELECT muons FROM events)", 2 * pt),
        (
            "SELECT array_transform(muons, m -> m['pt']), row_number() OVER (ORDER BY number) FROM events",
            pt + number,
        ),
        (
            "SELECT array_transform(muons, m -> m['pt']), max(number) OVER (PARTITION BY number % 3) FROM events",
            // It may have a `FILTER` that looks at any member: a plan does not show it.
            all + number,
        ),
    ] {
        assert_eq!(bytes(query).await, expected, "{query}");
    }
    // Nothing at all.
    let context = &context;
    assert_eq!(counted(context, "SELECT count(*) FROM events WHERE 1 = 1").await.get("bytes_scanned"), None);
}

#[derive(RNTuple)]
struct Older {
    number: u16,
}

#[derive(RNTuple)]
struct Jet {
    pt: f32,
    eta: f32,
}

#[derive(RNTuple)]
struct Old {
    number: u16,
    jets: Vec<Jet>,
}

#[derive(RNTuple)]
struct LaterJet {
    mass: f32,
    pt: f32,
    phi: f32,
    eta: f32,
}

#[derive(RNTuple)]
struct Later {
    number: u16,
    jets: Vec<LaterJet>,
}

/// Writes four clusters of events.
fn write_version<T: Entry + WriteField>(folder: &Path, name: &str, event: impl Fn(u16) -> T) -> PathBuf {
    let path = folder.join(name);
    let mut writer = Writer::<T>::create(&path, "Events", WriteOptions::new().statistics(true)).unwrap();
    for number in 0..100 {
        writer.fill(&event(number)).unwrap();
        if number % 25 == 24 {
            writer.commit_cluster().unwrap();
        }
    }
    writer.finish().unwrap();
    path
}

/// In a table with files that lack a column, or members of it, that has another type than in a file.
#[tokio::test]
async fn files_of_other_versions_are_read_as_those_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let older = write_version(folder.path(), "older.root", |number| Older { number });
    let old = write_version(folder.path(), "old.root", |number| Old {
        number,
        jets: vec![Jet { pt: number.into(), eta: 0.5 }],
    });
    let later = write_version(folder.path(), "later.root", |number| Later {
        number,
        jets: vec![LaterJet { mass: 0.0, pt: number.into(), phi: 1.5, eta: 2.5 }],
    });
    let context = context(1, 8192);
    let counter = async |files: &[&PathBuf], leaves: bool, query: &str, name: &str| {
        context.deregister_table("events").unwrap();
        let files: Vec<PathBuf> = files.iter().map(|file| (*file).clone()).collect();
        tables(&context, &files, TableOptions::new().leaves(leaves)).await;
        counted(&context, query).await.get(name).copied().unwrap_or_default()
    };
    let bytes = async |files: &[&PathBuf], query: &str| counter(files, false, query, "bytes_scanned").await;
    let pt = "SELECT array_transform(jets, j -> j['pt']) FROM events";
    let phi = "SELECT array_transform(jets, j -> j['phi']) FROM events";
    let unnested = "SELECT j['pt'] FROM (SELECT unnest(jets) AS j FROM events)";
    let count = "SELECT cardinality(jets) FROM events";
    let (pt_of_old, pt_of_later) = (bytes(&[&old], pt).await, bytes(&[&later], pt).await);
    assert!(0 < pt_of_old && pt_of_old < bytes(&[&old], "SELECT jets FROM events").await);
    assert_eq!(bytes(&[&older, &old], pt).await, pt_of_old);
    let count_of_old = bytes(&[&old], count).await;
    for files in [[&old, &later], [&later, &old]] {
        assert_eq!(bytes(&files, pt).await, pt_of_old + pt_of_later);
        assert_eq!(bytes(&files, unnested).await, pt_of_old + pt_of_later);
        assert_eq!(bytes(&files, count).await, count_of_old + bytes(&[&later], count).await);
        // What a file lacks is null in each of its items.
        assert_eq!(bytes(&files, phi).await, count_of_old + bytes(&[&later], phi).await);
    }

    let any = "SELECT number FROM events WHERE array_any_match(jets, j -> j['pt'] > 90)";
    let any_leaf = r#"SELECT number FROM events WHERE array_any_match("jets.pt", pt -> pt > 90)"#;
    for (files, leaves, query, clusters, found) in [
        ([&old, &later], false, any, 6, 18),
        ([&older, &old], false, any, 3, 9),
        ([&older, &old], true, any_leaf, 3, 9),
        ([&old, &later], true, any_leaf, 6, 18),
    ] {
        let skipped = counter(&files, leaves, query, "clusters_skipped").await;
        assert_eq!((skipped, rows(&context, query).await.len()), (clusters, found), "{files:?}: {query}");
    }
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
