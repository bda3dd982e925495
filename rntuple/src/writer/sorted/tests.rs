//! What is said of an order is so, whoever writes, appends, merges or computes it.

use proptest::prelude::*;

#[cfg(feature = "rayon")]
use crate::Pool;
use crate::dataset::Dataset;
use crate::encoding::ColumnEncoding;
use crate::error::{ErrorKind, Result};
use crate::extend::ColumnAdder;
use crate::merge::{Input, MergeOptions, merge_into};
use crate::reader::Reader;
use crate::root::RootFile;
use crate::schema::{Field, FieldType, SchemaBuilder};
use crate::statistics::{SortKey, SortOrder, Statistics};
use crate::storage::Memory;
use crate::writer::Order;
use crate::{Compression, ParallelWriter, Value, WriteOptions, Writer};

type Entry = (i32, u64, f64);

fn schema() -> SchemaBuilder {
    let header = FieldType::record([Field::new("time", FieldType::F64)]);
    SchemaBuilder::new()
        .field(Field::new("run", FieldType::I32))
        .field(Field::new("event", FieldType::U64))
        .field(Field::new("header", header))
        .field(Field::new("name", FieldType::STRING))
        .field(Field::new("hits", FieldType::vector(FieldType::U8)))
        .field(Field::new("pair", FieldType::array(FieldType::I32, 2)))
}

fn value((run, event, time): Entry) -> Value {
    Value::record([
        ("run", Value::I32(run)),
        ("event", Value::U64(event)),
        ("header", Value::record([("time", Value::F64(time))])),
        ("name", Value::String(format!("{run}"))),
        ("hits", Value::List((0..u8::try_from(event % 5).unwrap()).map(Value::U8).collect())),
        ("pair", Value::List(vec![Value::I32(1), Value::I32(2)])),
    ])
}

const KEYS: [&str; 2] = ["run", "event"];

fn sorted() -> WriteOptions {
    WriteOptions::new().schema(schema()).sorted_by(KEYS)
}

fn fill(mut writer: Writer<Value, Memory>, entries: &[Entry], per_cluster: usize) -> Result<Memory> {
    for cluster in entries.chunks(per_cluster) {
        for entry in cluster {
            writer.fill(&value(*entry))?;
        }
        writer.commit_cluster()?;
    }
    Ok(writer.finish_into()?.1)
}

fn write(options: WriteOptions, entries: &[Entry], per_cluster: usize) -> Result<Memory> {
    fill(Writer::<Value, _>::new(Memory::new(), "Events", options)?, entries, per_cluster)
}

fn append(storage: Memory, options: WriteOptions, entries: &[Entry]) -> Result<Memory> {
    fill(Writer::<Value, _>::append_to(storage, "Events", options)?, entries, 3)
}

fn dataset(storage: &Memory) -> Dataset {
    Dataset::open(&RootFile::from_storage(storage.clone()).unwrap(), "Events").unwrap()
}

fn order(storage: &Memory) -> Option<SortOrder> {
    Statistics::of(&dataset(storage)).unwrap().and_then(|statistics| statistics.sort_order().cloned())
}

fn keys(run: i64, event: u64) -> Option<Vec<SortKey>> {
    Some(vec![SortKey::Signed(run), SortKey::Unsigned(event)])
}

fn entry(run: i32, event: u64) -> Entry {
    (run, event, 0.0)
}

#[test]
fn an_order_is_kept_with_its_range() {
    let entries = [entry(-2, 9), entry(-2, 9), entry(1, 3), entry(1, 4), entry(7, 0)];
    let file = write(sorted(), &entries, 2).unwrap();
    let found = order(&file).unwrap();
    assert_eq!(found.fields(), KEYS);
    assert_eq!((found.first(), found.last()), (keys(-2, 9), keys(7, 0)));
    assert!(
        order(&write(WriteOptions::new().schema(schema()).statistics(true), &entries, 2).unwrap()).is_none()
    );
    let none = order(&write(sorted(), &[], 1).unwrap()).unwrap();
    assert_eq!((none.first(), none.last()), (None, None));
}

