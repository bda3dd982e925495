//! Several threads read the same entries as one, in the same order, with the same faults.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::collections::BTreeSet;
use std::sync::Mutex;

use rayon::prelude::*;
use rntuple::schema::Locator;
use rntuple::storage::Memory;
use rntuple::{Compression, ErrorKind, Pool, ReadOptions, Reader, RootFile, Value, WriteOptions, Writer};
use rntuple_tests::clusters;
use rntuple_tests::counting::Counting;
use rntuple_tests::reference;
use rntuple_tests::sample::{Event, samples};

fn written(count: usize, options: WriteOptions) -> (Vec<Event>, Memory) {
    let events: Vec<Event> = samples(count, 17);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(&events).unwrap();
    (events, writer.finish_into().unwrap().1)
}

fn open(file: Memory, options: ReadOptions) -> Reader<Event> {
    Reader::open_with(RootFile::from_storage(file).unwrap(), "Events", options).unwrap()
}

#[test]
fn all_entries_come_in_their_order_on_the_threads_of_the_pool() {
    let pool = Pool::new(3).unwrap();
    for cluster in [20_000, 1 << 30] {
        let options = WriteOptions::new().max_page_length(512).cluster_size(cluster);
        let (events, file) = written(3000, options);
        let reader = open(file.clone(), ReadOptions::new().pool(&pool));
        let threads = Mutex::new(BTreeSet::new());
        let read: Vec<Event> = reader
            .par_entries()
            .map(|event| {
                let name = std::thread::current().name().map(str::to_owned);
                threads.lock().unwrap().insert(name.unwrap());
                event.unwrap()
            })
            .collect();
        assert_eq!(read, events);
        assert!(threads.lock().unwrap().iter().all(|name| name.starts_with("rntuple-")));
        assert_eq!(reader.get(7).unwrap(), events[7], "the reader can still be used");

        // Without a pool of its own it runs where it is driven.
        let reader = open(file.clone(), ReadOptions::new());
        let read: Vec<Event> = pool.as_rayon().install(|| reader.par_entries().map(Result::unwrap).collect());
        assert_eq!(read, events);

        // One thread that drives, waits and decodes.
        let alone = Pool::new(1).unwrap();
        let reader = open(file, ReadOptions::new().pool(&alone));
        assert!(reader.par_entries().map(Result::unwrap).collect::<Vec<_>>() == events);
        let inside: usize =
            alone.as_rayon().install(|| reader.par_entries().map(|event| event.unwrap().muons.len()).sum());
        assert_eq!(inside, events.iter().map(|event| event.muons.len()).sum::<usize>());
    }
}

#[test]
fn who_goes_on_where_a_walk_stopped_reads_no_page_again() {
    let options = WriteOptions::new().compression(Compression::NONE).max_page_length(512);
    let (events, file) = written(3000, options);
    let counting = Counting::new(file);
    let read_options = || ReadOptions::new().read_size(0).merge_gap(0);
    let file = RootFile::from_storage(counting.clone()).unwrap();
    let reader = Reader::<Event>::open_with(file, "Events", read_options()).unwrap();
    let length = || counting.take_reads().iter().map(|range| range.end - range.start).sum::<u64>();
    // The page list stays with the reader.
    assert!(reader.partitions(4).unwrap().len() > 3, "the cluster can be cut");
    length();
    assert_eq!(reader.entries().map(Result::unwrap).collect::<Vec<_>>(), events);
    let once = length();

    // One thread reads two jobs, each of several pieces.
    let alone = Pool::new(1).unwrap();
    let read: Vec<Event> = alone.as_rayon().install(|| reader.par_entries().map(Result::unwrap).collect());
    assert_eq!(read, events);
    let with_a_cut = length();
    assert!(with_a_cut < once + once / 8, "{with_a_cut} bytes instead of {once}");

    let mut read = Vec::new();
    for start in (0..3000).step_by(100) {
        read.extend(reader.entries_in(start..start + 100).map(Result::unwrap));
    }
    assert_eq!(read, events);
    assert_eq!(length(), once);

    // From elsewhere on, pages that were passed are read again.
    assert_eq!(reader.entries_in(1..2).next().unwrap().unwrap(), events[1]);
    assert_eq!(reader.entries_in(0..2).next().unwrap().unwrap(), events[0]);
    assert!(length() > 0);
}

/// Walks leave pages to each other, in whatever order they come: each reads its own entries.
#[test]
fn any_ranges_on_threads_of_one_reader_have_their_entries() {
    let options = WriteOptions::new().max_page_length(512).cluster_size(200_000);
    let (events, file) = written(3000, options.compression(Compression::zstd(1)));
    let reader = open(file, ReadOptions::new());
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let (reader, events) = (&reader, &events);
            scope.spawn(move || {
                for turn in 0..100u64 {
                    let place = (turn * 4 + thread).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    let (start, length) = ((place >> 32) % 3000, place % 200);
                    let range = start..(start + length).min(3000);
                    let expected = &events[range.start as usize..range.end as usize];
                    assert!(
                        reader.entries_in(range.clone()).map(Result::unwrap).eq(expected.iter().cloned())
                    );
                    let batches = reader.batches_in(range, 64).map(|batch| batch.unwrap().len());
                    assert_eq!(batches.sum::<usize>(), expected.len());
                }
            });
        }
    });
}

