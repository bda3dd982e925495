//! What happens when two protons meet: the truth, before any detector.

use std::f64::consts::{FRAC_PI_2, PI};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Exp1, Normal, Poisson, StandardNormal};

use crate::event::{Process, Vertex};
use crate::vector::FourVector;

/// Mass of the Z boson in GeV.
pub const Z_MASS: f64 = 91.1876;
/// Width of the Z boson in GeV.
pub const Z_WIDTH: f64 = 2.4952;
/// Mass of the muon in GeV.
pub const MUON_MASS: f64 = 0.105_658;
/// Mass of the charged pion in GeV, taken for all hadrons.
const PION_MASS: f64 = 0.139_57;

/// Partons above this transverse momentum, in GeV, count as jets.
const JET_THRESHOLD: f64 = 15.0;

/// A particle that lives long enough to be seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    /// Energy and momentum.
    pub momentum: FourVector,
    /// Charge in units of the proton's.
    pub charge: i8,
}

/// What comes out of a collision.
#[derive(Clone, Debug)]
pub struct Collision {
    /// What happened.
    pub process: Process,
    /// Where it happened.
    pub vertex: Vertex,
    /// All muons.
    pub muons: Vec<Particle>,
    /// All hadrons.
    pub hadrons: Vec<Particle>,
    /// A photon, rarely.
    pub photon: Option<FourVector>,
}

impl Collision {
    /// Draws what happens: six times of ten a Z boson, two times a virtual photon, two times nothing of both.
    pub fn happen(random: &mut ChaCha8Rng) -> Self {
        let mut this = Self {
            process: Process::MinBias,
            vertex: Vertex {
                x: 0.012 * random.sample::<f64, _>(StandardNormal),
                y: 0.012 * random.sample::<f64, _>(StandardNormal),
                z: 45.0 * random.sample::<f64, _>(StandardNormal),
            },
            muons: Vec::new(),
            hadrons: Vec::new(),
            photon: None,
        };
        match random.random::<f64>() {
            u if u < 0.6 => {
                let jets = this.make_boson(z_mass(random), random);
                this.process = Process::ZJets { jets };
            }
            u if u < 0.8 => {
                let mass = photon_mass(random);
                this.make_boson(mass, random);
                this.process = Process::DrellYan { mass };
            }
            _ => this.make_soft(random),
        }
        if random.random_bool(0.05) {
            let (pt, eta, phi) = (falling(10.0, 4.0, random), uniform(2.5, random), uniform(PI, random));
            this.photon = Some(FourVector::from_pt_eta_phi_mass(pt, eta, phi, 0.0));
        }
        // What the rest of the protons does, everywhere.
        for _ in 0..count(16.0, random) {
            let pt = 0.3 + 0.6 * random.sample::<f64, _>(Exp1);
            let (eta, phi) = (uniform(4.5, random), uniform(PI, random));
            this.add_hadron(pt, eta, phi, random);
        }
        this
    }

    /// A boson that becomes two muons, and partons that balance its transverse momentum: how many are jets.
    fn make_boson(&mut self, mass: f64, random: &mut ChaCha8Rng) -> u8 {
        // Flat in the middle, with soft edges.
        let rapidity = uniform(2.2, random) + 0.4 * random.sample::<f64, _>(StandardNormal);
        let pt = boson_pt(random);
        let boson = FourVector::from_pt_rapidity_phi_mass(pt, rapidity, uniform(PI, random), mass);
        self.decay(&boson, random);

        let mut jets = 0;
        let (mut x, mut y) = (-boson.x, -boson.y);
        for _ in 0..count(1.0, random) {
            let (pt, phi) = (falling(6.0, 3.2, random), uniform(PI, random));
            jets += u8::from(pt > JET_THRESHOLD);
            x -= pt * phi.cos();
            y -= pt * phi.sin();
            self.fragment(pt, uniform(3.5, random), phi, random);
        }
        let pt = x.hypot(y);
        jets += u8::from(pt > JET_THRESHOLD);
        let eta = rapidity + random.sample::<f64, _>(StandardNormal);
        self.fragment(pt, eta.clamp(-4.0, 4.0), y.atan2(x), random);
        jets
    }

    /// Two muons, back to back where the boson rests, in any direction.
    fn decay(&mut self, boson: &FourVector, random: &mut ChaCha8Rng) {
        let energy = boson.mass() / 2.0;
        let momentum = (energy * energy - MUON_MASS * MUON_MASS).sqrt();
        let (cos, phi) = (uniform(1.0, random), uniform(PI, random));
        let across = momentum * (1.0 - cos * cos).sqrt();
        let (x, y, z) = (across * phi.cos(), across * phi.sin(), momentum * cos);
        for (sign, charge) in [(1.0, 1), (-1.0, -1)] {
            let muon = FourVector { e: energy, x: sign * x, y: sign * y, z: sign * z };
            self.muons.push(Particle { momentum: muon.boosted(boson), charge });
        }
    }

