//! Entries with a value outside the range of a quantised member: they are refused, and nothing else is.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a test that cannot go on has failed"
)]

use std::collections::BTreeMap;
use std::time::UNIX_EPOCH;

use rntuple::check::{CheckOptions, check_file};
use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::extend::ColumnAdder;
use rntuple::parallel::Order;
use rntuple::schema::{Field, FieldType, SchemaBuilder};
use rntuple::storage::Memory;
use rntuple::{
    Error, ErrorKind, ParallelWriter, RNTuple, Reader, Result, RootFile, Value, WriteOptions, Writer,
};

/// All that may be below a member. Whole numbers from 0 to 255 are exact.
#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
#[rntuple(columnar)]
struct Event {
    number: u64,
    #[rntuple(quantize(bits = 8, min = 0, max = 255))]
    plain: f32,
    #[rntuple(quantize(bits = 8, min = 0, max = 255))]
    list: Vec<f32>,
    #[rntuple(quantize(bits = 8, min = 0, max = 255))]
    lists: Vec<Vec<f64>>,
    #[rntuple(quantize(bits = 8, min = 0, max = 255))]
    option: Option<f64>,
    #[rntuple(quantize(bits = 8, min = 0, max = 255))]
    array: [f32; 3],
    #[rntuple(quantize(bits = 8, min = 0, max = 255))]
    tuple: (u16, f32),
    #[rntuple(quantize(bits = 8, min = 0, max = 255))]
    choice: Choice,
    #[rntuple(quantize(bits = 8, min = 0, max = 255))]
    boxed: Box<f32>,
    hits: Vec<Hit>,
    text: String,
}

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
#[rntuple(columnar)]
enum Choice {
    #[default]
    Nothing,
    Cut {
        at: f32,
    },
    Many(Vec<f32>),
}

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
#[rntuple(columnar)]
struct Hit {
    #[rntuple(quantize(bits = 8, min = 0, max = 255))]
    energy: f32,
    time: u32,
    #[rntuple(quantize(bits = 8, min = 0, max = 255, outside = "saturate"))]
    phi: f32,
}

fn good(number: u64) -> Event {
    let value = (number % 200) as f32;
    let hit = |time| Hit { energy: value, time, phi: 3.0 };
    Event {
        number,
        plain: value,
        list: vec![value; number as usize % 40],
        lists: vec![vec![f64::from(value)], vec![], vec![7.0, 255.0]],
        option: number.is_multiple_of(2).then_some(1.0),
        array: [value, 0.0, 255.0],
        tuple: (9, value),
        choice: match number % 3 {
            0 => Choice::Nothing,
            1 => Choice::Cut { at: value },
            _ => Choice::Many(vec![value; 3]),
        },
        boxed: Box::new(value),
        hits: (0..number as u32 % 5).map(hit).collect(),
        text: format!("entry {number}"),
    }
}

/// Entries with one bad value each, in the field of this name.
fn bad(value: f32) -> Vec<(&'static str, Event)> {
    let wide = f64::from(value);
    let mut all = Vec::new();
    let mut one = |path, change: &dyn Fn(&mut Event)| {
        let mut event = good(33);
        change(&mut event);
        all.push((path, event));
    };
    one("plain", &|event| event.plain = value);
    one("list._0", &|event| event.list[0] = value);
    one("list._0", &|event| event.list.extend([&[1.0; 5000][..], &[value]].concat()));
    one("lists._0._0", &|event| event.lists[2][1] = wide);
    one("option._0", &|event| event.option = Some(wide));
    one("array._0", &|event| event.array[2] = value);
    one("tuple._1", &|event| event.tuple.1 = value);
    one("choice._1.at", &|event| event.choice = Choice::Cut { at: value });
    one("choice._2._0", &|event| event.choice = Choice::Many(vec![1.0, value]));
    one("boxed", &|event| *event.boxed = value);
    one("hits._0.energy", &|event| event.hits[1].energy = value);
    if value.is_nan() {
        one("hits._0.phi", &|event| event.hits[2].phi = value);
    }
    all
}

const BAD: [f32; 4] = [-0.001, 255.001, f32::INFINITY, f32::NAN];

/// Asserts that this value of this field was refused.
fn assert_refused(error: &Error, path: &str, value: f32) {
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    assert_eq!(error.location().field.as_deref(), Some(path), "{error}");
    let said = error.message().ends_with(" is outside the range of the column, 0 to 255");
    let start = format!("the value {}", f64::from(value));
    assert!(said && error.message().starts_with(&start), "{error}");
}

