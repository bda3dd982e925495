//! What statistics cost a writer: the processor time of writing with them, as a ratio to that of writing without.
//!
//! `cargo run --release -p rntuple-benches --bin statistics`: both are measured in turn, many times, in one run, so that
//! whatever else the machine does is the same for both. The ratio is that of the medians of all pairs.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a benchmark that cannot go on has failed")]

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use cpu_time::ProcessTime;
use rntuple::columns::{SliceOf, WriteColumnar};
use rntuple::{Compression, Entry, RNTuple, WriteField, WriteOptions, Writer};
use rntuple_benches::{Event, FlatEvent, events, flat_events};

/// Pairs of runs for each case.
const PAIRS: usize = 41;

/// One number of each kind.
macro_rules! numbers {
    ($($name:ident: $type:ty;)*) => {$(
        #[derive(RNTuple)]
        #[rntuple(columnar)]
        struct $name {
            value: $type,
        }
    )*};
}

numbers! {
    Float: f32;
    Integer: i32;
    Long: i64;
}

#[derive(RNTuple)]
struct Text {
    name: String,
}

/// The processor time of one run.
fn time(path: &Path, options: WriteOptions, write: &dyn Fn(&Path, WriteOptions) -> u64) -> (Duration, u64) {
    let start = ProcessTime::now();
    let size = write(path, options);
    (start.elapsed(), black_box(size))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn compare(name: &str, write: &dyn Fn(&Path, WriteOptions) -> u64) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    for (codec, compression) in [("none", Compression::NONE), ("zstd 1", Compression::zstd(1))] {
        let options = WriteOptions::new().compression(compression).in_place(true);
        let (mut ratios, mut times, mut sizes) = (Vec::new(), Vec::new(), [0; 2]);
        for pair in 0..PAIRS {
            let mut run = |statistics: bool| {
                let (time, size) = time(&path, options.clone().statistics(statistics), write);
                if let Some(slot) = sizes.get_mut(usize::from(statistics)) {
                    *slot = size;
                }
                time.as_secs_f64()
            };
            // Neither is always the first.
            let (without, with) = if pair % 2 == 0 {
                let without = run(false);
                (without, run(true))
            } else {
                let with = run(true);
                (run(false), with)
            };
            ratios.push(with / without);
            times.push(without);
        }
        let [plain, larger] = sizes.map(|size| size as f64);
        println!(
            "{name:<12} {codec:<7} time x {:.3}   {:7.2} ms without   size x {:.5}",
            median(ratios),
            1e3 * median(times),
            larger / plain
        );
    }
}

/// Entries one by one.
fn fill<T: Entry + WriteField>(path: &Path, options: WriteOptions, entries: &[T]) -> u64 {
    let mut writer = Writer::<T>::create(path, "Events", options).unwrap();
    entries.iter().for_each(|entry| writer.fill(entry).unwrap());
    writer.finish().unwrap().file_size
}

/// All entries at once, from arrays: what writes fastest.
fn fill_columns<T: Entry + WriteColumnar>(
    path: &Path,
    options: WriteOptions,
    entries: SliceOf<'_, T>,
) -> u64 {
    let mut writer = Writer::<T>::create(path, "Events", options).unwrap();
    writer.fill_columns(entries).unwrap();
    writer.finish().unwrap().file_size
}

fn main() {
    let floats: Vec<f32> = (0..4_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32).collect();
    let integers: Vec<i32> =
        (0..4_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 12) as i32).collect();
    let longs: Vec<i64> = integers.iter().map(|value| i64::from(*value) << 20).collect();
    compare("f32 columns", &|path, options| {
        fill_columns::<Float>(path, options, FloatSlice { value: &floats })
    });
    compare("i32 columns", &|path, options| {
        fill_columns::<Integer>(path, options, IntegerSlice { value: &integers })
    });
    compare("i64 columns", &|path, options| fill_columns::<Long>(path, options, LongSlice { value: &longs }));
    let flat: Vec<FlatEvent> = flat_events(200_000);
    compare("flat event", &|path, options| fill(path, options, &flat));
    let nested: Vec<Event> = events(40_000);
    compare("nested event", &|path, options| fill(path, options, &nested));
    let texts: Vec<Text> =
        (0..500_000u32).map(|i| Text { name: format!("{:x}", i.wrapping_mul(2_654_435_761)) }).collect();
    compare("strings", &|path, options| fill(path, options, &texts));
}
