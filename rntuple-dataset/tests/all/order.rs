//! Rows that are sorted: a data set says so of fragments, and it is so.

use std::path::Path;

use proptest::prelude::*;
use rntuple::statistics::Statistics;
use rntuple::{Dataset, RNTuple, ReadOptions, RootFile, WriteOptions, Writer};
use rntuple_dataset::{
    Adopt, CleanupOptions, CompactOptions, ErrorKind, IndexOptions, Snapshot, Source, Table,
};
use tempfile::TempDir;

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Event {
    run: u32,
    number: i64,
    met: f32,
}

type Key = (u32, i64);

const KEYS: [&str; 2] = ["run", "number"];

fn create() -> (TempDir, Table) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.rnds");
    let table = Table::create::<Event>(path.to_str().unwrap(), "Events").unwrap();
    (directory, table)
}

fn event((run, number): Key) -> Event {
    Event { run, number, met: 1.0 }
}

fn append(table: &Table, keys: &[Key]) -> rntuple_dataset::Result<Snapshot> {
    table.append::<Event>(|writer| keys.iter().try_for_each(|key| writer.fill(&event(*key))))
}

fn range(run: u32, numbers: std::ops::Range<i64>) -> Vec<Key> {
    numbers.map(|number| (run, number)).collect()
}

/// A file of its own, in clusters of 5.
fn file(path: &Path, keys: &[Key], options: WriteOptions) -> Source {
    let mut writer = Writer::<Event>::create(path, "Events", options).unwrap();
    for cluster in keys.chunks(5) {
        cluster.iter().for_each(|key| writer.fill(&event(*key)).unwrap());
        writer.commit_cluster().unwrap();
    }
    writer.finish().unwrap();
    Source::new(path.to_str().unwrap(), Adopt::InPlace)
}

/// The keys of the rows of each fragment.
fn keys(snapshot: &Snapshot) -> Vec<Vec<Key>> {
    let mut ends = Vec::new();
    let mut end = 0;
    for fragment in snapshot.fragments() {
        end += fragment.physical_rows;
        ends.push(end);
    }
    let mut keys = vec![Vec::new(); ends.len()];
    let reader = snapshot.reader_with::<Event>(ReadOptions::new()).unwrap();
    let mut rows = reader.entries();
    while let Some(row) = rows.next() {
        let row = row.unwrap();
        let entry = rows.last_entry().unwrap();
        keys[ends.partition_point(|end| *end <= entry)].push((row.run, row.number));
    }
    keys
}

/// Which fragments are said to be sorted; that must be so.
fn sorted(snapshot: &Snapshot) -> Vec<bool> {
    let keys = keys(snapshot);
    let said = (0..snapshot.fragments().len()).map(|position| snapshot.is_fragment_sorted(position).unwrap());
    let said: Vec<bool> = said.collect();
    for (is_sorted, keys) in said.iter().zip(&keys) {
        let by = snapshot.sort_order().len();
        let naive = match by {
            2 => keys.is_sorted(),
            1 => keys.is_sorted_by_key(|key| key.0),
            _ => false,
        };
        assert!(!is_sorted || naive, "{keys:?}");
    }
    said
}

fn assert_sound(table: &Table) {
    let report = table.check(true).unwrap();
    assert!(report.is_sound(), "{:?}", report.findings);
}

