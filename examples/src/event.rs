//! What is stored of a collision.
//!
//! These structs are the whole description of the file: the derive makes its schema of them, and the doc
//! comments of the members become the descriptions of its fields.

use std::fmt;

use rntuple::RNTuple;
use rntuple::cxx::BitSet;

// ANCHOR: event
/// One collision as the detector saw it.
#[derive(Clone, Debug, PartialEq, RNTuple)]
pub struct Event {
    /// Run that the event was taken in.
    pub run: u32,
    /// Number of the event in its run.
    pub number: u64,
    /// What happened, as only a simulation knows.
    pub process: Process,
    /// The same for people.
    pub label: String,
    /// Where the protons met.
    pub vertex: Vertex,
    /// Triggers that fired, one bit each.
    pub triggers: BitSet<64>,
    /// Muons, hardest first.
    pub muons: Vec<Muon>,
    /// Anti-kt jets of radius 0.4, hardest first.
    pub jets: Vec<Jet>,
    /// The hardest photon.
    pub photon: Option<Photon>,
    /// What the rest of the event does not balance.
    pub missing: Missing,
    /// Transverse sphericity, centrality, and the first four azimuthal moments.
    pub shape: [f32; 6],
}

/// What happened in a collision. An enum with data is a `std::variant` in the file.
#[derive(Clone, Copy, Debug, PartialEq, RNTuple)]
pub enum Process {
    /// A virtual photon that became two muons of this mass in GeV.
    DrellYan {
        /// Mass of the photon in GeV.
        mass: f64,
    },
    /// A Z boson that became two muons, and jets that it recoils against.
    ZJets {
        /// Number of partons above 15 GeV.
        jets: u8,
    },
    /// Anything: mostly soft hadrons.
    MinBias,
}
// ANCHOR_END: event

/// A place in the detector, in mm.
#[derive(Clone, Copy, Debug, Default, PartialEq, RNTuple)]
pub struct Vertex {
    /// To the centre of the ring.
    pub x: f64,
    /// Upwards.
    pub y: f64,
    /// Along the beam.
    pub z: f64,
}

// ANCHOR: muon
/// A muon.
#[derive(Clone, Copy, Debug, PartialEq, RNTuple)]
pub struct Muon {
    /// Transverse momentum in GeV.
    pub pt: f32,
    /// Pseudorapidity.
    pub eta: f32,
    /// Azimuth in radians.
    pub phi: f32,
    /// Charge: -1 or 1.
    pub charge: i8,
    /// How sure the reconstruction is.
    pub quality: Quality,
    /// Momentum of the tracks around it over its own; none where it is alone.
    pub isolation: Option<f32>,
}

/// How sure the reconstruction of a muon is. An enum without data is an integer in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, RNTuple)]
#[repr(u8)]
pub enum Quality {
    /// Some hits.
    Loose = 1,
    /// A track.
    Medium = 2,
    /// A track in all parts of the detector.
    Tight = 4,
}
// ANCHOR_END: muon

// ANCHOR: jet
/// A jet.
#[derive(Clone, Debug, PartialEq, RNTuple)]
pub struct Jet {
    /// Transverse momentum in GeV.
    pub pt: f32,
    /// Pseudorapidity.
    pub eta: f32,
    /// Azimuth in radians.
    pub phi: f32,
    /// Mass in GeV.
    pub mass: f32,
    /// The particles it is made of.
    pub constituents: Vec<Constituent>,
}

/// A particle of a jet. There are many of them, so they are stored no better than they are measured.
#[derive(Clone, Copy, Debug, PartialEq, RNTuple)]
pub struct Constituent {
    /// Transverse momentum in GeV, with 7 bits of mantissa.
    #[rntuple(truncate(bits = 16))]
    pub pt: f32,
    /// Pseudorapidity in steps of 0.0024.
    #[rntuple(quantize(bits = 12, min = -5.0, max = 5.0))]
    pub eta: f32,
    /// Azimuth in steps of 0.0015 radians.
    #[rntuple(quantize(bits = 12, min = -3.15, max = 3.15))]
    pub phi: f32,
    /// Charge: -1, 0 or 1.
    pub charge: i8,
}
// ANCHOR_END: jet

/// A photon.
#[derive(Clone, Copy, Debug, PartialEq, RNTuple)]
pub struct Photon {
    /// Transverse momentum in GeV.
    pub pt: f32,
    /// Pseudorapidity.
    pub eta: f32,
    /// Azimuth in radians.
    pub phi: f32,
}

/// Momentum across the beam that nobody saw.
#[derive(Clone, Copy, Debug, PartialEq, RNTuple)]
pub struct Missing {
    /// Its size in GeV.
    pub pt: f32,
    /// Its direction in radians.
    pub phi: f32,
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DrellYan { mass } => write!(f, "γ* → μμ at {mass:.1} GeV"),
            Self::ZJets { jets } => write!(f, "Z → μμ + {jets} jets"),
            Self::MinBias => f.write_str("minimum bias"),
        }
    }
}
