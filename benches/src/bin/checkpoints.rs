//! What a checkpoint of each cluster costs.
//!
//! ```console
//! $ cargo run --release -p rntuple-benches --bin checkpoints -- --directory .
//! ```
//!
//! The same file is written without and with checkpoints in turns; the least time of each counts. Where the medium is
//! waited for, its speed may differ more between two files than checkpoints cost: `spent` is the part of the time that
//! the writer spent in checkpoints, of the file that took the least time.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a measurement that cannot go on has failed"
)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Parser;
use rntuple::checkpoint::Interval;
use rntuple::summary::Summary;
use rntuple::{WriteOptions, Writer};
use rntuple_benches::{Codec, Event, events};

/// Prints time and size of files with a checkpoint after each cluster, next to those without.
#[derive(Parser)]
struct Options {
    /// Where the files are written.
    #[arg(long, default_value = ".")]
    directory: PathBuf,
    /// Number of nested events.
    #[arg(long, default_value_t = 2_000_000)]
    events: usize,
    /// Bytes of a cluster on storage.
    #[arg(long, default_value_t = 50 << 20)]
    cluster: u64,
    /// How often each file is written.
    #[arg(long, default_value_t = 3)]
    repetitions: usize,
    /// Waits for the medium.
    #[arg(long)]
    durable: bool,
}

fn write(path: &Path, options: WriteOptions, events: &[Event], count: usize) -> (Duration, Summary) {
    let start = Instant::now();
    let mut writer = Writer::<Event>::create(path, "Events", options).unwrap();
    for event in events.iter().cycle().take(count) {
        writer.fill(event).unwrap();
    }
    let summary = writer.finish().unwrap();
    (start.elapsed(), summary)
}

fn main() {
    let options = Options::parse();
    let sample = events(100_000);
    println!("codec  clusters  time  size  a checkpoint  spent");
    for &codec in Codec::ALL {
        let plain = || {
            let plain = WriteOptions::new().compression(codec.settings()).cluster_size(options.cluster);
            plain.durable(options.durable)
        };
        let mut least = [Duration::MAX; 2];
        let mut summaries = [Summary::default(); 2];
        for _ in 0..options.repetitions {
            for (number, written) in
                [plain(), plain().checkpoint_every(Interval::Bytes(1))].into_iter().enumerate()
            {
                let path = options.directory.join("checkpoints.root");
                let (time, summary) = write(&path, written, &sample, options.events);
                if time < least[number] {
                    (least[number], summaries[number]) = (time, summary);
                }
                std::fs::remove_file(path).unwrap();
            }
        }
        let [without, with] = summaries;
        println!(
            "{codec}  {}  {:+.2} %  {:+.4} %  {:?}, {} bytes  {:.2} %",
            with.clusters,
            100.0 * (least[1].as_secs_f64() / least[0].as_secs_f64() - 1.0),
            100.0 * (with.file_size as f64 / without.file_size as f64 - 1.0),
            with.checkpoint_time / u32::try_from(with.checkpoints).unwrap(),
            with.checkpoint_size / with.checkpoints,
            100.0 * with.checkpoint_time.as_secs_f64() / least[1].as_secs_f64(),
        );
    }
}