#[test]
fn rows_are_appended_in_the_order_that_is_declared() {
    let (directory, table) = create();
    append(&table, &range(1, 0..20)).unwrap();
    assert!(table.snapshot().unwrap().sort_order().is_empty());
    assert!(!table.snapshot().unwrap().is_fragment_sorted(1).unwrap());
    let snapshot = table.set_sort_order(&KEYS).unwrap();
    assert_eq!(snapshot.sort_order(), KEYS);
    assert_eq!(sorted(&snapshot), [true, true]);

    // Written here.
    let snapshot = append(&table, &range(2, 0..9)).unwrap();
    assert_eq!(sorted(&snapshot), [true; 3]);
    let error = append(&table, &[(3, 1), (3, 0)]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("0 comes after 1, expected entries sorted by run, number"), "{error}");

    // Written elsewhere: with an order of its own, with other statistics, and without any.
    let path = |name: &str| directory.path().join(name);
    let with = file(&path("with.root"), &range(3, 0..12), WriteOptions::new().sorted_by(KEYS));
    let other = file(&path("other.root"), &range(4, 0..12), WriteOptions::new().statistics(true));
    let without = file(&path("without.root"), &range(5, 0..12), WriteOptions::new());
    let snapshot = table.append_files(&[with, other, without]).unwrap();
    assert_eq!(sorted(&snapshot), [true; 6]);
    // The last one is left as it is: what is known of it is in the data set.
    let plain = Dataset::open(&RootFile::open(path("without.root")).unwrap(), "Events").unwrap();
    assert!(Statistics::of(&plain).unwrap().is_none());
    let found = snapshot.filter::<Event>(&"run == 5 and number == 11".parse().unwrap()).unwrap();
    assert_eq!(found.entries().count(), 1);
    assert!(found.counters().clusters.skipped > 0, "{:?}", found.counters());
    table
        .cleanup(
            &CleanupOptions::older_than(std::time::Duration::ZERO)
                .unreferenced_after(std::time::Duration::ZERO),
        )
        .unwrap();
    assert_eq!(sorted(&table.snapshot().unwrap()), [true; 6]);

    let bad = file(&path("bad.root"), &[(6, 1), (6, 2), (5, 9)], WriteOptions::new());
    let error = table.append_files(std::slice::from_ref(&bad)).unwrap_err();
    assert!(error.to_string().contains("bad.root"), "{error}");
    assert!(error.to_string().contains("5 comes after 6"), "{error}");
    assert_eq!(table.snapshot().unwrap().version(), snapshot.version());
    assert_sound(&table);

    // Names may change; the order is about the fields.
    let snapshot = table.rename_column("run", "period").unwrap();
    assert_eq!(snapshot.sort_order(), ["period", "number"]);
    let snapshot = table.drop_columns(&["number"]).unwrap();
    assert_eq!(snapshot.sort_order(), ["period"]);
    assert!((0..6).all(|position| snapshot.is_fragment_sorted(position).unwrap()));

    let snapshot = table.set_sort_order(&[]).unwrap();
    assert!(snapshot.sort_order().is_empty());
    assert!(!snapshot.is_fragment_sorted(0).unwrap());
    assert_eq!(table.set_sort_order(&["none"]).unwrap_err().kind(), ErrorKind::NotFound);
}