/// Asserts that the file has these entries and nothing that would not belong to them.
fn assert_has(file: Memory, entries: &[Event]) {
    let root = RootFile::from_storage(file.clone()).unwrap();
    let report = check_file(&root, CheckOptions::new());
    assert!(report.is_sound(), "{:?}", report.faults);
    let reader = Reader::<Event>::open(file, "Events").unwrap();
    assert_eq!(reader.entries().collect::<Result<Vec<_>>>().unwrap(), entries);
}

/// Pages of some entries, clusters of some pages.
fn small() -> WriteOptions {
    WriteOptions::new().max_page_length(64).cluster_size(5000).write_buffer_length(500)
}

/// Fills entries, and each that is refused after some of them; returns what is to be in the file.
fn fill_between(mut fill: impl FnMut(&Event) -> Result<()>) -> Vec<Event> {
    let mut filled = Vec::new();
    for value in BAD {
        for (path, event) in bad(value) {
            for _ in 0..7 {
                filled.push(good(filled.len() as u64));
                fill(filled.last().unwrap()).unwrap();
            }
            assert_refused(&fill(&event).unwrap_err(), path, value);
        }
    }
    filled
}

#[test]
fn nothing_of_a_refused_entry_is_written_and_others_follow() {
    for options in [small(), WriteOptions::new(), small().memory_budget(2 << 20)] {
        let options = options.timestamp(UNIX_EPOCH).uuid([7; 16]);
        let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options.clone()).unwrap();
        let filled = fill_between(|event| writer.fill(event));
        let (summary, file) = writer.finish_into().unwrap();
        assert_eq!((summary.entries, summary.saturated), (filled.len() as u64, 0));
        assert_has(file.clone(), &filled);
        // Not a byte differs from what a writer writes that was never asked for more.
        let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
        writer.fill_all(&filled).unwrap();
        let (other, same) = writer.finish_into().unwrap();
        assert_eq!(summary, other);
        assert!(file.into_bytes() == same.into_bytes());
    }
}

#[test]
fn the_error_says_which_entry_it_is() {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", small()).unwrap();
    writer.fill_all(&(0..500).map(good).collect::<Vec<_>>()).unwrap();
    let error = writer.fill(&bad(256.0)[0].1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "memory: Events: column 1 (plain), entry 500: the value 256 is outside the range of the column, 0 to 255"
    );
}

#[test]
fn contexts_transactions_and_later_writers_refuse_as_well() {
    let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", small()).unwrap();
    let mut context = writer.context();
    let mut filled = fill_between(|event| context.fill(event));
    drop(context);
    let file = writer.finish_into().unwrap().1;
    assert_has(file.clone(), &filled);

    let mut writer = Writer::<Event, _>::append_to(file, "Events", small()).unwrap();
    filled.extend(fill_between(|event| writer.fill(event)));
    assert_has(writer.finish_into().unwrap().1, &filled);

    let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", small()).unwrap();
    let writer = writer.ordered(Order::Transactions { first: 0 });
    let mut context = writer.context();
    let mut filled = Vec::new();
    for key in 0..2 {
        let mut transaction = context.begin_ordered(key).unwrap();
        filled.extend(fill_between(|event| transaction.fill(event)));
        transaction.commit().unwrap();
    }
    drop(context);
    assert_has(writer.finish_into().unwrap().1, &filled);
}

