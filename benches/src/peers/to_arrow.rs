//! This project, as record batches of Arrow.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int32Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, StructArray};
use rntuple::{Reader, Value};
use rntuple_arrow::ArrowReader;

use super::untyped;
use crate::Codec;
use crate::digest::{Bits, Digest, Leaf};

/// Entries of a batch.
const BATCH: usize = 8192;

/// Reads columns in record batches.
pub fn read_columns(path: &Path, _: Codec) -> u64 {
    let mut digest = Digest::default();
    for batch in ArrowReader::open(path, "Events").unwrap().batch_size(BATCH) {
        add(&mut digest, &batch.unwrap().into());
    }
    digest.finish()
}

/// Reads the same columns into memory of their own, as record batches are.
pub fn read_owned(path: &Path, _: Codec) -> u64 {
    let mut digest = Digest::default();
    for batch in Reader::<Value>::open(path, "Events").unwrap().batches(BATCH) {
        let batch = batch.unwrap();
        assert!(!batch.is_empty());
        untyped::add(&mut digest, &batch);
    }
    digest.finish()
}

fn add(digest: &mut Digest, events: &StructArray) {
    primitive::<UInt32Type>(digest, Leaf::Run, &events["run"]);
    primitive::<UInt64Type>(digest, Leaf::Event, &events["event"]);
    primitive::<Float64Type>(digest, Leaf::Weight, &events["weight"]);
    primitive::<Float32Type>(digest, Leaf::Met, &events["met"]);
    bits(digest, Leaf::Good, &events["good"]);
    bits(digest, Leaf::Triggers, events["triggers"].as_fixed_size_list().values());
    let vertex = events["vertex"].as_struct();
    for (leaf, name) in [(Leaf::VertexX, "x"), (Leaf::VertexY, "y"), (Leaf::VertexZ, "z")] {
        primitive::<Float64Type>(digest, leaf, &vertex[name]);
    }
    let muons = items(digest, Leaf::Muons, &events["muons"]);
    let muons = muons.as_struct();
    for (leaf, name) in
        [(Leaf::MuonPt, "pt"), (Leaf::MuonEta, "eta"), (Leaf::MuonPhi, "phi"), (Leaf::MuonMass, "mass")]
    {
        primitive::<Float32Type>(digest, leaf, &muons[name]);
    }
    primitive::<Int32Type>(digest, Leaf::MuonCharge, &muons["charge"]);
    bits(digest, Leaf::MuonTight, &muons["tight"]);
    let iso = muons["iso"].as_primitive::<Float32Type>();
    digest.add(Leaf::MuonIsoCount, (iso.len() - iso.null_count()) as u64);
    // What is null is 0.
    digest.values(Leaf::MuonIso, iso.values());
    let jets = items(digest, Leaf::Jets, &events["jets"]);
    let jets = jets.as_struct();
    for (leaf, name) in [
        (Leaf::JetPt, "pt"),
        (Leaf::JetEta, "eta"),
        (Leaf::JetPhi, "phi"),
        (Leaf::JetMass, "mass"),
        (Leaf::JetBtag, "btag"),
    ] {
        primitive::<Float32Type>(digest, leaf, &jets[name]);
    }
    primitive::<UInt16Type>(digest, Leaf::JetNConst, &jets["n_const"]);
    let constituents = items(digest, Leaf::JetConstituentsCount, &jets["constituents"]);
    primitive::<UInt32Type>(digest, Leaf::JetConstituents, &constituents);
    let labels = events["label"].as_string::<i64>();
    digest.counts(Leaf::LabelLength, labels.offsets().lengths().map(|length| length as u64));
    digest.values(Leaf::Label, labels.value_data());
    primitive::<Float32Type>(digest, Leaf::Shape, events["shape"].as_fixed_size_list().values());
    let process = events["process"].as_union();
    // Type 0 are nulls, 1 is the first alternative.
    digest.add(Leaf::ProcessTag, process.type_ids().iter().map(|id| u64::from(id.cast_unsigned() - 1)).sum());
    primitive::<Float32Type>(digest, Leaf::ProcessMass, process.child(2));
    primitive::<UInt8Type>(digest, Leaf::ProcessLeptons, &process.child(3).as_struct()["leptons"]);
}

fn items(digest: &mut Digest, leaf: Leaf, lists: &ArrayRef) -> ArrayRef {
    let lists = lists.as_list::<i64>();
    digest.counts(leaf, lists.offsets().lengths().map(|length| length as u64));
    lists.values().clone()
}

fn primitive<T: ArrowPrimitiveType<Native: Bits>>(digest: &mut Digest, leaf: Leaf, array: &ArrayRef) {
    digest.values(leaf, array.as_primitive::<T>().values());
}

fn bits(digest: &mut Digest, leaf: Leaf, array: &ArrayRef) {
    digest.add(leaf, array.as_boolean().values().count_set_bits() as u64);
}
