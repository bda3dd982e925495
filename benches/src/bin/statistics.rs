//! What statistics cost a writer: the processor time of writing with them, as a ratio to that of writing without.
//!
//! `cargo run --release -p rntuple-benches --bin statistics`: each case is written to nowhere, and into a file in a
//! temporary folder. Nowhere shows what the writer itself does, and a file what a user pays: the time of the system that
//! takes the bytes counts too, not that of the disk, which differs from one run to the next by more than statistics cost.
//! Writers without statistics are measured twice, in turn with those that have them, in one run: the ratio of these two,
//! which is 1, says how exact the other one is. Ratios are those of the medians.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a benchmark that cannot go on has failed")]

use std::hint::black_box;
use std::path::{Path, PathBuf};

use cpu_time::ProcessTime;
use rntuple::columns::{SliceOf, Strings, WriteColumnar};
use rntuple::field::WriteField;
use rntuple::storage::{Null, WriteAt};
use rntuple::{Compression, Entry, RNTuple, WriteOptions, Writer};
use rntuple_benches::{Event, FlatEvent, events, flat_events};

/// Runs of each kind for each case.
const ROUNDS: usize = 21;

/// Without statistics, without them again, and with them.
const KINDS: usize = 3;

/// One value of each kind.
macro_rules! values {
    ($($name:ident: $type:ty;)*) => {$(
        #[derive(RNTuple)]
        #[rntuple(columnar)]
        struct $name {
            value: $type,
        }
    )*};
}

values! {
    Float: f32;
    Integer: i32;
    Long: i64;
    Text: String;
}

/// Where a case is written.
#[derive(Clone, Copy)]
enum Sink<'a> {
    Nowhere,
    File(&'a Path),
}

/// What is written: the same to any storage.
trait Input {
    type Entry: Entry + WriteField;

    fn fill<W: WriteAt>(&self, writer: &mut Writer<Self::Entry, W>);
}

/// Entries one by one.
struct Rows<'a, T>(&'a [T]);

impl<T: Entry + WriteField> Input for Rows<'_, T> {
    type Entry = T;

    fn fill<W: WriteAt>(&self, writer: &mut Writer<T, W>) {
        self.0.iter().for_each(|entry| writer.fill(entry).unwrap());
    }
}

/// All entries at once, from arrays: what writes fastest.
struct Arrays<'a, T: WriteColumnar>(SliceOf<'a, T>);

impl<T: Entry + WriteColumnar> Input for Arrays<'_, T> {
    type Entry = T;

    fn fill<W: WriteAt>(&self, writer: &mut Writer<T, W>) {
        writer.fill_columns(self.0).unwrap();
    }
}

/// Returns the seconds that it took, and the size of the file.
fn write<I: Input>(sink: Sink<'_>, options: WriteOptions, input: &I) -> (f64, u64) {
    fn run<I: Input, W: WriteAt>(mut writer: Writer<I::Entry, W>, input: &I) -> u64 {
        input.fill(&mut writer);
        writer.finish().unwrap().file_size
    }

    let start = ProcessTime::now();
    let size = match sink {
        Sink::Nowhere => run(Writer::new(Null, "Events", options).unwrap(), input),
        Sink::File(path) => run(Writer::create(path, "Events", options).unwrap(), input),
    };
    let time = start.elapsed().as_secs_f64();
    if let Sink::File(path) = sink {
        std::fs::remove_file(path).unwrap();
    }
    (time, black_box(size))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Where files are written.
struct Bench {
    path: PathBuf,
}

impl Bench {
    fn compare<I: Input>(&self, name: &str, input: &I) {
        for (codec, compression) in
            [("none", Compression::NONE), ("lz4", Compression::lz4(1)), ("zstd 1", Compression::zstd(1))]
        {
            let options = WriteOptions::new().compression(compression);
            let mut line = format!("{name:<14} {codec:<7}");
            let mut growth = 1.0;
            for (place, sink) in [("nowhere", Sink::Nowhere), ("file", Sink::File(&self.path))] {
                let (mut times, mut sizes) = ([const { Vec::new() }; KINDS], [0; KINDS]);
                for round in 0..ROUNDS {
                    for turn in 0..KINDS {
                        // None is always the first.
                        let kind = (round + turn) % KINDS;
                        let (time, size) = write(sink, options.clone().statistics(kind == KINDS - 1), input);
                        times[kind].push(time);
                        sizes[kind] = size;
                    }
                }
                let [plain, again, with] = times.map(median);
                growth = sizes[2] as f64 / sizes[0] as f64;
                line += &format!(
                    "  {place} x {:.3} (without x {:.3}, {:6.2} ms)",
                    with / plain.midpoint(again),
                    again / plain,
                    1e3 * plain,
                );
            }
            println!("{line}  size x {growth:.5}");
        }
    }
}

fn main() {
    let directory = tempfile::tempdir().unwrap();
    let bench = Bench { path: directory.path().join("events.root") };
    let floats: Vec<f32> = (0..4_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32).collect();
    let integers: Vec<i32> =
        (0..4_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 12) as i32).collect();
    let longs: Vec<i64> = integers.iter().map(|value| i64::from(*value) << 20).collect();
    bench.compare("f32 columns", &Arrays::<Float>(FloatSlice { value: &floats }));
    bench.compare("i32 columns", &Arrays::<Integer>(IntegerSlice { value: &integers }));
    bench.compare("i64 columns", &Arrays::<Long>(LongSlice { value: &longs }));
    bench.compare("flat event", &Rows::<FlatEvent>(&flat_events(200_000)));
    bench.compare("nested event", &Rows::<Event>(&events(100_000)));
    let text = |i: u32| Text { value: format!("{:x}", i.wrapping_mul(2_654_435_761)) };
    let texts: Vec<Text> = (0..500_000).map(text).collect();
    bench.compare("strings", &Rows(&texts));
    let columns: Strings = texts.iter().map(|text| &*text.value).collect();
    bench.compare("string columns", &Arrays::<Text>(TextSlice { value: columns.as_slice() }));
    // Five names that come again and again.
    let names = ["mu24", "e26_tight", "j400", "xe110", "2mu14_or_isolated"];
    let name = |i: u32| Text { value: names[(i.wrapping_mul(2_654_435_761) >> 20) as usize % 5].to_owned() };
    let texts: Vec<Text> = (0..500_000).map(name).collect();
    bench.compare("names", &Rows(&texts));
}
