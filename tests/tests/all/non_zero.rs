//! Integers that are never zero.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::num::NonZero;

use rntuple::storage::Memory;
use rntuple::{ErrorKind, RNTuple, Reader, Result, WriteOptions, Writer};

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Event {
    run: NonZero<u32>,
    hits: Vec<NonZero<i16>>,
    pair: [NonZero<u64>; 2],
    maybe: Option<NonZero<i8>>,
    nested: Vec<(NonZero<u8>, NonZero<i64>)>,
}

/// The same with integers.
#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Plain {
    run: u32,
    hits: Vec<i16>,
    pair: [u64; 2],
    maybe: Option<i8>,
    nested: Vec<(u8, i64)>,
}

fn plain(number: u32) -> Plain {
    Plain {
        run: number + 1,
        hits: (0..number % 4).map(|hit| -1 - hit as i16).collect(),
        pair: [u64::MAX - u64::from(number), 1],
        maybe: number.is_multiple_of(3).then_some(i8::MIN),
        nested: (0..number % 3).map(|item| (item as u8 + 1, i64::MIN + i64::from(number))).collect(),
    }
}

fn event(number: u32) -> Event {
    let Plain { run, hits, pair, maybe, nested } = plain(number);
    Event {
        run: NonZero::new(run).unwrap(),
        hits: hits.into_iter().map(|hit| NonZero::new(hit).unwrap()).collect(),
        pair: pair.map(|value| NonZero::new(value).unwrap()),
        maybe: maybe.map(|value| NonZero::new(value).unwrap()),
        nested: nested
            .into_iter()
            .map(|(one, two)| (NonZero::new(one).unwrap(), NonZero::new(two).unwrap()))
            .collect(),
    }
}

fn write<T: rntuple::Entry + rntuple::field::WriteField>(entries: &[T]) -> Memory {
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill_all(entries).unwrap();
    writer.finish_into().unwrap().1
}

#[test]
fn they_are_stored_as_integers_and_come_back() {
    let (events, plains): (Vec<Event>, Vec<Plain>) =
        ((0..100).map(event).collect(), (0..100).map(plain).collect());
    let file = write(&events);
    assert!(file.as_bytes() == write(&plains).as_bytes());
    let reader = Reader::<Event>::open(file.clone(), "Events").unwrap();
    let found: Vec<Event> = reader.entries().collect::<Result<_>>().unwrap();
    assert_eq!(found, events);
    let reader = Reader::<Plain>::open(file, "Events").unwrap();
    let found: Vec<Plain> = reader.entries().collect::<Result<_>>().unwrap();
    assert_eq!(found, plains);
}

#[test]
fn batches_of_them_are_written_and_read() {
    let events: Vec<Event> = (0..100).map(event).collect();
    let file = write(&events);
    let reader = Reader::<Event>::open(file.clone(), "Events").unwrap();
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    let mut batches = reader.batches(17);
    let mut runs = Vec::new();
    while let Some(slice) = batches.lend().unwrap() {
        runs.extend(slice.run.iter().copied());
        writer.fill_columns(slice).unwrap();
    }
    assert_eq!(runs, events.iter().map(|event| event.run).collect::<Vec<_>>());
    assert!(writer.finish_into().unwrap().1.as_bytes() == file.as_bytes());
}

#[test]
fn a_zero_is_an_error_at_its_field() {
    let mut plains: Vec<Plain> = (0..10).map(plain).collect();
    plains[7].nested[0].1 = 0;
    let reader = Reader::<Event>::open(write(&plains), "Events").unwrap();
    assert_eq!(reader.get(6).unwrap(), event(6));
    let error = reader.get(7).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert_eq!(error.location().field.as_deref(), Some("nested._0._1"), "{error}");
    assert!(error.to_string().contains("NonZero"), "{error}");
}
