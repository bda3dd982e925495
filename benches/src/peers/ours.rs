//! This project.

use std::hint::black_box;
use std::io::{self, IoSlice};
use std::path::Path;

use rntuple::columns::Batches;
use rntuple::storage::WriteAt;
use rntuple::{ParallelWriter, Pool, RNTuple, ReadOptions, Reader, Result, Value, WriteOptions, Writer};

use crate::data::rounded;
use crate::digest::{Digest, FlatDigest, Leaf};
use crate::{Codec, Data, Event, EventBatch, EventRef, FlatEvent, FlatEventBatch, ProcessRef, Sink};

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

/// Reads columns, as batches.
pub fn read_batches(path: &Path, _: Codec) -> u64 {
    let reader = Reader::<Event>::open(path, "Events").unwrap();
    digest_batches(reader.batches(BATCH)).finish()
}

fn digest_batches(mut batches: Batches<Event>) -> Digest {
    let mut digest = Digest::default();
    let mut batch = EventBatch::default();
    while batches.read_into(&mut batch).unwrap() {
        add_batch(&mut digest, &batch);
    }
    digest
}

/// Reads columns as batches, each half of the entries on a thread of its own.
pub fn read_batches_on_two_threads(path: &Path, _: Codec) -> u64 {
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

fn add_batch(digest: &mut Digest, batch: &EventBatch) {
    digest.values(Leaf::Run, batch.run());
    digest.values(Leaf::Event, batch.event());
    digest.values(Leaf::Weight, batch.weight());
    digest.values(Leaf::Met, batch.met());
    digest.values(Leaf::Good, batch.good());
    digest.values(Leaf::Triggers, batch.triggers().as_arrays().as_flattened());
    let vertex = batch.vertex();
    digest.values(Leaf::VertexX, vertex.x());
    digest.values(Leaf::VertexY, vertex.y());
    digest.values(Leaf::VertexZ, vertex.z());
    let muons = batch.muons();
    digest.offsets(Leaf::Muons, muons.offsets());
    digest.values(Leaf::MuonPt, muons.pt());
    digest.values(Leaf::MuonEta, muons.eta());
    digest.values(Leaf::MuonPhi, muons.phi());
    digest.values(Leaf::MuonMass, muons.mass());
    digest.values(Leaf::MuonCharge, muons.charge());
    digest.values(Leaf::MuonTight, muons.tight());
    digest.values(Leaf::MuonIsoCount, muons.iso().mask());
    digest.values(Leaf::MuonIso, muons.iso().values());
    let jets = batch.jets();
    digest.offsets(Leaf::Jets, jets.offsets());
    digest.values(Leaf::JetPt, jets.pt());
    digest.values(Leaf::JetEta, jets.eta());
    digest.values(Leaf::JetPhi, jets.phi());
    digest.values(Leaf::JetMass, jets.mass());
    digest.values(Leaf::JetBtag, jets.btag());
    digest.values(Leaf::JetNConst, jets.n_const());
    digest.offsets(Leaf::JetConstituentsCount, jets.constituents().offsets());
    digest.values(Leaf::JetConstituents, jets.constituents().items());
    digest.offsets(Leaf::LabelLength, batch.label().offsets());
    digest.values(Leaf::Label, batch.label().bytes());
    digest.values(Leaf::Shape, batch.shape().as_arrays().as_flattened());
    let process = batch.process();
    // Variants are numbered from 0.
    digest.values(Leaf::ProcessTag, process.tags());
    digest.values(Leaf::ProcessMass, process.drell_yan());
    digest.values(Leaf::ProcessLeptons, process.top().leptons());
}

/// Lends the nested events from decoded pages.
pub fn lend_structs(path: &Path, _: Codec) -> u64 {
    let reader = Reader::<Event>::open(path, "Events").unwrap();
    let mut events = reader.borrowed();
    let mut digest = Digest::default();
    while let Some(event) = events.next().unwrap() {
        add_lent(&mut digest, &event);
    }
    digest.finish()
}

fn add_lent(digest: &mut Digest, event: &EventRef<'_>) {
    digest.values(Leaf::Run, &[event.run]);
    digest.values(Leaf::Event, &[event.event]);
    digest.values(Leaf::Weight, &[event.weight]);
    digest.values(Leaf::Met, &[event.met]);
    digest.values(Leaf::Good, &[event.good]);
    digest.values(Leaf::Triggers, event.triggers.as_array());
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
    digest.add(Leaf::MuonIsoCount, muons.iso.items().len() as u64);
    digest.values(Leaf::MuonIso, muons.iso.items());
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

/// Reads the columns of the flat events, as batches.
pub fn read_flat_batches(path: &Path, _: Codec) -> u64 {
    let reader = Reader::<FlatEvent>::open(path, "Events").unwrap();
    let mut batches = reader.batches(BATCH);
    let mut digest = FlatDigest::default();
    let mut batch = FlatEventBatch::default();
    while batches.read_into(&mut batch).unwrap() {
        digest.values(0, batch.run());
        digest.values(1, batch.event());
        digest.values(2, batch.weight());
        digest.values(3, batch.time());
        digest.values(4, batch.x());
        digest.values(5, batch.y());
        digest.values(6, batch.z());
        digest.values(7, batch.met());
        digest.values(8, batch.met_phi());
        digest.values(9, batch.pt1());
        digest.values(10, batch.eta1());
        digest.values(11, batch.phi1());
        digest.values(12, batch.pt2());
        digest.values(13, batch.eta2());
        digest.values(14, batch.phi2());
        digest.values(15, batch.mass());
        digest.values(16, batch.charge());
        digest.values(17, batch.jets());
        digest.values(18, batch.good());
        digest.values(19, batch.tight());
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
