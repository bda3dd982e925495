//! The jobs whose instructions are counted.

use std::hint::black_box;
use std::io::{self, IoSlice};

use rntuple::encoding::ColumnEncoding;
use rntuple::storage::{Memory, WriteAt};
use rntuple::{Compression, RNTuple, Reader, Result, WriteOptions, Writer};
use rntuple_tests::sample::{Event, EventColumns, samples};

/// Entries of each job: some pages of every column.
const COUNT: usize = 3000;

/// How often a single column is read: one pass is a few pages.
const PASSES: usize = 20;

/// A job: it prepares what it needs, and then does once what is counted.
pub(crate) struct Job {
    pub(crate) name: &'static str,
    pub(crate) run: fn() -> Result<()>,
}

pub(crate) const JOBS: &[Job] = &[
    Job { name: "fill none", run: || fill(Compression::NONE) },
    Job { name: "fill lz4", run: || fill(Compression::lz4(1)) },
    Job { name: "fill zstd1", run: || fill(Compression::zstd(1)) },
    Job { name: "read none", run: || read(Compression::NONE) },
    Job { name: "read lz4", run: || read(Compression::lz4(1)) },
    Job { name: "read zstd1", run: || read(Compression::zstd(1)) },
    Job { name: "batches none", run: || batches(Compression::NONE) },
    Job { name: "batches zstd1", run: || batches(Compression::zstd(1)) },
    Job { name: "fill columns none", run: fill_columns },
    Job { name: "fill cut none", run: || fill_tracks(ColumnEncoding::truncated(16)) },
    Job { name: "fill steps none", run: || fill_tracks(ColumnEncoding::quantized(16, 0.0, 100.0)) },
    Job { name: "lend none", run: lend },
    Job { name: "column none", run: column },
    Job { name: "jump none", run: jump },
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
fn options(compression: Compression) -> WriteOptions {
    WriteOptions::new().compression(compression).max_page_length(4096)
}

fn file(compression: Compression) -> Result<Memory> {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options(compression))?;
    writer.fill_all(&samples(COUNT, 1))?;
    Ok(writer.finish_into()?.1)
}

fn fill(compression: Compression) -> Result<()> {
    let events: Vec<Event> = samples(COUNT, 1);
    let mut writer = Writer::<Event, _>::new(NullSink, "Events", options(compression))?;
    measured(|| writer.fill_all(&events))?;
    writer.finish().map(drop)
}

/// What may be stored in fewer bits.
#[derive(RNTuple)]
struct Track {
    number: u64,
    quality: f32,
    momenta: Vec<f32>,
}

/// Of two encodings that pack bits, one refuses values, so that entries are tried out first.
fn fill_tracks(encoding: Result<ColumnEncoding>) -> Result<()> {
    let encoding = encoding?;
    let options = options(Compression::NONE).encoding("quality", encoding).encoding("momenta._0", encoding);
    let tracks: Vec<Track> = (0..COUNT)
        .map(|number| {
            let value = (number % 90) as f32;
            Track { number: number as u64, quality: value, momenta: vec![value; number % 20] }
        })
        .collect();
    let mut writer = Writer::<Track, _>::new(NullSink, "Tracks", options)?;
    measured(|| writer.fill_all(&tracks))?;
    writer.finish().map(drop)
}

fn read(compression: Compression) -> Result<()> {
    let reader = Reader::<Event>::open(file(compression)?, "Events")?;
    let mut entries = reader.entries();
    let mut event = Event::default();
    measured(|| {
        while entries.read_into(&mut event)? {
            black_box(&event);
        }
        Ok(())
    })
}

fn batches(compression: Compression) -> Result<()> {
    let reader = Reader::<Event>::open(file(compression)?, "Events")?;
    let mut batches = reader.batches(500);
    let mut columns = EventColumns::default();
    measured(|| {
        while batches.read_into(&mut columns)? {
            black_box(&columns);
        }
        Ok(())
    })
}

fn fill_columns() -> Result<()> {
    let mut events = EventColumns::default();
    samples(COUNT, 1).iter().for_each(|event| events.push(event));
    let mut writer = Writer::<Event, _>::new(NullSink, "Events", options(Compression::NONE))?;
    measured(|| writer.fill_columns(events.as_slice()))?;
    writer.finish().map(drop)
}

/// What can be lent of an event.
#[derive(RNTuple, Clone, Debug, Default)]
#[rntuple(columnar)]
struct Hits {
    number: u64,
    name: String,
    times: Vec<f32>,
    positions: Vec<Position>,
}

#[derive(RNTuple, Clone, Debug, Default)]
#[rntuple(columnar)]
struct Position {
    x: f64,
    y: f64,
    is_good: bool,
}

fn hits() -> Result<Memory> {
    let mut writer = Writer::<Hits, _>::new(Memory::new(), "Hits", options(Compression::NONE))?;
    for number in 0..COUNT as u64 {
        let times = (0..number % 7).map(|time| time as f32).collect();
        let positions = (0..number % 5).map(|x| Position { x: x as f64, y: 1.0, is_good: x > 2 }).collect();
        writer.fill(&Hits { number, name: format!("hit {number}"), times, positions })?;
    }
    Ok(writer.finish_into()?.1)
}

fn lend() -> Result<()> {
    let reader = Reader::<Hits>::open(hits()?, "Hits")?;
    let batches = reader.batches(256);
    measured(|| {
        batches.visit(|entry| {
            black_box(&entry);
            Ok(())
        })
    })
}

fn column() -> Result<()> {
    let reader = Reader::<Hits>::open(hits()?, "Hits")?;
    let mut column = reader.column::<f64>("positions.x")?;
    // The first time also reads the page list.
    measured(|| {
        for _ in 0..PASSES {
            column.seek_entry(0)?;
            while let Some(values) = column.next_chunk()? {
                black_box(values);
            }
        }
        Ok(())
    })
}

/// Entries near each other, not in their order: no page is decoded for most of them.
fn jump() -> Result<()> {
    let reader = Reader::<Event>::open(file(Compression::NONE)?, "Events")?;
    let mut event = Event::default();
    measured(|| {
        for number in 0..COUNT as u64 {
            reader.read_into(number * 7 % 20, &mut event)?;
            black_box(&event);
        }
        Ok(())
    })
}

fn open() -> Result<()> {
    let file = file(Compression::zstd(1))?;
    measured(|| Reader::<Event>::open(file, "Events")).map(drop)
}
