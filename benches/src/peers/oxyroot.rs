//! `oxyroot`: ROOT's older format, TTree, which it writes uncompressed.
//!
//! It has no collections of structs: each member of a muon or jet is a branch of its own, constituents are one list
//! per event, and so are isolations where there are some. What a process is goes into three branches.
#![allow(clippy::needless_question_mark, reason = "in the code of its derive")]

use std::path::Path;

use oxyroot::{ReadFromTree, RootFile, WriteToTree, WriterTree};

use crate::data::rounded;
use crate::digest::{Digest, Leaf};
use crate::{Codec, Data, Event, ProcessRecord, Sink, mask};

/// The event as branches.
#[derive(ReadFromTree, WriteToTree)]
struct Branches {
    run: u32,
    event: u64,
    weight: f64,
    met: f32,
    good: u8,
    triggers: u64,
    x: f64,
    y: f64,
    z: f64,
    muon_pt: Vec<f32>,
    muon_eta: Vec<f32>,
    muon_phi: Vec<f32>,
    muon_mass: Vec<f32>,
    muon_charge: Vec<i32>,
    muon_tight: Vec<u8>,
    muon_iso_count: Vec<u8>,
    muon_iso: Vec<f32>,
    jet_pt: Vec<f32>,
    jet_eta: Vec<f32>,
    jet_phi: Vec<f32>,
    jet_mass: Vec<f32>,
    jet_btag: Vec<f32>,
    jet_n_const: Vec<u16>,
    jet_constituents: Vec<u32>,
    label: String,
    shape: [f32; 6],
    process: u8,
    mass: f32,
    leptons: u8,
}

impl From<&Event> for Branches {
    fn from(event: &Event) -> Self {
        let process = ProcessRecord::from(event.process);
        let (muons, jets) = (&event.muons, &event.jets);
        Self {
            run: event.run,
            event: event.event,
            weight: event.weight,
            met: event.met,
            good: event.good.into(),
            triggers: mask(&event.triggers),
            x: event.vertex.x,
            y: event.vertex.y,
            z: event.vertex.z,
            muon_pt: muons.iter().map(|muon| muon.pt).collect(),
            muon_eta: muons.iter().map(|muon| muon.eta).collect(),
            muon_phi: muons.iter().map(|muon| muon.phi).collect(),
            muon_mass: muons.iter().map(|muon| muon.mass).collect(),
            muon_charge: muons.iter().map(|muon| muon.charge).collect(),
            muon_tight: muons.iter().map(|muon| muon.tight.into()).collect(),
            muon_iso_count: muons.iter().map(|muon| muon.iso.is_some().into()).collect(),
            muon_iso: muons.iter().filter_map(|muon| muon.iso).collect(),
            jet_pt: jets.iter().map(|jet| jet.pt).collect(),
            jet_eta: jets.iter().map(|jet| jet.eta).collect(),
            jet_phi: jets.iter().map(|jet| jet.phi).collect(),
            jet_mass: jets.iter().map(|jet| jet.mass).collect(),
            jet_btag: jets.iter().map(|jet| jet.btag).collect(),
            jet_n_const: jets.iter().map(|jet| jet.n_const).collect(),
            jet_constituents: jets.iter().flat_map(|jet| &jet.constituents).copied().collect(),
            label: event.label.clone(),
            shape: event.shape,
            process: process.tag,
            mass: process.mass.unwrap_or_default(),
            leptons: process.leptons.unwrap_or_default(),
        }
    }
}

fn digest(digest: &mut Digest, event: &Branches) {
    let length = |length: usize| (length * length) as u64;
    digest.values(Leaf::Run, &[event.run]);
    digest.values(Leaf::Event, &[event.event]);
    digest.values(Leaf::Weight, &[event.weight]);
    digest.values(Leaf::Met, &[event.met]);
    digest.values(Leaf::Good, &[event.good]);
    digest.add(Leaf::Triggers, u64::from(event.triggers.count_ones()));
    digest.values(Leaf::VertexX, &[event.x]);
    digest.values(Leaf::VertexY, &[event.y]);
    digest.values(Leaf::VertexZ, &[event.z]);
    digest.add(Leaf::Muons, length(event.muon_pt.len()));
    digest.values(Leaf::MuonPt, &event.muon_pt);
    digest.values(Leaf::MuonEta, &event.muon_eta);
    digest.values(Leaf::MuonPhi, &event.muon_phi);
    digest.values(Leaf::MuonMass, &event.muon_mass);
    digest.values(Leaf::MuonCharge, &event.muon_charge);
    digest.values(Leaf::MuonTight, &event.muon_tight);
    digest.values(Leaf::MuonIsoCount, &event.muon_iso_count);
    digest.values(Leaf::MuonIso, &event.muon_iso);
    digest.add(Leaf::Jets, length(event.jet_pt.len()));
    digest.values(Leaf::JetPt, &event.jet_pt);
    digest.values(Leaf::JetEta, &event.jet_eta);
    digest.values(Leaf::JetPhi, &event.jet_phi);
    digest.values(Leaf::JetMass, &event.jet_mass);
    digest.values(Leaf::JetBtag, &event.jet_btag);
    digest.values(Leaf::JetNConst, &event.jet_n_const);
    // The number of constituents is that of `n_const`: the list has no bounds of its own.
    let squares = event.jet_n_const.iter().map(|count| length(usize::from(*count)));
    digest.add(Leaf::JetConstituentsCount, squares.sum());
    digest.values(Leaf::JetConstituents, &event.jet_constituents);
    digest.add(Leaf::LabelLength, length(event.label.len()));
    digest.values(Leaf::Label, event.label.as_bytes());
    digest.values(Leaf::Shape, &event.shape);
    digest.values(Leaf::ProcessTag, &[event.process]);
    digest.values(Leaf::ProcessMass, &[event.mass]);
    digest.values(Leaf::ProcessLeptons, &[event.leptons]);
}

/// Writes the nested events.
///
/// # Panics
/// If it is not to a file.
pub fn write(data: &Data, _: Codec, sink: Sink<'_>) {
    let Sink::File(path) = sink else { panic!("oxyroot writes files only") };
    let events = data.events.clone();
    let count = events.len();
    let mut file = RootFile::create(path).unwrap();
    let mut tree = WriterTree::new("Events");
    Branches::to_tree((0..count).map(move |index| Branches::from(&events[index])), &mut tree).unwrap();
    tree.write(&mut file).unwrap();
    file.close().unwrap();
}

/// Reads the nested events into structs.
pub fn read_structs(path: &Path, _: Codec) -> u64 {
    let tree = RootFile::open(path).unwrap().get_tree("Events").unwrap();
    let entries = tree.entries() as usize;
    let mut sums = Digest::default();
    Branches::from_tree(&tree).unwrap().take(entries).for_each(|event| digest(&mut sums, &event));
    sums.finish()
}

/// Reads `jets.pt`.
pub fn jet_pt(path: &Path, _: Codec) -> u64 {
    let tree = RootFile::open(path).unwrap().get_tree("Events").unwrap();
    let values = tree.branch("jet_pt").unwrap().as_iter::<Vec<f32>>().unwrap();
    values.fold(0, |total, values| total.wrapping_add(crate::digest::sum(&values)))
}

/// Sums `muons.pt`.
pub fn muon_pt(path: &Path, _: Codec) -> u64 {
    let tree = RootFile::open(path).unwrap().get_tree("Events").unwrap();
    let values = tree.branch("muon_pt").unwrap().as_iter::<Vec<f32>>().unwrap();
    rounded(values.flatten().map(f64::from).sum())
}
