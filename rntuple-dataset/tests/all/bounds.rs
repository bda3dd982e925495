//! The index of bounds: files that need not be opened, and rows that are found whatever it says.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use proptest::prelude::*;
use rntuple::predicate::Predicate;
use rntuple::{RNTuple, WriteOptions, Writer};
use rntuple_dataset::format::names::NamingScheme;
use rntuple_dataset::format::transaction::{CreateIndex, DataReplacement, DataReplacementGroup};
use rntuple_dataset::format::{IndexMetadata, ManifestFile, Transaction};
use rntuple_dataset::{CleanupOptions, CompactOptions, ErrorKind, IndexOptions, Snapshot, Table};

use crate::sample::{Event, append, create, event};

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Numbers {
    run: u32,
    number: u64,
}

/// The rows that a predicate matches, and how many files were opened for them.
fn find(snapshot: &Snapshot, predicate: &str) -> (Vec<(u32, u64)>, u64) {
    let filtered = snapshot.filter::<Numbers>(&predicate.parse().unwrap()).unwrap();
    let rows = filtered.entries().map(|row| row.map(|row| (row.run, row.number)).unwrap()).collect();
    (rows, filtered.counters().files.read())
}

fn path(table: &Table, name: &str) -> PathBuf {
    PathBuf::from(format!("{}/{name}", table.location().root()))
}

/// The fragments that the index covers.
fn covered(snapshot: &Snapshot) -> Vec<u32> {
    let [index] = snapshot.indices() else { panic!("{:?}", snapshot.indices()) };
    roaring::RoaringBitmap::deserialize_from(&*index.fragment_bitmap).unwrap().iter().collect()
}

#[test]
fn files_without_matches_are_not_opened() {
    let (_directory, table) = create();
    for run in 1..6 {
        append(&table, run, 0..40);
    }
    let plain = table.snapshot().unwrap();
    let snapshot = table.index_bounds(&IndexOptions::new()).unwrap();
    assert_eq!(
        (snapshot.version(), snapshot.indices().len(), covered(&snapshot)),
        (7, 1, vec![1, 2, 3, 4, 5])
    );
    assert_eq!(table.index_bounds(&IndexOptions::new()).unwrap().version(), 7, "nothing is new");
    // The message of the index is where the manifest says, in front of the transaction.
    let bytes = std::fs::read(path(&table, &NamingScheme::V2.manifest(7))).unwrap();
    let file = ManifestFile::read(&bytes).unwrap();
    assert_eq!(file.to_bytes().unwrap(), bytes);
    assert_eq!(file.indices.unwrap().indices, snapshot.indices());
    assert_eq!((file.manifest.index_section, snapshot.manifest()), (Some(0), &file.manifest));
    assert_eq!(file.transaction.unwrap().operation.unwrap().name(), "CreateIndex");
    // All files but the first one, which has the types, and that of run 3.
    for position in [1, 2, 4, 5] {
        let file = path(&table, &format!("data/{}", snapshot.fragments()[position].files[0].path));
        std::fs::rename(&file, file.with_extension("gone")).unwrap();
    }
    assert_eq!(find(&snapshot, "run == 3 and number >= 38"), (vec![(3, 38), (3, 39)], 1));
    assert_eq!(find(&snapshot, "run == 3 and number == 40"), (vec![], 0));
    assert_eq!(find(&snapshot, "any(muons, pt > 100)"), (vec![], 0));
    assert_eq!(find(&snapshot, "size(muons) > 3"), (vec![], 0));
    // What matches as a whole is known as well.
    let all = snapshot.filter::<Numbers>(&"number < 40".parse().unwrap()).unwrap();
    assert_eq!(all.matching().unwrap().entry_count(), 200);
    assert_eq!((all.counters().files.certain, all.counters().files.considered), (5, 5));
    assert!(plain.filter::<Numbers>(&"run == 3".parse().unwrap()).unwrap().matching().is_err());
}

