//! The peak of what writing and reading hold on the heap, and what is promised.
//!
//! ```console
//! $ cargo run --release -p rntuple-benches --bin memory -- --out book/src/generated/memory.md
//! ```
//!
//! A program of its own, as counting costs time. What the C library of zstd allocates for itself is not seen.
#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on has failed")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use clap::Parser;
use rntuple::{ParallelWriter, Reader, WriteOptions, Writer};
use rntuple_benches::peers::ours::NullSink;
use rntuple_benches::{Codec, Event, EventColumns, events};

/// Counts what the system's allocator is asked for.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[allow(unsafe_code, reason = "an allocator cannot be watched without")]
// SAFETY: every call goes to the system's allocator unchanged; the counters are atomic.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(held, Relaxed);
        // SAFETY: the caller keeps the rules of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the pointer came from `alloc` above, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most memory that `work` holds at once, beyond what is held before.
fn peak<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = work();
    (PEAK.load(Relaxed) - before, result)
}

/// Prints, in Markdown, the peak of memory of writing and reading, next to columns x page size x 2 (+ 4 MiB).
#[derive(Parser)]
struct Options {
    /// Number of nested events.
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..))]
    events: u64,
    /// Page size in KiB.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..65_536))]
    page: u64,
    /// Also write the table to this file.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// What writing may hold beyond its pages: the write buffer.
const BUFFER: usize = 4 << 20;

/// The memory that all contexts of the parallel writer may take together.
const BUDGET: usize = 16 << 20;

/// Entries of a batch.
const BATCH: usize = 1024;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let page = usize::try_from(options.page)? << 10;
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory)? } else { tempfile::tempdir()? };
    let path = folder.path().join("events.root");
    let events = events(options.events);
    let mut rows = String::new();
    let mut columns = 0;
    for codec in [Codec::None, Codec::Lz4, Codec::Zstd1] {
        let write = || WriteOptions::new().compression(codec.settings()).max_page_length(page);
        let (written, ()) = peak(|| {
            let mut writer = Writer::<Event, _>::new(NullSink, "Events", write()).unwrap();
            events.iter().for_each(|event| writer.fill(event).unwrap());
            writer.finish().unwrap();
        });
        let mut writer = Writer::<Event>::create(&path, "Events", write())?;
        events.iter().try_for_each(|event| writer.fill(event))?;
        writer.finish()?;
        let (read, count) = peak(|| {
            let reader = Reader::<Event>::open(&path, "Events").unwrap();
            columns = reader.schema().columns().count();
            let (mut entries, mut event) = (reader.entries(), Event::default());
            let mut count = 0;
            while entries.read_into(&mut event).unwrap() {
                count += 1;
            }
            count
        });
        assert_eq!(count, options.events);
        let (batches, count) = peak(|| {
            let reader = Reader::<Event>::open(&path, "Events").unwrap();
            let (mut batches, mut columns) = (reader.batches(BATCH), EventColumns::default());
            let mut count = 0;
            while batches.read_into(&mut columns).unwrap() {
                count += columns.len() as u64;
            }
            count
        });
        assert_eq!(count, options.events);
        let contexts = write().memory_budget(BUDGET).contexts(4);
        let (parallel, ()) = peak(|| {
            let writer = ParallelWriter::<Event, _>::new(NullSink, "Events", contexts).unwrap();
            let fill = writer.scope(|scope| {
                for part in events.chunks(events.len().div_ceil(4)) {
                    scope.spawn(|context| context.fill_all(part));
                }
            });
            fill.unwrap();
            writer.finish().unwrap();
        });
        let pages = columns * page * 2;
        row(&mut rows, &format!("write, {codec}"), written, pages + BUFFER)?;
        row(&mut rows, &format!("write with 4 contexts and a budget, {codec}"), parallel, BUDGET)?;
        row(&mut rows, &format!("read structs, {codec}"), read, pages)?;
        row(&mut rows, &format!("read batches of {BATCH}, {codec}"), batches, pages)?;
    }
    let text = format!(
        "{} nested events, {columns} columns, pages of {} KiB.\n\n| | peak | promised | |\n|---|---|---|---|\n{rows}",
        options.events, options.page,
    );
    print!("{text}");
    if let Some(out) = options.out {
        std::fs::write(out, text)?;
    }
    Ok(())
}

fn row(rows: &mut String, what: &str, peak: usize, promised: usize) -> std::fmt::Result {
    let verdict = if peak <= promised { "met" } else { "**missed**" };
    let mebibytes = |bytes: usize| bytes as f64 / f64::from(1 << 20);
    writeln!(rows, "| {what} | {:.1} MiB | {:.1} MiB | {verdict} |", mebibytes(peak), mebibytes(promised))
}
