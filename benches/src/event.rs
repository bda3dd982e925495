//! The nested event, and one like it for crates that do not know our [`BitSet`].

use rntuple::RNTuple;
use rntuple::cxx::BitSet;
use serde::{Deserialize, Serialize};

use crate::random::Random;

/// A muon.
#[derive(
    RNTuple,
    bitcode::Encode,
    bitcode::Decode,
    rkyv::Archive,
    rkyv::Serialize,
    rkyv::Deserialize,
    Serialize,
    Deserialize,
    Clone,
    Debug,
    Default,
    PartialEq,
)]
#[rntuple(columnar)]
#[rkyv(derive(Debug))]
pub struct Muon {
    /// Transverse momentum in GeV.
    pub pt: f32,
    /// Pseudorapidity.
    pub eta: f32,
    /// Azimuth in radians.
    pub phi: f32,
    /// Mass in GeV.
    pub mass: f32,
    /// Charge.
    pub charge: i32,
    /// Tight identification.
    pub tight: bool,
    /// Isolation, where it was measured.
    pub iso: Option<f32>,
}

/// A jet.
#[derive(
    RNTuple,
    bitcode::Encode,
    bitcode::Decode,
    rkyv::Archive,
    rkyv::Serialize,
    rkyv::Deserialize,
    Serialize,
    Deserialize,
    Clone,
    Debug,
    Default,
    PartialEq,
)]
#[rntuple(columnar)]
#[rkyv(derive(Debug))]
pub struct Jet {
    /// Transverse momentum in GeV.
    pub pt: f32,
    /// Pseudorapidity.
    pub eta: f32,
    /// Azimuth in radians.
    pub phi: f32,
    /// Mass in GeV.
    pub mass: f32,
    /// Output of the b-tagger.
    pub btag: f32,
    /// Number of constituents.
    pub n_const: u16,
    /// The constituents.
    pub constituents: Vec<u32>,
}

/// A point in space.
#[derive(
    RNTuple,
    bitcode::Encode,
    bitcode::Decode,
    rkyv::Archive,
    rkyv::Serialize,
    rkyv::Deserialize,
    Serialize,
    Deserialize,
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
)]
#[rntuple(columnar)]
#[rkyv(derive(Debug))]
pub struct Vertex {
    /// In mm.
    pub x: f64,
    /// In mm.
    pub y: f64,
    /// In mm.
    pub z: f64,
}

/// What happened.
#[derive(
    RNTuple,
    bitcode::Encode,
    bitcode::Decode,
    rkyv::Archive,
    rkyv::Serialize,
    rkyv::Deserialize,
    Serialize,
    Deserialize,
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
)]
#[rntuple(columnar)]
#[rkyv(derive(Debug))]
#[serde(into = "ProcessRecord", from = "ProcessRecord")]
pub enum Process {
    /// Nothing hard.
    #[default]
    MinimumBias,
    /// A lepton pair of this mass.
    DrellYan(f32),
    /// A top pair.
    Top {
        /// Number of leptonic decays.
        leptons: u8,
    },
}

/// A [`Process`] for formats without unions.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessRecord {
    /// 0 for nothing hard, 1 for a lepton pair, 2 for a top pair.
    pub tag: u8,
    /// Of a lepton pair.
    pub mass: Option<f32>,
    /// Of a top pair.
    pub leptons: Option<u8>,
}

impl From<Process> for ProcessRecord {
    fn from(process: Process) -> Self {
        match process {
            Process::MinimumBias => Self::default(),
            Process::DrellYan(mass) => Self { tag: 1, mass: Some(mass), leptons: None },
            Process::Top { leptons } => Self { tag: 2, mass: None, leptons: Some(leptons) },
        }
    }
}

impl From<ProcessRecord> for Process {
    fn from(record: ProcessRecord) -> Self {
        match record.tag {
            0 => Self::MinimumBias,
            1 => Self::DrellYan(record.mass.unwrap_or_default()),
            _ => Self::Top { leptons: record.leptons.unwrap_or_default() },
        }
    }
}

/// The event.
#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
#[rntuple(columnar)]
pub struct Event {
    /// Run number.
    pub run: u32,
    /// Event number.
    pub event: u64,
    /// Weight.
    pub weight: f64,
    /// Missing transverse energy in GeV.
    pub met: f32,
    /// Whether it passed.
    pub good: bool,
    /// Triggers that fired.
    pub triggers: BitSet<64>,
    /// Where it happened.
    pub vertex: Vertex,
    /// Its muons.
    pub muons: Vec<Muon>,
    /// Its jets.
    pub jets: Vec<Jet>,
    /// What somebody called it.
    pub label: String,
    /// Shape variables.
    pub shape: [f32; 6],
    /// What happened.
    pub process: Process,
}

