//! Statistics that are damaged: a query gives the rows that it gives without them, or an error, as the rule of the library is.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use datafusion::prelude::SessionContext;
use rntuple::schema::Locator;
use rntuple::{Compression, Dataset, RNTuple, RootFile, WriteOptions, Writer};
use rntuple_datafusion::{RNTupleTable, TableOptions};

use crate::counted::counted;
use crate::sample::{context, shown};

#[derive(RNTuple, Clone)]
pub(crate) struct Event {
    number: u64,
    met: f32,
    name: String,
    hits: Vec<f32>,
}

const CLUSTERS: u64 = 3;
const PER_CLUSTER: u64 = 40;

pub(crate) fn write(path: &Path, statistics: bool) {
    let options = WriteOptions::new().compression(Compression::NONE).statistics(statistics);
    let options = options.initial_page_length(64).max_page_length(64);
    let mut writer = Writer::create(path, "Events", options).unwrap();
    for number in 0..CLUSTERS * PER_CLUSTER {
        let value = number as f32;
        writer
            .fill(&Event {
                number,
                met: if number % 11 == 3 { f32::NAN } else { value },
                name: format!("{number:03}"),
                hits: (0..number % 3).map(|i| value + i as f32).collect(),
            })
            .unwrap();
        if number % PER_CLUSTER == PER_CLUSTER - 1 {
            writer.commit_cluster().unwrap();
        }
    }
    writer.finish().unwrap();
}

/// Each skips something where statistics are sound.
pub(crate) const QUERIES: [&str; 5] = [
    "SELECT number FROM events WHERE number BETWEEN 50 AND 52 ORDER BY number",
    "SELECT count(*) FROM events WHERE met > 100",
    "SELECT number FROM events WHERE name = '077'",
    "SELECT count(*) FROM events WHERE array_any_match(hits, h -> h > 110)",
    "SELECT number FROM events ORDER BY number DESC LIMIT 2",
];

/// The rows of the queries, or the first error.
async fn answers(context: &SessionContext, path: &Path) -> datafusion::common::Result<Vec<Vec<String>>> {
    let table = RNTupleTable::open(&context.state(), [path.to_str().unwrap()], TableOptions::new()).await?;
    context.deregister_table("events")?;
    context.register_table("events", Arc::new(table))?;
    let mut answers = Vec::new();
    for query in QUERIES {
        let rows = context.sql(query).await?.collect().await;
        answers.push(shown(&rows?));
    }
    Ok(answers)
}

/// Where the pages of the statistics are in the file.
fn of_statistics(path: &Path) -> Vec<Range<usize>> {
    let dataset = Dataset::open(&RootFile::open(path).unwrap(), "Events").unwrap();
    let set = dataset.attribute_set("rntuple_statistics").unwrap();
    let mut places = BTreeSet::new();
    for cluster in set.clusters() {
        for page in cluster.unwrap().columns.iter().flat_map(|column| &column.pages) {
            if let Locator::File { offset, size } = page.locator {
                let (start, end) = (offset as usize, (offset + size) as usize);
                places.insert((start, end));
            }
        }
    }
    places.into_iter().map(|(start, end)| start..end).collect()
}

/// What is skipped where nothing is damaged.
async fn skipped(context: &SessionContext) -> usize {
    let mut skipped = 0;
    for query in QUERIES {
        let counted = counted(context, query).await;
        skipped += counted["files_skipped"] + counted["clusters_skipped"] + counted["pages_skipped"];
    }
    skipped
}

#[tokio::test]
async fn damaged_statistics_cost_time_and_no_rows() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, whole) = (folder.path().join("plain.root"), folder.path().join("whole.root"));
    write(&plain, false);
    write(&whole, true);
    let context = context(1, 64);
    let expected = answers(&context, &plain).await.unwrap();
    assert_eq!(skipped(&context).await, 0);
    assert_eq!(answers(&context, &whole).await.unwrap(), expected);
    assert!(skipped(&context).await > 8);

    let bytes = std::fs::read(&whole).unwrap();
    let pages = of_statistics(&whole);
    let path = folder.path().join("damaged.root");
    // Of the statistics a part is as good as none: the file itself is whole.
    let mut places: Vec<usize> = pages.iter().flat_map(|page| page.clone().step_by(7)).collect();
    let every = places.len().div_ceil(60);
    places = places.into_iter().step_by(every).collect();
    assert!(places.len() > 30, "{pages:?}");
    for at in places {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        std::fs::write(&path, damaged).unwrap();
        let found = answers(&context, &path).await;
        assert_eq!(found.unwrap(), expected, "byte {at}");
    }
    // Zeros from some place on, and all of them.
    for from in [0, pages.len() / 3, pages.len() - 1] {
        let mut damaged = bytes.clone();
        pages[from..].iter().for_each(|page| damaged[page.clone()].fill(0));
        std::fs::write(&path, damaged).unwrap();
        assert_eq!(answers(&context, &path).await.unwrap(), expected, "from page {from}");
    }
    // Anywhere else, the bytes may be those of the events.
    for at in (0..bytes.len()).step_by(bytes.len() / 40) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        std::fs::write(&path, damaged).unwrap();
        if let Ok(found) = answers(&context, &path).await {
            assert_eq!(found, expected, "byte {at}");
        }
    }
    for length in (0..bytes.len()).step_by(bytes.len() / 15) {
        std::fs::write(&path, &bytes[..length]).unwrap();
        assert!(answers(&context, &path).await.is_err(), "{length} bytes");
    }
}

