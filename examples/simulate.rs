//! Writes simulated collisions to a file: `cargo run --release --example simulate -- --help`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use indicatif::{DecimalBytes, HumanCount, HumanFloatCount, ProgressBar, ProgressStyle};
use rntuple::summary::Summary;
use rntuple::{Compression, Result, WriteOptions, Writer};
use rntuple_examples::Simulation;
use rntuple_examples::event::Event;

/// Simulates collisions of protons, with Z bosons among them, and writes what a detector sees.
#[derive(Debug, Parser)]
#[command(name = "simulate")]
pub(crate) struct Arguments {
    /// How many events.
    #[arg(short = 'n', long, default_value_t = 100_000)]
    pub(crate) events: u64,
    /// Where to write them; an existing file is replaced.
    #[arg(short, long, value_name = "FILE", default_value = "events.root")]
    pub(crate) output: PathBuf,
    /// Where the random numbers begin: the same seed gives the same file.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// `none`, or zlib, lzma, lz4 or zstd with a level from 1 to 9.
    #[arg(short, long, value_name = "SETTINGS", default_value_t = Compression::default())]
    pub(crate) compression: Compression,
}

/// What was done, and how long it took.
pub(crate) struct Outcome {
    pub(crate) summary: Summary,
    pub(crate) simulating: Duration,
    pub(crate) writing: Duration,
}

/// Events are made and written in turns of so many, so that the two can be timed apart.
const TURN: u64 = 1000;

/// Makes the events and writes them; `progress` hears how many there are.
pub(crate) fn simulate(arguments: &Arguments, mut progress: impl FnMut(u64)) -> Result<Outcome> {
    let (mut simulating, mut writing) = (Duration::ZERO, Duration::ZERO);
    let mut simulation = Simulation::new(arguments.seed);
    let mut events: Vec<Event> = Vec::new();

    // ANCHOR: write
    let options = WriteOptions::new()
        .description("Toy simulation of pp collisions at 13.6 TeV")
        .compression(arguments.compression);
    let mut writer = Writer::<Event>::create(&arguments.output, "Events", options)?;
    while writer.entry_count() < arguments.events {
        let count = TURN.min(arguments.events - writer.entry_count());
        let start = Instant::now();
        events.clear();
        events.extend((0..count).filter_map(|_| simulation.next()));
        simulating += start.elapsed();

        let start = Instant::now();
        writer.fill_all(&events)?;
        writing += start.elapsed();
        progress(writer.entry_count());
    }
    let start = Instant::now();
    let summary = writer.finish()?;
    writing += start.elapsed();
    // ANCHOR_END: write
    Ok(Outcome { summary, simulating, writing })
}

/// What was done, for people.
fn report(arguments: &Arguments, outcome: &Outcome) -> String {
    let Summary { entries, clusters, pages, page_length, page_size, file_size, .. } = outcome.summary;
    let per_second = |amount: u64, time: Duration| amount as f64 / time.as_secs_f64().max(1e-9);
    let rate = |time| format!("{:.0} events/s", HumanFloatCount(per_second(entries, time)));
    format!(
        "{file}: {events} events, {size} in {pages} pages and {clusters} cluster{s}
  data        {before} before, {after} after compression ({compression}): {ratio:.2} to 1
  simulating  {simulating:.3} s: {simulated}
  writing     {writing:.3} s: {written}, {speed:.0} MB/s before compression
",
        file = arguments.output.display(),
        events = HumanCount(entries),
        size = DecimalBytes(file_size),
        pages = HumanCount(pages),
        clusters = HumanCount(clusters),
        s = if clusters == 1 { "" } else { "s" },
        before = DecimalBytes(page_length),
        after = DecimalBytes(page_size),
        compression = arguments.compression,
        ratio = page_length as f64 / page_size.max(1) as f64,
        simulating = outcome.simulating.as_secs_f64(),
        simulated = rate(outcome.simulating),
        writing = outcome.writing.as_secs_f64(),
        written = rate(outcome.writing),
        speed = per_second(page_length, outcome.writing) / 1e6,
    )
}

/// A bar that is only seen on a terminal.
fn bar(events: u64) -> ProgressBar {
    let template = "{wide_bar} {human_pos} of {human_len} events, {eta} left";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(events).with_style(style)
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let bar = bar(arguments.events);
    let outcome = simulate(&arguments, |events| bar.set_position(events));
    bar.finish_and_clear();
    rntuple_examples::end("simulate", outcome.map(|outcome| report(&arguments, &outcome)))
}