    /// Two partons back to back, sometimes with a muon of a hadron's decay among what they become.
    fn make_soft(&mut self, random: &mut ChaCha8Rng) {
        let (pt, phi) = (falling(3.0, 4.0, random), uniform(PI, random));
        for phi in [phi, phi + PI] {
            let eta = uniform(3.5, random);
            if random.random_bool(0.1) {
                let pt = falling(3.0, 4.5, random);
                let momentum = FourVector::from_pt_eta_phi_mass(pt, eta, phi, MUON_MASS);
                let charge = if random.random() { 1 } else { -1 };
                self.muons.push(Particle { momentum, charge });
            }
            self.fragment(pt, eta, phi, random);
        }
    }

    /// A parton becomes hadrons: each takes its share of what is left, and strays a little.
    fn fragment(&mut self, pt: f64, eta: f64, phi: f64, random: &mut ChaCha8Rng) {
        let mut left = pt;
        while left > 0.6 {
            let share = left * random.random_range(0.05..0.5);
            left -= share;
            let stray = 0.3 / (share + 0.6);
            let d_eta = stray * random.sample::<f64, _>(StandardNormal);
            let d_phi = stray * random.sample::<f64, _>(StandardNormal);
            self.add_hadron(share, eta + d_eta, phi + d_phi, random);
        }
    }

    fn add_hadron(&mut self, pt: f64, eta: f64, phi: f64, random: &mut ChaCha8Rng) {
        let charge = random.random_range(-1..=1);
        let momentum = FourVector::from_pt_eta_phi_mass(pt, eta, phi, PION_MASS);
        self.hadrons.push(Particle { momentum, charge });
    }
}

/// A relativistic Breit–Wigner distribution, from 20 to 180 GeV: uniform in the angle whose tangent is
/// `(m² - M²) / MΓ`.
fn z_mass(random: &mut ChaCha8Rng) -> f64 {
    let (square, scale) = (Z_MASS * Z_MASS, Z_MASS * Z_WIDTH);
    let angle = |mass: f64| ((mass * mass - square) / scale).atan();
    let drawn: f64 = random.random_range(angle(20.0)..angle(180.0));
    (square + scale * drawn.clamp(-FRAC_PI_2, FRAC_PI_2).tan()).max(0.0).sqrt()
}

/// Falls as a power of the mass, from 30 GeV on.
fn photon_mass(random: &mut ChaCha8Rng) -> f64 {
    falling(30.0, 2.5, random).min(1000.0)
}

/// Rises from 0 to a maximum of some GeV, then falls as a power.
fn boson_pt(random: &mut ChaCha8Rng) -> f64 {
    let u: f64 = random.random();
    9.0 * ((1.0 - u).powf(-1.0 / 1.6) - 1.0).sqrt()
}

/// Falls as a power, from `lowest` on; no more than the beams could give.
fn falling(lowest: f64, power: f64, random: &mut ChaCha8Rng) -> f64 {
    let u: f64 = random.random();
    (lowest * (1.0 - u).powf(-1.0 / (power - 1.0))).min(2000.0)
}

/// Uniform from `-end` to `end`.
fn uniform(end: f64, random: &mut ChaCha8Rng) -> f64 {
    random.random_range(-end..end)
}

/// How many, where so many are expected.
fn count(expected: f64, random: &mut ChaCha8Rng) -> u32 {
    let drawn: f64 = Poisson::new(expected).map_or(0.0, |poisson| random.sample(poisson));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
    let drawn = drawn as u32;
    drawn
}

/// A measurement of `value` with a relative error.
pub(crate) fn measured(value: f64, error: f64, random: &mut ChaCha8Rng) -> f64 {
    let factor = Normal::new(1.0, error).map_or(1.0, |normal| random.sample(normal));
    value * f64::max(factor, 0.0)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn random() -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(11)
    }

    #[test]
    fn half_of_the_z_bosons_are_within_half_a_width() {
        let random = &mut random();
        let masses: Vec<f64> = (0..20_000).map(|_| z_mass(random)).collect();
        let near = masses.iter().filter(|mass| (**mass - Z_MASS).abs() < Z_WIDTH / 2.0).count();
        assert!((9_700..10_700).contains(&near), "{near}");
        assert!(masses.iter().all(|mass| (20.0..180.0).contains(mass)));
    }

    #[test]
    fn the_muons_have_the_mass_of_what_they_come_from() {
        let random = &mut random();
        let mut seen = 0;
        for _ in 0..200 {
            let collision = Collision::happen(random);
            if let Process::DrellYan { mass } = collision.process {
                let sum: FourVector = collision.muons.iter().map(|muon| muon.momentum).sum();
                assert!((sum.mass() - mass).abs() < 1e-6 * mass);
                seen += 1;
            }
        }
        assert!(seen > 20, "{seen}");
    }

    #[test]
    fn hard_partons_are_counted_as_jets() {
        let random = &mut random();
        let jets = |collision: Collision| match collision.process {
            Process::ZJets { jets } => Some(jets),
            _ => None,
        };
        let counts: Vec<u8> = (0..2_000).filter_map(|_| jets(Collision::happen(random))).collect();
        for wanted in 0..=2 {
            assert!(counts.contains(&wanted), "no event with {wanted} jets");
        }
    }
}