/// A member that joins later, whose values may be refused or not.
#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Later {
    #[rntuple(quantize(bits = 8, min = 0, max = 255))]
    later: Vec<f32>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Free {
    number: u64,
    words: Vec<String>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Both {
    number: u64,
    words: Vec<String>,
    later: Vec<f32>,
}

fn both(number: u64) -> Both {
    let words = vec!["word".to_owned(); number as usize % 3];
    Both { number, words, later: vec![1.0; number as usize % 4] }
}

fn halves(both: &Both) -> (Free, Later) {
    (Free { number: both.number, words: both.words.clone() }, Later { later: both.later.clone() })
}

#[test]
fn members_that_join_later_refuse_and_so_do_added_columns() {
    let entries: Vec<Both> = (0..100).map(both).collect();
    let mut writer = Writer::<Free, _>::new(Memory::new(), "Events", small()).unwrap();
    writer.fill(&Free { number: 1000, words: vec!["first".to_owned()] }).unwrap();
    let mut writer = writer.extend::<Later>().unwrap();
    for entry in &entries {
        let (free, later) = halves(entry);
        let error = writer.fill_both(&free, &Later { later: vec![1.0, 300.0] }).unwrap_err();
        assert_refused(&error, "later._0", 300.0);
        writer.fill_both(&free, &later).unwrap();
    }
    let reader = Reader::<Both>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    let read: Vec<Both> = reader.entries().map(Result::unwrap).collect();
    assert_eq!((read[0].number, &read[1..]), (1000, &entries[..]));

    // The other way round: what was there may be refused, what joins may not.
    let mut writer = Writer::<Later, _>::new(Memory::new(), "Events", small()).unwrap();
    assert_refused(&writer.fill(&Later { later: vec![-1.0] }).unwrap_err(), "later._0", -1.0);
    let mut writer = writer.extend::<Free>().unwrap();
    for entry in &entries {
        let (free, later) = halves(entry);
        let error = writer.fill_both(&Later { later: vec![1.0, 300.0] }, &free).unwrap_err();
        assert_refused(&error, "later._0", 300.0);
        writer.fill_both(&later, &free).unwrap();
    }
    let reader = Reader::<Both>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    assert_eq!(reader.entries().collect::<Result<Vec<_>>>().unwrap(), entries);

    let mut writer = Writer::<Free, _>::new(Memory::new(), "Events", small()).unwrap();
    entries.iter().for_each(|entry| writer.fill(&halves(entry).0).unwrap());
    let file = writer.finish_into().unwrap().1;
    let mut adder = ColumnAdder::<Later, _>::append_to(file, "Events", WriteOptions::new()).unwrap();
    for entry in &entries {
        let error = adder.fill(&Later { later: vec![256.0] }).unwrap_err();
        assert_refused(&error, "later._0", 256.0);
        assert_eq!(error.location().entry, Some(entry.number));
        adder.fill(&halves(entry).1).unwrap();
    }
    let reader = Reader::<Both>::open(adder.finish_into().unwrap().1, "Events").unwrap();
    assert_eq!(reader.entries().collect::<Result<Vec<_>>>().unwrap(), entries);
}

/// A range that a type asks for holds only where the columns have it.
#[test]
fn an_extension_refuses_no_value_that_was_taken_before() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Narrow {
        #[rntuple(quantize(bits = 8, min = 0, max = 1))]
        plain: f32,
        #[rntuple(quantize(bits = 8, min = 0, max = 1))]
        list: Vec<f32>,
    }
    let entry = |list: &[f32]| Narrow { plain: 5.0, list: list.to_vec() };
    let later = Later { later: vec![255.0] };
    let extend = |mut writer: Writer<Narrow, Memory>| {
        writer.fill(&entry(&[-7.0])).unwrap();
        let mut writer = writer.extend::<Later>().unwrap();
        writer.append_items("list", &[8.0f32]).unwrap();
        writer.fill_both(&entry(&[9.0]), &later).unwrap();
        let error = writer.fill_both(&entry(&[]), &Later { later: vec![256.0] }).unwrap_err();
        assert_refused(&error, "later._0", 256.0);
        let reader = Reader::<Narrow>::open(writer.finish_into().unwrap().1, "Events").unwrap();
        reader.entries().collect::<Result<Vec<_>>>().unwrap()
    };
    let real = ColumnEncoding::of(ColumnType::Real32);
    let options = || small().encoding("plain", real).encoding("list", real);
    let new = || Writer::<Narrow, _>::new(Memory::new(), "Events", options()).unwrap();
    let expected = [entry(&[-7.0]), entry(&[8.0, 9.0])];
    assert_eq!(extend(new()), expected);
    // A file stores it in the same way, which the type does not change.
    let file = new().finish_into().unwrap().1;
    assert_eq!(extend(Writer::append_to(file, "Events", small()).unwrap()), expected);

    // The same of a schema that is known at run time.
    let steps = ColumnEncoding::quantized(8, 0.0, 1.0).unwrap();
    let schema = SchemaBuilder::new().field(Field::new("plain", FieldType::F32).with_encoding(steps));
    let options = WriteOptions::new().schema(schema).encoding("plain", real);
    let new = || Writer::<Value, _>::new(Memory::new(), "Events", options.clone()).unwrap();
    let file = new().finish_into().unwrap().1;
    for mut writer in [new(), Writer::append_to(file, "Events", small()).unwrap()] {
        let value = Value::record([("plain", Value::F32(5.0))]);
        writer.fill(&value).unwrap();
        let mut writer = writer.extend::<Later>().unwrap();
        writer.fill_both(&value, &later).unwrap();
        let error = writer.fill_both(&value, &Later { later: vec![-1.0] }).unwrap_err();
        assert_refused(&error, "later._0", -1.0);
        assert_eq!(writer.finish().unwrap().entries, 2);
    }
}

