//! Columns of a schema that is known only at run time.

use rntuple::columns::{AnyColumns, Columnar, Columns, Slice};
use rntuple::field::WriteField;
use rntuple::storage::Memory;
use rntuple::{Entry, RNTuple, Reader, RootFile, Value};
use rntuple_tests::reference;
use rntuple_tests::sample::{Cascade, Event, One, Pair, Sample, samples};

use super::common::{pushed, rows, small, write};

/// The values as they are shown: a NaN is no other's equal.
pub(super) fn values(columns: &AnyColumns) -> Vec<String> {
    let slice = columns.as_slice();
    assert_eq!(slice.len(), columns.len());
    (0..slice.len()).map(|index| format!("{:?}", slice.value(index).unwrap())).collect()
}

fn compare(reader: &Reader<Value>, what: &str) {
    let rows: Vec<String> = reader.entries().map(|entry| format!("{:?}", entry.unwrap())).collect();
    for count in [1, 2, 7, 100_000] {
        let mut found = Vec::new();
        for batch in reader.batches(count) {
            let batch = batch.unwrap();
            assert!((1..=count).contains(&batch.len()), "{what}");
            found.extend(values(&batch));
        }
        assert!(found == rows, "{what}: batches of {count}");
    }
}

#[test]
fn columns_have_the_values_of_rows_in_files_by_root() {
    let mut ntuples = 0;
    for reference in reference::files("-v1.").into_iter().chain(reference::files("-epoch0-")) {
        let file = RootFile::open(&reference.file).unwrap();
        for key in file.ntuples().unwrap() {
            let what = format!("{} {}", reference.name, key.path());
            compare(&Reader::<Value>::open(&file, &key.path()).unwrap(), &what);
            ntuples += 1;
        }
    }
    assert!(ntuples == 0 || ntuples >= 50, "{ntuples}");
}

fn compare_written<T: Entry + WriteField>(entries: &[T]) {
    for options in [Default::default(), small()] {
        let file = write(entries, options);
        compare(&Reader::open(file.clone(), "Events").unwrap(), std::any::type_name::<T>());
        let rows = rows::<Value>(&file).unwrap();
        let shown: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
        assert_eq!(values(&pushed(&rows)), shown);
    }
}

#[test]
fn columns_have_the_values_of_rows_in_files_by_us() {
    fn check<T: Sample>()
    where
        One<T>: Entry + WriteField,
    {
        compare_written::<One<T>>(&samples(40, 5));
    }
    compare_written::<Event>(&samples(40, 5));
    check::<bool>();
    check::<Vec<Vec<u16>>>();
    check::<Vec<String>>();
    check::<Option<Pair>>();
    check::<Vec<Option<f32>>>();
    check::<Cascade>();
    check::<Vec<Cascade>>();
    check::<[(bool, Option<f32>); 2]>();
}

#[derive(RNTuple)]
struct Hits {
    run: u32,
    hits: Vec<Hit>,
}

#[derive(RNTuple)]
struct Hit {
    x: f32,
    cell: [u8; 2],
}

fn hits() -> Memory {
    let hit = |x: u8| Hit { x: f32::from(x), cell: [x, x + 1] };
    let entries = [Hits { run: 7, hits: vec![hit(1), hit(2)] }, Hits { run: 8, hits: vec![hit(3)] }];
    write(&entries, Default::default())
}

