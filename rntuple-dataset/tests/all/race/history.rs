//! Is every version the one before, changed by a job?

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use rntuple_dataset::format::Transaction;
use rntuple_dataset::{CleanupOptions, Snapshot, Table};

use super::worker::has_column;
use super::{Entry, Full, Job, Outcome, Row, Rows};

/// A row without its key: its id, its value, and the column that comes and goes.
type Content = (u64, u64, Option<u64>);

/// The rows of a version.
#[derive(Clone, Debug, PartialEq)]
struct State {
    rows: BTreeMap<(u32, u64), Content>,
    has_column: bool,
}

impl State {
    fn read(snapshot: &Snapshot) -> Self {
        let ids = snapshot.live().unwrap();
        let ids = ids.iter().map(|entry| snapshot.row_id(entry).unwrap().unwrap());
        let has_column = has_column(snapshot);
        let rows: Vec<((u32, u64), u64, Option<u64>)> = match has_column {
            true => {
                let rows = snapshot.reader::<Full>().unwrap();
                let row = |row: Full| ((row.worker, row.sequence), row.value, Some(row.calibrated));
                rows.entries().map(|it| row(it.unwrap())).collect()
            }
            false => {
                let rows = snapshot.reader::<Row>().unwrap();
                let row = |row: Row| ((row.worker, row.sequence), row.value, None);
                rows.entries().map(|it| row(it.unwrap())).collect()
            }
        };
        let mut map = BTreeMap::new();
        for (id, (key, value, calibrated)) in ids.zip(rows) {
            let doubled = map.insert(key, (id, value, calibrated));
            assert_eq!(doubled, None, "version {}: row {key:?} is there twice", snapshot.version());
        }
        assert_eq!(map.len() as u64, snapshot.len());
        check_search(snapshot, &map);
        Self { rows: map, has_column }
    }
}

/// Compares what a search finds, which may know the bounds of some fragments, with the rows that there are.
fn check_search(snapshot: &Snapshot, rows: &BTreeMap<(u32, u64), Content>) {
    let Some((worker, sequence)) = rows.keys().nth(rows.len() / 2).copied() else { return };
    let value = rows.values().map(|row| row.1).max().unwrap_or_default();
    let count = |predicate: String| {
        let found = snapshot.filter::<Row>(&predicate.parse().unwrap()).unwrap();
        found.matching().unwrap().entry_count() as usize
    };
    assert_eq!(count(format!("worker == {worker} and sequence == {sequence}")), 1);
    let greatest = rows.values().filter(|row| row.1 == value).count();
    assert_eq!(count(format!("value >= {value}")), greatest, "version {}", snapshot.version());
}

/// A version, as it was found.
struct Version {
    operation: &'static str,
    read_version: u64,
    uuid: String,
    state: State,
}

/// Checks a data set against what was written down of it; returns how many versions each operation made.
pub(super) fn check(table: &Table, entries: &[Entry], kills: usize) -> BTreeMap<&'static str, usize> {
    for (job, outcome) in entries {
        if let Some(Outcome::Failed(error)) = outcome {
            panic!("{job:?} failed: {error}");
        }
    }
    let versions = read(table);
    let newest = versions.len() as u64;
    let state = |version: u64| &versions[version as usize - 1].state;

    let mut uuids: Vec<&String> = versions.iter().map(|version| &version.uuid).collect();
    uuids.sort_unstable();
    assert!(uuids.windows(2).all(|pair| pair[0] != pair[1]), "a transaction was committed twice");

    // What was reported, by the version. Jobs that did nothing may report that of another job.
    let mut reported: HashMap<u64, Vec<&Job>> = HashMap::new();
    for (job, outcome) in entries {
        if let Some(Outcome::Done(version)) = outcome {
            assert!((1..=newest).contains(version), "{job:?} made version {version}, of {newest}");
            reported.entry(*version).or_default().push(job);
        }
    }
    let mut unreported: Vec<&Job> =
        entries.iter().filter(|(_, outcome)| outcome.is_none()).map(|(job, _)| job).collect();
    assert!(unreported.len() <= kills, "{} jobs of {kills} killed programs have no end", unreported.len());

    // Compaction makes a second version where there is an index.
    let mut silent = entries.iter().filter(|(job, _)| *job == Job::Compact).count();
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for (number, version) in (1..=newest).zip(&versions) {
        let jobs = reported.remove(&number).unwrap_or_default();
        if number == 1 {
            assert!(jobs.iter().all(|job| job.may_do_nothing()), "{jobs:?}");
            continue;
        }
        *counts.entry(version.operation).or_default() += 1;
        let explains = |job: &Job| {
            if !job.operations().contains(&version.operation) {
                return Err("it is another operation".to_owned());
            }
            let restored = match job {
                Job::Restore(restored) => state(*restored),
                _ => state(version.read_version),
            };
            explain(job, restored, state(number - 1), &version.state)
        };
        let (made, other): (Vec<&Job>, Vec<&Job>) = jobs.into_iter().partition(|job| explains(job).is_ok());
        for job in &other {
            let why = explains(job).unwrap_err();
            assert!(job.may_do_nothing(), "version {number} was reported for {job:?}: {why}");
        }
        let authors = made.iter().filter(|job| !job.may_do_nothing()).count();
        assert!(authors <= 1, "version {number} was reported for {made:?}");
        if made.is_empty() {
            let place = unreported.iter().position(|job| explains(job).is_ok());
            // One that changes no row: compaction may have made it before the version that it reported.
            if place.is_none() && silent > 0 && explains(&Job::Compact).is_ok() {
                silent -= 1;
                continue;
            }
            let reasons: Vec<_> = other.iter().chain(&unreported).map(|job| (job, explains(job))).collect();
            let place = place.unwrap_or_else(|| {
                panic!("no job made version {number}, a {}: {reasons:?}", version.operation)
            });
            unreported.remove(place);
        }
    }
    assert!(reported.is_empty());
    check_ids(&versions);
    check_cleanup(table, state(newest));
    counts
}