#[test]
fn an_entry_that_is_misplaced_ends_the_writing_before_its_cluster() {
    let entries = [entry(1, 1), entry(1, 2), entry(2, 5), entry(2, 4), entry(3, 1)];
    let mut writer = Writer::<Value, _>::new(Memory::new(), "Events", sorted()).unwrap();
    entries.iter().take(2).for_each(|entry| writer.fill(&value(*entry)).unwrap());
    writer.commit_cluster().unwrap();
    entries.iter().skip(2).for_each(|entry| writer.fill(&value(*entry)).unwrap());
    let error = writer.commit_cluster().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!((error.location().entry, error.location().field.as_deref()), (Some(3), Some("event")));
    let message = "4 comes after 5, expected entries sorted by run, event";
    assert!(error.to_string().ends_with(message), "{error}");
    assert!(writer.fill(&value(entry(9, 9))).and_then(|()| writer.commit_cluster()).is_err());
    let text = writer.finish_into().unwrap_err().to_string();
    assert!(text.contains("3 entries of an unfinished cluster were lost"), "{text}");
    assert!(text.contains("2 entries can be read"), "{text}");
    // Between two clusters as within one.
    let error = write(sorted(), &entries, 3).unwrap_err();
    assert_eq!(error.location().entry, Some(3));
}

#[test]
fn zeros_are_equal_and_nan_has_no_place() {
    let options = || WriteOptions::new().schema(schema()).sorted_by(["header.time", "event"]);
    let zeros = [(0, 1, 0.0), (0, 2, -0.0), (0, 3, 0.0)];
    let found = order(&write(options(), &zeros, 2).unwrap()).unwrap();
    let SortKey::Real(first) = found.first().unwrap()[0] else { panic!("{found:?}") };
    assert_eq!(first.to_bits(), 0.0f64.to_bits());
    let error = write(options(), &[(0, 1, 0.0), (0, 2, f64::NAN)], 2).unwrap_err();
    assert_eq!((error.location().entry, error.location().field.as_deref()), (Some(1), Some("header.time")));
    assert!(error.message().starts_with("NaN has no place"), "{error}");
}

#[test]
fn columns_that_are_added_have_no_order_of_their_own() {
    let file = write(sorted(), &[(1, 1, 0.0), (1, 2, 0.0)], 2).unwrap();
    let more = SchemaBuilder::new().field(Field::new("weight", FieldType::F64));
    let options = WriteOptions::new().schema(more).sorted_by(["weight"]);
    let error = ColumnAdder::<Value, _>::append_to(file.clone(), "Events", options).unwrap_err();
    assert!(error.message().contains("do not change their order"), "{error}");
    // The file is as it was.
    assert_eq!(order(&file).unwrap().last(), keys(1, 2));
}

