//! This project, without the types: the columns are those of the file.

use std::path::Path;

use rntuple::columns::AnyColumns;
use rntuple::{Reader, Value};

use crate::Codec;
use crate::digest::{Digest, Leaf};

/// Entries of a batch.
const BATCH: usize = 1024;

/// Reads columns in batches.
pub fn read_columns(path: &Path, _: Codec) -> u64 {
    let reader = Reader::<Value>::open(path, "Events").unwrap();
    let mut digest = Digest::default();
    let mut batches = reader.batches(BATCH);
    while let Some(events) = batches.lend().unwrap() {
        add(&mut digest, events.columns().0);
    }
    digest.finish()
}

pub(super) fn add(digest: &mut Digest, events: &AnyColumns) {
    for (leaf, path) in [
        (Leaf::Run, &["run"][..]),
        (Leaf::Event, &["event"]),
        (Leaf::Weight, &["weight"]),
        (Leaf::Met, &["met"]),
        (Leaf::Good, &["good"]),
        (Leaf::Triggers, &["triggers"]),
        (Leaf::VertexX, &["vertex", "x"]),
        (Leaf::VertexY, &["vertex", "y"]),
        (Leaf::VertexZ, &["vertex", "z"]),
        (Leaf::MuonPt, &["muons", "pt"]),
        (Leaf::MuonEta, &["muons", "eta"]),
        (Leaf::MuonPhi, &["muons", "phi"]),
        (Leaf::MuonMass, &["muons", "mass"]),
        (Leaf::MuonCharge, &["muons", "charge"]),
        (Leaf::MuonTight, &["muons", "tight"]),
        (Leaf::MuonIso, &["muons", "iso"]),
        (Leaf::JetPt, &["jets", "pt"]),
        (Leaf::JetEta, &["jets", "eta"]),
        (Leaf::JetPhi, &["jets", "phi"]),
        (Leaf::JetMass, &["jets", "mass"]),
        (Leaf::JetBtag, &["jets", "btag"]),
        (Leaf::JetNConst, &["jets", "n_const"]),
        (Leaf::JetConstituents, &["jets", "constituents"]),
        (Leaf::Shape, &["shape"]),
    ] {
        values(digest, leaf, at(events, path));
    }
    digest.add(Leaf::MuonIsoCount, values_of(at(events, &["muons", "iso"])).len() as u64);
    for (leaf, path) in [
        (Leaf::Muons, &["muons"][..]),
        (Leaf::Jets, &["jets"]),
        (Leaf::JetConstituentsCount, &["jets", "constituents"]),
    ] {
        let AnyColumns::List(lists) = at(events, path) else { panic!("{path:?} is no list") };
        digest.counts(leaf, lists.as_slice().counts());
    }
    let AnyColumns::String(labels) = at(events, &["label"]) else { panic!("labels are strings") };
    digest.counts(Leaf::LabelLength, labels.as_slice().counts());
    digest.values(Leaf::Label, labels.items());
    let AnyColumns::Variant(process) = at(events, &["process"]) else { panic!("processes are variants") };
    let numbers = process.positions().map(|position| position.map_or(0, |(number, _)| number as u64));
    digest.add(Leaf::ProcessTag, numbers.sum());
    values(digest, Leaf::ProcessMass, &process.alternatives()[1]);
    values(digest, Leaf::ProcessLeptons, at(&process.alternatives()[2], &["leptons"]));
}

/// The items of lists and arrays, the values of options.
fn values_of(columns: &AnyColumns) -> &AnyColumns {
    match columns {
        AnyColumns::List(lists) => lists.items(),
        AnyColumns::Array(arrays) => arrays.items(),
        AnyColumns::Option(options) => options.values(),
        columns => columns,
    }
}

fn at<'a>(columns: &'a AnyColumns, path: &[&str]) -> &'a AnyColumns {
    path.iter().fold(columns, |columns, name| match values_of(columns) {
        AnyColumns::Record(records) => records.get(name).unwrap(),
        _ => panic!("{name} is in no record"),
    })
}

fn values(digest: &mut Digest, leaf: Leaf, columns: &AnyColumns) {
    match values_of(columns) {
        AnyColumns::Bool(list) => digest.values(leaf, list),
        AnyColumns::U8(list) => digest.values(leaf, list),
        AnyColumns::U16(list) => digest.values(leaf, list),
        AnyColumns::I32(list) => digest.values(leaf, list),
        AnyColumns::U32(list) => digest.values(leaf, list),
        AnyColumns::U64(list) => digest.values(leaf, list),
        AnyColumns::F32(list) => digest.values(leaf, list),
        AnyColumns::F64(list) => digest.values(leaf, list),
        AnyColumns::Empty => {}
        other => panic!("{leaf:?} has values of another type: {other:?}"),
    }
}
