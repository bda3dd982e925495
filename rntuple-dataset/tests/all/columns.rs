//! Columns whose types are known only at run time.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use rntuple::cxx::Cardinality;
use rntuple::schema::{Field, FieldType, SchemaBuilder};
use rntuple::{RNTuple, ReadOptions, Value, WriteOptions};
use rntuple_dataset::{ErrorKind, Snapshot, Table};

use crate::sample::{append, create};

#[derive(RNTuple)]
struct Numbers {
    run: u32,
    number: u64,
}

/// A column with this name, a number for each row.
fn options(name: &str) -> WriteOptions {
    WriteOptions::new().schema(SchemaBuilder::new().field(Field::new(name, FieldType::F64))).statistics(true)
}

/// Adds `name`, which is 1000 * run + number; for the entry `wrong`, this many values.
fn add(
    table: &Table,
    snapshot: &Snapshot,
    name: &str,
    wrong: Option<(u64, usize)>,
) -> rntuple_dataset::Result<Snapshot> {
    let rows = snapshot.reader_with_deleted::<Numbers>(ReadOptions::new())?;
    table.add_columns_from::<Value>(snapshot, options(name), |entries, writer| {
        for entry in entries {
            let row = rows.get(entry)?;
            let value = Value::record([(name, 1000.0 * f64::from(row.run) + row.number as f64)]);
            let count = wrong.filter(|(of, _)| *of == entry).map_or(1, |(_, count)| count);
            (0..count).try_for_each(|_| writer.fill(&value))?;
        }
        Ok(())
    })
}

fn data_files(table: &Table) -> usize {
    std::fs::read_dir(format!("{}/data", table.location().root())).unwrap().count()
}

#[test]
fn values_are_written_for_all_rows() {
    let (_directory, table) = create();
    append(&table, 1, 0..20);
    append(&table, 2, 0..9);
    let snapshot = table.delete::<Numbers>(|row| row.number == 3).unwrap();
    let all = snapshot.reader_with_deleted::<Numbers>(ReadOptions::new()).unwrap();
    assert_eq!(all.entries().count(), 29);
    let added = add(&table, &snapshot, "key", None).unwrap();
    #[derive(RNTuple)]
    struct Both {
        run: u32,
        number: u64,
        key: f64,
    }
    let mut count = 0;
    for row in &added.reader::<Both>().unwrap() {
        let row = row.unwrap();
        assert_eq!(row.key, 1000.0 * f64::from(row.run) + row.number as f64);
        count += 1;
    }
    assert_eq!(count, 27);
    assert_eq!(added.filter::<Both>(&"key > 2006".parse().unwrap()).unwrap().entries().count(), 2);
    // In the place of what exists, with another type.
    let replaced = add(&table, &added, "number", None).unwrap();
    let first = replaced.reader::<Value>().unwrap().get(0).unwrap();
    assert_eq!(first.get("number"), Some(&Value::F64(1000.0)));
    assert!(table.check(true).unwrap().is_sound());
}

#[test]
fn nothing_is_left_of_columns_that_fail() {
    let (_directory, table) = create();
    append(&table, 1, 0..20);
    let snapshot = append(&table, 2, 0..9);
    let files = data_files(&table);
    for (wrong, count) in [(25, 2), (19, 0), (0, 3)] {
        let error = add(&table, &snapshot, "key", Some((wrong, count))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains("values for"), "{error}");
        assert_eq!((data_files(&table), table.snapshot().unwrap().version()), (files, snapshot.version()));
    }
    // Rows came after the version that was read.
    append(&table, 3, 0..4);
    let error = add(&table, &snapshot, "key", None).unwrap_err();
    assert!(error.conflict().is_some_and(rntuple_dataset::transactions::Conflict::is_retryable), "{error}");
}

#[test]
fn members_of_records_in_collections_have_short_paths() {
    let (_directory, table) = create();
    append(&table, 1, 0..20);
    table.rename_column("muons.pt", "momentum").unwrap();
    let snapshot = table.drop_columns(&["muons.charge"]).unwrap();
    let names: Vec<&str> = snapshot.fields().iter().map(|field| &*field.name).collect();
    assert_eq!(names, ["run", "number", "met", "_0", "muons", "_0", "momentum"]);
    for path in ["muons.charge", "muons.momentum.x", "run.x", "met.x", "x", ""] {
        let error = table.drop_columns(&[path]).unwrap_err();
        assert!(error.to_string().contains(&format!("no field {path:?}")), "{error}");
    }
}

/// Fields without values of their own.
#[derive(RNTuple)]
#[rntuple(project(n_hits: Cardinality = "hits", weights: Vec<f32> = "hits"))]
struct Projected {
    number: u64,
    hits: Vec<f32>,
}