#[test]
fn fields_that_have_no_order_are_refused_before_anything_is_written() {
    for (fields, reason) in [
        (vec!["nothing"], "there is no such field"),
        (vec!["header"], "not a number that each entry has once"),
        (vec!["hits._0"], "not a number that each entry has once"),
        (vec!["pair._0"], "not a number that each entry has once"),
        (vec!["hits"], "not a number that each entry has once"),
        (vec!["name"], "without rounding"),
        (vec!["run", "run"], "twice"),
    ] {
        let options = WriteOptions::new().schema(schema()).sorted_by(fields.clone());
        let error = Writer::<Value, _>::new(Memory::new(), "Events", options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert_eq!(error.location().field.as_deref(), fields.last().copied());
        assert!(error.to_string().contains(reason), "{error}");
    }
    let coarse = ColumnEncoding::quantized(8, 0.0, 1.0).unwrap();
    let options =
        WriteOptions::new().schema(schema()).sorted_by(["header.time"]).encoding("header.time", coarse);
    let error = Writer::<Value, _>::new(Memory::new(), "Events", options).unwrap_err();
    assert!(error.to_string().contains("without rounding"), "{error}");
    let error = Writer::<Value, _>::new(Memory::new(), "Events", sorted().statistics(false)).unwrap_err();
    assert!(error.to_string().contains("turned off"), "{error}");
}

#[test]
fn an_append_continues_the_order_or_drops_it() {
    let file = write(sorted(), &[entry(1, 1), entry(2, 2)], 1).unwrap();
    let more = append(file.clone(), sorted(), &[entry(2, 2), entry(3, 1)]).unwrap();
    let found = order(&more).unwrap();
    assert_eq!((found.first(), found.last()), (keys(1, 1), keys(3, 1)));
    let error = append(file.clone(), sorted(), &[entry(2, 1)]).unwrap_err();
    assert_eq!(error.location().entry, Some(2));
    // By the first field alone.
    let less = append(more.clone(), sorted().sorted_by(["run"]), &[entry(3, 0)]).unwrap();
    assert_eq!(order(&less).unwrap().fields(), ["run"]);
    for options in [WriteOptions::new(), WriteOptions::new().statistics(true)] {
        let more = append(file.clone(), options.schema(schema()), &[entry(5, 5)]).unwrap();
        assert!(order(&more).is_none());
        // What was there is read where the file does not say it.
        let again = append(more, sorted(), &[entry(6, 6)]).unwrap();
        assert_eq!(order(&again).unwrap().last(), keys(6, 6));
    }
    let unsorted = append(file, WriteOptions::new().schema(schema()), &[entry(0, 0)]).unwrap();
    let error = append(unsorted, sorted(), &[entry(5, 5)]).unwrap_err();
    assert_eq!(error.location().entry, Some(2));
    // Nothing was appended, and nothing has changed.
    let none = append(write(sorted(), &[entry(1, 1)], 1).unwrap(), WriteOptions::new(), &[]).unwrap();
    assert_eq!(order(&none).unwrap().last(), keys(1, 1));
}

#[test]
fn a_writer_that_resumes_continues_the_order() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let mut writer = Writer::<Value>::resume(&path, "Events", sorted()).unwrap();
    writer.fill(&value(entry(1, 5))).unwrap();
    writer.checkpoint().unwrap();
    drop(writer);
    let mut writer = Writer::<Value>::resume(&path, "Events", sorted()).unwrap();
    assert_eq!(writer.entry_count(), 1);
    writer.fill(&value(entry(1, 6))).unwrap();
    writer.finish().unwrap();
    let dataset = Dataset::open(&RootFile::open(&path).unwrap(), "Events").unwrap();
    let statistics = Statistics::of(&dataset).unwrap().unwrap();
    assert_eq!(statistics.sort_order().unwrap().first(), keys(1, 5));
}

#[test]
fn a_merge_says_nothing_of_the_order() {
    let file = write(sorted(), &[entry(1, 1)], 1).unwrap();
    let input = Input::open(&RootFile::from_storage(file).unwrap());
    let merged = merge_into(&[input.clone(), input], Memory::new(), MergeOptions::new()).unwrap().1;
    assert!(order(&merged).is_none());
}

#[test]
fn statistics_of_any_file_may_have_an_order() {
    let entries = [entry(1, 5), entry(1, 7), entry(2, 0)];
    let file = write(WriteOptions::new().schema(schema()), &entries, 2).unwrap();
    let mut statistics = Statistics::compute(&dataset(&file)).unwrap();
    let error = statistics.verify_order(&dataset(&file), ["event"]).unwrap_err();
    assert_eq!(error.location().entry, Some(2));
    assert_eq!(statistics.sort_order(), None);
    statistics.verify_order(&dataset(&file), KEYS).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let side = directory.path().join("side.root");
    let file = statistics.add_to_storage(file, WriteOptions::new()).unwrap();
    assert_eq!(order(&file).unwrap().last(), keys(2, 0));
    // And in a file of its own, with what else is known.
    let kept = Statistics::of(&dataset(&file)).unwrap().unwrap();
    kept.save(&side, WriteOptions::new()).unwrap();
    let kept = Statistics::open(&RootFile::open(&side).unwrap(), &dataset(&file)).unwrap();
    assert_eq!(kept.sort_order().unwrap().first(), keys(1, 5));
    let run = dataset(&file).schema().find("run").unwrap();
    assert_eq!(kept.field(run, 0).unwrap().file().unwrap().elements, 3);
}

