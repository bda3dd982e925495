//! Columns become files: in clusters and pages as entries do.

use rntuple::columns::Lists;
use rntuple::storage::Memory;
use rntuple::{Compression, RNTuple, WriteOptions, Writer};
use rntuple_tests::sample::{Event, samples};

use super::common::{open, pushed, rows, small};

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Simple {
    number: u32,
    hits: Vec<f32>,
}

/// So many entries, as a simulation has them: in arrays.
fn simple(count: u32) -> SimpleColumns {
    let counts = (0..count).map(|number| u64::from(number % 5));
    let items: u64 = counts.clone().sum();
    let hits = Lists::from_counts(counts, vec![1.5; items as usize]).unwrap();
    SimpleColumns { number: (0..count).collect(), hits }
}

#[test]
fn a_large_batch_ends_clusters_as_entries_do() {
    let batch = simple(100_000);
    let options = WriteOptions::new()
        .compression(Compression::NONE)
        .cluster_size(200_000)
        .max_page_length(8000)
        .write_buffer_length(20_000);
    let mut writer = Writer::<Simple, _>::new(Memory::new(), "Events", options.clone()).unwrap();
    writer.fill_columns(batch.as_slice()).unwrap();
    let (at_once, file) = writer.finish_into().unwrap();
    let entries = rows::<Simple>(&file).unwrap();
    assert_eq!(entries.len(), 100_000);
    assert!(entries.iter().zip(0..).all(|(entry, number)| entry.number == number));
    assert!(entries.iter().all(|entry| entry.hits.len() == entry.number as usize % 5));

    let mut writer = Writer::<Simple, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(&entries).unwrap();
    let one_by_one = writer.finish_into().unwrap().0;
    assert!(one_by_one.clusters > 5);
    assert!(at_once.clusters.abs_diff(one_by_one.clusters) <= 1, "{at_once:?} {one_by_one:?}");
    let dataset = open::<Simple>(&file).dataset(0).unwrap();
    let clusters = dataset.clusters();
    let largest = clusters.map(|cluster| cluster.unwrap().entry_count).max().unwrap();
    assert!(largest < 30_000, "{largest}");
}

#[test]
fn entries_and_batches_may_alternate() {
    let events: Vec<Event> = samples(200, 5);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", small()).unwrap();
    for (number, some) in events.chunks(23).enumerate() {
        if number % 2 == 0 {
            writer.fill_all(some).unwrap()
        } else {
            writer.fill_columns(pushed(some).as_slice()).unwrap()
        }
        if number == 3 {
            writer.commit_cluster().unwrap();
        }
    }
    assert_eq!(rows::<Event>(&writer.finish_into().unwrap().1).unwrap(), events);
}

#[test]
fn the_same_batches_make_the_same_bytes() {
    let events: Vec<Event> = samples(200, 9);
    let bytes = || {
        let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", small()).unwrap();
        writer.fill_columns(pushed(&events).as_slice()).unwrap();
        writer.finish_into().unwrap().1.into_bytes()
    };
    assert!(bytes() == bytes());
}
