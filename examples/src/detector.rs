//! What a detector sees of a collision: less than all, and nothing exactly.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rntuple::cxx::BitSet;

use crate::collision::{Collision, MUON_MASS, Particle, measured};
use crate::event::{Constituent, Event, Jet, Missing, Muon, Photon, Quality};
use crate::jets::{Cluster, anti_kt};
use crate::vector::FourVector;

/// Jets need so much transverse momentum, in GeV.
const JET_PT: f64 = 10.0;
/// How large a jet is.
const JET_RADIUS: f64 = 0.4;
/// Tracks this near to a muon count against its isolation.
const ISOLATION_RADIUS: f64 = 0.3;

/// The trigger bits in use.
pub mod trigger {
    /// A muon above 24 GeV.
    pub const MUON: usize = 0;
    /// Two muons above 8 GeV, one of them above 17.
    pub const TWO_MUONS: usize = 1;
    /// A jet above 60 GeV.
    pub const JET: usize = 8;
    /// More than 40 GeV missing.
    pub const MISSING: usize = 16;
    /// A photon above 20 GeV.
    pub const PHOTON: usize = 24;
    /// Chance: one event of a hundred.
    pub const RANDOM: usize = 63;
}

/// Columns have the precision of the detector.
#[expect(clippy::cast_possible_truncation, reason = "rounded, not cut")]
fn single(value: f64) -> f32 {
    value as f32
}

/// What the detector makes of a collision.
pub fn observe(collision: &Collision, run: u32, number: u64, random: &mut ChaCha8Rng) -> Event {
    let hadrons: Vec<Particle> = collision.hadrons.iter().filter_map(|hadron| see(hadron, random)).collect();
    let seen: Vec<FourVector> = hadrons.iter().map(|hadron| hadron.momentum).collect();
    let muons = observe_muons(&collision.muons, &hadrons, random);
    let photon = collision.photon.map(|photon| photon.scaled(measured(1.0, 0.02, random)));

    let muon_momentum = |muon: &Muon| {
        let (pt, eta, phi) = (muon.pt.into(), muon.eta.into(), muon.phi.into());
        FourVector::from_pt_eta_phi_mass(pt, eta, phi, MUON_MASS)
    };
    let visible: Vec<FourVector> =
        seen.iter().copied().chain(muons.iter().map(muon_momentum)).chain(photon).collect();
    let sum: FourVector = visible.iter().copied().sum();
    let missing = Missing { pt: single(sum.pt()), phi: single((-sum.y).atan2(-sum.x)) };

    let jets: Vec<Jet> = anti_kt(&seen, JET_RADIUS)
        .iter()
        .filter(|jet| jet.momentum.pt() > JET_PT && jet.momentum.eta().abs() < 4.5)
        .map(|jet| observe_jet(jet, &hadrons))
        .collect();
    let photon = photon.map(|photon| Photon {
        pt: single(photon.pt()),
        eta: single(photon.eta()),
        phi: single(photon.phi()),
    });
    let triggers = fire(&muons, &jets, photon.as_ref(), &missing, random);
    Event {
        run,
        number,
        process: collision.process,
        label: collision.process.to_string(),
        vertex: collision.vertex,
        triggers,
        muons,
        jets,
        photon,
        missing,
        shape: shape(&visible),
    }
}

/// A hadron in tracker and calorimeter.
fn see(hadron: &Particle, random: &mut ChaCha8Rng) -> Option<Particle> {
    let momentum = hadron.momentum;
    let error = if hadron.charge == 0 { 0.03 + 0.5 / momentum.e.sqrt() } else { 0.01 };
    let momentum = momentum.scaled(measured(1.0, error, random));
    let is_seen = momentum.pt() > 0.3 && momentum.eta().abs() < 4.5;
    is_seen.then_some(Particle { momentum, ..*hadron })
}

fn observe_muons(muons: &[Particle], hadrons: &[Particle], random: &mut ChaCha8Rng) -> Vec<Muon> {
    let mut observed = Vec::new();
    for Particle { momentum, charge } in muons {
        let (pt, eta, phi) = (momentum.pt(), momentum.eta(), momentum.phi());
        let efficiency = 0.96 / (1.0 + (-(pt - 4.0)).exp());
        if eta.abs() > 2.4 || pt < 3.0 || !random.random_bool(efficiency) {
            continue;
        }
        // Scattering at low, the curvature's error at high momentum.
        let pt = measured(pt, f64::hypot(0.012, 1.5e-4 * pt), random);
        let quality = match random.random::<f64>() {
            u if u < 0.9 => Quality::Tight,
            u if u < 0.97 => Quality::Medium,
            _ => Quality::Loose,
        };
        let near =
            |hadron: &&Particle| hadron.charge != 0 && hadron.momentum.delta_r(momentum) < ISOLATION_RADIUS;
        let around: f64 = hadrons.iter().filter(near).map(|hadron| hadron.momentum.pt()).sum();
        observed.push(Muon {
            pt: single(pt),
            eta: single(eta),
            phi: single(phi),
            charge: *charge,
            quality,
            isolation: (around > 0.0).then_some(single(around / pt)),
        });
    }
    observed.sort_by(|a, b| b.pt.total_cmp(&a.pt));
    observed
}

