//! What statistics cost a writer: the processor time of writing with them, as a ratio to that of writing without.
//!
//! `cargo run --release -p rntuple-benches --bin statistics`: pages go nowhere, as a disk differs from one run to the next
//! by more than statistics cost; with one, the ratio is nearer to 1. Writers without statistics are measured twice, in turn
//! with those that have them, in one run: the ratio of these two, which is 1, says how exact the other one is. Ratios are
//! those of the medians.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a benchmark that cannot go on has failed")]

use std::hint::black_box;

use cpu_time::ProcessTime;
use rntuple::columns::{SliceOf, WriteColumnar};
use rntuple::storage::Null;
use rntuple::{Compression, Entry, RNTuple, WriteField, WriteOptions, Writer};
use rntuple_benches::{Event, FlatEvent, events, flat_events};

/// Runs of each kind for each case.
const ROUNDS: usize = 51;

/// Without statistics, without them again, and with them.
const KINDS: usize = 3;

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

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn compare(name: &str, write: &dyn Fn(WriteOptions) -> u64) {
    for (codec, compression) in
        [("none", Compression::NONE), ("lz4", Compression::lz4(1)), ("zstd 1", Compression::zstd(1))]
    {
        let options = WriteOptions::new().compression(compression);
        let (mut times, mut sizes) = ([const { Vec::new() }; KINDS], [0; KINDS]);
        for round in 0..ROUNDS {
            for turn in 0..KINDS {
                // None is always the first.
                let kind = (round + turn) % KINDS;
                let start = ProcessTime::now();
                sizes[kind] = black_box(write(options.clone().statistics(kind == KINDS - 1)));
                times[kind].push(start.elapsed().as_secs_f64());
            }
        }
        let [plain, again, with] = times.map(median);
        println!(
            "{name:<12} {codec:<7} time x {:.3} (without x {:.3})   {:7.2} ms without   size x {:.5}",
            with / plain.midpoint(again),
            again / plain,
            1e3 * plain,
            sizes[2] as f64 / sizes[0] as f64,
        );
    }
}

/// Entries one by one.
fn fill<T: Entry + WriteField>(options: WriteOptions, entries: &[T]) -> u64 {
    let mut writer = Writer::<T, _>::new(Null, "Events", options).unwrap();
    entries.iter().for_each(|entry| writer.fill(entry).unwrap());
    writer.finish().unwrap().file_size
}

/// All entries at once, from arrays: what writes fastest.
fn fill_columns<T: Entry + WriteColumnar>(options: WriteOptions, entries: SliceOf<'_, T>) -> u64 {
    let mut writer = Writer::<T, _>::new(Null, "Events", options).unwrap();
    writer.fill_columns(entries).unwrap();
    writer.finish().unwrap().file_size
}

fn main() {
    let floats: Vec<f32> = (0..4_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32).collect();
    let integers: Vec<i32> =
        (0..4_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 12) as i32).collect();
    let longs: Vec<i64> = integers.iter().map(|value| i64::from(*value) << 20).collect();
    compare("f32 columns", &|options| fill_columns::<Float>(options, FloatSlice { value: &floats }));
    compare("i32 columns", &|options| fill_columns::<Integer>(options, IntegerSlice { value: &integers }));
    compare("i64 columns", &|options| fill_columns::<Long>(options, LongSlice { value: &longs }));
    let flat: Vec<FlatEvent> = flat_events(200_000);
    compare("flat event", &|options| fill(options, &flat));
    let nested: Vec<Event> = events(200_000);
    compare("nested event", &|options| fill(options, &nested));
    let texts: Vec<Text> =
        (0..500_000u32).map(|i| Text { name: format!("{:x}", i.wrapping_mul(2_654_435_761)) }).collect();
    compare("strings", &|options| fill(options, &texts));
}
