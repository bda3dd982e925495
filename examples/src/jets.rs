//! Jets: the anti-kt algorithm, which gathers what flies together around what is hard.
#![expect(clippy::indexing_slicing, reason = "slots are positions in the one list that this file makes")]

use std::f64::consts::PI;

use crate::vector::{FourVector, delta_phi};

/// Particles that fly together.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// The sum of its particles.
    pub momentum: FourVector,
    /// Their positions in the list of particles.
    pub members: Vec<usize>,
}

/// A particle, or several that were merged.
struct Candidate {
    cluster: Cluster,
    rapidity: f64,
    phi: f64,
    /// 1 / pt²: the distance to the beam, in the measure of anti-kt.
    weight: f64,
    /// The nearest other candidate within the radius, and the square of how far it is.
    nearest: Option<(usize, f64)>,
}

impl Candidate {
    fn new(momentum: FourVector, members: Vec<usize>) -> Self {
        Self {
            rapidity: momentum.rapidity(),
            phi: momentum.phi(),
            weight: momentum.pt().powi(-2),
            nearest: None,
            cluster: Cluster { momentum, members },
        }
    }

    fn distance(&self, other: &Self) -> f64 {
        (self.rapidity - other.rapidity).powi(2) + delta_phi(self.phi, other.phi).powi(2)
    }
}

/// Merges particles into clusters of a radius, hardest first.
///
/// Particles need a transverse momentum. The time grows with the square of their number.
pub fn anti_kt(particles: &[FourVector], radius: f64) -> Vec<Cluster> {
    debug_assert!(0.0 < radius && radius < PI);
    let mut slots: Vec<Candidate> =
        particles.iter().enumerate().map(|(position, p)| Candidate::new(*p, vec![position])).collect();
    let mut live: Vec<usize> = (0..slots.len()).collect();
    for &slot in &live {
        slots[slot].nearest = nearest(&slots, &live, slot, radius);
    }
    let mut clusters = Vec::new();
    while let Some((position, partner)) = next_step(&slots, &live, radius) {
        let slot = live[position];
        let gone = partner.unwrap_or(slot);
        live.retain(|&other| other != gone);
        match partner {
            Some(partner) => {
                let mut members = std::mem::take(&mut slots[slot].cluster.members);
                members.append(&mut slots[partner].cluster.members);
                let momentum = slots[slot].cluster.momentum + slots[partner].cluster.momentum;
                slots[slot] = Candidate::new(momentum, members);
            }
            None => clusters.push(slots[slot].cluster.clone()),
        }
        // Only those that looked at what has changed look around anew; the others look at the merged one.
        for &other in &live {
            let looks_at = |(nearest, _)| nearest == slot || nearest == gone;
            if other == slot || slots[other].nearest.is_some_and(looks_at) {
                slots[other].nearest = nearest(&slots, &live, other, radius);
            } else if partner.is_some() {
                let distance = slots[other].distance(&slots[slot]);
                let limit = slots[other].nearest.map_or(radius * radius, |(_, distance)| distance);
                if distance < limit {
                    slots[other].nearest = Some((slot, distance));
                }
            }
        }
    }
    clusters.sort_by(|a, b| b.momentum.pt().total_cmp(&a.momentum.pt()));
    clusters
}

/// What is nearest of all: a candidate (its position in `live`), and whom to merge it with, if not the beam.
fn next_step(slots: &[Candidate], live: &[usize], radius: f64) -> Option<(usize, Option<usize>)> {
    let step = |(position, &slot): (usize, &usize)| {
        let candidate = &slots[slot];
        match candidate.nearest {
            Some((partner, distance)) => {
                let weight = candidate.weight.min(slots[partner].weight);
                (weight * distance / (radius * radius), position, Some(partner))
            }
            None => (candidate.weight, position, None),
        }
    };
    let first = live.iter().enumerate().map(step).min_by(|a, b| a.0.total_cmp(&b.0));
    first.map(|(_, position, partner)| (position, partner))
}

fn nearest(slots: &[Candidate], live: &[usize], slot: usize, radius: f64) -> Option<(usize, f64)> {
    live.iter()
        .filter(|&&other| other != slot)
        .map(|&other| (other, slots[slot].distance(&slots[other])))
        .filter(|(_, distance)| *distance < radius * radius)
        .min_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// The definition, word by word: always the smallest of all distances.
    fn naive(particles: &[FourVector], radius: f64) -> Vec<Cluster> {
        let mut open: Vec<Candidate> =
            particles.iter().enumerate().map(|(i, p)| Candidate::new(*p, vec![i])).collect();
        let mut clusters = Vec::new();
        while !open.is_empty() {
            let (mut best, mut pair) = (f64::INFINITY, (0, None));
            for i in 0..open.len() {
                if open[i].weight < best {
                    (best, pair) = (open[i].weight, (i, None));
                }
                for j in 0..i {
                    let weight = open[i].weight.min(open[j].weight);
                    let distance = weight * open[i].distance(&open[j]) / (radius * radius);
                    if distance < best {
                        (best, pair) = (distance, (i, Some(j)));
                    }
                }
            }
            let (i, j) = pair;
            let mut cluster = open.remove(i).cluster;
            match j {
                None => clusters.push(cluster),
                Some(j) => {
                    let other = open.remove(j).cluster;
                    cluster.members.extend(other.members);
                    open.push(Candidate::new(cluster.momentum + other.momentum, cluster.members));
                }
            }
        }
        clusters.sort_by(|a, b| b.momentum.pt().total_cmp(&a.momentum.pt()));
        clusters
    }

    fn sorted(mut clusters: Vec<Cluster>) -> Vec<Vec<usize>> {
        clusters.iter_mut().for_each(|cluster| cluster.members.sort_unstable());
        clusters.into_iter().map(|cluster| cluster.members).collect()
    }

    #[test]
    fn the_fast_way_gives_what_the_definition_gives() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        for count in 0..40 {
            let mut one = || {
                let pt = 0.3 + 40.0 * random.random::<f64>().powi(6);
                let (eta, phi) = (random.random_range(-2.0..2.0), random.random_range(-PI..PI));
                FourVector::from_pt_eta_phi_mass(pt, eta, phi, 0.14)
            };
            let particles: Vec<_> = (0..count).map(|_| one()).collect();
            assert_eq!(sorted(anti_kt(&particles, 0.4)), sorted(naive(&particles, 0.4)), "{count}");
        }
    }

    #[test]
    fn hard_particles_gather_the_soft_ones_around_them() {
        let at = |pt, eta, phi| FourVector::from_pt_eta_phi_mass(pt, eta, phi, 0.14);
        // Two hard ones, one soft beside each (one across ±π), one soft alone.
        let particles = [
            at(1.0, 0.1, 0.2),
            at(50.0, 0.0, 0.0),
            at(30.0, 1.0, 3.1),
            at(1.0, 1.0, -3.1),
            at(2.0, -2.0, 1.0),
        ];
        assert_eq!(sorted(anti_kt(&particles, 0.4)), [vec![0, 1], vec![2, 3], vec![4]]);
    }
}