fn observe_jet(jet: &Cluster, hadrons: &[Particle]) -> Jet {
    let members = jet.members.iter().filter_map(|&member| hadrons.get(member));
    let mut constituents: Vec<Constituent> = members
        .map(|Particle { momentum, charge }| Constituent {
            pt: single(momentum.pt()),
            eta: single(momentum.eta()),
            phi: single(momentum.phi()),
            charge: *charge,
        })
        .collect();
    constituents.sort_by(|a, b| b.pt.total_cmp(&a.pt));
    let momentum = &jet.momentum;
    Jet {
        pt: single(momentum.pt()),
        eta: single(momentum.eta()),
        phi: single(momentum.phi()),
        mass: single(momentum.mass()),
        constituents,
    }
}

fn fire(
    muons: &[Muon],
    jets: &[Jet],
    photon: Option<&Photon>,
    missing: &Missing,
    random: &mut ChaCha8Rng,
) -> BitSet<64> {
    let muon_pt = |position: usize| muons.get(position).map_or(0.0, |muon| muon.pt);
    let mut triggers = BitSet::new();
    triggers.set(trigger::MUON, muon_pt(0) > 24.0);
    triggers.set(trigger::TWO_MUONS, muon_pt(0) > 17.0 && muon_pt(1) > 8.0);
    triggers.set(trigger::JET, jets.first().is_some_and(|jet| jet.pt > 60.0));
    triggers.set(trigger::MISSING, missing.pt > 40.0);
    triggers.set(trigger::PHOTON, photon.is_some_and(|photon| photon.pt > 20.0));
    triggers.set(trigger::RANDOM, random.random_bool(0.01));
    triggers
}

/// Transverse sphericity, centrality, and the first four azimuthal moments of what was seen.
fn shape(visible: &[FourVector]) -> [f32; 6] {
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    let (mut sum_pt, mut sum_p) = (0.0, 0.0);
    let mut moments = [(0.0, 0.0); 4];
    for vector in visible {
        let (pt, phi) = (vector.pt(), vector.phi());
        (xx, xy, yy) =
            (xx + vector.x * vector.x / pt, xy + vector.x * vector.y / pt, yy + vector.y * vector.y / pt);
        sum_pt += pt;
        sum_p += (pt * pt + vector.z * vector.z).sqrt();
        for (order, (cos, sin)) in (1..).zip(&mut moments) {
            *cos += pt * (f64::from(order) * phi).cos();
            *sin += pt * (f64::from(order) * phi).sin();
        }
    }
    if sum_pt == 0.0 {
        return [0.0; 6];
    }
    let smaller = (xx + yy - ((xx - yy).powi(2) + 4.0 * xy * xy).sqrt()) / 2.0;
    let [a, b, c, d] = moments.map(|(cos, sin)| single(cos.hypot(sin) / sum_pt));
    [single(2.0 * smaller.max(0.0) / (xx + yy)), single(sum_pt / sum_p), a, b, c, d]
}

#[cfg(test)]
mod tests {
    use crate::Simulation;
    use crate::event::Process;

    #[test]
    fn what_is_seen_is_within_the_detector() {
        for event in Simulation::new(5).take(500) {
            assert!(event.muons.iter().all(|muon| muon.pt > 0.0 && muon.eta.abs() <= 2.4));
            assert!(event.muons.is_sorted_by(|a, b| a.pt >= b.pt));
            for jet in &event.jets {
                assert!(jet.pt > 10.0 && !jet.constituents.is_empty());
                let sum: f32 = jet.constituents.iter().map(|particle| particle.pt).sum();
                assert!(sum >= 0.99 * jet.pt, "{sum} {}", jet.pt);
                // What the encodings of the columns can hold.
                assert!(jet.constituents.iter().all(|p| p.eta.abs() < 5.0 && p.phi.abs() < 3.15));
            }
            assert!(event.shape.iter().all(|value| (0.0..=1.0).contains(value)), "{:?}", event.shape);
        }
    }

    #[test]
    fn most_z_bosons_show_two_muons_and_most_of_them_alone() {
        let events: Vec<_> = Simulation::new(6)
            .take(1000)
            .filter(|event| matches!(event.process, Process::ZJets { .. }))
            .collect();
        let pairs = events.iter().filter(|event| event.muons.len() == 2).count();
        assert!(pairs * 2 > events.len(), "{pairs} of {}", events.len());
        let muons: Vec<_> = events.iter().flat_map(|event| &event.muons).collect();
        let alone = muons.iter().filter(|muon| muon.isolation.is_none_or(|around| around < 0.15)).count();
        assert!(alone * 10 > muons.len() * 8, "{alone} of {}", muons.len());
    }
}
