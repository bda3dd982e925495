//! Joins are what nested loops make of the same entries.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::float_cmp,
    reason = "a test that cannot go on has failed"
)]

use std::collections::HashSet;

use proptest::prelude::*;
use rntuple::field::WriteField;
use rntuple::join::DuplicateKeys;
use rntuple::schema::Locator;
use rntuple::storage::{Memory, ReadAt as _};
use rntuple::{
    Dataset, EntryList, Error, ErrorKind, Pool, RNTuple, ReadOptions, Reader, RootFile, Value, WriteOptions,
    Writer,
};
use rntuple_tests::clusters;
use rntuple_tests::counting::Counting;

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Event {
    run: u32,
    event: u64,
    hits: Vec<f32>,
}

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Weights {
    event: u64,
    run: u32,
    values: Vec<f64>,
}

#[derive(RNTuple, Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    run: u32,
    event: u64,
}

fn event(key: (u32, u64)) -> Event {
    Event { run: key.0, event: key.1, hits: (0..key.1 % 4).map(|i| i as f32).collect() }
}

/// The weights of a key; `number` tells those of the same key apart.
fn weights(key: (u32, u64), number: usize) -> Weights {
    Weights { run: key.0, event: key.1, values: (0..number % 3 + 1).map(|i| (number + i) as f64).collect() }
}

fn memory<T: rntuple::Entry + WriteField>(name: &str, entries: &[T]) -> Memory {
    let options = WriteOptions::new().max_page_length(64).cluster_size(400);
    let mut writer = Writer::<T, _>::new(Memory::new(), name, options).unwrap();
    writer.fill_all(entries).unwrap();
    writer.finish_into().unwrap().1
}

fn file<T: rntuple::Entry + WriteField>(name: &str, entries: &[T]) -> RootFile {
    RootFile::from_storage(memory(name, entries)).unwrap()
}

fn reader<T: rntuple::Entry + WriteField + rntuple::field::ReadField>(
    name: &str,
    entries: &[T],
) -> Reader<T> {
    Reader::open(file(name, entries), name).unwrap()
}

/// The same entries in several files, about a third of them in each, and one without any.
fn many<T>(name: &str, entries: &[T]) -> Reader<T>
where
    T: rntuple::Entry + WriteField + rntuple::field::ReadField + 'static,
{
    let third = entries.len() / 3;
    let parts =
        [&entries[..third], &entries[third..third], &entries[third..2 * third], &entries[2 * third..]];
    Reader::open_with(parts.map(|part| file(name, part)), name, ReadOptions::new().open_files(1)).unwrap()
}

#[test]
fn entries_stand_side_by_side() {
    let left: Vec<Event> = (0..500).map(|i| event((i / 100, u64::from(i)))).collect();
    let right: Vec<Weights> = (0..500).map(|i| weights((0, 7), i)).collect();
    let (reader_left, many_left) = (reader("Events", &left), many("Events", &left));
    let (reader_right, many_right) = (reader("Weights", &right), many("Weights", &right));
    let expected: Vec<(Event, Weights)> = left.iter().cloned().zip(right.iter().cloned()).collect();
    let all = [
        reader_left.zip(&reader_right).unwrap(),
        reader_left.zip(&many_right).unwrap(),
        many_left.zip(&reader_right).unwrap(),
        many_left.zip(&many_right).unwrap(),
    ];
    for zip in all {
        assert_eq!(zip.entry_count(), 500);
        assert!(zip.entries().map(Result::unwrap).eq(expected.iter().cloned()));
        assert!(zip.entries_in(100..350).map(Result::unwrap).eq(expected[100..350].iter().cloned()));
        assert_eq!(zip.entries_in(490..u64::MAX).count(), 10);
        let (mut slot, mut walk, mut read) = (Default::default(), zip.entries(), Vec::new());
        while walk.read_into(&mut slot).unwrap() {
            read.push(slot.clone());
        }
        assert_eq!(read, expected);
        assert!(!walk.read_into(&mut slot).unwrap());
        let pieces = zip.partitions(5).unwrap();
        assert!(pieces.len() > 1);
        let read = pieces.into_iter().flat_map(|range| zip.entries_in(range)).map(Result::unwrap);
        assert!(read.eq(expected.iter().cloned()));
    }
}