#[test]
fn of_a_batch_with_a_bad_entry_nothing_is_appended() {
    let columns = |events: &[Event]| {
        let mut columns = EventColumns::default();
        events.iter().for_each(|event| columns.push(event));
        columns
    };
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", small()).unwrap();
    let mut filled = Vec::new();
    for value in BAD {
        for (position, (path, event)) in bad(value).into_iter().enumerate() {
            let mut events: Vec<Event> = (0..50).map(good).collect();
            events[position * 4] = event;
            let error = writer.fill_columns(columns(&events).as_slice()).unwrap_err();
            assert_refused(&error, path, value);
            assert_eq!(error.location().entry, Some((filled.len() + position * 4) as u64));
            events.remove(position * 4);
            writer.fill_columns(columns(&events).as_slice()).unwrap();
            filled.extend(events);
        }
    }
    assert_eq!(writer.entry_count(), filled.len() as u64);
    assert_has(writer.finish_into().unwrap().1, &filled);
}

#[test]
fn items_are_refused_together() {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", small()).unwrap();
    let hit = |energy| Hit { energy, time: 1, phi: 300.0 };
    writer.append_items("hits", &[hit(1.0), hit(2.0)]).unwrap();
    let error = writer.append_items("hits", &[hit(3.0), hit(400.0)]).unwrap_err();
    assert_refused(&error, "hits._0.energy", 400.0);
    let error = writer.append_items("list", &vec![256.0f32; 3000]).unwrap_err();
    assert_refused(&error, "list._0", 256.0);
    writer.append_items("list", &vec![255.0f32; 3000]).unwrap();
    // The entry that they are of may be refused as well, and come again.
    assert_refused(&writer.fill(&bad(-1.0)[0].1).unwrap_err(), "plain", -1.0);
    let mut event = good(4);
    writer.fill(&event).unwrap();
    event.list.splice(..0, vec![255.0; 3000]);
    event.hits.splice(..0, [1.0, 2.0].map(|energy| Hit { phi: 255.0, ..hit(energy) }));
    assert_has(writer.finish_into().unwrap().1, &[event]);
}

#[test]
fn the_range_is_that_of_the_cluster_s_representation() {
    #[derive(RNTuple, Debug, PartialEq)]
    struct One {
        value: f32,
    }
    let packings =
        [ColumnEncoding::of(ColumnType::Real32), ColumnEncoding::quantized(8, 0.0, 255.0).unwrap()];
    let options = WriteOptions::new().representations("value", packings);
    let mut writer = Writer::<One, _>::new(Memory::new(), "Events", options).unwrap();
    let mut fill = |representation, value| {
        writer.use_representation("value", representation).unwrap();
        let filled = writer.fill(&One { value });
        // The open cluster keeps what it has.
        writer.use_representation("value", 1 - representation).unwrap();
        assert_eq!(writer.fill(&One { value }).is_ok(), filled.is_ok());
        writer.commit_cluster().unwrap();
        filled
    };
    fill(0, 1000.0).unwrap();
    fill(1, 1.0).unwrap();
    fill(0, -5.0).unwrap();
    let file = writer.finish_into().unwrap().1;
    let reader = Reader::<One>::open(file.clone(), "Events").unwrap();
    let values: Vec<f32> = reader.entries().map(|entry| entry.unwrap().value).collect();
    assert_eq!(values, [1000.0, 1000.0, 1.0, 1.0, -5.0, -5.0]);

    let packings =
        [ColumnEncoding::of(ColumnType::Real32), ColumnEncoding::quantized(8, 0.0, 255.0).unwrap()];
    let options = WriteOptions::new().representations("value", packings);
    let mut writer = Writer::<One, _>::new(Memory::new(), "Events", options).unwrap();
    writer.use_representation("value", 1).unwrap();
    assert_refused(&writer.fill(&One { value: 1000.0 }).unwrap_err(), "value", 1000.0);
    writer.fill(&One { value: 1.0 }).unwrap();
    writer.use_representation("value", 0).unwrap();
    assert_refused(&writer.fill(&One { value: 1000.0 }).unwrap_err(), "value", 1000.0);
    writer.commit_cluster().unwrap();
    writer.fill(&One { value: 1000.0 }).unwrap();
    assert_eq!(writer.finish().unwrap().entries, 2);
}