#[test]
fn what_changes_is_looked_at() {
    #[derive(RNTuple)]
    struct Run {
        run: u32,
    }
    let (_directory, table) = create();
    for run in 1..4 {
        append(&table, run, 0..20);
    }
    let first = table.index_bounds(&IndexOptions::new()).unwrap();
    // Rows that came later, some of them without statistics.
    append(&table, 4, 0..20);
    table.append_with::<Event>(WriteOptions::new(), |writer| writer.fill(&event(5, 3))).unwrap();
    let more = table.snapshot().unwrap();
    assert_eq!(covered(&more), [1, 2, 3]);
    assert_eq!(find(&more, "run == 4 and number == 7"), (vec![(4, 7)], 2));
    assert_eq!(find(&more, "run == 5"), (vec![(5, 3)], 1));
    let again = table.index_bounds(&IndexOptions::new()).unwrap();
    assert_eq!(covered(&again), [1, 2, 3, 4]);
    // Computed: next to the file for all uses, or for the index alone.
    let computed = table.index_bounds(&IndexOptions::new().compute(true)).unwrap();
    assert_eq!(covered(&computed), [1, 2, 3, 4, 5]);
    assert_eq!(find(&computed, "run == 5 and number == 4"), (vec![], 0));
    table.restore(again.version()).unwrap();
    assert_eq!(table.add_statistics().unwrap(), 2, "also of the first file, which is empty");
    let again = table.index_bounds(&IndexOptions::new()).unwrap();
    assert_eq!(covered(&again), [1, 2, 3, 4, 5]);
    assert_eq!(find(&again, "run == 5 and number == 4"), (vec![], 0));

    // Deleted rows.
    let deleted = table.delete_where(&"number < 5".parse().unwrap()).unwrap();
    assert_eq!(find(&deleted, "run == 2 and number < 7"), (vec![(2, 5), (2, 6)], 1));
    // Rows that change.
    let updated = table
        .update::<Event>(|row| {
            let is_wanted = row.run == 2 && row.number == 9;
            if is_wanted {
                row.run = 77;
            }
            is_wanted
        })
        .unwrap();
    assert_eq!(find(&updated, "run == 77").0, [(77, 9)]);
    assert_eq!(find(&updated, "run == 2 and number == 9"), (vec![], 1));
    // Another column of the same name: what is known of the old one says nothing.
    let replaced = table
        .add_columns(|rows: Vec<Run>| rows.iter().map(|row| Run { run: row.run + 100 }).collect())
        .unwrap();
    assert_eq!(find(&replaced, "run == 102 and number == 8").0, [(102, 8)]);
    assert_eq!(find(&replaced, "run == 2").0, []);
    let indexed = table.index_bounds(&IndexOptions::new()).unwrap();
    assert_eq!(find(&indexed, "run == 102 and number == 8"), (vec![(102, 8)], 1));
    // Other names.
    table.rename_column("met", "missing").unwrap();
    let renamed = table.drop_columns(&["muons"]).unwrap();
    assert_eq!(find(&renamed, "run == 102 and missing == 4"), (vec![(102, 8)], 1));
    // Other files.
    let compacted = table.compact(&CompactOptions::new().deleted(0.0)).unwrap();
    assert_eq!((covered(&compacted).len(), compacted.fragments().len()), (1, 1), "all fragments are new");
    assert_eq!(find(&compacted, "run == 102 and number == 8").0, [(102, 8)]);
    assert_eq!(find(&compacted, "run == 2"), (vec![], 0));
    let same = table.index_bounds(&IndexOptions::new()).unwrap();
    assert_eq!(same.version(), compacted.version(), "nothing is new");
    // An old version, with what it knew.
    let restored = table.restore(first.version()).unwrap();
    assert_eq!(restored.indices(), first.indices());
    assert_eq!(find(&restored, "run == 2 and number == 8"), (vec![(2, 8)], 1));
    let report = table.check(true).unwrap();
    assert!(report.is_sound(), "{:?}", report.findings);

    // Indices that a version needs stay.
    let folders = || std::fs::read_dir(path(&table, "_indices")).unwrap().count();
    assert_eq!(folders(), 6);
    table.tag("kept", again.version()).unwrap();
    let all = CleanupOptions::older_than(Duration::ZERO).unreferenced_after(Duration::ZERO);
    let cleaned = table.cleanup(&all).unwrap();
    assert!(cleaned.files.iter().any(|file| file.starts_with("_indices/")), "{cleaned:?}");
    assert_eq!(folders(), 2);
    assert_eq!(find(&table.snapshot().unwrap(), "run == 3 and number == 8"), (vec![(3, 8)], 1));
    assert_eq!(find(&table.at("kept").unwrap(), "run == 4 and number == 8"), (vec![(4, 8)], 1));
    assert!(table.check(false).unwrap().is_sound());
}

/// Commits an index as another one that covers all fragments, in whatever version.
fn force(table: &Table, index: &IndexMetadata, fragments: u32) -> Snapshot {
    let mut fragment_bitmap = Vec::new();
    roaring::RoaringBitmap::from_iter(0..fragments).serialize_into(&mut fragment_bitmap).unwrap();
    let new_indices = vec![IndexMetadata { fragment_bitmap, ..index.clone() }];
    let base = table.snapshot().unwrap();
    let transaction = Transaction::new(base.version(), CreateIndex { new_indices, ..CreateIndex::default() });
    let log = table.log().clone();
    rntuple_object_store::wait(async move { log.commit(transaction, base.manifest()).await }).unwrap();
    table.snapshot().unwrap()
}

