//! What opening and walking cost, by the number of clusters:
//! `cargo run --release -p rntuple-tests --example clusters`.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program run by hand")]

use std::time::{Duration, Instant};

use rntuple::merge::{Input, MergeOptions, merge_into};
use rntuple::storage::Memory;
use rntuple::{Dataset, Pool, RNTuple, ReadOptions, Reader, RootFile, WriteOptions, Writer};
use rntuple_tests::memory::{Watched, peak};

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// Ten columns.
#[derive(Clone, Debug, Default, RNTuple)]
struct Event {
    a: f64,
    b: f64,
    c: f64,
    d: u64,
    e: u32,
    f: i32,
    g: Vec<f32>,
    h: Vec<u16>,
}

const ENTRIES_PER_CLUSTER: u64 = 4;

fn file(clusters: u64) -> RootFile {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    for cluster in 0..clusters {
        for entry in 0..ENTRIES_PER_CLUSTER {
            let number = cluster * ENTRIES_PER_CLUSTER + entry;
            let event = Event { a: 1.0, d: number, g: vec![0.5; 3], h: vec![7; 2], ..Event::default() };
            writer.fill(&event).unwrap();
        }
        writer.commit_cluster().unwrap();
    }
    RootFile::from_storage(writer.finish_into().unwrap().1).unwrap()
}

/// The same clusters in one cluster group, as ROOT writes them.
fn in_one_group(file: &RootFile) -> RootFile {
    let options = MergeOptions::new().single_group(true);
    let merged = merge_into(&[Input::open(file)], Memory::new(), options).unwrap().1;
    RootFile::from_storage(merged).unwrap()
}

/// The time of `work`, the most bytes that it held at once, and its result.
fn measured<T>(work: impl FnOnce() -> T) -> (Duration, usize, T) {
    let start = Instant::now();
    let (bytes, result) = peak(work);
    (start.elapsed(), bytes, result)
}

fn print(what: &str, (time, bytes): (Duration, usize)) {
    println!("  {what:<28} {:>10.3} ms {:>12.1} KiB", time.as_secs_f64() * 1e3, bytes as f64 / 1024.0);
}

fn sum(reader: &Reader<Event>) -> u64 {
    let (mut event, mut sum) = (Event::default(), 0);
    let mut entries = reader.entries();
    while entries.read_into(&mut event).unwrap() {
        sum += event.d;
    }
    sum
}

fn main() {
    for (clusters, is_one_group) in [(10, false), (1_000, false), (100_000, false), (100_000, true)] {
        let written = file(clusters);
        let file = if is_one_group { in_one_group(&written) } else { written };
        let groups = Dataset::open(&file, "Events").unwrap().cluster_groups().len();
        println!("{clusters} clusters, {groups} groups, {} bytes", file.end());
        // Once before, so that what is made once for the whole process is there.
        Dataset::open(&file, "Events").unwrap();
        let (time, bytes, dataset) = measured(|| Dataset::open(&file, "Events").unwrap());
        print("Dataset::open", (time, bytes));
        drop(dataset);
        let entries = clusters * ENTRIES_PER_CLUSTER;
        let walk = |options: ReadOptions| {
            let (open, opened, reader) =
                measured(|| Reader::<Event>::open_with(&file, "Events", options).unwrap());
            let (time, bytes, sum) = measured(|| sum(&reader));
            assert_eq!(sum, entries * (entries - 1) / 2);
            ((open, opened), (time, bytes + opened))
        };
        let (open, all) = walk(ReadOptions::new());
        print("Reader::open", open);
        print("a walk", all);
        let (open, all) = walk(ReadOptions::new().memory_budget(4 << 20));
        print("Reader::open, 4 MiB budget", open);
        print("a walk, 4 MiB budget", all);
        print("a walk, reading ahead", walk(ReadOptions::new().pool(&Pool::new(2).unwrap())).1);
        let reader = Reader::<Event>::open(&file, "Events").unwrap();
        let (time, bytes, ranges) = measured(|| reader.partitions(16).unwrap());
        assert!(ranges.len() > 8);
        print("16 partitions", (time, bytes));
        let (time, bytes, last) = measured(|| reader.get(entries - 1).unwrap());
        assert_eq!(last.d, entries - 1);
        print("the last entry", (time, bytes));
    }
}
