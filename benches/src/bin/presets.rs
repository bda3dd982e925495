//! What the options for some purposes cost: time, bytes and memory, next to the defaults.
//!
//! ```console
//! $ cargo run --release -p rntuple-benches --bin presets -- --out book/src/generated/presets.md
//! ```
//!
//! Nested events are written to memory and read as structs from there. Times are the processor's, medians of rounds in
//! which all options take turns.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a measurement that cannot go on has failed"
)]

use std::error::Error;
use std::fmt::Write;
use std::hint::black_box;
use std::path::PathBuf;

use clap::Parser;
use cpu_time::ProcessTime;
use rntuple::storage::Memory;
use rntuple::{Reader, WriteOptions, Writer};
use rntuple_benches::{Event, events};

const ROUNDS: usize = 5;

type Make = fn() -> WriteOptions;

const PRESETS: [(&str, Make); 5] = [
    ("`new`", WriteOptions::new),
    ("`archive`", WriteOptions::archive),
    ("`fast`", WriteOptions::fast),
    ("`low_memory`", WriteOptions::low_memory),
    ("`streaming`", WriteOptions::streaming),
];

/// Prints, in Markdown, what the options for some purposes cost.
#[derive(Parser)]
struct Options {
    /// Number of nested events.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    events: u64,
    /// Also write the table to this file.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// The seconds of writing and reading, and the file.
fn run(events: &[Event], options: WriteOptions) -> ([f64; 2], Memory) {
    let start = ProcessTime::now();
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    events.iter().for_each(|event| writer.fill(event).unwrap());
    let file = writer.finish_into().unwrap().1;
    let written = start.elapsed().as_secs_f64();
    let start = ProcessTime::now();
    let reader = Reader::<Event>::open(file.clone(), "Events").unwrap();
    let (mut entries, mut event) = (reader.entries(), Event::default());
    while entries.read_into(&mut event).unwrap() {
        black_box(&event);
    }
    ([written, start.elapsed().as_secs_f64()], file)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let events = events(options.events);
    let (mut times, mut sizes) = ([const { [Vec::new(), Vec::new()] }; PRESETS.len()], [0; PRESETS.len()]);
    for round in 0..ROUNDS {
        for turn in 0..PRESETS.len() {
            let preset = (round + turn) % PRESETS.len();
            let (seconds, file) = run(&events, PRESETS[preset].1());
            (0..2).for_each(|way| times[preset][way].push(seconds[way]));
            sizes[preset] = file.into_bytes().len();
        }
    }
    let times = times.map(|ways| ways.map(median));
    let mut table =
        "| `WriteOptions::` | writing | reading | bytes | memory of a writer |\n|---|---|---|---|---|\n"
            .to_owned();
    for (preset, (name, make)) in PRESETS.iter().enumerate() {
        let [write, read] = [0, 1].map(|way| times[preset][way] / times[0][way]);
        let memory =
            Writer::<Event>::estimate(&events[..events.len().min(20_000)], 10_000_000, make())?.memory;
        let bytes = sizes[preset] as f64 / sizes[0] as f64;
        let memory = memory as f64 / f64::from(1 << 20);
        writeln!(table, "| {name} | {write:.2} | {read:.2} | {bytes:.3} | {memory:.1} MiB |")?;
    }
    print!("{table}");
    if let Some(path) = options.out {
        std::fs::write(path, table)?;
    }
    Ok(())
}
