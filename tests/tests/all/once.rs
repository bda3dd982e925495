//! What is done once, however often a reader is asked: a type is connected, and `take` decodes each page.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unreachable,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rayon::prelude::*;
use rntuple::field::{ColumnReader, FieldNode, FieldReader, ReadField};
use rntuple::schema::Locator;
use rntuple::storage::Memory;
use rntuple::{
    Compression, Dataset, Files, Pool, RNTuple, ReadOptions, Reader, Result, RootFile, WriteOptions, Writer,
};
use rntuple_tests::clusters;
use rntuple_tests::counting::Counting;

const ENTRIES: u64 = 3000;

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Event {
    number: u64,
    hits: Vec<u16>,
}

fn event(number: u64) -> Event {
    Event { number, hits: (0..number % 4).map(|hit| (number + hit) as u16).collect() }
}

/// Six clusters of many pages.
fn file() -> Memory {
    file_with(Compression::NONE)
}

fn file_with(compression: Compression) -> Memory {
    let options = WriteOptions::new().compression(compression).max_page_length(256);
    let mut writer = Writer::new(Memory::new(), "Events", options).unwrap();
    for number in 0..ENTRIES {
        writer.fill(&event(number)).unwrap();
        if (number + 1) % 500 == 0 {
            writer.commit_cluster().unwrap();
        }
    }
    writer.finish_into().unwrap().1
}

/// How often the number of each test was connected.
static CONNECTED: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];

/// A number that counts how often it is connected in test `TEST`.
#[derive(Debug, PartialEq)]
struct Number<const TEST: usize>(u64);

impl<const TEST: usize> ReadField for Number<TEST> {
    type Reader = ColumnReader<u64>;

    fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
        CONNECTED[TEST].fetch_add(1, Relaxed);
        u64::connect(field, reader)
    }
}

impl<const TEST: usize> FieldReader<Number<TEST>> for ColumnReader<u64> {
    fn read(&mut self) -> Result<Number<TEST>> {
        self.read().map(Number)
    }
}

#[derive(RNTuple, Debug, PartialEq)]
#[rntuple(skip_writing)]
struct Counted<const TEST: usize> {
    number: Number<TEST>,
}

/// How often the number of a test was connected since the last call.
fn connected(test: usize) -> usize {
    CONNECTED[test].swap(0, Relaxed)
}

fn open<const TEST: usize>(files: impl Into<Files>, options: ReadOptions) -> Reader<Counted<TEST>> {
    Reader::open_with(files, "Events", options).unwrap()
}

fn all<const TEST: usize>(reader: &Reader<Counted<TEST>>) {
    let numbers: Vec<u64> = reader.entries().map(|entry| entry.unwrap().number.0).collect();
    assert!(numbers.iter().copied().eq(0..reader.entry_count().unwrap()));
}

/// Whatever is asked for, one after the other.
fn use_in_turn<const TEST: usize>(reader: &Reader<Counted<TEST>>) {
    all(reader);
    all(reader);
    assert_eq!(reader.get(1700).unwrap().number.0, 1700);
    let taken = reader.take(&[2900, 3, 1500]).unwrap();
    assert_eq!(taken.iter().map(|entry| entry.number.0).collect::<Vec<_>>(), [2900, 3, 1500]);
    // A walk that ends early, inside a cluster, and one that continues there.
    assert_eq!(reader.entries_in(10..2000).take(700).count(), 700);
    assert_eq!(reader.entries_in(710..720).map(|entry| entry.unwrap().number.0).sum::<u64>(), 7145);
    assert_eq!(reader.get(5).unwrap().number.0, 5);
    let mut slot = reader.get(6).unwrap();
    reader.read_into(7, &mut slot).unwrap();
    assert_eq!(slot.number.0, 7);
    all(reader);
}

#[test]
fn a_type_is_connected_once_for_what_is_read_in_turn() {
    let ahead = Pool::new(2).unwrap();
    for options in [ReadOptions::new(), ReadOptions::new().pool(&ahead)] {
        let reader = open::<0>(file(), options);
        use_in_turn(&reader);
        assert_eq!(connected(0), 1);
    }
}

#[test]
fn cursors_in_use_at_the_same_time_are_connected_each() {
    let reader = open::<1>(file(), ReadOptions::new());
    let (mut first, mut second) = (reader.entries(), reader.entries());
    assert_eq!(first.next().unwrap().unwrap(), second.next().unwrap().unwrap());
    assert_eq!(reader.get(9).unwrap().number.0, 9);
    assert_eq!(connected(1), 3);
    drop((first, second));
    use_in_turn(&reader);
    assert_eq!(connected(1), 0);

    // The threads connect once each, and not for each piece.
    let pool = Pool::new(2).unwrap();
    let reader = open::<1>(file(), ReadOptions::new().pool(&pool));
    let sum: u64 = reader.par_entries().map(|entry| entry.unwrap().number.0).sum();
    assert_eq!(sum, ENTRIES * (ENTRIES - 1) / 2);
    let times = connected(1);
    assert!((2..=1 + 2).contains(&times), "{times}");
    use_in_turn(&reader);
    assert_eq!(connected(1), 0);
}

