//! Gives damaged bytes to the targets for a while; stops at the first that panics, takes long or takes much memory.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use rntuple_fuzz::{Counting, Mutator, Random, TARGETS, by_root, peak, strike};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// No input may take longer than this.
const MOST_TIME: Duration = Duration::from_secs(5);

/// Damages sound inputs of every target.
#[derive(Debug, Parser)]
struct Arguments {
    /// How long, in seconds.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Where the random numbers start.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to leave the input that failed.
    #[arg(long, default_value = "fuzz-failure.root")]
    output: PathBuf,
    /// Writes the inputs that are damaged into a folder for each target in this one, and damages nothing.
    #[arg(long)]
    seeds: Option<PathBuf>,
    /// Replaces the inputs in the repository by those in such folders, where they exist.
    #[arg(long, conflicts_with = "seeds")]
    keep: Option<PathBuf>,
    /// Includes those of files that ROOT wrote.
    #[arg(long, requires = "seeds")]
    by_root: bool,
}

type Outcome = Result<ExitCode, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match (&arguments.seeds, &arguments.keep) {
        (Some(folder), _) => write_seeds(folder, arguments.by_root),
        (_, Some(folder)) => keep(folder),
        _ => damage(&arguments),
    };
    result.unwrap_or_else(|error| {
        eprintln!("rntuple-fuzz: {error}");
        ExitCode::FAILURE
    })
}

fn write_seeds(folder: &Path, with_roots: bool) -> Outcome {
    let others = if with_roots { by_root() } else { Vec::new() };
    for target in &TARGETS {
        let folder = folder.join(target.name);
        std::fs::create_dir_all(&folder)?;
        for (number, seed) in target.seeds(&others)?.iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{number:03}")), seed)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn keep(folder: &Path) -> Outcome {
    for target in &TARGETS {
        let Ok(entries) = std::fs::read_dir(folder.join(target.name)) else { continue };
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
        paths.sort();
        target.keep(&paths.iter().map(std::fs::read).collect::<Result<Vec<_>, _>>()?)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn damage(arguments: &Arguments) -> Outcome {
    let others = by_root();
    let seeds = TARGETS.iter().map(|target| target.seeds(&others)).collect::<Result<Vec<_>, _>>()?;
    let end = Instant::now() + Duration::from_secs(arguments.seconds);
    let mut mutator = Mutator { random: Random::new(arguments.seed), strike };
    let (mut count, mut slowest, mut largest) = (0u64, Duration::ZERO, 0);
    while Instant::now() < end {
        for (target, seeds) in TARGETS.iter().zip(&seeds) {
            let Some(seed) = seeds.get(mutator.random.below(seeds.len())) else { continue };
            let mut bytes = seed.clone();
            for _ in 0..=mutator.random.below(3) {
                target.mutate(&mut bytes, target.longest, &mut mutator);
            }
            let start = Instant::now();
            let mut panicked = false;
            let memory = peak(|| panicked = catch_unwind(AssertUnwindSafe(|| target.run(&bytes))).is_err());
            let time = start.elapsed();
            slowest = slowest.max(time);
            largest = largest.max(memory);
            count += 1;
            if panicked || time > MOST_TIME {
                eprintln!("rntuple-fuzz: {}, case {count}: panicked: {panicked}, {time:?}", target.name);
                std::fs::write(&arguments.output, &bytes)?;
                return Ok(ExitCode::FAILURE);
            }
        }
    }
    println!("{count} inputs of {} targets: slowest {slowest:?}, most memory {largest} bytes", TARGETS.len());
    Ok(ExitCode::SUCCESS)
}
