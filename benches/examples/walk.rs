//! A program around walks through nested events, for profilers:
//!
//! ```console
//! $ cargo build --release -p rntuple-benches --example walk
//! $ valgrind --tool=callgrind target/release/examples/walk none 1
//! $ target/release/examples/walk zstd 20 pool
//! ```
//!
//! The codec, the number of walks, and how: `plain` (default), `file`, `pool`, `par`.

use std::hint::black_box;
use std::time::Instant;

use rayon::iter::ParallelIterator;
use rntuple::storage::Memory;
use rntuple::{Compression, Pool, ReadOptions, Reader, Result, RootFile, WriteOptions, Writer};
use rntuple_benches::{Event, events};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let word = |number: usize| arguments.get(number).map_or("", String::as_str);
    let compression = match word(1) {
        "zstd" => Compression::zstd(1),
        "lz4" => Compression::lz4(1),
        _ => Compression::NONE,
    };
    let walks: u32 = word(2).parse().unwrap_or(1);
    let count: u64 = word(4).parse().unwrap_or(20_000);
    let options = WriteOptions::new().compression(compression).max_page_length(64 << 10);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options)?;
    writer.fill_all(&events(count))?;
    let memory = writer.finish_into()?.1;
    let mut options = ReadOptions::new();
    if matches!(word(3), "pool" | "par") {
        options = options.pool(&Pool::new(2)?);
    }
    let path = std::env::temp_dir().join(format!("rntuple-walk-{}.root", std::process::id()));
    let file = if word(3) == "file" {
        std::fs::write(&path, memory.as_bytes())?;
        let file = RootFile::open(&path)?;
        // It stays open, and goes when the program ends.
        std::fs::remove_file(&path)?;
        file
    } else {
        RootFile::from_storage(memory)?
    };
    let mut best = f64::INFINITY;
    for _ in 0..walks {
        let begin = Instant::now();
        let reader = Reader::<Event>::open_with(&file, "Events", options.clone())?;
        if word(3) == "par" {
            reader.par_entries().try_for_each(|event| event.map(|event| drop(black_box(event))))?;
        } else {
            let mut event = Event::default();
            let mut entries = reader.entries();
            while entries.read_into(&mut event)? {
                black_box(&event);
            }
        }
        best = best.min(begin.elapsed().as_secs_f64());
    }
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let each = best * 1e9 / count as f64;
    println!("{each:.0} ns per event");
    Ok(())
}