#[test]
fn sides_of_different_lengths_do_not_stand_together() {
    let left: Vec<Event> = (0..5).map(|i| event((0, i))).collect();
    let right: Vec<Weights> = (0..4).map(|i| weights((0, 7), i)).collect();
    let error = reader("Events", &left).zip(&many("Weights", &right)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(error.to_string(), "the sides of a zip need equally many entries: 5 in memory, 4 in 4 files");
    assert!(reader("Events", &left[..0]).zip(&reader("Weights", &right[..0])).is_ok());
}

/// Other bytes where a page of the first column begins.
fn spoilt(storage: &Memory, name: &str, cluster: usize) -> (Memory, u64) {
    let mut bytes = storage.block(0..storage.size()).unwrap().to_vec();
    let dataset = Dataset::open(&RootFile::from_storage(storage.clone()).unwrap(), name).unwrap();
    let cluster = &clusters(&dataset)[cluster];
    let Locator::File { offset, .. } = cluster.columns[0].pages[0].locator else { panic!() };
    bytes[offset as usize] ^= 0xff;
    (Memory::from(bytes), cluster.first_entry)
}

#[test]
fn damage_on_either_side_ends_a_walk() {
    let left: Vec<Event> = (0..200).map(|i| event((1, i))).collect();
    let right: Vec<Weights> = (0..200).map(|i| weights((1, i as u64), i)).collect();
    let good_left = reader("Events", &left);
    let (storage, first) = spoilt(&memory("Weights", &right), "Weights", 2);
    // Its keys cannot be read, so nothing is joined by them.
    let bad_right = Reader::<Weights>::open(storage, "Weights").unwrap();
    let read: Vec<_> = good_left.zip(&bad_right).unwrap().entries().collect();
    assert_eq!(read.len() as u64, first + 1);
    let check = |error: &Error, name: &str, entry| {
        assert_eq!(error.kind(), ErrorKind::OutOfSpec);
        assert_eq!((error.location().ntuple.as_deref(), error.location().entry), (Some(name), Some(entry)));
    };
    check(read.last().unwrap().as_ref().unwrap_err(), "Weights", first);
    check(&good_left.join_on::<Key, _>(&bad_right).unwrap_err(), "Weights", first);

    let good_right = reader("Weights", &right);
    let (storage, first) = spoilt(&memory("Events", &left), "Events", 3);
    let bad_left = Reader::<Event>::open(storage, "Events").unwrap();
    let mut zip = bad_left.zip(&good_right).unwrap().entries();
    check(&zip.find_map(Result::err).unwrap(), "Events", first);
    assert!(zip.next().is_none() && zip.next().is_none());
    let join = bad_left.join_on::<Key, _>(&good_right).unwrap();
    let read: Vec<_> = join.entries().collect();
    assert_eq!(read.len() as u64, first + 1);
    check(read.last().unwrap().as_ref().unwrap_err(), "Events", first);
    let mut inner = join.inner();
    check(&inner.find_map(Result::err).unwrap(), "Events", first);
    assert!(inner.next().is_none());
    assert!(join.entries_in(190..200).all(|entry| entry.is_ok()), "what is behind can be read");
}

#[test]
fn a_refused_value_takes_its_pair_along_and_nothing_else() {
    #[derive(RNTuple, Debug)]
    struct Wide {
        number: u64,
    }
    #[derive(RNTuple, Debug, PartialEq)]
    struct Narrow {
        number: u8,
    }
    #[derive(RNTuple, PartialEq, Eq, Hash)]
    struct Number {
        number: u64,
    }
    let narrow = |numbers: &[u64]| {
        let entries: Vec<Wide> = numbers.iter().map(|&number| Wide { number }).collect();
        Reader::<Narrow>::open(file("Numbers", &entries), "Numbers").unwrap()
    };
    let (left, right) = (narrow(&[1, 1000, 3, 4, 5]), narrow(&[10, 20, 3000, 5, 1000]));
    let read: Vec<Option<u8>> =
        left.zip(&right).unwrap().entries().map(|pair| pair.ok().map(|(left, _)| left.number)).collect();
    assert_eq!(read, [Some(1), None, None, Some(4), None]);
    let join = left.join_on::<Number, _>(&right).unwrap();
    let read: Vec<Option<bool>> =
        join.entries().map(|pair| pair.ok().map(|(_, right)| right.is_some())).collect();
    assert_eq!(read, [Some(false), None, Some(false), Some(false), Some(true)]);
    assert_eq!(join.inner().map(|pair| pair.is_ok()).collect::<Vec<_>>(), [false, true]);
}

/// What a join is, by nested loops.
fn naive(left: &[Event], right: &[Weights], duplicates: DuplicateKeys) -> Vec<(Event, Option<Weights>)> {
    let mut joined = Vec::new();
    for event in left {
        let is_partner = |other: &&Weights| (other.run, other.event) == (event.run, event.event);
        let partners: Vec<&Weights> = right.iter().filter(is_partner).collect();
        let count = if duplicates == DuplicateKeys::All { partners.len() } else { partners.len().min(1) };
        if count == 0 {
            joined.push((event.clone(), None));
        }
        joined.extend(partners.into_iter().take(count).map(|partner| (event.clone(), Some(partner.clone()))));
    }
    joined
}

fn keys(most: usize) -> impl Strategy<Value = Vec<(u32, u64)>> {
    prop::collection::vec((0u32..3, 0u64..30), 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn joins_are_what_nested_loops_find(left in keys(90), right in keys(90), start in 0u64..90) {
        let left: Vec<Event> = left.into_iter().map(event).collect();
        let right: Vec<Weights> = right.into_iter().enumerate().map(|(i, key)| weights(key, i)).collect();
        let different: HashSet<_> = right.iter().map(|weights| (weights.run, weights.event)).collect();
        let has_duplicates = different.len() < right.len();
        for duplicates in [DuplicateKeys::Refuse, DuplicateKeys::First, DuplicateKeys::All] {
            let expected = naive(&left, &right, duplicates);
            let joins = [
                reader("Events", &left).join_on_with::<Key, _>(&many("Weights", &right), duplicates),
                many("Events", &left).join_on_with::<Key, _>(&reader("Weights", &right), duplicates),
            ];
            for join in joins {
                if has_duplicates && duplicates == DuplicateKeys::Refuse {
                    let error = join.unwrap_err();
                    prop_assert_eq!(error.kind(), ErrorKind::InvalidArgument);
                    continue;
                }
                let join = join.unwrap();
                prop_assert_eq!(join.key_count(), different.len());
                prop_assert!(join.entries().map(Result::unwrap).eq(expected.iter().cloned()));
                let inner = expected.iter().cloned().filter_map(|(left, right)| Some((left, right?)));
                prop_assert!(join.inner().map(Result::unwrap).eq(inner));
                let expected = naive(&left[left.len().min(start as usize)..], &right, duplicates);
                prop_assert!(join.entries_in(start..u64::MAX).map(Result::unwrap).eq(expected));
                let pieces = join.partitions(4).unwrap().into_iter().flat_map(|range| join.inner_in(range));
                prop_assert_eq!(pieces.count(), join.inner().count());
                let (least, most) = join.entries().size_hint();
                let count = join.entries().count();
                prop_assert!(least <= count && most.is_none_or(|most| count <= most));
            }
        }
    }
}

#[test]
fn duplicates_are_named() {
    let left = reader("Events", &[event((1, 1))]);
    let right: Vec<Weights> =
        [(1, 1), (1, 2), (1, 3), (1, 4), (1, 2), (1, 1)].into_iter().map(|key| weights(key, 0)).collect();
    let error = left.join_on::<Key, _>(&reader("Weights", &right)).unwrap_err();
    assert!(
        error.to_string().contains("entry 1 of memory and entry 4 of memory have the same key"),
        "{error}"
    );
    // Those of many files are named as their files count them.
    let error = left.join_on::<Key, _>(&many("Weights", &right)).unwrap_err();
    assert!(
        error.to_string().contains("entry 1 of memory (file 0) and entry 0 of memory (file 3)"),
        "{error}"
    );
}

#[test]
fn the_key_must_be_on_both_sides() {
    #[derive(RNTuple, Debug, PartialEq)]
    struct Plain {
        met: f32,
    }
    let (events, plain) = (reader("Events", &[event((1, 1))]), reader("Plain", &[Plain { met: 1.0 }]));
    for error in
        [events.join_on::<Key, _>(&plain).unwrap_err(), plain.join_on::<Key, _>(&events).unwrap_err()]
    {
        assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
        assert_eq!(error.location().ntuple.as_deref(), Some("Plain"));
        let fields: Vec<&str> = error.mismatches().iter().map(|mismatch| &*mismatch.field).collect();
        assert_eq!(fields, ["run", "event"]);
    }
    // Of many files, every one, before anything is read.
    #[derive(RNTuple)]
    struct Hits {
        hits: Vec<f32>,
    }
    let files = [file("Events", &[event((1, 1))]), file("Events", &[Hits { hits: vec![] }])];
    let many = Reader::<Hits>::open(files, "Events").unwrap();
    assert_eq!(many.join_on::<Key, _>(&events).unwrap_err().kind(), ErrorKind::SchemaMismatch);
}

#[test]
fn sides_may_spell_and_store_a_key_differently() {
    #[derive(RNTuple)]
    struct Calibration {
        #[rntuple(rename = "runNumber")]
        run: u64,
        #[rntuple(rename = "eventNumber")]
        event: i32,
        scale: f32,
    }
    #[derive(RNTuple)]
    struct Scale {
        scale: f32,
    }
    #[derive(RNTuple, PartialEq, Eq, Hash)]
    struct Both {
        #[rntuple(alias = "runNumber")]
        run: u32,
        #[rntuple(alias = "eventNumber")]
        event: u64,
    }
    let right = [Calibration { run: 2, event: 5, scale: 2.0 }, Calibration { run: 1, event: 5, scale: 1.5 }];
    let right = Reader::<Scale>::open(file("Cal", &right), "Cal").unwrap();
    let left = reader("Events", &[event((1, 5)), event((1, 6)), event((2, 5))]);
    let join = left.join_on::<Both, _>(&right).unwrap();
    let scales: Vec<Option<f32>> =
        join.entries().map(|entry| entry.unwrap().1.map(|right| right.scale)).collect();
    assert_eq!(scales, [Some(1.5), None, Some(2.0)]);
}

#[test]
fn hidden_fields_can_be_keys() {
    let left: Vec<Event> = (0..9).map(|i| event((1, i))).collect();
    let right: Vec<Weights> = (0..9).map(|i| weights((1, 8 - i as u64), i)).collect();
    let options = ReadOptions::new().fields(["hits"]);
    let left = Reader::<Value>::open_with(file("Events", &left), "Events", options).unwrap();
    let join = left.join_on::<Key, _>(&reader("Weights", &right)).unwrap();
    for (number, entry) in join.inner().enumerate() {
        let (hits, partner) = entry.unwrap();
        let Value::Record(hits) = hits else { panic!() };
        assert!(hits.get("hits").is_some() && hits.get("run").is_none());
        assert_eq!(partner.event, number as u64);
    }
}

#[test]
fn in_the_same_order_every_page_is_read_once() {
    let left: Vec<Event> = (0..1000).filter(|i| i % 3 != 0).map(|i| event((1, i))).collect();
    let right: Vec<Weights> = (0..1000).map(|i| weights((1, i as u64), i)).collect();
    let counting = Counting::new(memory("Weights", &right));
    let file = RootFile::from_storage(counting.clone()).unwrap();
    let right = Reader::<Weights>::open_with(&file, "Weights", ReadOptions::new().merge_gap(0)).unwrap();
    let join = reader("Events", &left).join_on::<Key, _>(&right).unwrap();
    let pages = |range: &std::ops::Range<u64>| range.end - range.start;
    let keys: u64 = counting.take_reads().iter().map(pages).sum();
    assert_eq!(join.inner().count(), left.len());
    let rows: u64 = counting.take_reads().iter().map(pages).sum();
    let size = |names: &[&str]| {
        let mut size = 0;
        for cluster in clusters(&right.dataset(0).unwrap()) {
            for (id, column) in right.schema().columns() {
                let path = right.schema().path(column.field);
                if names.iter().any(|name| path.split('.').next() == Some(name)) {
                    for page in &cluster.columns[id.index()].pages {
                        let Locator::File { size: page, .. } = page.locator else { panic!() };
                        size += page + 8;
                    }
                }
            }
        }
        size
    };
    assert_eq!(rows, size(&["run", "event", "values"]));
    assert!(keys >= size(&["run", "event"]) && keys < rows, "{keys} of {rows}");
}

/// Also where each run of a list is in a page of its own.
#[test]
fn keys_of_a_list_are_decoded_ahead() {
    #[derive(RNTuple)]
    #[rntuple(skip_writing)]
    struct Run {
        run: u32,
    }
    #[derive(RNTuple, PartialEq, Eq, Hash)]
    #[rntuple(skip_writing)]
    struct Number {
        event: u64,
    }
    let options = WriteOptions::new().initial_page_length(256).max_page_length(256).cluster_size(50_000);
    let mut writer = Writer::new(Memory::new(), "Events", options).unwrap();
    (0..200).for_each(|number| writer.fill(&event((1, number))).unwrap());
    let counting = Counting::new(writer.finish_into().unwrap().1);
    let right = reader("Weights", &[weights((1, 3), 0)]);
    let pool = Pool::new(1).unwrap();
    let options = ReadOptions::new().pool(&pool).read_size(0).merge_gap(0);
    let left = Reader::<Run>::open_with(counting.clone(), "Events", options).unwrap();
    let join = left.join_on::<Number, _>(&right).unwrap();
    let dataset = left.dataset(0).unwrap();
    let event = dataset.schema().find("event").unwrap();
    let column = dataset.schema().representations(event)[0][0];
    let pages = dataset.cluster(0).unwrap().columns[column.index()].pages.clone();
    assert_eq!(pages.iter().map(|page| page.count).max(), Some(32));

    counting.take_reads();
    let mut joined = join.entries_in(EntryList::from_iter([3..5, 40..42, 100..101]));
    let (first, partner) = joined.next().unwrap().unwrap();
    assert_eq!((first.run, partner.unwrap().event), (1, 3));
    // The thread has done what it was given before.
    pool.as_rayon().install(|| ());
    let reads = counting.take_reads();
    let was_read = pages.iter().take(3).map(|page| {
        let Locator::File { offset, .. } = page.locator else { panic!("in the file") };
        reads.iter().any(|range| range.contains(&offset))
    });
    assert!(was_read.eq([true, true, false]), "{reads:?}");
    assert_eq!(joined.count(), 4);
}