/// The event with its triggers in an integer: what bitcode, rkyv and serde take.
#[derive(
    bitcode::Encode,
    bitcode::Decode,
    rkyv::Archive,
    rkyv::Serialize,
    rkyv::Deserialize,
    Serialize,
    Deserialize,
    Clone,
    Debug,
    Default,
    PartialEq,
)]
#[rkyv(derive(Debug))]
pub struct PlainEvent {
    /// Run number.
    pub run: u32,
    /// Event number.
    pub event: u64,
    /// Weight.
    pub weight: f64,
    /// Missing transverse energy in GeV.
    pub met: f32,
    /// Whether it passed.
    pub good: bool,
    /// Triggers that fired.
    pub triggers: u64,
    /// Where it happened.
    pub vertex: Vertex,
    /// Its muons.
    pub muons: Vec<Muon>,
    /// Its jets.
    pub jets: Vec<Jet>,
    /// What somebody called it.
    pub label: String,
    /// Shape variables.
    pub shape: [f32; 6],
    /// What happened.
    pub process: Process,
}

/// Eight flags as the bits of a byte.
///
/// Each flag is a byte of 0 or 1; the product gathers them in its highest byte.
#[inline]
pub(crate) fn gather(flags: [u8; 8]) -> u8 {
    (u64::from_le_bytes(flags).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// The triggers as an integer.
#[inline]
pub fn mask(triggers: &BitSet<64>) -> u64 {
    let (groups, _) = triggers.as_array().as_chunks::<8>();
    u64::from_le_bytes(std::array::from_fn(|index| gather(groups[index].map(u8::from))))
}

/// The triggers of an integer.
pub fn triggers(mask: u64) -> BitSet<64> {
    std::array::from_fn(|bit| mask >> bit & 1 == 1).into()
}

impl From<&Event> for PlainEvent {
    fn from(event: &Event) -> Self {
        Self {
            run: event.run,
            event: event.event,
            weight: event.weight,
            met: event.met,
            good: event.good,
            triggers: mask(&event.triggers),
            vertex: event.vertex,
            muons: event.muons.clone(),
            jets: event.jets.clone(),
            label: event.label.clone(),
            shape: event.shape,
            process: event.process,
        }
    }
}

/// `count` events, the same ones every time.
pub fn events(count: u64) -> Vec<Event> {
    let mut random = Random::new(20_261_121);
    (0..count).map(|number| event(number, &mut random)).collect()
}

fn event(number: u64, random: &mut Random) -> Event {
    let muons = (0..random.below(5))
        .map(|_| Muon {
            pt: 3.0 + random.falling(20.0),
            eta: random.between(-2.5, 2.5),
            phi: random.angle(),
            mass: 0.105_658,
            charge: if random.below(2) == 0 { -1 } else { 1 },
            tight: random.below(10) < 8,
            iso: (random.below(4) > 0).then(|| random.falling(0.1)),
        })
        .collect();
    let jets = (0..random.below(11))
        .map(|_| {
            let constituents: Vec<u32> = (0..random.below(17)).map(|_| random.below(600) as u32).collect();
            Jet {
                pt: 20.0 + random.falling(40.0),
                eta: random.between(-4.7, 4.7),
                phi: random.angle(),
                mass: random.falling(10.0),
                btag: random.between(0.0, 1.0),
                n_const: constituents.len() as u16,
                constituents,
            }
        })
        .collect();
    let process = match random.below(4) {
        0 => Process::DrellYan(random.between(60.0, 120.0)),
        1 => Process::Top { leptons: random.below(3) as u8 },
        _ => Process::MinimumBias,
    };
    let labels = ["minbias", "dimuon", "ttbar candidate", "calibration"];
    Event {
        run: 362_760 + (number / 50_000) as u32,
        event: number,
        weight: 0.5 + random.unit(),
        met: random.falling(30.0),
        good: random.below(20) > 0,
        triggers: (0..64).filter(|bit| random.below(8 + 4 * bit) == 0).map(|bit| bit as usize).collect(),
        vertex: Vertex { x: random.unit(), y: random.unit(), z: 50.0 * random.unit() },
        muons,
        jets,
        label: labels.get(random.below(4) as usize).copied().unwrap_or_default().to_owned(),
        shape: std::array::from_fn(|_| random.between(0.0, 1.0)),
        process,
    }
}

/// Bytes of payload: native widths, and 8 for each offset or tag.
pub fn payload(events: &[Event]) -> u64 {
    let of = |event: &Event| {
        let muons: usize = event.muons.iter().map(|muon| 29 + 4 * usize::from(muon.iso.is_some())).sum();
        let jets: usize = event.jets.iter().map(|jet| 30 + 4 * jet.constituents.len()).sum();
        let process = match event.process {
            Process::MinimumBias => 8,
            Process::DrellYan(_) => 12,
            Process::Top { .. } => 9,
        };
        4 + 8 + 8 + 4 + 1 + 8 + 24 + 8 + muons + 8 + jets + 8 + event.label.len() + 24 + process
    };
    events.iter().map(|event| of(event) as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_those_of_the_bits() {
        for event in events(100) {
            let bits: u64 = event.triggers.ones().map(|bit| 1 << bit).sum();
            assert_eq!(mask(&event.triggers), bits);
            assert_eq!(triggers(bits), event.triggers);
        }
    }
}
