//! This project.

use std::hint::black_box;
use std::io::{self, IoSlice};
use std::path::Path;

use rntuple::columns::Batches;
use rntuple::storage::WriteAt;
use rntuple::{ParallelWriter, Pool, RNTuple, ReadOptions, Reader, Result, Value, WriteOptions, Writer};

use crate::data::rounded;
use crate::digest::{Digest, FlatDigest, Leaf};
use crate::{Codec, Data, Event, EventRef, EventSlice, FlatEvent, ProcessRef, Sink};

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

/// Like the peers, without waiting for the medium.
fn options(codec: Codec) -> WriteOptions {
    WriteOptions::new().compression(codec.settings()).durable(false)
}

fn write_all<T: RNTuple>(events: &[T], codec: Codec, sink: Sink<'_>) {
    match sink {
        Sink::File(path) => fill(Writer::<T>::create(path, "Events", options(codec)).unwrap(), events),
        Sink::Null => fill(Writer::<T, _>::new(NullSink, "Events", options(codec)).unwrap(), events),
    }
}

fn fill<T: RNTuple, W: WriteAt>(mut writer: Writer<T, W>, events: &[T]) {
    for event in events {
        writer.fill(event).unwrap();
    }
    writer.finish().unwrap();
}

/// Writes the nested events with one fill context for each of two threads.
pub fn write_on_two_threads(data: &Data, codec: Codec, sink: Sink<'_>) {
    write_parallel(&data.events, codec, sink, 2);
}

/// Writes the nested events with four fill contexts.
pub fn write_on_4_threads(data: &Data, codec: Codec, sink: Sink<'_>) {
    write_parallel(&data.events, codec, sink, 4);
}

/// Writes the nested events with eight fill contexts.
pub fn write_on_8_threads(data: &Data, codec: Codec, sink: Sink<'_>) {
    write_parallel(&data.events, codec, sink, 8);
}