#[test]
fn threads_fill_in_order_or_not_at_all() {
    let new = || ParallelWriter::<Value, _>::new(Memory::new(), "Events", sorted()).unwrap();
    let writer = new();
    let error = writer.context().fill(&value(entry(1, 1))).unwrap_err();
    assert!(error.to_string().contains("ParallelWriter::ordered"), "{error}");
    drop(writer);

    let transaction = |writer: &ParallelWriter<Value, Memory>, key: u64, entries: &[Entry]| {
        let mut context = writer.context();
        let mut transaction = context.begin_ordered(key)?;
        entries.iter().try_for_each(|entry| transaction.fill(&value(*entry)))?;
        transaction.commit()
    };
    let writer = new().ordered(Order::Transactions { first: 0 });
    // The second one waits for the first.
    transaction(&writer, 1, &[entry(2, 1), entry(2, 2)]).unwrap();
    transaction(&writer, 0, &[entry(1, 1), entry(1, 2)]).unwrap();
    let file = writer.finish_into().unwrap().1;
    let found = order(&file).unwrap();
    assert_eq!((found.first(), found.last()), (keys(1, 1), keys(2, 2)));

    let writer = new().ordered(Order::Transactions { first: 0 });
    transaction(&writer, 0, &[entry(2, 1), entry(2, 2)]).unwrap();
    let error = transaction(&writer, 1, &[entry(1, 1), entry(3, 1)]).unwrap_err();
    assert!(error.to_string().contains("1 comes after 2"), "{error}");
    let text = writer.finish().unwrap_err().to_string();
    assert!(text.contains("2 entries of an unfinished cluster were lost"), "{text}");
    assert!(text.contains("2 entries can be read"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Pages of any length, sealed by any thread, appended or not.
    #[test]
    fn what_is_written_is_sorted_or_refused(
        entries in prop::collection::vec((0i32..3, 0u64..6, 0u8..2), 0..60),
        sort in 0u8..4,
        (per_cluster, page_length, split) in (1usize..30, 8usize..64, 0usize..60),
        (has_pool, is_packed) in any::<(bool, bool)>(),
    ) {
        let mut entries: Vec<Entry> =
            entries.into_iter().map(|(run, event, time)| (run - 1, event, time.into())).collect();
        if sort > 0 {
            entries.sort_by_key(|entry| (entry.0, entry.1));
        }
        let mut options = sorted().max_page_length(page_length).initial_page_length(8);
        options = options.compression(if is_packed { Compression::zstd(1) } else { Compression::NONE });
        // Without the pool's feature, both cases write on this thread.
        #[cfg(feature = "rayon")]
        if has_pool {
            options = options.pool(&Pool::new(1).unwrap());
        }
        #[cfg(not(feature = "rayon"))]
        let _ = has_pool;
        let split = split.min(entries.len());
        let first = write(options.clone(), &entries[..split], per_cluster);
        let written = first.and_then(|file| {
            fill(Writer::append_to(file, "Events", options)?, &entries[split..], per_cluster)
        });
        let naive = entries.is_sorted_by_key(|entry| (entry.0, entry.1));
        prop_assert_eq!(written.is_ok(), naive, "{:?}", written.as_ref().err());
        let Ok(file) = written else { return Ok(()) };
        let found = order(&file).unwrap();
        let key = |entry: Option<&Entry>| entry.and_then(|entry| keys(entry.0.into(), entry.1));
        prop_assert_eq!(found.first(), key(entries.first()));
        prop_assert_eq!(found.last(), key(entries.last()));
        let reader = Reader::<Value>::open(file, "Events").unwrap();
        prop_assert_eq!(reader.entry_count().unwrap(), entries.len() as u64);
    }
}
