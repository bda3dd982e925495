//! What a scan says that it read and skipped: the same as a filter of the library says, and as damage shows.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use datafusion::physical_plan::collect;
use datafusion::prelude::SessionContext;
use rntuple::schema::Locator;
use rntuple::{Compression, Dataset, RNTuple, Reader, RootFile, Value, WriteOptions, Writer};
use rntuple_datafusion::TableOptions;

use crate::counted::{counted, note};
use crate::sample::{context, shown, tables, write};

/// Conditions as SQL has them, and as predicates of the library. Statistics do not exclude the file as a whole.
const CONDITIONS: &[(&str, &str)] = &[
    ("number = 1150", "number == 1150"),
    ("number >= 1130 AND number < 1260", "number >= 1130 and number < 1260"),
    ("number IN (1001, 1399)", "number == 1001 or number == 1399"),
    ("vertex['x'] < 20", "vertex.x < 20"),
    ("array_any_match(muons, m -> m['pt'] > 385)", "any(muons, pt > 385)"),
    (
        "number > 1150 AND array_any_match(muons, m -> m['pt'] < 220)",
        "number > 1150 and any(muons, pt < 220)",
    ),
    ("cardinality(muons) = 9 OR number < 1010", "size(muons) == 9 or number < 1010"),
    ("triggered", "triggered == true"),
];

/// The counters of the library under the names that a scan has for them.
fn of_library(path: &Path, predicate: &str) -> HashMap<&'static str, u64> {
    let reader = Reader::<Value>::open(path, "Events").unwrap();
    let filtered = reader.filter(&predicate.parse().unwrap()).unwrap();
    filtered.matching().unwrap();
    let counters = filtered.counters();
    assert_eq!(counters.files.skipped, 0, "{predicate}");
    let mut found =
        HashMap::from([("bytes_skipped", counters.bytes.skipped), ("rows_matched", counters.matched)]);
    for (considered, skipped, level) in [
        ("clusters_considered", "clusters_skipped", counters.clusters),
        ("pages_considered", "pages_skipped", counters.pages),
        ("entries_considered", "entries_skipped", counters.entries),
    ] {
        found.extend([(considered, level.considered), (skipped, level.skipped)]);
    }
    found
}

#[tokio::test]
async fn counters_are_those_of_the_library() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path()).remove(0);
    let mut skipped = 0;
    for partitions in [1, 4] {
        let context = context(partitions, 8192);
        tables(&context, std::slice::from_ref(&path), TableOptions::new()).await;
        for (condition, predicate) in CONDITIONS {
            let found = counted(&context, &format!("SELECT met FROM events WHERE {condition}")).await;
            let expected = of_library(&path, predicate);
            let of_scan = |name: &&'static str| (*name, found[*name] as u64);
            let of_scan: HashMap<_, _> = expected.keys().map(of_scan).collect();
            assert_eq!(of_scan, expected, "{condition}, {partitions} partitions");
            skipped += expected["pages_skipped"];
        }
    }
    assert!(skipped > 20, "{skipped}");
}

/// A row of numbers, each in a column without lists.
#[derive(RNTuple)]
struct Flat {
    number: u64,
    met: f64,
    weight: f32,
    run: u32,
}

const CLUSTERS: u64 = 4;
const PER_CLUSTER: u64 = 128;

/// A file of four clusters with pages of 256 bytes.
fn flat(folder: &Path) -> PathBuf {
    let path = folder.join("flat.root");
    let options = WriteOptions::new().statistics(true).compression(Compression::NONE);
    let options = options.initial_page_length(256).max_page_length(256);
    let mut writer = Writer::create(&path, "Events", options).unwrap();
    for number in 0..CLUSTERS * PER_CLUSTER {
        let (met, weight) = ((number * 7 % 512) as f64, number as f32 / 2.0);
        writer.fill(&Flat { number, met, weight, run: number as u32 / 10 }).unwrap();
        if number % PER_CLUSTER == PER_CLUSTER - 1 {
            writer.commit_cluster().unwrap();
        }
    }
    writer.finish().unwrap();
    path
}

/// A page of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Page {
    column: usize,
    cluster: u64,
    offset: u64,
    size: u64,
}