#[test]
fn bounds_of_another_file_are_not_believed() {
    let (_directory, table) = create();
    append(&table, 1, 0..20);
    append(&table, 2, 0..20);
    let snapshot = table.index_bounds(&IndexOptions::new()).unwrap();
    let index = snapshot.indices()[0].clone();
    // The file of run 1 is replaced by that of run 2, under the same ids of fields.
    let new_file = Some(snapshot.fragments()[2].files[0].clone());
    let replacements = vec![DataReplacementGroup { fragment_id: 1, new_file }];
    let (log, base) = (table.log().clone(), snapshot.clone());
    let transaction = Transaction::new(snapshot.version(), DataReplacement { replacements });
    rntuple_object_store::wait(async move { log.commit(transaction, base.manifest()).await }).unwrap();
    let replaced = table.snapshot().unwrap();
    assert_eq!(covered(&replaced), [2]);
    let forced = force(&table, &index, 10);
    for snapshot in [&replaced, &forced] {
        assert_eq!(find(snapshot, "run == 2 and number == 3"), (vec![(2, 3), (2, 3)], 2));
        assert_eq!(find(snapshot, "run == 1").0, []);
    }
    assert!(table.check(true).unwrap().is_sound());
    // Another program's index of the same name, meanwhile.
    let both = [index.clone(), IndexMetadata { dataset_version: 1, ..index }].map(|index| {
        let create = CreateIndex { new_indices: vec![index], ..CreateIndex::default() };
        Transaction::new(forced.version(), create)
    });
    let errors = both.map(|transaction| {
        let (log, base) = (table.log().clone(), forced.clone());
        rntuple_object_store::wait(async move { log.commit(transaction, base.manifest()).await }).err()
    });
    assert!(errors[0].is_none());
    assert_eq!(errors[1].as_ref().unwrap().kind(), ErrorKind::Conflict);
}

#[test]
fn damage_costs_time_and_no_rows() {
    let (_directory, table) = create();
    append(&table, 1, 0..20);
    append(&table, 2, 0..20);
    let snapshot = table.index_bounds(&IndexOptions::new()).unwrap();
    let folder = std::fs::read_dir(path(&table, "_indices")).unwrap().next().unwrap().unwrap().path();
    let file = folder.join("bounds.root");
    let bytes = std::fs::read(&file).unwrap();
    let wanted = vec![(2, 3)];
    for at in (0..bytes.len()).step_by(bytes.len() / 60) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        std::fs::write(&file, damaged).unwrap();
        assert_eq!(find(&table.snapshot().unwrap(), "run == 2 and number == 3").0, wanted, "byte {at}");
        std::fs::write(&file, &bytes[..at]).unwrap();
        assert_eq!(find(&table.snapshot().unwrap(), "run == 2 and number == 3").0, wanted, "{at} bytes");
    }
    std::fs::remove_file(&file).unwrap();
    assert_eq!(find(&table.snapshot().unwrap(), "run == 2 and number == 3").0, wanted);
    let findings = table.check(false).unwrap().findings;
    assert!(findings.iter().all(|finding| finding.to_string().contains("bounds.root")), "{findings:?}");
    assert_eq!(findings.len(), 1);
    // It is made again as a whole.
    let mended = table.index_bounds(&IndexOptions::new()).unwrap();
    assert_eq!((mended.version(), covered(&mended)), (snapshot.version() + 1, vec![1, 2]));
    assert_eq!(find(&mended, "run == 2 and number == 3"), (wanted, 1));
}

/// An entry of an index.
#[derive(RNTuple, Default)]
struct Record {
    field: i32,
    fragments: Vec<u32>,
    files: Vec<u64>,
    elements: Vec<u64>,
    nulls: Vec<u64>,
    nans: Vec<u64>,
    signed: Vec<i64>,
    unsigned: Vec<u64>,
    real: Vec<f64>,
    text: Vec<Vec<String>>,
}