/// Columns that are added later get ids that no field has had, so that what names fields by their ids does not come to mean
/// others.
#[test]
fn a_new_column_does_not_take_the_place_of_a_dropped_one_in_the_order() {
    #[derive(RNTuple)]
    struct Keyed {
        run: u32,
        met: f32,
        number: i64,
    }
    #[derive(RNTuple)]
    struct Run {
        run: u32,
    }
    #[derive(RNTuple)]
    struct First {
        first: f64,
    }
    #[derive(RNTuple)]
    struct Second {
        second: f64,
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.rnds");
    let table = Table::create::<Keyed>(path.to_str().unwrap(), "Events").unwrap();
    let rows = |writer: &mut Writer<Keyed>| {
        (0..9).try_for_each(|number| writer.fill(&Keyed { run: 1, met: 0.5, number }))
    };
    let id = |snapshot: &Snapshot, name: &str| {
        snapshot.fields().iter().find(|field| field.name == name).map(|field| field.id).unwrap()
    };
    let first = |table: &Table| {
        let compute = |rows: Vec<Run>| rows.iter().map(|row| First { first: row.run.into() }).collect();
        id(&table.add_columns(compute).unwrap(), "first")
    };
    let second = |table: &Table| {
        let compute = |rows: Vec<Run>| (0..rows.len()).map(|row| Second { second: -(row as f64) }).collect();
        id(&table.add_columns(compute).unwrap(), "second")
    };
    table.append::<Keyed>(rows).unwrap();
    table.set_sort_order(&["run", "number"]).unwrap();
    let mut highest = id(&table.snapshot().unwrap(), "number");
    table.drop_columns(&["number"]).unwrap();
    // A file without the dropped column.
    table.compact(&CompactOptions::new()).unwrap();
    for _ in 0..2 {
        for add in [&first as &dyn Fn(&Table) -> i32, &second] {
            let new = add(&table);
            assert!(new > highest, "{new} after {highest}");
            highest = new;
            assert_eq!(table.snapshot().unwrap().sort_order(), ["run"]);
        }
        table.drop_columns(&["first", "second"]).unwrap();
    }
    // An old version has seen fewer.
    table.restore(1).unwrap();
    let new = first(&table);
    assert!(new > highest, "{new} after {highest}");
    assert_sound(&table);
}

#[test]
fn an_order_that_rows_do_not_have_is_not_declared() {
    let (_directory, table) = create();
    append(&table, &[(1, 1), (1, 0)]).unwrap();
    let error = table.set_sort_order(&KEYS).unwrap_err();
    assert!(error.to_string().contains("0 comes after 1"), "{error}");
    assert_eq!(table.snapshot().unwrap().version(), 2);
    table.set_sort_order(&["run"]).unwrap();
    assert_eq!(sorted(&table.snapshot().unwrap()), [true, true]);
}

#[test]
fn deletions_and_updates_keep_the_order_or_say_nothing() {
    let (_directory, table) = create();
    table.set_sort_order(&KEYS).unwrap();
    append(&table, &range(1, 0..20)).unwrap();
    append(&table, &range(2, 0..20)).unwrap();
    let snapshot = table.delete::<Event>(|event| event.number % 3 == 0).unwrap();
    assert_eq!(sorted(&snapshot), [true; 3]);
    // What is changed comes in the order of the fragments.
    let change = |event: &mut Event| {
        event.met = 2.0;
        event.number % 3 == 1
    };
    assert_eq!(sorted(&table.update(change).unwrap()), [true; 4]);
    let turn = |event: &mut Event| {
        event.number = -event.number;
        matches!(event.number, -2 | -5)
    };
    assert_eq!(sorted(&table.update(turn).unwrap()), [true, true, true, true, false]);
    assert_sound(&table);
    let numbers: Vec<Key> = keys(&table.snapshot().unwrap()).concat();
    let compacted = table.compact(&CompactOptions::new().deleted(0.0)).unwrap();
    assert_eq!(sorted(&compacted).iter().filter(|is_sorted| !**is_sorted).count(), 1);
    let mut rows = keys(&compacted).concat();
    let mut before = numbers;
    rows.sort_unstable();
    before.sort_unstable();
    assert_eq!(rows, before);
    assert_sound(&table);
}

#[test]
fn fragments_are_compacted_in_the_order_of_their_keys() {
    let (_directory, table) = create();
    table.set_sort_order(&KEYS).unwrap();
    append(&table, &range(1, 10..20)).unwrap();
    append(&table, &range(1, 0..10)).unwrap();
    // It overlaps with the first, and is followed by the last.
    append(&table, &range(1, 15..30)).unwrap();
    let before = append(&table, &range(2, 0..5)).unwrap();
    let after = table.compact(&CompactOptions::new()).unwrap();
    assert_eq!(sorted(&after), [true, true]);
    assert_eq!(
        keys(&after),
        [[range(1, 0..10), range(1, 10..20)].concat(), [range(1, 15..30), range(2, 0..5)].concat()]
    );
    // Rows keep their ids.
    let all: Vec<u64> = (0..before.len()).collect();
    assert_eq!(before.take::<Event>(&all).unwrap(), after.take::<Event>(&all).unwrap());
    assert_eq!(table.compact(&CompactOptions::new()).unwrap().version(), after.version());
    assert_sound(&table);
}

#[test]
fn a_damaged_claim_is_found() {
    let (_directory, table) = create();
    table.set_sort_order(&KEYS).unwrap();
    let snapshot = append(&table, &range(1, 0..10)).unwrap();
    // Statistics of another file, under the name of this one, are about that file.
    let path = snapshot.location().data_file(&snapshot.fragments()[1].files[0].path);
    file(Path::new(&path), &[(1, 5), (1, 3)], WriteOptions::new().statistics(true));
    assert!(!table.snapshot().unwrap().is_fragment_sorted(1).unwrap());
}

/// An engine that opens the files of a fragment itself sees the order under the names of the data set.
#[test]
fn the_order_is_known_to_readers_of_renamed_and_added_columns() {
    #[derive(RNTuple)]
    struct Met {
        met: f32,
    }

    #[derive(RNTuple)]
    struct Calibrated {
        calibrated: f32,
    }

    #[derive(RNTuple)]
    struct Replaced {
        number: i64,
    }

    let (_directory, table) = create();
    table.set_sort_order(&KEYS).unwrap();
    append(&table, &range(1, 0..10)).unwrap();
    table.rename_column("run", "period").unwrap();
    let snapshot = table
        .add_columns(|rows: Vec<Met>| {
            rows.iter().map(|row| Calibrated { calibrated: 2.0 * row.met }).collect()
        })
        .unwrap();
    let reader = snapshot.reader::<Calibrated>().unwrap();
    let statistics = Statistics::of(&reader.dataset(1).unwrap()).unwrap().unwrap();
    assert_eq!(statistics.sort_order().unwrap().fields(), ["period", "number"]);
    assert!(snapshot.is_fragment_sorted(1).unwrap());
    // A field that takes the place of another one is not in the order.
    let snapshot = table
        .add_columns(|rows: Vec<Met>| {
            (0..rows.len() as i64).rev().map(|number| Replaced { number }).collect()
        })
        .unwrap();
    assert_eq!(snapshot.sort_order(), ["period"]);
    let statistics =
        Statistics::of(&snapshot.reader::<Replaced>().unwrap().dataset(1).unwrap()).unwrap().unwrap();
    assert_eq!(statistics.sort_order().unwrap().fields(), ["period"]);
}
/// Removes the data files.
fn lose_files(table: &Table) {
    std::fs::remove_dir_all(format!("{}/data", table.location().root())).unwrap();
}

#[test]
fn the_index_of_bounds_says_what_is_sorted() {
    let (_directory, table) = create();
    table.set_sort_order(&KEYS).unwrap();
    append(&table, &range(2, 0..9)).unwrap();
    append(&table, &range(1, 0..9)).unwrap();
    let snapshot = table.snapshot().unwrap();
    assert_eq!(snapshot.sorted_in_index().unwrap(), [true, false, false], "only the first one has no rows");
    let snapshot = table.index_bounds(&IndexOptions::new()).unwrap();
    assert_eq!(snapshot.sorted_in_index().unwrap(), [true; 3]);
    assert_sound(&table);
    // Nothing is new; what comes later is.
    assert_eq!(table.index_bounds(&IndexOptions::new()).unwrap().version(), snapshot.version());
    let snapshot = append(&table, &range(3, 0..9)).unwrap();
    assert_eq!(snapshot.sorted_in_index().unwrap(), [true, true, true, false]);
    // An order by fewer fields is part of it, one by others is not.
    let snapshot = table.set_sort_order(&KEYS[..1]).unwrap();
    assert_eq!(snapshot.sorted_in_index().unwrap(), [true, true, true, false]);
    let snapshot = table.set_sort_order(&["met"]).unwrap();
    assert_eq!(snapshot.sorted_in_index().unwrap(), [true, false, false, false]);
    // The files are asked again, once.
    let snapshot = table.index_bounds(&IndexOptions::new()).unwrap();
    assert_eq!(snapshot.sorted_in_index().unwrap(), [true; 4]);
    // Rows that are updated need not be in order: nothing is said of them.
    table.set_sort_order(&KEYS).unwrap();
    table.index_bounds(&IndexOptions::new()).unwrap();
    let snapshot = table
        .update(|event: &mut Event| {
            let is_it = event.run == 3 && event.number > 4;
            event.number *= if is_it { -1 } else { 1 };
            is_it
        })
        .unwrap();
    assert_eq!(snapshot.sorted_in_index().unwrap(), [true, true, true, true, false]);
    let snapshot = table.index_bounds(&IndexOptions::new()).unwrap();
    assert_eq!(snapshot.sorted_in_index().unwrap(), [true, true, true, true, false]);
    lose_files(&table);
    assert!((0..4).all(|position| snapshot.is_fragment_sorted(position).unwrap()));
    assert!(snapshot.is_fragment_sorted(4).is_err());
}

#[test]
fn an_order_that_the_index_made_up_is_found_by_the_check() {
    let (_directory, table) = create();
    append(&table, &range(1, 0..9)).unwrap();
    table.set_sort_order(&["met"]).unwrap();
    let snapshot = table.index_bounds(&IndexOptions::new()).unwrap();
    assert_eq!(snapshot.sorted_in_index().unwrap(), [true, true]);
    assert_sound(&table);
    // The statistics with the order are in the data set; those in the file have none.
    std::fs::remove_dir_all(format!("{}/_stats", table.location().root())).unwrap();
    let report = table.check(false).unwrap();
    let text = format!("{:?}", report.findings);
    assert!(text.contains("fragment 1: the index of bounds says that its rows are sorted"), "{text}");
}

/// What is done to a data set.
#[derive(Clone, Debug)]
enum Step {
    Append(Vec<Key>),
    Delete(i64),
    Update { rest: i64, add: i64 },
    Compact(u64),
    Declare(usize),
    Index,
    Restore(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let rows = prop::collection::vec((0u32..3, -4i64..8), 0..12);
    let sorted = rows.clone().prop_map(|mut rows| {
        rows.sort_unstable();
        rows
    });
    prop_oneof![
        4 => sorted.prop_map(Step::Append),
        1 => rows.prop_map(Step::Append),
        2 => (0..4i64).prop_map(Step::Delete),
        2 => (0..4i64, prop_oneof![Just(0i64), -9i64..9]).prop_map(|(rest, add)| Step::Update { rest, add }),
        2 => prop_oneof![Just(1u64 << 30), Just(9000u64)].prop_map(Step::Compact),
        1 => (0..3usize).prop_map(Step::Declare),
        2 => Just(Step::Index),
        1 => any::<u64>().prop_map(Step::Restore),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn what_is_said_to_be_sorted_is(steps in prop::collection::vec(step(), 1..12)) {
        let (_directory, table) = create();
        table.set_sort_order(&KEYS).unwrap();
        for step in steps {
            let before = table.snapshot().unwrap();
            let mut rows = keys(&before).concat();
            match step {
                Step::Append(more) => {
                    let fits = match before.sort_order().len() {
                        2 => more.is_sorted(),
                        1 => more.is_sorted_by_key(|key| key.0),
                        _ => true,
                    };
                    let appended = append(&table, &more);
                    prop_assert_eq!(appended.is_ok(), fits, "{:?}", appended.err());
                    if fits {
                        rows.extend(more);
                    }
                }
                Step::Delete(rest) => {
                    table.delete::<Event>(|event| event.number.rem_euclid(4) == rest).unwrap();
                    rows.retain(|key| key.1.rem_euclid(4) != rest);
                }
                Step::Update { rest, add } => {
                    let change = |event: &mut Event| {
                        let is_it = event.number.rem_euclid(4) == rest;
                        event.number += if is_it { add } else { 0 };
                        is_it
                    };
                    table.update(change).unwrap();
                    rows.iter_mut().filter(|key| key.1.rem_euclid(4) == rest).for_each(|key| key.1 += add);
                }
                Step::Compact(target) => {
                    let was = sorted(&before).iter().any(|is_sorted| !is_sorted);
                    let after = table.compact(&CompactOptions::new().target_size(target).deleted(0.0)).unwrap();
                    // What was sorted stays so.
                    prop_assert!(was || sorted(&after).iter().all(|is_sorted| *is_sorted) || after.sort_order().is_empty());
                }
                Step::Declare(fields) => {
                    let _ = table.set_sort_order(&KEYS[..fields]);
                }
                Step::Index => {
                    let after = table.index_bounds(&IndexOptions::new()).unwrap();
                    // Whatever is said of a fragment the index says from then on.
                    let indexed = after.sorted_in_index().unwrap();
                    prop_assert!(sorted(&after) == indexed || after.indices().is_empty(), "{:?}", indexed);
                }
                Step::Restore(version) => {
                    let after = table.restore(version % before.version() + 1).unwrap();
                    rows = keys(&after).concat();
                }
            }
            let after = table.snapshot().unwrap();
            sorted(&after);
            let mut found = keys(&after).concat();
            found.sort_unstable();
            rows.sort_unstable();
            prop_assert_eq!(found, rows);
        }
        let report = table.check(true).unwrap();
        prop_assert!(report.is_sound(), "{:?}", report.findings);
    }
}