#[test]
fn a_projected_field_is_not_left_without_its_source() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("projected.rnds");
    let table = Table::create::<Projected>(place.to_str().unwrap(), "Events").unwrap();
    let row = |number: u64| Projected { number, hits: vec![1.0; number as usize] };
    let before = table.append::<Projected>(|writer| writer.fill(&row(2))).unwrap();
    let files = data_files(&table);

    #[derive(RNTuple)]
    struct Number {
        number: u64,
    }
    #[derive(RNTuple)]
    struct Hits {
        hits: u64,
    }
    let replace =
        || table.add_columns(|rows: Vec<Number>| rows.iter().map(|row| Hits { hits: row.number }).collect());
    for error in [
        table.drop_columns(&["hits"]).unwrap_err(),
        table.drop_columns(&["number", "hits"]).unwrap_err(),
        replace().unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        let text = error.to_string();
        assert!(text.contains("the field n_hits shows the values of hits: drop n_hits first"), "{text}");
    }
    assert_eq!((data_files(&table), table.snapshot().unwrap().version()), (files, before.version()));
    assert_eq!(before.reader::<Value>().unwrap().entries().count(), 1);

    // Without the projected fields, or with them.
    table.drop_columns(&["n_hits", "weights"]).unwrap();
    let replaced = replace().unwrap();
    assert_eq!(replaced.reader::<Value>().unwrap().get(0).unwrap().get("hits"), Some(&2u64.into()));
    table.restore(before.version()).unwrap();
    let dropped = table.drop_columns(&["weights", "hits", "n_hits"]).unwrap();
    assert_eq!(dropped.reader::<Value>().unwrap().get(0).unwrap(), Value::record([("number", 2u64)]));
}

#[test]
fn files_with_a_projected_field_without_its_source_are_refused() {
    #[derive(RNTuple)]
    struct Weights {
        number: u64,
        weights: Vec<f32>,
    }
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("weights.rnds");
    let table = Table::create::<Weights>(place.to_str().unwrap(), "Events").unwrap();
    let row = Projected { number: 1, hits: vec![1.0] };
    let error = table.append::<Projected>(|writer| writer.fill(&row)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch, "{error}");
    let text = "the field weights shows the values of hits, which the data set does not have";
    assert!(error.to_string().contains(text), "{error}");
    // The fields of one file may be projected, and those of another one have values.
    let row = Weights { number: 1, weights: vec![1.0] };
    assert_eq!(table.append::<Weights>(|writer| writer.fill(&row)).unwrap().len(), 1);
}

#[derive(RNTuple)]
struct Key {
    key: u64,
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Adds keys to all rows; returns how many clusters of which the run `counts` were computed at once.
fn add_keys(table: &Table, counts: impl Fn(u32) -> bool + Sync) -> usize {
    #[derive(RNTuple)]
    struct Both {
        run: u32,
        number: u64,
        key: u64,
    }
    let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let added = table.add_columns(|rows: Vec<Numbers>| {
        if rows.first().is_some_and(|row| counts(row.run)) {
            most.fetch_max(inside.fetch_add(1, SeqCst) + 1, SeqCst);
            // Others come meanwhile, if they can. On a busy machine that may take its time.
            let (start, patience) = (Instant::now(), Duration::from_secs(if cores() > 1 { 20 } else { 1 }));
            while most.load(SeqCst) < 2 && start.elapsed() < patience {
                std::thread::yield_now();
            }
            inside.fetch_sub(1, SeqCst);
        }
        rows.iter().map(|row| Key { key: 1000 * u64::from(row.run) + row.number }).collect()
    });
    let mut count = 0;
    for row in &added.unwrap().reader::<Both>().unwrap() {
        let row = row.unwrap();
        assert_eq!(row.key, 1000 * u64::from(row.run) + row.number);
        count += 1;
    }
    assert_eq!(count, table.snapshot().unwrap().len());
    most.into_inner()
}

/// Where there are many small files, each core has one; and a large one, when it is the last, has all cores.
#[test]
fn values_are_computed_on_all_cores() {
    let (_directory, table) = create();
    for run in 0..8 {
        append(&table, run, 0..5);
    }
    let most = add_keys(&table, |_| true);
    assert!(most >= cores().min(2), "{most} at once");
    table.drop_columns(&["key"]).unwrap();
    append(&table, 9, 0..70);
    let most = add_keys(&table, |run| run == 9);
    assert!(most >= cores().min(2), "{most} at once");
}

#[test]
fn nothing_is_left_of_columns_of_which_some_cannot_be_computed() {
    let (_directory, table) = create();
    for run in 0..8 {
        append(&table, run, 0..5);
    }
    let (before, version) = (data_files(&table), table.snapshot().unwrap().version());
    let error = table.add_columns(|rows: Vec<Numbers>| {
        let wrong = rows.iter().all(|row| row.run == 5);
        rows.iter().skip(wrong.into()).map(|row| Key { key: row.number }).collect()
    });
    assert_eq!(error.unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!((data_files(&table), table.snapshot().unwrap().version()), (before, version));
}
