//! How much of a sorted file is read for one entry in a hundred?
//!
//! `cargo bench -p rntuple-benches --bench filter`: time of a scan with a closure, and of a filter with statistics. The
//! bytes that each reads are printed before.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark that cannot go on has failed")]

use std::hint::black_box;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use criterion::{Criterion, criterion_group, criterion_main};
use rntuple::predicate::Operand;
use rntuple::storage::{Memory, ReadAt};
use rntuple::{Compression, Reader, WriteOptions, Writer};
use rntuple_benches::{FlatEvent, flat_events};

const COUNT: u64 = 1_000_000;

/// A file of which is counted what is read.
struct Counted {
    bytes: Memory,
    read: Arc<AtomicU64>,
}

impl ReadAt for Counted {
    fn size(&self) -> u64 {
        self.bytes.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.read.fetch_add(buffer.len() as u64, Relaxed);
        self.bytes.read_at(offset, buffer)
    }
}

/// Events that are sorted by their number.
fn file() -> Memory {
    let options = WriteOptions::new().statistics(true).compression(Compression::lz4(1)).cluster_size(8 << 20);
    let mut writer = Writer::<FlatEvent, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(&flat_events(COUNT)).unwrap();
    writer.finish_into().unwrap().1
}

fn scan(file: &Memory, read: &Arc<AtomicU64>) -> f64 {
    let storage = Counted { bytes: file.clone(), read: read.clone() };
    let reader = Reader::<FlatEvent>::open(storage, "Events").unwrap();
    let wanted = |event: &FlatEvent| (400_000..410_000).contains(&event.event);
    reader.entries().map(Result::unwrap).filter(wanted).map(|event| f64::from(event.met)).sum()
}

fn filter(file: &Memory, read: &Arc<AtomicU64>) -> f64 {
    let storage = Counted { bytes: file.clone(), read: read.clone() };
    let reader = Reader::<FlatEvent>::open(storage, "Events").unwrap();
    let wanted = Operand::field("event").ge(400_000) & Operand::field("event").lt(410_000);
    let filtered = reader.filter(&wanted).unwrap();
    filtered.entries().map(|event| f64::from(event.unwrap().met)).sum()
}

fn one_in_a_hundred(criterion: &mut Criterion) {
    let file = file();
    let bytes = |work: fn(&Memory, &Arc<AtomicU64>) -> f64| {
        let read = Arc::default();
        (work(&file, &read), read.load(Relaxed))
    };
    let ((one, scanned), (other, filtered)) = (bytes(scan), bytes(filter));
    assert_eq!(one.to_bits(), other.to_bits());
    println!("file: {} bytes, read by the scan: {scanned}, by the filter: {filtered}", file.size());
    assert!(filtered * 20 < scanned, "less than 5 %");
    let mut group = criterion.benchmark_group("one_in_a_hundred");
    let read = Arc::default();
    group.bench_function("scan", |bencher| bencher.iter(|| black_box(scan(&file, &read))));
    group.bench_function("filter", |bencher| bencher.iter(|| black_box(filter(&file, &read))));
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = one_in_a_hundred
}
criterion_main!(benches);
