//! Single columns, sizes and items of the entries that a reader was given.

use proptest::prelude::*;
use rntuple::storage::Memory;
use rntuple::{EntryList, ErrorKind, RNTuple, ReadOptions, Reader, Value, WriteOptions};
use rntuple_tests::sample::{Event, Random, samples};

use super::common::{small, write};

#[derive(RNTuple)]
#[rntuple(columnar)]
struct Charge {
    charge: i8,
}

/// Events of three files, and a reader of those that are left.
fn left(counts: [usize; 3], only: &EntryList, options: &WriteOptions) -> (Vec<Event>, Reader<Value>) {
    let events: Vec<Event> = samples(counts.iter().sum(), 5);
    let (first, rest) = events.split_at(counts[0]);
    let (second, third) = rest.split_at(counts[1]);
    let files: Vec<Memory> = [first, second, third].map(|events| write(events, options.clone())).into();
    let reader = Reader::open_with(files, "Events", ReadOptions::new().only(only)).unwrap();
    let is_left = |entry: &u64| (*entry as usize) < events.len();
    let left = only.iter().take_while(is_left).map(|entry| events[entry as usize].clone()).collect();
    (left, reader)
}

fn column<E: rntuple::encoding::Element>(reader: &Reader<Value>, path: &str) -> Vec<E> {
    let (mut lent, mut read) = (Vec::new(), Vec::new());
    let mut column = reader.column::<E>(path).unwrap();
    while let Some(chunk) = column.next_chunk().unwrap() {
        assert!(!chunk.is_empty());
        lent.extend_from_slice(chunk);
    }
    let mut column = reader.column::<E>(path).unwrap();
    while column.read_into(11, &mut read).unwrap() == 11 {}
    assert!(lent == read);
    read
}

fn charges(reader: &Reader<Value>, path: &str) -> Vec<i8> {
    let mut items = reader.items::<Charge>(path).unwrap();
    let mut charges = Vec::new();
    while let Some(some) = items.lend(9).unwrap() {
        charges.extend_from_slice(some.charge);
    }
    charges
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn they_are_those_of_the_entries(
        counts in [0usize..40, 1usize..60, 0usize..30],
        ranges in prop::collection::vec((0u64..140, 0u64..20), 0..12),
        is_small in any::<bool>(),
        seed in any::<u64>(),
    ) {
        // The first file has to have the columns.
        let counts = [counts[0] + 1, counts[1], counts[2]];
        let only: EntryList = ranges.into_iter().map(|(start, length)| start..start + length).collect();
        let (events, reader) = left(counts, &only, &if is_small { small() } else { WriteOptions::new() });
        let all = |events: &[Event]| -> Vec<i8> {
            events.iter().flat_map(|event| &event.jets).flat_map(|jet| &jet.muons).map(|muon| muon.charge).collect()
        };
        prop_assert_eq!(
            column::<u64>(&reader, "number"),
            events.iter().map(|event| event.number).collect::<Vec<_>>()
        );
        prop_assert_eq!(column::<i8>(&reader, "jets.muons.charge"), all(&events));
        prop_assert_eq!(
            column::<f32>(&reader, "shape"),
            events.iter().flat_map(|event| event.shape).collect::<Vec<_>>()
        );
        let vertices = events.iter().filter_map(|event| event.vertex.as_ref());
        prop_assert_eq!(
            column::<f64>(&reader, "vertex.position"),
            vertices.flat_map(|vertex| vertex.position).collect::<Vec<_>>()
        );
        prop_assert_eq!(charges(&reader, "jets.muons"), all(&events));
        let mut sizes = Vec::new();
        reader.sizes("jets.muons").unwrap().read_into(usize::MAX, &mut sizes).unwrap();
        let jets = events.iter().flat_map(|event| &event.jets);
        prop_assert_eq!(sizes, jets.map(|jet| jet.muons.len() as u64).collect::<Vec<_>>());

        // From entries that are left, in any order.
        let entries: Vec<u64> = only.iter().take(events.len()).collect();
        let mut random = Random::new(seed);
        let mut from = reader.column::<i8>("jets.muons.charge").unwrap();
        let mut of = reader.items::<Charge>("jets.muons").unwrap();
        for _ in 0..entries.len().min(20) {
            let index = random.below(entries.len());
            from.seek_entry(entries[index]).unwrap();
            let mut found = Vec::new();
            from.read_into(usize::MAX, &mut found).unwrap();
            prop_assert_eq!(found, all(&events[index..]));
            of.choose_entry(entries[index]).unwrap();
            let mut found = Vec::new();
            while let Some(some) = of.lend(2).unwrap() {
                found.extend_from_slice(some.charge);
            }
            prop_assert_eq!(found, all(&events[index..=index]));
        }
    }
}

#[test]
fn entries_that_are_not_left_are_refused() {
    let (events, reader) = left([20, 20, 20], &[3..7, 25..50].into_iter().collect(), &small());
    let mut column = reader.column::<u64>("number").unwrap();
    for entry in [0, 7, 24, 50, 60, u64::MAX] {
        let error = column.seek_entry(entry).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains(&format!("entry {entry} is not among those")), "{error}");
        assert!(column.next_chunk().unwrap().is_none());
    }
    column.seek_entry(49).unwrap();
    assert_eq!(column.next_chunk().unwrap().unwrap(), [events.last().unwrap().number]);
    assert!(column.next_chunk().unwrap().is_none());
    // Values of a variant are in no order of entries.
    let error = reader.column::<f64>("process._1").unwrap().next_chunk().map(drop).unwrap_err();
    assert!(error.to_string().contains("\"process._1\" is inside a variant"), "{error}");
}