#[test]
fn columns_are_found_by_name_and_are_those_of_the_file() {
    let reader = Reader::<Value>::open(hits(), "Events").unwrap();
    let batch = reader.batches(10).next().unwrap().unwrap();
    let AnyColumns::Record(entries) = &batch else { panic!("{batch:?}") };
    assert_eq!((entries.names(), entries.members().len()), (&["run".to_owned(), "hits".to_owned()][..], 2));
    assert!(entries.get("cell").is_none());
    let Some(AnyColumns::U32(run)) = entries.get("run") else { panic!("{batch:?}") };
    assert_eq!(run, &[7, 8]);
    let Some(AnyColumns::List(lists)) = entries.get("hits") else { panic!("{batch:?}") };
    assert_eq!(lists.offsets(), [0, 2, 3]);
    let AnyColumns::Record(hits) = lists.items() else { panic!("{batch:?}") };
    let Some(AnyColumns::F32(x)) = hits.get("x") else { panic!("{batch:?}") };
    assert_eq!(x, &[1.0, 2.0, 3.0]);
    let Some(AnyColumns::Array(cells)) = hits.get("cell") else { panic!("{batch:?}") };
    let AnyColumns::U8(bytes) = cells.items() else { panic!("{batch:?}") };
    assert_eq!((cells.size(), &bytes[..]), (2, &[1, 2, 2, 3, 3, 4][..]));
    // The items of one field, without the entries around them.
    let mut items = reader.items::<Value>("hits").unwrap();
    let lent = items.lend(10).unwrap().unwrap();
    assert_eq!((lent.len(), lent.value(2)), (3, lists.items().as_slice().value(2)));
}

#[test]
fn slices_are_parts() {
    let reader = Reader::<Value>::open(hits(), "Events").unwrap();
    let batch = reader.batches(10).next().unwrap().unwrap();
    let slice = batch.as_slice();
    let second = slice.part(1..2).unwrap();
    assert_eq!((second.len(), second.columns().1), (1, 1..2));
    assert_eq!(second.value(0), slice.value(1));
    assert!(second.value(1).is_none() && slice.value(2).is_none());
    assert!(slice.part(1..3).is_none() && slice.get(2).is_none());
    assert_eq!(format!("{slice:?}"), format!("{:?}", rows::<Value>(&hits()).unwrap()));
    assert_eq!(slice.iter().map(|one| one.value(0).unwrap()).collect::<Vec<_>>(), rows(&hits()).unwrap());
}

#[test]
fn variants_say_where_their_values_are() {
    let entries: Vec<One<Cascade>> = samples(30, 5);
    let reader = Reader::<Value>::open(write(&entries, Default::default()), "Events").unwrap();
    let batch = reader.batches(100).next().unwrap().unwrap();
    let AnyColumns::Record(record) = &batch else { panic!("{batch:?}") };
    let AnyColumns::Variant(variants) = &record.members()[0] else { panic!("{batch:?}") };
    let mut counts = vec![0; variants.alternatives().len()];
    for (number, position) in variants.positions().flatten() {
        assert_eq!(position, counts[number], "the values of each alternative are in order");
        counts[number] += 1;
    }
    assert_eq!(counts, variants.alternatives().iter().map(Columns::len).collect::<Vec<_>>());
}

#[test]
fn unlike_values_are_kept_as_they_are() {
    let unlike = [
        Value::List(vec![Value::U8(1), Value::U8(2)]),
        Value::List(vec![]),
        Value::List(vec![Value::F32(0.5)]),
        Value::Bool(true),
        Value::Variant { tag: 0, value: None },
        Value::Variant { tag: 3, value: None },
        Value::Variant { tag: u32::MAX, value: Some(Box::new(Value::I8(-1))) },
        Value::Variant { tag: 3, value: Some(Box::new(Value::Option(None))) },
        Value::Bytes(vec![0xff]),
        Value::Streamed(vec![1]),
    ];
    for first in 0..unlike.len() {
        let mut columns = AnyColumns::default();
        for (count, value) in unlike[first..].iter().enumerate() {
            value.push_to(&mut columns);
            assert_eq!(columns.len(), count + 1);
            assert_eq!(columns.as_slice().value(count).as_ref(), Some(value));
        }
        columns.clear();
        assert!(columns.is_empty());
        unlike[first].push_to(&mut columns);
        assert_eq!(columns.as_slice().value(0).as_ref(), Some(&unlike[first]));
    }
}