#[test]
fn values_of_a_schema_known_at_run_time_are_refused() {
    let steps = ColumnEncoding::quantized(8, 0.0, 255.0).unwrap();
    let schema = SchemaBuilder::new()
        .field(Field::new("steps", FieldType::vector(FieldType::F32)).with_encoding(steps))
        .field(Field::new("number", FieldType::I32));
    let options = WriteOptions::new().schema(schema);
    let mut writer = Writer::<Value, _>::new(Memory::new(), "Events", options).unwrap();
    let entry = |value| {
        Value::record([("steps", vec![Value::F32(1.0), Value::F32(value)].into()), ("number", Value::I32(4))])
    };
    assert_refused(&writer.fill(&entry(300.0)).unwrap_err(), "steps._0", 300.0);
    writer.fill(&entry(200.0)).unwrap();
    let reader = Reader::<Value>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    assert_eq!(reader.entries().collect::<Result<Vec<_>>>().unwrap(), [entry(200.0)]);
}

#[test]
fn values_that_are_made_on_the_way_are_refused() {
    /// Stored in tenths.
    #[derive(Clone, Debug, PartialEq)]
    struct Tenths(f32);
    impl From<Tenths> for f32 {
        fn from(tenths: Tenths) -> f32 {
            tenths.0 * 10.0
        }
    }
    impl From<f32> for Tenths {
        fn from(stored: f32) -> Tenths {
            Tenths(stored / 10.0)
        }
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Converted {
        #[rntuple(into = f32, from = f32, quantize(bits = 8, min = 0, max = 255))]
        tenths: Tenths,
        #[rntuple(quantize(bits = 8, min = 0, max = 255))]
        map: BTreeMap<u32, f32>,
    }
    let entry = |tenths, value| Converted { tenths: Tenths(tenths), map: [(1, 2.0), (2, value)].into() };
    let mut writer = Writer::<Converted, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    assert_refused(&writer.fill(&entry(26.0, 1.0)).unwrap_err(), "tenths", 260.0);
    assert_refused(&writer.fill(&entry(1.0, 260.0)).unwrap_err(), "map._0._1", 260.0);
    writer.fill(&entry(1.0, 1.0)).unwrap();
    let reader = Reader::<Converted>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    assert_eq!(reader.get(0).unwrap(), entry(1.0, 1.0));
}

#[test]
fn bounds_are_read_and_written_again() {
    for (min, max) in [(-3.15, 3.15), (0.3, 0.7), (-0.1, 1e-3), (1e8 + 0.1, 1e9 + 0.1)] {
        for bits in [1, 12, 32] {
            let options = || {
                let steps = ColumnEncoding::quantized(bits, min, max).unwrap();
                WriteOptions::new().encoding("wide", steps).encoding("narrow", steps)
            };
            #[derive(RNTuple, Clone, Debug, PartialEq)]
            struct Both {
                wide: f64,
                narrow: f32,
            }
            let write = |entries: &[Both]| {
                let mut writer = Writer::<Both, _>::new(Memory::new(), "Events", options()).unwrap();
                writer.fill_all(entries).unwrap();
                let reader = Reader::<Both>::open(writer.finish_into().unwrap().1, "Events").unwrap();
                [0, 1].map(|entry| reader.get(entry).unwrap())
            };
            let bounds = [min, max].map(|bound| Both { wide: bound, narrow: bound as f32 });
            let once = write(&bounds);
            assert_eq!(once, bounds, "{bits} bits of {min} to {max}");
            // As another program has them, which reads both as `f32`.
            let narrow = |both: &Both| Both { wide: f64::from(both.narrow), ..both.clone() };
            let again = write(&once.each_ref().map(narrow));
            assert_eq!(again.map(|both| both.narrow), bounds.clone().map(|both| both.narrow));
            let mut writer = Writer::<Both, _>::new(Memory::new(), "Events", options()).unwrap();
            let beyond = Both { wide: min, narrow: (max as f32).next_up() };
            assert!(f64::from(beyond.narrow) > max, "{max}");
            assert!(writer.fill(&beyond).is_err(), "{max}");
        }
    }
}