#[test]
fn what_was_decoded_ahead_within_a_budget_is_dropped_unless_the_next_walk_counts_it() {
    let pool = Pool::new(2).unwrap();
    let reader = open::<2>(file(), ReadOptions::new().pool(&pool).memory_budget(64 << 20));
    assert_eq!(connected(2), 1);
    all(&reader);
    all(&reader);
    all(&reader);
    assert_eq!(connected(2), 0);
    // Single entries have no page ahead.
    assert_eq!(reader.get(9).unwrap().number.0, 9);
    assert_eq!(connected(2), 1);
    assert_eq!(reader.get(10).unwrap().number.0, 10);
    all(&reader);
    assert_eq!(connected(2), 0);
    // Other clusters may have smaller pages.
    assert_eq!(reader.entries_in(10..20).count(), 10);
    assert_eq!(connected(2), 1);
    // These walks end inside a cluster.
    assert_eq!(reader.entries().take(10).count(), 10);
    assert_eq!(connected(2), 1);
    all(&reader);
    assert_eq!(connected(2), 1);
}

#[test]
fn each_file_is_connected_when_a_cursor_comes_to_it() {
    let reader = open::<3>([file(), file()], ReadOptions::new());
    // Both are compared with the type before the first entry.
    assert_eq!(connected(3), 2);
    let numbers = || reader.entries().map(|entry| entry.unwrap().number.0);
    assert!(numbers().eq((0..ENTRIES).chain(0..ENTRIES)));
    assert_eq!(connected(3), 1);
    assert_eq!(reader.get(ENTRIES + 3).unwrap().number.0, 3);
    assert_eq!(connected(3), 0);
    assert!(numbers().eq((0..ENTRIES).chain(0..ENTRIES)));
    assert_eq!(connected(3), 2);
}

/// `0..count` in an order without any rule.
fn shuffled(count: u64) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..count).collect();
    let mut state = 1u64;
    for last in (1..numbers.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        numbers.swap(last, (state >> 33) as usize % (last + 1));
    }
    numbers
}

#[test]
fn what_is_taken_in_any_order_decodes_each_page_once() {
    let counting = Counting::new(file());
    let dataset = Dataset::open(&RootFile::from_storage(counting.clone()).unwrap(), "Events").unwrap();
    let mut pages = Vec::new();
    for cluster in clusters(&dataset) {
        for page in cluster.columns.iter().flat_map(|column| &column.pages) {
            let Locator::File { offset, .. } = page.locator else { unreachable!() };
            pages.push(offset);
        }
    }
    assert!(pages.len() > 200, "{}", pages.len());
    // Pages are read where they are decoded, each by itself.
    let options = ReadOptions::new().read_size(0).merge_gap(0);
    let file = RootFile::from_storage(counting.clone()).unwrap();
    let reader = Reader::<Event>::open_with(file, "Events", options).unwrap();
    let reads = || {
        let reads = counting.take_reads();
        let of = |page: &u64| reads.iter().filter(|read| read.contains(page)).count();
        let mut of: Vec<usize> = pages.iter().map(of).collect();
        of.sort_unstable();
        of.dedup();
        of
    };
    reader.partitions(1).unwrap();
    reads();

    let list = shuffled(ENTRIES);
    assert_eq!(reader.take(&list).unwrap(), list.iter().copied().map(event).collect::<Vec<_>>());
    assert_eq!(reads(), [1], "each page once");

    // Each entry again: a page is decoded again for the entry at its beginning and the one at its end.
    let list: Vec<u64> = (0..ENTRIES).flat_map(|number| [number; 2]).collect();
    assert_eq!(reader.take(&list).unwrap(), list.iter().copied().map(event).collect::<Vec<_>>());
    let most = reads().last().copied();
    assert!((2..=3).contains(&most.unwrap()), "{most:?}");

    // In the order of such a list, pages are read again and again.
    for &index in list.iter().take(200) {
        reader.get(index).unwrap();
    }
    assert!(reads().last().is_some_and(|most| *most > 1));
}

/// How many pages are read more than once by walks that part inside of pages, the later one first.
fn read_again(compression: Compression, options: ReadOptions) -> usize {
    let counting = Counting::new(file_with(compression));
    let file = RootFile::from_storage(counting.clone()).unwrap();
    let options = options.read_size(0).merge_gap(0);
    let reader = Reader::<Event>::open_with(file, "Events", options).unwrap();
    reader.get(0).unwrap();
    counting.take_reads();
    for range in [1700..ENTRIES, 710..1700, 0..710] {
        let expected = range.clone().map(event);
        assert!(reader.entries_in(range).map(Result::unwrap).eq(expected));
    }
    let mut reads = counting.take_reads();
    let count = reads.len();
    reads.sort_by_key(|range| range.start);
    reads.dedup();
    count - reads.len()
}

#[test]
fn pages_in_which_walks_part_are_read_and_decompressed_once() {
    let zstd = Compression::zstd(1);
    assert_eq!(read_again(zstd, ReadOptions::new()), 0);
    // Where memory is scarce it is not spent on what others need, and what is not compressed costs nothing.
    assert_eq!(read_again(zstd, ReadOptions::new().memory_budget(64 << 20)), 6);
    assert_eq!(read_again(Compression::NONE, ReadOptions::new()), 6);
}
