//! The nested event that figures are quoted for: about 490 bytes of payload, like those of an experiment.

use std::f64::consts::PI;

use rntuple::{BitSet, RNTuple};

/// A muon.
#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
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
#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
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
#[derive(RNTuple, Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertex {
    /// In mm.
    pub x: f64,
    /// In mm.
    pub y: f64,
    /// In mm.
    pub z: f64,
}

/// What happened.
#[derive(RNTuple, Clone, Copy, Debug, Default, PartialEq)]
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

/// The event.
#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
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

/// SplitMix64.
#[derive(Debug)]
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A falling spectrum of this mean.
    #[expect(clippy::cast_possible_truncation, reason = "single precision is what is stored")]
    fn falling(&mut self, mean: f64) -> f32 {
        (-mean * (1.0 - self.unit()).ln()) as f32
    }

    #[expect(clippy::cast_possible_truncation, reason = "single precision is what is stored")]
    fn between(&mut self, low: f64, high: f64) -> f32 {
        (low + (high - low) * self.unit()) as f32
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit.max(1)
    }
}

/// `count` events, the same ones every time.
pub fn events(count: u64) -> Vec<Event> {
    let mut random = Random(20_261_121);
    (0..count).map(|number| event(number, &mut random)).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "small numbers")]
fn event(number: u64, random: &mut Random) -> Event {
    let muons = (0..random.below(5))
        .map(|_| Muon {
            pt: 3.0 + random.falling(20.0),
            eta: random.between(-2.5, 2.5),
            phi: random.between(-PI, PI),
            mass: 0.105_658,
            charge: if random.below(2) == 0 { -1 } else { 1 },
            tight: random.below(10) < 8,
            iso: (random.below(4) > 0).then(|| random.falling(0.1)),
        })
        .collect();
    let jets = (0..random.below(11))
        .map(|_| {
            let constituents: Vec<u32> = (0..random.below(17)).map(|_| random.below(4000) as u32).collect();
            Jet {
                pt: 20.0 + random.falling(40.0),
                eta: random.between(-4.7, 4.7),
                phi: random.between(-PI, PI),
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
        triggers: (0..64).filter(|_| random.below(8) == 0).collect(),
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

/// One fill, kept apart so that its machine code can be looked at: see `examples/straight.rs`.
#[inline(never)]
pub fn fill_one<W: rntuple::storage::WriteAt>(
    writer: &mut rntuple::Writer<Event, W>,
    event: &Event,
) -> rntuple::Result<()> {
    writer.fill(event)
}