/// Writes the nested events with fill contexts of so many threads.
pub fn write_parallel(events: &[Event], codec: Codec, sink: Sink<'_>, threads: usize) {
    match sink {
        Sink::File(path) => {
            fill_parallel(ParallelWriter::create(path, "Events", options(codec)), events, threads)
        }
        Sink::Null => fill_parallel(ParallelWriter::new(NullSink, "Events", options(codec)), events, threads),
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
    let options = options(codec).pool(&Pool::new(1).unwrap());
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

/// Entries of a batch: the columns of some stay in the processor's cache.
const BATCH: usize = 1024;

/// Reads columns, lent in batches.
pub fn read_columns(path: &Path, _: Codec) -> u64 {
    let reader = Reader::<Event>::open(path, "Events").unwrap();
    digest_batches(reader.batches(BATCH)).finish()
}

fn digest_batches(mut batches: Batches<Event>) -> Digest {
    let mut digest = Digest::default();
    while let Some(events) = batches.lend().unwrap() {
        add_columns(&mut digest, events);
    }
    digest
}

/// Reads columns in batches, each half of the entries on a thread of its own.
pub fn read_columns_on_two_threads(path: &Path, _: Codec) -> u64 {
    let reader = Reader::<Event>::open(path, "Events").unwrap();
    let middle = reader.entry_count().unwrap() / 2;
    let halves = [0..middle, middle..reader.entry_count().unwrap()];
    let digests = std::thread::scope(|scope| {
        let threads = halves.map(|half| {
            let reader = &reader;
            scope.spawn(move || digest_batches(reader.batches_in(half, BATCH)))
        });
        threads.map(|thread| thread.join().unwrap())
    });
    let mut digest = Digest::default();
    digests.iter().for_each(|part| digest.merge(part));
    digest.finish()
}

fn add_columns(digest: &mut Digest, events: EventSlice<'_>) {
    digest.values(Leaf::Run, events.run);
    digest.values(Leaf::Event, events.event);
    digest.values(Leaf::Weight, events.weight);
    digest.values(Leaf::Met, events.met);
    digest.values(Leaf::Good, events.good);
    digest.values(Leaf::Triggers, events.triggers.items());
    digest.values(Leaf::VertexX, events.vertex.x);
    digest.values(Leaf::VertexY, events.vertex.y);
    digest.values(Leaf::VertexZ, events.vertex.z);
    let muons = events.muons.items();
    digest.counts(Leaf::Muons, events.muons.counts());
    digest.values(Leaf::MuonPt, muons.pt);
    digest.values(Leaf::MuonEta, muons.eta);
    digest.values(Leaf::MuonPhi, muons.phi);
    digest.values(Leaf::MuonMass, muons.mass);
    digest.values(Leaf::MuonCharge, muons.charge);
    digest.values(Leaf::MuonTight, muons.tight);
    digest.add(Leaf::MuonIsoCount, muons.iso.values().len() as u64);
    digest.values(Leaf::MuonIso, muons.iso.values());
    let jets = events.jets.items();
    digest.counts(Leaf::Jets, events.jets.counts());
    digest.values(Leaf::JetPt, jets.pt);
    digest.values(Leaf::JetEta, jets.eta);
    digest.values(Leaf::JetPhi, jets.phi);
    digest.values(Leaf::JetMass, jets.mass);
    digest.values(Leaf::JetBtag, jets.btag);
    digest.values(Leaf::JetNConst, jets.n_const);
    digest.counts(Leaf::JetConstituentsCount, jets.constituents.counts());
    digest.values(Leaf::JetConstituents, jets.constituents.items());
    digest.counts(Leaf::LabelLength, events.label.lengths());
    digest.values(Leaf::Label, events.label.text().as_bytes());
    digest.values(Leaf::Shape, events.shape.items());
    let process = events.process;
    // Alternatives are numbered from 0.
    let tags = process.switches.alternatives().map(|number| number.unwrap_or_default() as u64);
    digest.add(Leaf::ProcessTag, tags.sum());
    digest.values(Leaf::ProcessMass, process.drell_yan);
    digest.values(Leaf::ProcessLeptons, process.top_leptons);
}

/// Lends the nested events from decoded pages.
pub fn lend_structs(path: &Path, _: Codec) -> u64 {
    let reader = Reader::<Event>::open(path, "Events").unwrap();
    let mut digest = Digest::default();
    let lent = reader.batches(256).visit(|event| {
        add_lent(&mut digest, &event);
        Ok::<_, rntuple::Error>(())
    });
    lent.unwrap();
    digest.finish()
}

fn add_lent(digest: &mut Digest, event: &EventRef<'_>) {
    digest.values(Leaf::Run, &[event.run]);
    digest.values(Leaf::Event, &[event.event]);
    digest.values(Leaf::Weight, &[event.weight]);
    digest.values(Leaf::Met, &[event.met]);
    digest.values(Leaf::Good, &[event.good]);
    digest.values(Leaf::Triggers, event.triggers);
    digest.values(Leaf::VertexX, &[event.vertex.x]);
    digest.values(Leaf::VertexY, &[event.vertex.y]);
    digest.values(Leaf::VertexZ, &[event.vertex.z]);
    let muons = event.muons;
    digest.add(Leaf::Muons, (muons.len() * muons.len()) as u64);
    digest.values(Leaf::MuonPt, muons.pt);
    digest.values(Leaf::MuonEta, muons.eta);
    digest.values(Leaf::MuonPhi, muons.phi);
    digest.values(Leaf::MuonMass, muons.mass);
    digest.values(Leaf::MuonCharge, muons.charge);
    digest.values(Leaf::MuonTight, muons.tight);
    digest.add(Leaf::MuonIsoCount, muons.iso.values().len() as u64);
    digest.values(Leaf::MuonIso, muons.iso.values());
    let jets = event.jets;
    digest.add(Leaf::Jets, (jets.len() * jets.len()) as u64);
    digest.values(Leaf::JetPt, jets.pt);
    digest.values(Leaf::JetEta, jets.eta);
    digest.values(Leaf::JetPhi, jets.phi);
    digest.values(Leaf::JetMass, jets.mass);
    digest.values(Leaf::JetBtag, jets.btag);
    digest.values(Leaf::JetNConst, jets.n_const);
    for constituents in jets.constituents.iter() {
        digest.add(Leaf::JetConstituentsCount, (constituents.len() * constituents.len()) as u64);
        digest.values(Leaf::JetConstituents, constituents);
    }
    digest.add(Leaf::LabelLength, (event.label.len() * event.label.len()) as u64);
    digest.values(Leaf::Label, event.label.as_bytes());
    digest.values(Leaf::Shape, event.shape);
    match event.process {
        ProcessRef::MinimumBias => {}
        ProcessRef::DrellYan(mass) => {
            digest.add(Leaf::ProcessTag, 1);
            digest.values(Leaf::ProcessMass, &[mass]);
        }
        ProcessRef::Top { leptons } => {
            digest.add(Leaf::ProcessTag, 2);
            digest.values(Leaf::ProcessLeptons, &[leptons]);
        }
    }
}

/// Reads the flat events, always into the same one.
pub fn read_flat(path: &Path, _: Codec) -> u64 {
    let mut digest = FlatDigest::default();
    visit(path, |event: &FlatEvent| digest.event(event));
    digest.finish()
}

/// Reads the columns of the flat events, lent in batches.
pub fn read_flat_columns(path: &Path, _: Codec) -> u64 {
    let reader = Reader::<FlatEvent>::open(path, "Events").unwrap();
    let mut batches = reader.batches(BATCH);
    let mut digest = FlatDigest::default();
    while let Some(events) = batches.lend().unwrap() {
        digest.values(0, events.run);
        digest.values(1, events.event);
        digest.values(2, events.weight);
        digest.values(3, events.time);
        digest.values(4, events.x);
        digest.values(5, events.y);
        digest.values(6, events.z);
        digest.values(7, events.met);
        digest.values(8, events.met_phi);
        digest.values(9, events.pt1);
        digest.values(10, events.eta1);
        digest.values(11, events.phi1);
        digest.values(12, events.pt2);
        digest.values(13, events.eta2);
        digest.values(14, events.phi2);
        digest.values(15, events.mass);
        digest.values(16, events.charge);
        digest.values(17, events.jets);
        digest.values(18, events.good);
        digest.values(19, events.tight);
    }
    digest.finish()
}

fn visit<T: RNTuple + Default>(path: &Path, mut visit: impl FnMut(&T)) {
    let reader = Reader::<T>::open(path, "Events").unwrap();
    let mut entries = reader.entries();
    let mut event = T::default();
    while entries.read_into(&mut event).unwrap() {
        visit(&event);
    }
}

/// Reads `jets.pt`, a column without a struct.
pub fn jet_pt(path: &Path, _: Codec) -> u64 {
    let mut sum = 0u64;
    visit_column(path, "jets.pt", |values| sum = sum.wrapping_add(crate::digest::sum(values)));
    sum
}

/// Sums `muons.pt`, a column without a struct.
pub fn muon_pt(path: &Path, _: Codec) -> u64 {
    let mut sum = 0.0;
    visit_column(path, "muons.pt", |values| {
        for value in values {
            sum += f64::from(*value);
        }
    });
    rounded(sum)
}

fn visit_column(path: &Path, column: &str, mut visit: impl FnMut(&[f32])) {
    let options = ReadOptions::new().fields([column]);
    let reader = Reader::<Value>::open_with(path, "Events", options).unwrap();
    let mut column = reader.column::<f32>(column).unwrap();
    while let Some(values) = column.next_chunk().unwrap() {
        visit(values);
    }
}
