//! How fast are events written and read?
//!
//! `cargo bench -p rntuple-benches`: time per 20 000 events, and payload per second.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark that cannot go on has failed")]

use std::hint::black_box;
use std::io::{self, IoSlice};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rntuple::storage::{Memory, WriteAt};
use rntuple::{Compression, Reader, WriteOptions, Writer};
use rntuple_benches::{Event, events, payload};

const COUNT: u64 = 20_000;
const CODECS: [(&str, Compression); 3] =
    [("none", Compression::NONE), ("lz4", Compression::lz4(1)), ("zstd1", Compression::zstd(1))];

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

fn fill_nested_event(criterion: &mut Criterion) {
    let events = events(COUNT);
    let mut group = criterion.benchmark_group("fill_nested_event");
    group.throughput(Throughput::Bytes(payload(&events)));
    for (name, settings) in CODECS {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let options = WriteOptions::new().compression(settings);
                let mut writer = Writer::<Event, _>::new(NullSink, "Events", options).unwrap();
                for event in &events {
                    writer.fill(event).unwrap();
                }
                writer.finish().unwrap()
            });
        });
    }
    group.finish();
}

fn read_nested_event(criterion: &mut Criterion) {
    let events = events(COUNT);
    let mut group = criterion.benchmark_group("read_nested_event");
    group.throughput(Throughput::Bytes(payload(&events)));
    for (name, settings) in CODECS {
        let options = WriteOptions::new().compression(settings);
        let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
        writer.fill_all(&events).unwrap();
        let file = writer.finish_into().unwrap().1;
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let reader = Reader::<Event>::open(file.clone(), "Events").unwrap();
                let mut entries = reader.entries();
                let mut event = Event::default();
                while entries.read_into(&mut event).unwrap() {
                    black_box(&event);
                }
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = fill_nested_event, read_nested_event
}
criterion_main!(benches);