fn read(table: &Table) -> Vec<Version> {
    let numbers: Vec<u64> = table.versions().unwrap().iter().map(|version| version.version).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    let read = |number: u64| {
        let log = table.log().clone();
        let transaction: Option<Transaction> = rntuple_object_store::wait(async move {
            let file = log.load(number).await?;
            log.transaction(&file).await
        })
        .unwrap_or_else(|error: rntuple_dataset::Error| panic!("version {number}: {error}"));
        let transaction = transaction.unwrap();
        Version {
            operation: transaction.operation.as_ref().unwrap().name(),
            read_version: transaction.read_version.max(1),
            uuid: transaction.uuid,
            state: State::read(&table.at(number).unwrap()),
        }
    };
    numbers.into_iter().map(read).collect()
}

/// Whether a job that read `read` makes `after` of `before`.
fn explain(job: &Job, read: &State, before: &State, after: &State) -> Result<(), String> {
    let mut expected = before.clone();
    match job {
        Job::Append { worker, first, end } => {
            for sequence in *first..*end {
                let key = (*worker, sequence);
                let (id, ..) = *after.rows.get(&key).ok_or_else(|| format!("row {key:?} is missing"))?;
                if before.rows.values().any(|row| row.0 == id) {
                    return Err(format!("row {key:?} has the id {id} of another one"));
                }
                let calibrated = before.has_column.then_some(sequence);
                if let Some(old) = expected.rows.insert(key, (id, 0, calibrated)) {
                    return Err(format!("row {key:?} exists before: {old:?}"));
                }
            }
        }
        Job::Delete(rows) => {
            for key in chosen(*rows, read) {
                expected.rows.remove(&key).ok_or_else(|| format!("row {key:?} was gone before"))?;
            }
        }
        Job::Update(rows, value) => {
            for key in chosen(*rows, read) {
                let row =
                    expected.rows.get_mut(&key).ok_or_else(|| format!("row {key:?} was gone before"))?;
                let (id, ..) = *after.rows.get(&key).ok_or_else(|| format!("row {key:?} is missing"))?;
                if row.0 == id {
                    return Err(format!("row {key:?} has its old id"));
                }
                (row.0, row.1) = (id, *value);
            }
        }
        Job::AddColumn(stamp) => {
            expected.has_column = true;
            for ((_, sequence), row) in &mut expected.rows {
                row.2 = Some(stamp + sequence);
            }
        }
        Job::DropColumn => {
            expected.has_column = false;
            expected.rows.values_mut().for_each(|row| row.2 = None);
        }
        Job::Compact | Job::Index => {}
        Job::Restore(_) => expected = read.clone(),
    }
    match expected == *after {
        true => Ok(()),
        false => Err(difference(&expected, after)),
    }
}

fn chosen(rows: Rows, state: &State) -> Vec<(u32, u64)> {
    state.rows.keys().copied().filter(|(worker, sequence)| rows.contain(*worker, *sequence)).collect()
}

fn difference(expected: &State, found: &State) -> String {
    let keys = expected.rows.keys().chain(found.rows.keys());
    let first = keys.into_iter().find(|key| expected.rows.get(key) != found.rows.get(key));
    match first {
        Some(key) => {
            format!("row {key:?} is {:?}, expected {:?}", found.rows.get(key), expected.rows.get(key))
        }
        None => format!("the column is there: {}, expected {}", found.has_column, expected.has_column),
    }
}

/// An id belongs to one row for ever.
fn check_ids(versions: &[Version]) {
    let mut keys = HashMap::new();
    for (number, version) in (1..).zip(versions) {
        for (key, (id, ..)) in &version.state.rows {
            let first = keys.entry(*id).or_insert(*key);
            assert_eq!(first, key, "version {number}: two rows have had the id {id}");
        }
    }
}

fn check_cleanup(table: &Table, newest: &State) {
    let report = table.check(true).unwrap();
    assert!(report.is_sound(), "{:?}", report.findings);
    let options = CleanupOptions::older_than(Duration::ZERO).unreferenced_after(Duration::ZERO);
    let cleaned = table.cleanup(&options).unwrap();
    assert_eq!(cleaned.versions.len(), report.versions - 1);
    assert_eq!(State::read(&table.snapshot().unwrap()), *newest);
    let after = table.check(true).unwrap();
    assert!(after.is_sound(), "{:?}", after.findings);
    assert_eq!(after.versions, 1);
    // What is left are the marks of the versions that were removed just now.
    let marks = table.cleanup(&options).unwrap().files;
    assert!(marks.iter().all(|name| name.contains(".removed-")), "{:?}", marks.first());
    assert_eq!(table.cleanup(&options).unwrap().files, [""; 0]);
}
