//! Events like those of CMS's open data, which the benchmark is about, and made-up ones.

use std::f64::consts::PI;
use std::path::Path;

use rntuple::{Compression, RNTuple, Result, WriteOptions, Writer};

// ANCHOR: event
/// A collision.
#[derive(Clone, Debug, RNTuple)]
pub(crate) struct Event {
    pub(crate) run: u32,
    pub(crate) luminosity_block: u32,
    /// In order.
    pub(crate) event: u64,
    pub(crate) met: Met,
    /// Hardest first, as leptons are.
    pub(crate) jets: Vec<Jet>,
    pub(crate) muons: Vec<Lepton>,
    pub(crate) electrons: Vec<Lepton>,
}

/// The transverse momentum that is missing, in GeV.
#[derive(Clone, Debug, RNTuple)]
pub(crate) struct Met {
    pub(crate) pt: f32,
    pub(crate) phi: f32,
    pub(crate) significance: f32,
    pub(crate) sum_et: f32,
}

#[derive(Clone, Debug, RNTuple)]
pub(crate) struct Jet {
    pub(crate) pt: f32,
    pub(crate) eta: f32,
    pub(crate) phi: f32,
    pub(crate) mass: f32,
    /// From 0 to 1, where jets of bottom quarks are.
    pub(crate) btag: f32,
    pub(crate) is_pileup: bool,
}

#[derive(Clone, Debug, RNTuple)]
pub(crate) struct Lepton {
    pub(crate) pt: f32,
    pub(crate) eta: f32,
    pub(crate) phi: f32,
    pub(crate) mass: f32,
    pub(crate) charge: i32,
    pub(crate) isolation: f32,
}
// ANCHOR_END: event

const PER_RUN: u64 = 100_000;
const PER_BLOCK: u64 = 1000;

/// Masses of muons and electrons, in GeV.
const MUON: f32 = 0.105_658;
const ELECTRON: f32 = 0.000_511;

/// Writes the first events of a seed.
pub(crate) fn write(path: &Path, seed: u64, count: u64, compression: Compression) -> Result<()> {
    let options = WriteOptions::new().compression(compression);
    let mut writer = Writer::create(path, "Events", options)?;
    let mut random = Random(seed);
    for number in 0..count {
        writer.fill(&event(&mut random, number))?;
    }
    writer.finish()?;
    Ok(())
}

/// Makes an event. Every other one has a Z boson that became two leptons.
fn event(random: &mut Random, number: u64) -> Event {
    let mut muons: Vec<_> = (0..random.count(0.4)).map(|_| lepton(random, MUON)).collect();
    let mut electrons: Vec<_> = (0..random.count(0.3)).map(|_| lepton(random, ELECTRON)).collect();
    match random.below(4) {
        0 => muons.extend(z_boson(random, MUON)),
        1 => electrons.extend(z_boson(random, ELECTRON)),
        _ => (),
    }
    let mut jets: Vec<_> = (0..random.count(3.5)).map(|_| jet(random)).collect();
    // Some jets are leptons that were also taken for jets.
    let fakes = muons
        .iter()
        .chain(&electrons)
        .filter(|_| random.below(3) == 0)
        .map(|lepton| (lepton.eta, lepton.phi));
    let fakes: Vec<_> = fakes.collect();
    jets.extend(fakes.into_iter().map(|(eta, phi)| Jet {
        eta: eta + random.between(-0.3, 0.3),
        phi,
        ..jet(random)
    }));
    jets.sort_by(|a, b| b.pt.total_cmp(&a.pt));
    muons.sort_by(|a, b| b.pt.total_cmp(&a.pt));
    electrons.sort_by(|a, b| b.pt.total_cmp(&a.pt));
    Event {
        run: u32::try_from(1 + number / PER_RUN).unwrap_or(u32::MAX),
        luminosity_block: u32::try_from(1 + number % PER_RUN / PER_BLOCK).unwrap_or(u32::MAX),
        event: number,
        met: Met {
            pt: random.falling(35.0),
            phi: random.angle(),
            significance: random.falling(3.0),
            sum_et: 100.0 + random.falling(400.0),
        },
        jets,
        muons,
        electrons,
    }
}

fn jet(random: &mut Random) -> Jet {
    let pt = 15.0 + random.falling(25.0);
    Jet {
        pt,
        eta: random.between(-2.5, 2.5),
        phi: random.angle(),
        mass: pt * random.between(0.05, 0.25),
        btag: if random.below(5) == 0 {
            1.0 - random.between(0.0, 0.6).powi(2)
        } else {
            random.between(0.0, 1.0).powi(3)
        },
        is_pileup: random.below(4) == 0,
    }
}

fn lepton(random: &mut Random, mass: f32) -> Lepton {
    Lepton {
        pt: 5.0 + random.falling(20.0),
        eta: random.between(-2.4, 2.4),
        phi: random.angle(),
        mass,
        charge: if random.below(2) == 0 { 1 } else { -1 },
        isolation: random.falling(0.1),
    }
}

/// Makes two leptons: the second has the momentum with which their mass is about that of the Z boson.
fn z_boson(random: &mut Random, mass: f32) -> [Lepton; 2] {
    let first = Lepton { pt: 25.0 + random.falling(20.0), ..lepton(random, mass) };
    let second = Lepton {
        eta: first.eta + random.between(-1.0, 1.0),
        phi: wrapped(f64::from(first.phi) + PI + f64::from(random.between(-1.0, 1.0))),
        charge: -first.charge,
        ..lepton(random, mass)
    };
    let [d_eta, d_phi] = [first.eta - second.eta, first.phi - second.phi].map(f64::from);
    let z = 91.2 + 1.25 * (PI * (random.unit() - 0.5)).tan().clamp(-30.0, 30.0);
    let pt = z * z / (2.0 * f64::from(first.pt) * (d_eta.cosh() - d_phi.cos()));
    [first, Lepton { pt: single(pt), ..second }]
}

/// An angle from -π to π.
fn wrapped(angle: f64) -> f32 {
    single(if angle > PI { angle - 2.0 * PI } else { angle })
}

#[expect(clippy::cast_possible_truncation, reason = "detectors are not more precise")]
fn single(value: f64) -> f32 {
    value as f32
}

/// SplitMix64: the same numbers on every machine.
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
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit
    }

    fn between(&mut self, low: f64, high: f64) -> f32 {
        single(low + (high - low) * self.unit())
    }

    fn angle(&mut self) -> f32 {
        self.between(-PI, PI)
    }

    /// A falling spectrum of this mean.
    fn falling(&mut self, mean: f64) -> f32 {
        single(-mean * (1.0 - self.unit()).ln())
    }

    /// How many there are of what is rare: Poisson's distribution of this mean.
    fn count(&mut self, mean: f64) -> usize {
        let limit = (-mean).exp();
        let mut product = self.unit();
        let mut count = 0;
        while product > limit {
            product *= self.unit();
            count += 1;
        }
        count
    }
}