#[cfg(feature = "dataset")]
mod contradictory {
    use rntuple::attributes::Attribute;
    use rntuple::{ReadOptions, Reader, Value};
    use rntuple_dataset::{Adopt, Snapshot, Source, Table};

    use super::*;

    /// A row of statistics as it is stored.
    #[derive(RNTuple, Clone, Debug)]
    struct Row {
        page_list: u64,
        cluster: u64,
        column: u32,
        elements: Vec<u32>,
        nulls: Vec<u32>,
        nans: Vec<u32>,
        signed: Vec<i64>,
        unsigned: Vec<u64>,
        real: Vec<f64>,
        text: Vec<String>,
    }

    type Change = fn(&mut Row);

    /// Rows with right checksums that contradict themselves, or what they are about.
    const CHANGES: [(&str, Change); 12] = [
        ("more bounds than pages", |row| row.unsigned.extend([0, 0])),
        ("bounds of other numbers", |row| row.real.extend([0.0, 0.0])),
        ("a bound too few", |row| {
            let _ = (row.unsigned.pop(), row.real.pop(), row.signed.pop());
        }),
        ("fewer counts", |row| {
            let _ = row.elements.pop();
        }),
        ("more counts", |row| row.elements.push(1)),
        ("more nulls than elements", |row| row.nulls = row.elements.iter().map(|count| count + 1).collect()),
        ("more NaN than elements", |row| row.nans = row.elements.iter().map(|count| count + 1).collect()),
        ("NaN of some pages", |row| row.nans = vec![0; row.elements.len() + 1]),
        ("bounds the wrong way round", |row| {
            row.unsigned.reverse();
            row.real.reverse();
            row.unsigned.push(5);
            row.unsigned.push(4);
        }),
        ("texts that are not of the elements", |row| row.text.push("~".to_owned())),
        ("a cluster that is not there", |row| row.cluster = 1 << 40),
        ("other pages", |row| row.page_list ^= 1),
    ];

    fn dataset(folder: &Path) -> (Snapshot, std::path::PathBuf) {
        let (file, place) = (folder.join("plain.root"), folder.join("events.rnds"));
        write(&file, false);
        let table = Table::create::<Event>(place.to_str().unwrap(), "Events").unwrap();
        let source = Source::new(file.to_str().unwrap(), Adopt::InPlace);
        let snapshot = table.append_files(&[source]).unwrap();
        assert!(table.add_statistics().unwrap() > 0);
        // One is about the first data file, which has no rows.
        let sides = std::fs::read_dir(place.join("_stats")).unwrap().map(|side| side.unwrap().path());
        (snapshot, sides.max_by_key(|side| side.metadata().unwrap().len()).unwrap())
    }

    async fn answers(context: &SessionContext, snapshot: &Snapshot) -> (Vec<Vec<String>>, usize) {
        let table = RNTupleTable::snapshot(snapshot, TableOptions::new()).await.unwrap();
        context.deregister_table("events").unwrap();
        context.register_table("events", Arc::new(table)).unwrap();
        let mut answers = Vec::new();
        for query in QUERIES {
            answers.push(crate::sample::rows(context, query).await);
        }
        (answers, skipped(context).await)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn statistics_that_contradict_themselves_say_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().to_owned();
        let (snapshot, side) = tokio::task::spawn_blocking(move || dataset(&place)).await.unwrap();
        let rows: Vec<Attribute<Row>> = {
            let reader = Reader::<Attribute<Row>>::open(&side, "Events").unwrap();
            reader.entries().map(Result::unwrap).collect()
        };
        assert!(Reader::<Value>::open_with(&side, "Events", ReadOptions::new()).is_ok());
        let context = context(1, 64);
        let (expected, sound) = answers(&context, &snapshot).await;
        assert_eq!(expected[0], ["50", "51", "52"]);
        let saved = std::fs::read(&side).unwrap();
        std::fs::remove_file(&side).unwrap();
        let (without, none) = answers(&context, &snapshot).await;
        assert!(without == expected && sound > 4 && none == 0, "{sound} {none}");
        let write = |change: Change, of: &dyn Fn(&Row) -> bool| {
            // The other one may still be open.
            let new = side.with_extension("new");
            let mut writer = Writer::<Attribute<Row>>::create(&new, "Events", WriteOptions::new()).unwrap();
            for row in &rows {
                let mut row = row.clone();
                if of(&row.value) {
                    change(&mut row.value);
                }
                writer.fill(&row).unwrap();
            }
            writer.finish().unwrap();
            std::fs::rename(&new, &side).unwrap();
        };
        // What is written here is believed where it is sound.
        write(|_| {}, &|_| true);
        assert_eq!(answers(&context, &snapshot).await, (expected.clone(), sound));
        for (what, change) in CHANGES {
            for of_one_cluster in [false, true] {
                write(change, &|row| !of_one_cluster || row.cluster == 1);
                let (found, _) = answers(&context, &snapshot).await;
                assert_eq!(found, expected, "{what}, of one cluster: {of_one_cluster}");
            }
        }
        // Of another file, or a part of one.
        for length in [0, 100, saved.len() / 2, saved.len() - 1] {
            std::fs::write(&side, &saved[..length]).unwrap();
            assert_eq!(answers(&context, &snapshot).await, (expected.clone(), 0), "{length} bytes");
        }
    }
}
