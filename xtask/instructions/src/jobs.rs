//! The jobs whose instructions are counted.

use std::hint::black_box;
use std::io::{self, IoSlice};

use rntuple::storage::{Memory, WriteAt};
use rntuple::{Reader, Result, Settings, WriteOptions, Writer};
use rntuple_tests::sample::{Event, samples};

/// Entries of each job: some pages of every column.
const COUNT: usize = 3000;

/// A job: it prepares what it needs, and then does once what is counted.
pub(crate) struct Job {
    pub(crate) name: &'static str,
    pub(crate) run: fn() -> Result<()>,
}

pub(crate) const JOBS: &[Job] = &[
    Job { name: "fill none", run: || fill(Settings::NONE) },
    Job { name: "fill lz4", run: || fill(Settings::lz4(1)) },
    Job { name: "fill zstd1", run: || fill(Settings::zstd(1)) },
    Job { name: "read none", run: || read(Settings::NONE) },
    Job { name: "read lz4", run: || read(Settings::lz4(1)) },
    Job { name: "read zstd1", run: || read(Settings::zstd(1)) },
    Job { name: "open", run: open },
];

/// What is counted: callgrind collects between its call and its return.
#[inline(never)]
fn measured<R>(work: impl FnOnce() -> R) -> R {
    black_box(work())
}

/// Takes everything and keeps nothing.
struct NullSink;

impl WriteAt for NullSink {
    fn write_at(&mut self, _: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        black_box(parts);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Pages small enough for some of each column to be full.
fn options(compression: Settings) -> WriteOptions {
    WriteOptions::new().compression(compression).max_page_length(4096)
}

fn file(compression: Settings) -> Result<Memory> {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options(compression))?;
    writer.fill_all(&samples(COUNT, 1))?;
    Ok(writer.finish_into()?.1)
}

fn fill(compression: Settings) -> Result<()> {
    let events: Vec<Event> = samples(COUNT, 1);
    let mut writer = Writer::<Event, _>::new(NullSink, "Events", options(compression))?;
    measured(|| writer.fill_all(&events))?;
    writer.finish().map(drop)
}

fn read(compression: Settings) -> Result<()> {
    let reader = Reader::<Event>::from_storage(file(compression)?, "Events")?;
    let mut entries = reader.entries();
    let mut event = Event::default();
    measured(|| {
        while entries.read_into(&mut event)? {
            black_box(&event);
        }
        Ok(())
    })
}

fn open() -> Result<()> {
    let file = file(Settings::zstd(1))?;
    measured(|| Reader::<Event>::from_storage(file, "Events")).map(drop)
}
