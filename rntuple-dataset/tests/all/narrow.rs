//! Adopted files whose types are narrower than those of the data set.

use std::ops::Range;
use std::path::Path;

use rntuple::columns::AnyColumns;
use rntuple::{RNTuple, Value, WriteOptions, Writer};
use rntuple_dataset::{Adopt, CompactOptions, ErrorKind, IndexOptions, Snapshot, Source, Table};
use tempfile::TempDir;

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Hit {
    channel: u32,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Event {
    number: i64,
    met: f64,
    hits: Vec<Hit>,
    times: Vec<Option<f64>>,
    corner: [u32; 2],
}

#[derive(RNTuple)]
struct NarrowHit {
    channel: u8,
}

#[derive(RNTuple)]
struct Narrow {
    hits: Vec<NarrowHit>,
    number: i16,
    corner: [u8; 2],
    met: f32,
    times: Vec<Option<f32>>,
}

#[derive(RNTuple)]
struct Integers {
    hits: Vec<Hit>,
    number: i64,
    met: i16,
    times: Vec<Option<f64>>,
    corner: [u32; 2],
}

#[derive(RNTuple)]
struct Longer {
    hits: Vec<Hit>,
    number: i64,
    met: f64,
    times: Vec<Option<f64>>,
    corner: [u32; 3],
}

fn event(number: i64) -> Event {
    let hits = vec![Hit { channel: number as u32 % 200 }; 2];
    let times = (0..number % 3).map(|i| (i != 1).then_some(i as f64 / 2.0)).collect();
    Event { number, met: number as f64 / 4.0, hits, times, corner: [number as u32 % 200, 7] }
}

fn narrow(directory: &TempDir, name: &str, numbers: Range<i16>) -> Source {
    let path = directory.path().join(name);
    let options = WriteOptions::new().statistics(true);
    let mut writer = Writer::<Narrow>::create(&path, "Events", options).unwrap();
    for number in numbers {
        let Event { hits, times, corner, .. } = event(number.into());
        let narrow = Narrow {
            number,
            met: f32::from(number) / 4.0,
            hits: hits.into_iter().map(|hit| NarrowHit { channel: hit.channel as u8 }).collect(),
            times: times.into_iter().map(|time| time.map(|time| time as f32)).collect(),
            corner: corner.map(|value| value as u8),
        };
        writer.fill(&narrow).unwrap();
    }
    writer.finish().unwrap();
    Source::new(path.to_str().unwrap(), Adopt::InPlace)
}

fn append(table: &Table, numbers: Range<i64>) -> Snapshot {
    table.append::<Event>(|writer| numbers.into_iter().try_for_each(|it| writer.fill(&event(it)))).unwrap()
}

/// Files of the types of the data set, and narrower ones before and after them.
fn create() -> (TempDir, Table) {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("events.rnds");
    let table = Table::create::<Event>(place.to_str().unwrap(), "Events").unwrap();
    append(&table, 0..10);
    table.append_files(&[narrow(&directory, "a.root", 10..20)]).unwrap();
    append(&table, 20..30);
    table.append_files(&[narrow(&directory, "b.root", 30..40)]).unwrap();
    (directory, table)
}

/// The rows by all readers, which must agree.
fn read(snapshot: &Snapshot) -> Vec<Event> {
    let typed: Vec<Event> =
        snapshot.reader::<Event>().unwrap().entries().map(|event| event.unwrap()).collect();
    let dynamic = snapshot.reader::<Value>().unwrap();
    let values: Vec<Value> = dynamic.entries().map(|value| value.unwrap()).collect();
    let mut columns = (Vec::new(), Vec::new());
    for batch in dynamic.batches(7) {
        let AnyColumns::Record(batch) = batch.unwrap() else { panic!("not a record") };
        match (batch.get("number"), batch.get("met")) {
            (Some(AnyColumns::I64(numbers)), Some(AnyColumns::F64(mets))) => {
                columns.0.extend_from_slice(numbers);
                columns.1.extend_from_slice(mets);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((values.len(), columns.0.len()), (typed.len(), typed.len()));
    for (place, event) in typed.iter().enumerate() {
        let value = &values[place];
        assert_eq!(value.get("number"), Some(&Value::I64(event.number)));
        assert_eq!(value.get("met"), Some(&Value::F64(event.met)));
        let hits = value.get("hits").unwrap().items().unwrap();
        let channels: Vec<Option<&Value>> = hits.iter().map(|hit| hit.get("channel")).collect();
        let wanted: Vec<Value> = event.hits.iter().map(|hit| Value::U32(hit.channel)).collect();
        assert_eq!(channels, wanted.iter().map(Some).collect::<Vec<_>>());
        let times = event.times.iter().map(|time| Value::Option(time.map(|time| Box::new(Value::F64(time)))));
        assert_eq!(value.get("times"), Some(&Value::List(times.collect())));
        assert_eq!(value.get("corner").unwrap().items().unwrap(), event.corner.map(Value::U32));
        assert_eq!((columns.0[place], columns.1[place]), (event.number, event.met));
    }
    typed
}

fn events(numbers: impl IntoIterator<Item = i64>) -> Vec<Event> {
    numbers.into_iter().map(event).collect()
}

#[test]
fn they_are_read_with_the_types_of_the_data_set() {
    let (_directory, table) = create();
    let all = table.snapshot().unwrap();
    assert_eq!(read(&all), events(0..40));
    let taken = all.take::<Value>(&[35, 5]).unwrap();
    let numbers: Vec<_> = taken.iter().map(|row| row.get("number").unwrap()).collect();
    assert_eq!(numbers, [&Value::I64(35), &Value::I64(5)]);
    for snapshot in [all, table.index_bounds(&IndexOptions::new()).unwrap()] {
        for predicate in ["met >= 8.5", "number > 33", "any(hits, channel >= 34)"] {
            let found = snapshot.filter::<Value>(&predicate.parse().unwrap()).unwrap().matching().unwrap();
            assert_eq!(found, (34..40).into(), "{predicate}");
        }
    }
    let fragment = table.snapshot().unwrap().fragment(2).unwrap();
    let schema = fragment.schema();
    let types = ["hits", "number", "met", "times"].map(|name| {
        let field = schema.field(schema.top_level_named(name).unwrap()).unwrap();
        (field.type_name.clone(), field.type_alias.clone())
    });
    let text = |name: &str| name.to_owned();
    let [wide, narrow] = ["double", "float"].map(|number| format!("std::vector<std::optional<{number}>>"));
    assert_eq!(
        types[1..],
        [(text("std::int64_t"), text("std::int16_t")), (text("double"), text("float")), (wide, narrow)]
    );
    assert!(table.check(true).unwrap().is_sound());
}

#[test]
fn they_stay_so_where_they_come_first() {
    let (directory, table) = create();
    table.delete_where(&"number < 10 or number == 15".parse().unwrap()).unwrap();
    let wanted: Vec<Event> = events((10..40).filter(|number| *number != 15));
    let compacted = table.compact(&CompactOptions::new().deleted(0.0)).unwrap();
    let mut found = read(&compacted);
    found.sort_by_key(|event| event.number);
    assert_eq!(found, wanted);
    // Columns that are added, and rows that come later.
    #[derive(RNTuple)]
    struct Twice {
        twice: f64,
    }
    let twice = |event: &Event| Twice { twice: 2.0 * event.met };
    let added = table.add_columns(|rows: Vec<Event>| rows.iter().map(twice).collect()).unwrap();
    for value in &added.reader::<Value>().unwrap() {
        let value = value.unwrap();
        let (Some(Value::F64(met)), Some(Value::F64(twice))) = (value.get("met"), value.get("twice")) else {
            panic!("{value:?}")
        };
        assert_eq!(2.0 * met, *twice);
    }
    // A file with everything has the types of the data set.
    let path = directory.path().join("all.root");
    added.export(path.to_str().unwrap()).unwrap();
    let exported = rntuple::Reader::<Value>::open(&path, "Events").unwrap();
    assert_eq!(exported.entry_count().unwrap(), 29);
    assert!(exported.entries().all(|value| matches!(value.unwrap().get("met"), Some(Value::F64(_)))));
    let faults = rntuple::check::check_file(
        &rntuple::RootFile::open(&path).unwrap(),
        rntuple::check::CheckOptions::new(),
    );
    assert!(faults.faults.is_empty(), "{:?}", faults.faults);
}

#[test]
fn other_types_are_refused_by_name() {
    let (directory, table) = create();
    let write = |path: &Path| {
        let mut writer = Writer::<Integers>::create(path, "Events", WriteOptions::new()).unwrap();
        for number in 30..40 {
            let times = Vec::new();
            writer.fill(&Integers { number, met: 1, hits: Vec::new(), times, corner: [0; 2] }).unwrap();
        }
        writer.finish().unwrap();
    };
    // No reader takes integers as floats unasked.
    let path = directory.path().join("integers.root");
    write(&path);
    let error = table.append_files(&[Source::new(path.to_str().unwrap(), Adopt::InPlace)]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert!(error.to_string().contains("met has the type \"std::int16_t\", expected \"double\""), "{error}");
    let path = directory.path().join("longer.root");
    Writer::<Longer>::create(&path, "Events", WriteOptions::new()).unwrap().finish().unwrap();
    let error = table.append_files(&[Source::new(path.to_str().unwrap(), Adopt::InPlace)]).unwrap_err();
    assert!(error.to_string().contains("corner has the type \"std::array<std::uint32_t,3>\""), "{error}");
    // An adopted file that another program has written again.
    write(&directory.path().join("b.root"));
    let snapshot = table.snapshot().unwrap();
    let error = snapshot.reader::<Value>().unwrap().get(35).unwrap_err();
    assert_eq!(error.kind(), rntuple::ErrorKind::SchemaMismatch);
    let text = error.to_string();
    assert!(text.contains("b.root") && text.contains("met"), "{text}");
}