#[test]
fn an_index_with_more_entries_than_fields_can_have_is_passed_over() {
    let (directory, table) = create();
    append(&table, 1, 0..20);
    append(&table, 2, 0..20);
    table.index_bounds(&IndexOptions::new()).unwrap();
    let folder = std::fs::read_dir(path(&table, "_indices")).unwrap().next().unwrap().unwrap().path();
    for (count, reason) in
        [((1 << 20) + 1, "has 1048577 entries, expected at most 1048576"), (4, "the field 0 has 4 entries")]
    {
        let file = directory.path().join("bounds.root");
        let mut writer = Writer::<Record>::create(&file, "Bounds", WriteOptions::new()).unwrap();
        let entry = Record::default();
        (0..count).for_each(|_| writer.fill(&entry).unwrap());
        writer.finish().unwrap();
        std::fs::copy(&file, folder.join("bounds.root")).unwrap();
        let snapshot = table.snapshot().unwrap();
        assert_eq!(find(&snapshot, "run == 2 and number == 3").0, [(2, 3)]);
        let findings = table.check(false).unwrap().findings;
        let is_found = findings.iter().any(|finding| finding.message.contains(reason));
        assert!(is_found && findings.len() == 1, "{findings:?}");
    }
}

#[test]
fn an_index_that_excludes_values_is_found_by_the_check() {
    let (_directory, table) = create();
    append(&table, 1, 0..20);
    append(&table, 2, 0..20);
    let snapshot = table.index_bounds(&IndexOptions::new()).unwrap();
    let (one, two) = (&snapshot.fragments()[1].files[0].path, &snapshot.fragments()[2].files[0].path);
    let data = |name: &str| path(&table, &format!("data/{name}"));
    // Someone writes over a data file.
    let bytes = std::fs::read(data(one)).unwrap();
    assert!(table.check(true).unwrap().is_sound());
    std::fs::copy(data(two), data(one)).unwrap();
    for pages in [false, true] {
        let findings = table.check(pages).unwrap().findings;
        let text = findings.first().map(ToString::to_string).unwrap_or_default();
        assert!(text.contains("fragment 1: the index of bounds excludes values"), "{findings:?}");
    }
    std::fs::write(data(one), bytes).unwrap();
    assert!(table.check(true).unwrap().is_sound());
}

/// What is done to a data set; numbers choose among what exists.
#[derive(Clone, Debug)]
enum Step {
    /// Rows of a run, from a number on, with or without statistics.
    Append(u32, u64, u64, bool),
    Index,
    AddStatistics,
    Delete(u64),
    Update(u64),
    ReplaceRuns,
    Compact,
    Restore(usize),
    /// The first index of all, for all fragments.
    Force,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0..4u32, 0..40u64, 1..20u64, prop::bool::weighted(0.7))
            .prop_map(|(run, first, count, known)| Step::Append(run, first, count, known)),
        6 => Just(Step::Index),
        1 => Just(Step::AddStatistics),
        2 => (2..7u64).prop_map(Step::Delete),
        1 => (2..7u64).prop_map(Step::Update),
        1 => Just(Step::ReplaceRuns),
        2 => Just(Step::Compact),
        1 => any::<usize>().prop_map(Step::Restore),
        2 => Just(Step::Force),
    ];
    prop::collection::vec(step, 1..14)
}

fn take(table: &Table, step: &Step, first: &mut Option<IndexMetadata>) {
    #[derive(RNTuple)]
    struct Run {
        run: u32,
    }
    let snapshot = table.snapshot().unwrap();
    match step {
        Step::Append(run, start, count, known) => {
            // The order of the columns is that of the type, and fields are found by their names.
            drop(table.append_with::<Event>(WriteOptions::new().statistics(*known), |writer| {
                (*start..start + count).try_for_each(|number| writer.fill(&event(*run, number)))
            }));
        }
        Step::Index => {
            let indexed = table.index_bounds(&IndexOptions::new()).unwrap();
            *first = first.take().or(indexed.indices().first().cloned());
        }
        Step::AddStatistics => drop(table.add_statistics().unwrap()),
        Step::Delete(divisor) => drop(table.delete::<Numbers>(|row| row.number % divisor == 0).unwrap()),
        Step::Update(divisor) => {
            let change = |row: &mut Event| {
                row.run += 10;
                row.number % divisor == 1
            };
            drop(table.update(change).unwrap());
        }
        Step::ReplaceRuns => {
            let compute = |rows: Vec<Run>| rows.iter().map(|row| Run { run: row.run * 2 + 1 }).collect();
            drop(table.add_columns(compute).unwrap());
        }
        Step::Compact => drop(table.compact(&CompactOptions::new().deleted(0.0)).unwrap()),
        Step::Restore(number) => {
            let version = *number as u64 % snapshot.version() + 1;
            drop(table.restore(version).unwrap());
        }
        Step::Force => {
            if let Some(index) = first {
                drop(force(table, index, 100));
            }
        }
    }
}

/// What a predicate matches, one row after the other.
type Naive = fn(&Event) -> bool;

