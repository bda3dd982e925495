//! This project.

use std::hint::black_box;
use std::io::{self, IoSlice};
use std::path::Path;

use rntuple::field::{ReadField, WriteField};
use rntuple::storage::WriteAt;
use rntuple::{ParallelWriter, Pool, RNTuple, Reader, Result, WriteOptions, Writer};

use crate::data::rounded;
use crate::digest::{Digest, FlatDigest};
use crate::{Codec, Data, Event, FlatEvent, Sink};

/// Takes everything and keeps nothing.
#[derive(Debug)]
pub struct NullSink;

impl WriteAt for NullSink {
    fn write_at(&mut self, _: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        black_box(parts);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes the nested events.
pub fn write(data: &Data, codec: Codec, sink: Sink<'_>) {
    write_all(&data.events, codec, sink);
}

/// Writes the flat events.
pub fn write_flat(data: &Data, codec: Codec, sink: Sink<'_>) {
    write_all(&data.flat, codec, sink);
}

fn write_all<T: WriteField + RNTuple>(events: &[T], codec: Codec, sink: Sink<'_>) {
    let options = WriteOptions::new().compression(codec.settings());
    match sink {
        Sink::File(path) => fill(Writer::<T>::create(path, "Events", options).unwrap(), events),
        Sink::Null => fill(Writer::<T, _>::new(NullSink, "Events", options).unwrap(), events),
    }
}

fn fill<T: WriteField + RNTuple, W: WriteAt>(mut writer: Writer<T, W>, events: &[T]) {
    for event in events {
        writer.fill(event).unwrap();
    }
    writer.finish().unwrap();
}

/// Writes the nested events with one fill context for each of two threads.
pub fn write_on_two_threads(data: &Data, codec: Codec, sink: Sink<'_>) {
    write_parallel(&data.events, codec, sink, 2);
}

/// Writes the nested events with fill contexts of so many threads.
pub fn write_parallel(events: &[Event], codec: Codec, sink: Sink<'_>, threads: usize) {
    let options = WriteOptions::new().compression(codec.settings());
    match sink {
        Sink::File(path) => fill_parallel(ParallelWriter::create(path, "Events", options), events, threads),
        Sink::Null => fill_parallel(ParallelWriter::new(NullSink, "Events", options), events, threads),
    }
}

fn fill_parallel<W: WriteAt>(writer: Result<ParallelWriter<Event, W>>, events: &[Event], threads: usize) {
    let writer = writer.unwrap();
    writer
        .scope(|scope| {
            for part in events.chunks(events.len().div_ceil(threads)) {
                scope.spawn(|context| context.fill_all(part));
            }
        })
        .unwrap();
    writer.finish().unwrap();
}

/// Writes the nested events on one thread, with another that compresses.
pub fn write_with_pool(data: &Data, codec: Codec, sink: Sink<'_>) {
    let options = WriteOptions::new().compression(codec.settings()).pool(&Pool::new(1).unwrap());
    match sink {
        Sink::File(path) => fill(Writer::<Event>::create(path, "Events", options).unwrap(), &data.events),
        Sink::Null => fill(Writer::<Event, _>::new(NullSink, "Events", options).unwrap(), &data.events),
    }
}

/// Reads the nested events, always into the same one.
pub fn read_structs(path: &Path, _: Codec) -> u64 {
    let mut digest = Digest::default();
    visit(path, |event: &Event| digest.event(event));
    digest.finish()
}

/// Reads the flat events, always into the same one.
pub fn read_flat(path: &Path, _: Codec) -> u64 {
    let mut digest = FlatDigest::default();
    visit(path, |event: &FlatEvent| digest.event(event));
    digest.finish()
}

fn visit<T: ReadField + RNTuple + Default>(path: &Path, mut visit: impl FnMut(&T)) {
    let reader = Reader::<T>::open(path, "Events").unwrap();
    let mut entries = reader.entries();
    let mut event = T::default();
    while entries.read_into(&mut event).unwrap() {
        visit(&event);
    }
}

#[derive(RNTuple, Default)]
struct Momentum {
    pt: f32,
}

#[derive(RNTuple, Default)]
struct OfJets {
    jets: Vec<Momentum>,
}

#[derive(RNTuple, Default)]
struct OfMuons {
    muons: Vec<Momentum>,
}

/// Reads `jets.pt`, through a struct with that member alone.
pub fn jet_pt(path: &Path, _: Codec) -> u64 {
    let mut sum = 0u64;
    visit(path, |event: &OfJets| {
        for jet in &event.jets {
            sum = sum.wrapping_add(u64::from(jet.pt.to_bits()));
        }
    });
    sum
}

/// Sums `muons.pt`, through a struct with that member alone.
pub fn muon_pt(path: &Path, _: Codec) -> u64 {
    let mut sum = 0.0;
    visit(path, |event: &OfMuons| {
        for muon in &event.muons {
            sum += f64::from(muon.pt);
        }
    });
    rounded(sum)
}