fn pages(path: &Path) -> Vec<Page> {
    let dataset = Dataset::open(&RootFile::open(path).unwrap(), "Events").unwrap();
    let mut pages = Vec::new();
    for (cluster, descriptor) in (0..).zip(dataset.clusters()) {
        for (column, range) in descriptor.unwrap().columns.iter().enumerate() {
            let placed = range.pages.iter().map(|page| match page.locator {
                Locator::File { offset, size } => Page { column, cluster, offset, size },
                ref other => panic!("{other:?}"),
            });
            pages.extend(placed);
        }
    }
    pages
}

/// The rows of a query and what its scan counted, or why it failed.
async fn run(
    context: &SessionContext,
    path: &PathBuf,
    query: &str,
) -> datafusion::common::Result<(Vec<String>, HashMap<String, usize>)> {
    context.deregister_table("events")?;
    tables(context, std::slice::from_ref(path), TableOptions::new()).await;
    let plan = context.sql(query).await?.create_physical_plan().await?;
    let batches = collect(plan.clone(), context.task_ctx()).await?;
    let mut counted = HashMap::new();
    note(plan.as_ref(), &mut counted);
    let mut rows = shown(&batches);
    rows.sort();
    Ok((rows, counted))
}

/// Damages one page after the other. What a query read fails it, and what it skipped does not: so the bytes of pages that
/// a scan counted are compared with those of pages whose damage is noticed.
#[tokio::test]
async fn damage_is_noticed_in_what_was_read_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = flat(folder.path());
    let (pages, whole) = (pages(&path), std::fs::read(&path).unwrap());
    assert_eq!(pages.len() as u64, CLUSTERS * (4 + 4 + 2 + 2));
    // Which columns the filter and the rows need, and how many of the four clusters have matches.
    for (query, of_filter, of_rows, clusters) in [
        ("SELECT met FROM events WHERE number BETWEEN 100 AND 110", &[0][..], &[1][..], 1),
        ("SELECT met, run FROM events WHERE number BETWEEN 120 AND 270", &[0], &[1, 3], 3),
        ("SELECT weight FROM events WHERE run = 20 AND number < 205", &[0, 3], &[2], 1),
        // One page of numbers matches as a whole, and is read for the rows.
        ("SELECT number FROM events WHERE number BETWEEN 140 AND 200", &[0], &[0], 1),
        ("SELECT weight, met FROM events", &[], &[1, 2], 4),
    ] {
        for partitions in [1, 4] {
            let context = context(partitions, 64);
            let (expected, counted) = run(&context, &path, query).await.unwrap();
            assert!(!expected.is_empty(), "{query}");
            let mut noticed = Vec::new();
            for page in &pages {
                let mut damaged = whole.clone();
                damaged[page.offset as usize] ^= 0x10;
                let copy = folder.path().join("damaged.root");
                std::fs::write(&copy, damaged).unwrap();
                match run(&context, &copy, query).await {
                    Ok((rows, _)) => assert_eq!(rows, expected, "{query}, {page:?}"),
                    Err(error) => {
                        assert!(error.to_string().contains("checksum"), "{error}");
                        noticed.push(*page);
                    }
                }
            }
            let what = format!("{query}, {partitions} partitions: {counted:?}");
            assert!(
                noticed.iter().all(|page| of_filter.contains(&page.column) || of_rows.contains(&page.column)),
                "{what}"
            );
            let bytes =
                |pages: &mut dyn Iterator<Item = &Page>| pages.map(|page| page.size as usize).sum::<usize>();
            assert_eq!(counted["bytes_scanned"], bytes(&mut noticed.iter()), "{what}");
            if of_filter.is_empty() {
                assert_eq!(noticed.len() as u64, CLUSTERS * (4 + 2), "{what}");
                continue;
            }
            // Of clusters that were looked into, the pages of the filter that were not read.
            let is_read = |cluster: u64| noticed.iter().any(|page| page.cluster == cluster);
            let skipped = pages.iter().filter(|page| {
                of_filter.contains(&page.column) && is_read(page.cluster) && !noticed.contains(page)
            });
            let skipped: Vec<Page> = skipped.copied().collect();
            assert_eq!(counted["pages_skipped"], skipped.len(), "{what}");
            assert_eq!(counted["bytes_skipped"], bytes(&mut skipped.iter()), "{what}");
            let read = (0..CLUSTERS).filter(|cluster| is_read(*cluster)).count();
            assert_eq!(read, clusters, "{what}");
            assert_eq!(counted["clusters_considered"] - counted["clusters_skipped"], clusters, "{what}");
        }
    }
}