const PREDICATES: [(&str, Naive); 9] = [
    ("run == 2 and number == 17", |row| row.run == 2 && row.number == 17),
    ("run > 3", |row| row.run > 3),
    ("number >= 30 or run == 0", |row| row.number >= 30 || row.run == 0),
    ("met > 12", |row| row.met.is_some_and(|met| met > 12.0)),
    ("met is null and number < 9", |row| row.met.is_none() && row.number < 9),
    ("any(muons, pt > 40 and charge < 0)", |row| row.muons.iter().any(|mu| mu.pt > 40.0 && mu.charge < 0)),
    ("all(muons, pt < 20)", |row| row.muons.iter().all(|mu| mu.pt < 20.0)),
    ("not number < 35", |row| row.number >= 35),
    ("size(muons) == 3 and run != 1", |row| row.muons.len() == 3 && row.run != 1),
];

fn compare(snapshot: &Snapshot) {
    let rows: BTreeMap<u64, Event> = {
        let reader = snapshot.reader::<Event>().unwrap();
        let live = snapshot.live().unwrap();
        live.iter().zip(reader.entries().map(Result::unwrap)).collect()
    };
    assert_eq!(rows.len() as u64, snapshot.len());
    for (text, naive) in PREDICATES {
        let predicate: Predicate = text.parse().unwrap();
        let found = snapshot.filter::<Event>(&predicate).unwrap().matching().unwrap();
        let expected = rows.iter().filter(|(_, row)| naive(row)).map(|(entry, _)| *entry);
        assert!(found.iter().eq(expected), "{text} in version {}", snapshot.version());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn rows_are_those_that_match_whatever_the_index_knows(steps in steps()) {
        let (_directory, table) = create();
        let mut first = None;
        for step in &steps {
            take(&table, step, &mut first);
            compare(&table.snapshot().unwrap());
        }
        for version in 1..=table.snapshot().unwrap().version() {
            compare(&table.at(version).unwrap());
        }
        let report = table.check(true).unwrap();
        prop_assert!(report.is_sound(), "{:?}", report.findings);
    }
}

#[test]
fn compaction_keeps_the_index_whole() {
    let (_directory, table) = create();
    for run in 1..4 {
        append(&table, run, 0..40);
    }
    // Without an index, compaction makes none.
    table.delete_where(&"run == 1 and number < 20".parse().unwrap()).unwrap();
    let compacted = table.compact(&CompactOptions::new().target_size(1).deleted(0.1)).unwrap();
    assert_eq!(compacted.indices(), []);
    table.index_bounds(&IndexOptions::new()).unwrap();
    // Files that came later, and one that is written again.
    append(&table, 4, 0..40);
    append(&table, 5, 0..40);
    let deleted = table.delete_where(&"run == 2 and number >= 30".parse().unwrap()).unwrap();
    assert!(deleted.indexed_fragments() < 5);
    let compacted = table.compact(&CompactOptions::new().target_size(1).deleted(0.1)).unwrap();
    assert_eq!(compacted.indexed_fragments(), 5);
    assert_eq!(table.snapshot().unwrap().version(), compacted.version());
    let operations = table.versions().unwrap();
    let last: Vec<_> = operations.iter().rev().take(2).map(|version| version.operation).collect();
    assert_eq!(last, [Some("CreateIndex"), Some("Rewrite")]);
    // No file is opened that cannot match.
    for run in 1..6 {
        let (rows, files) = find(&compacted, &format!("run == {run} and number == 25"));
        assert_eq!((rows, files), (vec![(run, 25)], 1));
        assert_eq!(find(&compacted, &format!("run == {run} and number > 39")), (vec![], 0));
    }
    assert_eq!(find(&compacted, "run == 2 and number >= 30"), (vec![], 0));
    // All fragments at once, of which none is left.
    table.delete_where(&"number == 0".parse().unwrap()).unwrap();
    let compacted = table.compact(&CompactOptions::new().deleted(0.0)).unwrap();
    assert_eq!((compacted.fragments().len(), compacted.indexed_fragments()), (1, 1));
    assert_eq!(find(&compacted, "run == 9"), (vec![], 0));
    // What nothing is to be done for stays as it is; what only came is added.
    assert_eq!(table.compact(&CompactOptions::new()).unwrap().version(), compacted.version());
    append(&table, 6, 0..40);
    let indexed = table.compact(&CompactOptions::new().target_size(1)).unwrap();
    assert_eq!((indexed.fragments().len(), indexed.indexed_fragments()), (2, 2));
    assert!(table.check(true).unwrap().is_sound());
}
