//! Compaction of files that are not as the data set would have written them.

use std::path::Path;

use rntuple::{RNTuple, RootFile, WriteOptions, Writer};
use rntuple_dataset::{Adopt, CompactOptions, Snapshot, Source, Table};

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Event {
    number: i64,
    met: f64,
}

/// Its fields are narrower.
#[derive(RNTuple)]
struct Narrow {
    number: i16,
    met: f32,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Run {
    run: u32,
}

/// Of another type, under the same name.
#[derive(RNTuple)]
struct OtherRun {
    label: String,
}

fn numbers(snapshot: &Snapshot) -> Vec<i64> {
    let reader = snapshot.reader::<Event>().unwrap();
    reader.entries().map(|event| event.unwrap().number).collect()
}

fn narrow(path: &Path, numbers: std::ops::Range<i16>) -> Source {
    let mut writer = Writer::<Narrow>::create(path, "Events", WriteOptions::new()).unwrap();
    numbers.for_each(|number| writer.fill(&Narrow { number, met: number.into() }).unwrap());
    writer.finish().unwrap();
    Source::new(path.to_str().unwrap(), Adopt::InPlace)
}

fn append(table: &Table, numbers: std::ops::Range<i64>) -> Snapshot {
    table
        .append::<Event>(|writer| {
            numbers.into_iter().try_for_each(|number| writer.fill(&Event { number, met: 0.5 }))
        })
        .unwrap()
}

#[test]
fn files_of_narrower_types_are_compacted_among_themselves() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let table = Table::create::<Event>(path("events.rnds").to_str().unwrap(), "Events").unwrap();
    append(&table, 0..10);
    append(&table, 10..20);
    let files = [narrow(&path("a.root"), 20..30), narrow(&path("b.root"), 30..40)];
    let before = table.append_files(&files).unwrap();
    let rows = numbers(&before);
    table.delete::<Event>(|event| event.number == 25 || event.number == 5).unwrap();
    let after = table.compact(&CompactOptions::new().deleted(0.0)).unwrap();
    assert_eq!(after.fragments().len(), 2);
    assert_eq!(numbers(&after), rows.iter().copied().filter(|it| *it != 25 && *it != 5).collect::<Vec<_>>());
    let ids = [0, 9, 19, 29, 39];
    assert_eq!(before.take::<Event>(&ids).unwrap(), after.take::<Event>(&ids).unwrap());
    assert!(table.check(true).unwrap().is_sound());
}

/// A file whose attribute set says of the entries which run they are of.
fn with_runs(path: &Path, numbers: std::ops::Range<i64>, is_other: bool) -> Source {
    let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new()).unwrap();
    let count = (numbers.end - numbers.start) as u64;
    numbers.for_each(|number| writer.fill(&Event { number, met: 0.5 }).unwrap());
    match is_other {
        true => {
            writer.attributes("Runs").unwrap().add(0..count, &OtherRun { label: "a".to_owned() }).unwrap()
        }
        false => writer.attributes("Runs").unwrap().add(0..count, &Run { run: 7 }).unwrap(),
    }
    writer.finish().unwrap();
    Source::new(path.to_str().unwrap(), Adopt::InPlace)
}

fn runs(snapshot: &Snapshot, position: usize) -> Vec<(std::ops::Range<u64>, u32)> {
    let path = snapshot.location().data_file(&snapshot.fragments()[position].files[0].path);
    let reader = rntuple::Reader::<Event>::open(RootFile::open(path).unwrap(), "Events").unwrap();
    let runs = reader.attributes::<Run>("Runs").unwrap();
    runs.entries().map(|run| run.map(|run| (run.range, run.value.run)).unwrap()).collect()
}

#[test]
fn attribute_sets_are_never_lost() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let first = with_runs(&path("a.root"), 0..10, false);
    let table = Table::create_from(path("events.rnds").to_str().unwrap(), "Events", &first).unwrap();
    let others = [
        with_runs(&path("b.root"), 10..20, false),
        with_runs(&path("c.root"), 20..30, true),
        with_runs(&path("d.root"), 30..40, false),
    ];
    let before = table.append_files(&others).unwrap();
    let rows = numbers(&before);
    // Sets of the same fields become one; those of others stay in their files.
    let after = table.compact(&CompactOptions::new()).unwrap();
    assert_eq!((after.fragments().len(), numbers(&after).len()), (3, 40));
    let place = after.fragments().iter().position(|fragment| fragment.physical_rows == 20).unwrap();
    assert_eq!(runs(&after, place), [(0..10, 7), (10..20, 7)]);
    let mut found = numbers(&after);
    found.sort_unstable();
    assert_eq!(found, rows);
    // Where rows are deleted, ranges would change: the file stays as it is.
    table.delete::<Event>(|event| event.number < 20).unwrap();
    table.delete::<Event>(|event| event.number == 35).unwrap();
    let deleted = table.snapshot().unwrap();
    let compacted = table.compact(&CompactOptions::new().deleted(0.0)).unwrap();
    assert_eq!(compacted.version(), deleted.version());
    assert!(table.check(true).unwrap().is_sound());
}
