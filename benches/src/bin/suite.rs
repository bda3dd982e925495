//! The suite: everything against everybody, and the targets.
//!
//! ```console
//! $ cargo run --release -p rntuple-benches --bin suite -- --out book/src/generated/speed.md
//! ```

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::Parser;
use rntuple_benches::Data;
use rntuple_benches::report::report;
use rntuple_benches::run::{Plan, run};

/// Writes and reads the same events with this project and others, in rounds, and prints tables in Markdown.
#[derive(Parser)]
struct Options {
    /// Number of nested events; there are five times as many flat ones, which are as many bytes.
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..))]
    events: u64,
    /// Rounds that count; the median is taken.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    repetitions: u64,
    /// Only jobs whose `/job/peer/codec/` contains this, such as `/write/`, `/ours/` or `zstd1`; may be repeated.
    #[arg(long)]
    only: Vec<String>,
    /// Also write the tables to this file.
    #[arg(long)]
    out: Option<PathBuf>,
    /// A Python with uproot; without it, that of `cargo run -p rntuple-interop`, if it is there.
    #[arg(long)]
    python: Option<PathBuf>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let python = options.python.or_else(interop_python);
    let repetitions = options.repetitions.try_into()?;
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory)? } else { tempfile::tempdir()? };
    let data = Data::new(options.events);
    let plan = Plan { repetitions, only: &options.only, python: python.as_deref(), folder: folder.path() };
    let figures = run(&data, &plan);
    let text = report(&data, &figures, repetitions)?;
    print!("{text}");
    if let Some(out) = options.out {
        std::fs::write(out, text)?;
    }
    Ok(())
}

/// Where the interop run puts its virtual environment.
fn interop_python() -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), PathBuf::from);
    Some(target.join("interop/venv/bin/python")).filter(|python| python.is_file())
}