#[test]
fn partitions_are_all_entries_and_follow_clusters() {
    let (events, file) = written(4000, WriteOptions::new().max_page_length(512).cluster_size(20_000));
    let reader = open(file, ReadOptions::new());
    let borders: BTreeSet<u64> =
        clusters(&reader.dataset(0).unwrap()).iter().map(|one| one.first_entry).collect();
    assert!(borders.len() > 10, "{}", borders.len());
    for target in [0, 1, 2, 5, 10, 1000, usize::MAX] {
        let ranges = reader.partitions(target).unwrap();
        assert_eq!(ranges[0].start, 0);
        assert_eq!(ranges.last().unwrap().end, events.len() as u64);
        assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert!(ranges.iter().all(|range| range.start < range.end));
        assert!(ranges.len() <= 2 * target.clamp(1, 1000), "{} for {target}", ranges.len());
        if (2..=10).contains(&target) {
            assert!(ranges.len() * 2 >= target, "{} for {target}", ranges.len());
            assert!(ranges.iter().all(|range| borders.contains(&range.start)), "{target}: {ranges:?}");
        }
    }
    let pieces = reader
        .partitions(4)
        .unwrap()
        .into_iter()
        .flat_map(|range| reader.entries_in(range).map(Result::unwrap));
    assert!(pieces.eq(events));
}

#[test]
fn one_cluster_is_cut_only_where_its_pages_are_small() {
    let (_, small) = written(4000, WriteOptions::new().max_page_length(512));
    assert_eq!(open(small, ReadOptions::new()).partitions(4).unwrap().len(), 4);
    let (_, large) = written(4000, WriteOptions::new());
    assert_eq!(
        open(large, ReadOptions::new()).partitions(4).unwrap().as_slice(),
        std::slice::from_ref(&(0..4000))
    );
    let (_, none) = written(0, WriteOptions::new());
    let reader = open(none, ReadOptions::new());
    assert!(reader.partitions(4).unwrap().is_empty() && reader.par_entries().count() == 0);
}

#[test]
fn damage_ends_its_piece_alone() {
    let (events, file) =
        written(3000, WriteOptions::new().cluster_size(20_000).compression(Compression::NONE));
    let pool = Pool::new(2).unwrap();
    let whole = open(file.clone(), ReadOptions::new().pool(&pool));
    let dataset = whole.dataset(0).unwrap();
    let clusters = clusters(&dataset);
    let damaged = &clusters[clusters.len() / 2];
    let id = *whole.selected_columns().iter().next().unwrap();
    let Locator::File { offset, .. } = damaged.columns[id.index()].pages[0].locator else {
        panic!("in the file")
    };
    let mut bytes = file.into_bytes();
    bytes[offset as usize] ^= 1;
    let reader = open(Memory::from(bytes), ReadOptions::new().pool(&pool));
    let read: Vec<_> = reader.par_entries().collect();
    let faults: Vec<_> = read.iter().filter_map(|entry| entry.as_ref().err()).collect();
    let [fault] = faults[..] else { panic!("{faults:?}") };
    assert_eq!(fault.kind(), ErrorKind::OutOfSpec);
    assert_eq!(fault.location().entry, Some(damaged.first_entry));
    let good: Vec<Event> = read.into_iter().filter_map(Result::ok).collect();
    let from = damaged.first_entry as usize;
    assert_eq!(good[..from], events[..from]);
    // What is behind the piece is there again.
    assert!(good.len() > from && good.last() == events.last());
}

#[test]
fn every_file_by_root_reads_the_same_on_several_threads() {
    let pool = Pool::new(2).unwrap();
    for reference in reference::files("-v1.") {
        let file = RootFile::open(&reference.file).unwrap();
        for ntuple in reference.expected["rntuples"].as_array().unwrap() {
            let options = ReadOptions::new().pool(&pool);
            let reader =
                Reader::<Value>::open_with(&file, ntuple["path"].as_str().unwrap(), options).unwrap();
            let one: Vec<Value> = reader.entries().map(Result::unwrap).collect();
            let many: Vec<Value> = reader.par_entries().map(Result::unwrap).collect();
            assert!(format!("{one:?}") == format!("{many:?}"), "{}", reference.name);
        }
    }
}

#[test]
fn threads_of_ones_own_share_a_reader_and_reuse_their_events() {
    fn is_for_threads<T: Send + Sync>() {}
    is_for_threads::<Reader<Event>>();
    is_for_threads::<rntuple::Entries<Event>>();
    is_for_threads::<rntuple::parallel::ParEntries<Event>>();
    let (events, file) = written(2000, WriteOptions::new().max_page_length(512));
    let reader = open(file, ReadOptions::new());
    let ranges = reader.partitions(2).unwrap();
    assert_eq!(ranges.len(), 2);
    let sum = |range: std::ops::Range<u64>| {
        let (mut event, mut entries, mut muons) = (Event::default(), reader.entries_in(range), 0);
        while entries.read_into(&mut event).unwrap() {
            muons += event.muons.len();
        }
        muons
    };
    let found: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = ranges.into_iter().map(|range| scope.spawn(|| sum(range))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(found, events.iter().map(|event| event.muons.len()).sum::<usize>());
}
