//! Damages files for a while; stops at the first that panics, takes long or takes much memory.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use rntuple_fuzz::{Counting, Damage, combine_files, corpus, edit_file, peak, read_file};
use rntuple_tests::sample::Random;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// No small file may take longer than this.
const MOST_TIME: Duration = Duration::from_secs(5);

/// Nor hold more than this at once: pages of a few codecs at their highest ratio.
const MOST_MEMORY: usize = 256 << 20;

/// Damages small files; reads them, adds to them, merges and joins them.
#[derive(Debug, Parser)]
struct Arguments {
    /// How long, in seconds.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Where the random numbers start.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to leave the file that failed.
    #[arg(long, default_value = "fuzz-failure.root")]
    output: PathBuf,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let samples = match corpus() {
        Ok(samples) => samples,
        Err(error) => {
            eprintln!("rntuple-fuzz: {error}");
            return ExitCode::FAILURE;
        }
    };
    let end = Instant::now() + Duration::from_secs(arguments.seconds);
    let mut random = Random::new(arguments.seed);
    let (mut count, mut slowest, mut largest) = (0u64, Duration::ZERO, 0);
    while Instant::now() < end {
        let Some(sample) = samples.get(random.below(samples.len())) else { break };
        let damage = Damage::new(sample, &mut random);
        let start = Instant::now();
        let mut panicked = false;
        let attack = || match count % 4 {
            0 => edit_file(&damage.bytes),
            1 => combine_files(&damage.bytes, &sample.bytes),
            _ => read_file(&damage.bytes),
        };
        let memory = peak(|| panicked = catch_unwind(AssertUnwindSafe(attack)).is_err());
        let time = start.elapsed();
        slowest = slowest.max(time);
        largest = largest.max(memory);
        count += 1;
        if panicked || time > MOST_TIME || memory > MOST_MEMORY {
            eprintln!(
                "rntuple-fuzz: {} damaged (case {count}): panicked: {panicked}, {time:?}, {memory} bytes",
                sample.name
            );
            if let Err(error) = std::fs::write(&arguments.output, &damage.bytes) {
                eprintln!("rntuple-fuzz: {}: {error}", arguments.output.display());
            }
            return ExitCode::FAILURE;
        }
    }
    println!(
        "{count} damaged files of {} samples: slowest {slowest:?}, most memory {largest} bytes",
        samples.len()
    );
    ExitCode::SUCCESS
}
