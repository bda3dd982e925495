//! How many pages two threads decode that share a cluster, and how many there are:
//! `cargo run --release -p rntuple-tests --example cuts`.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program run by hand")]

use std::ops::Range;

use rntuple::field::{ReadField, WriteField};
use rntuple::schema::Locator;
use rntuple::storage::Memory;
use rntuple::{Dataset, Entry, RNTuple, ReadOptions, Reader, RootFile, WriteOptions, Writer};
use rntuple_tests::clusters;
use rntuple_tests::counting::Counting;
use rntuple_tests::sample::{Event, samples};

/// Columns of three widths.
#[derive(Clone, RNTuple)]
struct Flat {
    run: u32,
    number: u64,
    weight: f64,
    x: f32,
    y: f32,
    z: f32,
    charge: i8,
    is_good: bool,
}

fn show<T: Entry + WriteField + ReadField>(what: &str, entries: &[T]) {
    let mut writer = Writer::<T, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill_all(entries).unwrap();
    let counting = Counting::new(writer.finish_into().unwrap().1);
    let file = RootFile::from_storage(counting.clone()).unwrap();
    let all = clusters(&Dataset::open(&file, "Events").unwrap());
    let pages: Vec<(u64, u64)> = all
        .iter()
        .flat_map(|cluster| cluster.columns.iter().flat_map(|column| &column.pages))
        .filter_map(|page| match page.locator {
            Locator::File { offset, size } => Some((offset, size)),
            _ => None,
        })
        .collect();
    let bytes: u64 = pages.iter().map(|(_, size)| size).sum();
    println!("{what}: {} clusters, {} pages of {bytes} bytes", all.len(), pages.len());
    // Each page is read by itself, by whoever decodes it.
    let options = ReadOptions::new().read_size(0).merge_gap(0);
    let reader = Reader::<T>::open_with(file, "Events", options).unwrap();
    let count = reader.entry_count().unwrap();
    let cuts =
        [("in the middle", vec![0..count / 2, count / 2..count]), ("cut", reader.partitions(2).unwrap())];
    for (how, ranges) in cuts {
        counting.take_reads();
        for range in &ranges {
            // A cursor of its own for each of the threads.
            let reader = Reader::<T>::open_with(
                RootFile::from_storage(counting.clone()).unwrap(),
                "Events",
                ReadOptions::new().read_size(0).merge_gap(0),
            );
            assert_eq!(reader.unwrap().entries_in(range.clone()).count() as u64, range.end - range.start);
        }
        let reads = counting.take_reads();
        let of = |place: u64| reads.iter().filter(|read: &&Range<u64>| read.contains(&place)).count();
        let twice: Vec<u64> = pages.iter().filter(|(at, _)| of(*at) > 1).map(|(_, size)| *size).collect();
        let again: u64 = twice.iter().sum();
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole as f64;
        println!(
            "  {how:<14} {ranges:?}: {} pages twice, {:.2} % of the pages, {:.2} % of the bytes",
            twice.len(),
            share(twice.len() as u64, pages.len() as u64),
            share(again, bytes),
        );
    }
}

fn main() {
    for count in [300_000u32, 3_000_000] {
        let flat = |number: u32| Flat {
            run: number / 1000,
            number: number.into(),
            weight: f64::from(number) / 7.0,
            x: number as f32,
            y: (number as f32).sqrt(),
            z: (number as f32).sin(),
            charge: i8::try_from(number % 3).unwrap() - 1,
            is_good: !number.is_multiple_of(5),
        };
        show(&format!("{count} flat entries"), &(0..count).map(flat).collect::<Vec<_>>());
    }
    for count in [100_000, 500_000] {
        show::<Event>(&format!("{count} nested events"), &samples(count, 17));
    }
}
