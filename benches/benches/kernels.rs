//! How fast do values become the bytes of a page, and come back, measured by the speed of copying them?
//!
//! `cargo bench -p rntuple-benches --bench kernels`: bytes of values in memory per second, for each column type
//! and its Rust type; `scalar` is the kernel without vector instructions, `memcpy` the yardstick.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a benchmark that cannot go on has failed"
)]

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rntuple::encoding::__bench::{self as scalar, Kind, Scalar};
use rntuple::encoding::{ColumnEncoding, ColumnType, Element, Index};

/// Bytes of values on a page.
const PAGES: [usize; 2] = [64 << 10, 256 << 10];

/// Reproducible randomness (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

fn values<T>(length: usize, make: impl Fn(u64) -> T) -> Vec<T> {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    (0..length / size_of::<T>()).map(|_| make(random.next())).collect()
}

fn group<'a>(criterion: &'a mut Criterion, name: &str, length: usize) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(format!("{name}/{}K", length >> 10));
    group.throughput(Throughput::Bytes(length as u64));
    group
}

fn memcpy(criterion: &mut Criterion) {
    for length in PAGES {
        let bytes = vec![1u8; length];
        let mut out = Vec::with_capacity(length);
        group(criterion, "memcpy", length).bench_function("copy", |bencher| {
            bencher.iter(|| {
                out.clear();
                out.extend_from_slice(black_box(&bytes));
                black_box(&out);
            });
        });
    }
}

/// Both ways, as pages are made and read.
fn both_ways<E: Element>(criterion: &mut Criterion, packing: ColumnEncoding, make: impl Fn(u64) -> E) {
    for length in PAGES {
        let values = values(length, &make);
        let mut group = group(criterion, &format!("{packing} as {}", E::NAME), length);
        let mut bytes = Vec::new();
        group.bench_function("encode", |bencher| {
            bencher.iter(|| {
                bytes.clear();
                E::encode(&packing, black_box(&values), &mut bytes).unwrap();
                black_box(&bytes);
            });
        });
        bytes.clear();
        E::encode(&packing, &values, &mut bytes).unwrap();
        let mut back = Vec::<E>::new();
        group.bench_function("decode", |bencher| {
            bencher.iter(|| {
                back.clear();
                E::decode(&packing, black_box(&bytes), values.len() as u32, &mut back).unwrap();
                black_box(&back);
            });
        });
    }
}

/// The same work without vectors.
fn scalar_words<W: Scalar + Copy>(criterion: &mut Criterion, kind: Kind, make: impl Fn(u64) -> W) {
    for length in PAGES {
        let words = values(length, &make);
        let mut group = group(criterion, &format!("scalar {kind:?}"), length);
        let bits = 8 * size_of::<W>();
        let mut bytes = Vec::new();
        group.bench_function(BenchmarkId::new("encode", bits), |bencher| {
            bencher.iter(|| {
                bytes.clear();
                W::split(kind, black_box(&words), &mut bytes);
                black_box(&bytes);
            });
        });
        bytes.clear();
        W::split(kind, &words, &mut bytes);
        let mut back = Vec::<W>::new();
        group.bench_function(BenchmarkId::new("decode", bits), |bencher| {
            bencher.iter(|| {
                back.clear();
                W::unsplit(kind, black_box(&bytes), words.len(), &mut back);
                black_box(&back);
            });
        });
    }
}

fn scalar_bits(criterion: &mut Criterion) {
    for length in PAGES {
        let values = values(length, |random| random & 1 != 0);
        let mut group = group(criterion, "scalar Bit", length);
        let mut bytes = Vec::new();
        group.bench_function("encode", |bencher| {
            bencher.iter(|| {
                bytes.clear();
                scalar::pack(black_box(&values), &mut bytes);
                black_box(&bytes);
            });
        });
        bytes.clear();
        scalar::pack(&values, &mut bytes);
        let mut back = Vec::new();
        group.bench_function("decode", |bencher| {
            bencher.iter(|| {
                back.clear();
                scalar::unpack(black_box(&bytes), &mut back);
                black_box(&back);
            });
        });
    }
}

/// A number in `-1.0..1.0`.
fn fraction(random: u64) -> f64 {
    f64::from(random as i32) / 2_147_483_648.0
}

fn split(criterion: &mut Criterion) {
    both_ways(criterion, ColumnEncoding::of(ColumnType::SplitUInt16), |random| random as u16);
    both_ways(criterion, ColumnEncoding::of(ColumnType::SplitReal32), |random| fraction(random) as f32);
    both_ways(criterion, ColumnEncoding::of(ColumnType::SplitReal64), fraction);
    scalar_words(criterion, Kind::AsIs, |random| random as u16);
    scalar_words(criterion, Kind::AsIs, |random| random as u32);
    scalar_words(criterion, Kind::AsIs, |random| random);
}

fn zigzag(criterion: &mut Criterion) {
    both_ways(criterion, ColumnEncoding::of(ColumnType::SplitInt16), |random| random as i16);
    both_ways(criterion, ColumnEncoding::of(ColumnType::SplitInt32), |random| random as i32);
    both_ways(criterion, ColumnEncoding::of(ColumnType::SplitInt64), |random| random as i64);
    scalar_words(criterion, Kind::Zigzag, |random| random as u16);
    scalar_words(criterion, Kind::Zigzag, |random| random as u32);
    scalar_words(criterion, Kind::Zigzag, |random| random);
}

fn delta(criterion: &mut Criterion) {
    both_ways(criterion, ColumnEncoding::of(ColumnType::SplitIndex64), |random| Index(random >> 40));
    both_ways(criterion, ColumnEncoding::of(ColumnType::SplitIndex32), |random| Index(random >> 40));
    both_ways(criterion, ColumnEncoding::of(ColumnType::Index32), |random| Index(random >> 40));
    scalar_words(criterion, Kind::Delta, |random| random as u32);
    scalar_words(criterion, Kind::Delta, |random| random);
}

fn bits(criterion: &mut Criterion) {
    both_ways(criterion, ColumnEncoding::of(ColumnType::Bit), |random| random & 1 != 0);
    scalar_bits(criterion);
    for bits in [10, 16, 21, 31] {
        both_ways(criterion, ColumnEncoding::truncated(bits).unwrap(), |random| fraction(random) as f32);
    }
    for bits in [8, 12, 24, 32] {
        let packing = ColumnEncoding::quantized(bits, -1.0, 1.0).unwrap();
        both_ways(criterion, packing, |random| fraction(random) as f32);
    }
}

fn plain(criterion: &mut Criterion) {
    both_ways(criterion, ColumnEncoding::of(ColumnType::Real32), |random| fraction(random) as f32);
    both_ways(criterion, ColumnEncoding::of(ColumnType::Index64), Index);
    both_ways(criterion, ColumnEncoding::of(ColumnType::Real16), |random| fraction(random) as f32);
    both_ways(criterion, ColumnEncoding::of(ColumnType::SplitReal32), fraction);
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300));
    targets = memcpy, split, zigzag, delta, bits, plain
}
criterion_main!(benches);
