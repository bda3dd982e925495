//! The queries in Rust: each declares what it needs of an event, and nothing else is read.

use std::path::Path;

use rntuple::{RNTuple, Reader, Result};

use super::histogram::{Axis, Histogram};
use super::queries::{BTAG, MASS, MET, PT, SUM_PT, TRIJET_PT};

/// A file, and how many threads read it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    pub(crate) file: &'a Path,
    pub(crate) threads: usize,
}

impl Input<'_> {
    // ANCHOR: fill
    /// Fills a histogram from all events. Each thread reads a part of them, and has a histogram of its own.
    fn fill<T>(self, axis: Axis, each: impl Fn(&T, &mut Histogram) + Sync) -> Result<Histogram>
    where
        T: RNTuple + Default,
        T::Reader: Send,
    {
        let reader = Reader::<T>::open(self.file, "Events")?;
        let part = |range| -> Result<Histogram> {
            let mut histogram = Histogram::new(axis);
            let mut entries = reader.entries_in(range);
            let mut event = T::default();
            while entries.read_into(&mut event)? {
                each(&event, &mut histogram);
            }
            Ok(histogram)
        };
        std::thread::scope(|scope| {
            let ranges = reader.partitions(self.threads)?.into_iter();
            let threads: Vec<_> = ranges.map(|range| scope.spawn(|| part(range))).collect();
            let mut sum = Histogram::new(axis);
            for thread in threads {
                sum.add(&thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok(sum)
        })
    }
    // ANCHOR_END: fill
}

#[derive(Default, RNTuple)]
struct Met {
    pt: f32,
}

// ANCHOR: q1
pub(crate) fn q1(input: Input<'_>) -> Result<Histogram> {
    #[derive(Default, RNTuple)]
    struct Event {
        met: Met,
    }

    input.fill(MET, |event: &Event, met| met.fill(event.met.pt))
}
// ANCHOR_END: q1

// ANCHOR: q2
pub(crate) fn q2(input: Input<'_>) -> Result<Histogram> {
    #[derive(RNTuple)]
    struct Jet {
        pt: f32,
    }
    #[derive(Default, RNTuple)]
    struct Event {
        jets: Vec<Jet>,
    }

    input.fill(PT, |event: &Event, pt| event.jets.iter().for_each(|jet| pt.fill(jet.pt)))
}
// ANCHOR_END: q2

// ANCHOR: q3
pub(crate) fn q3(input: Input<'_>) -> Result<Histogram> {
    #[derive(RNTuple)]
    struct Jet {
        pt: f32,
        eta: f32,
    }
    #[derive(Default, RNTuple)]
    struct Event {
        jets: Vec<Jet>,
    }

    input.fill(PT, |event: &Event, pt| {
        event.jets.iter().filter(|jet| jet.eta.abs() < 1.0).for_each(|jet| pt.fill(jet.pt));
    })
}
// ANCHOR_END: q3

// ANCHOR: q4
pub(crate) fn q4(input: Input<'_>) -> Result<Histogram> {
    #[derive(RNTuple)]
    struct Jet {
        pt: f32,
    }
    #[derive(Default, RNTuple)]
    struct Event {
        met: Met,
        jets: Vec<Jet>,
    }

    input.fill(MET, |event: &Event, met| {
        if event.jets.iter().filter(|jet| jet.pt > 40.0).count() >= 2 {
            met.fill(event.met.pt);
        }
    })
}
// ANCHOR_END: q4

// ANCHOR: q5
pub(crate) fn q5(input: Input<'_>) -> Result<Histogram> {
    #[derive(Default, RNTuple)]
    struct Event {
        met: Met,
        muons: Vec<Lepton>,
    }

    input.fill(MET, |event: &Event, met| {
        let found = event.muons.iter().any(|a| {
            event.muons.iter().any(|b| a.charge < b.charge && (60.0..=120.0).contains(&a.mass_with(b)))
        });
        if found {
            met.fill(event.met.pt);
        }
    })
}
// ANCHOR_END: q5

// ANCHOR: lepton
#[derive(Clone, Copy, RNTuple)]
struct Lepton {
    pt: f32,
    eta: f32,
    phi: f32,
    charge: i32,
}

impl Lepton {
    /// The mass of two leptons, whose own mass does not matter at these momenta.
    fn mass_with(&self, other: &Self) -> f64 {
        let d_eta = f64::from(self.eta) - f64::from(other.eta);
        let d_phi = f64::from(self.phi) - f64::from(other.phi);
        (2.0 * f64::from(self.pt) * f64::from(other.pt) * (d_eta.cosh() - d_phi.cos())).sqrt()
    }
}
// ANCHOR_END: lepton

// ANCHOR: q6
pub(crate) fn q6_pt(input: Input<'_>) -> Result<Histogram> {
    input.fill(TRIJET_PT, |event: &Jets, pt| {
        event.best().into_iter().for_each(|best| pt.fill(best.pt()));
    })
}

pub(crate) fn q6_btag(input: Input<'_>) -> Result<Histogram> {
    input.fill(BTAG, |event: &Jets, btag| event.best().into_iter().for_each(|best| btag.fill(best.btag)))
}

#[derive(RNTuple)]
struct Jet {
    pt: f32,
    eta: f32,
    phi: f32,
    mass: f32,
    btag: f32,
}

#[derive(Default, RNTuple)]
struct Jets {
    jets: Vec<Jet>,
}

impl Jets {
    /// The three jets whose mass is closest to 172.5 GeV.
    fn best(&self) -> Option<FourMomentum> {
        let jets: Vec<_> = self.jets.iter().map(FourMomentum::of).collect();
        let mut best: Option<(f64, FourMomentum)> = None;
        for (i, a) in jets.iter().enumerate() {
            for (j, b) in jets.iter().enumerate().skip(i + 1) {
                let two = a.plus(b);
                for c in jets.iter().skip(j + 1) {
                    let three = two.plus(c);
                    let distance = (three.mass() - 172.5).abs();
                    if best.is_none_or(|(least, _)| distance < least) {
                        best = Some((distance, three));
                    }
                }
            }
        }
        best.map(|(_, best)| best)
    }
}

#[derive(Clone, Copy)]
struct FourMomentum {
    px: f64,
    py: f64,
    pz: f64,
    e: f64,
    /// The highest of the jets.
    btag: f32,
}

impl FourMomentum {
    fn of(jet: &Jet) -> Self {
        let [pt, eta, phi, mass] = [jet.pt, jet.eta, jet.phi, jet.mass].map(f64::from);
        let p = pt * eta.cosh();
        Self {
            px: pt * phi.cos(),
            py: pt * phi.sin(),
            pz: pt * eta.sinh(),
            e: (p * p + mass * mass).sqrt(),
            btag: jet.btag,
        }
    }

    fn plus(&self, other: &Self) -> Self {
        Self {
            px: self.px + other.px,
            py: self.py + other.py,
            pz: self.pz + other.pz,
            e: self.e + other.e,
            btag: self.btag.max(other.btag),
        }
    }

    fn mass(&self) -> f64 {
        (self.e * self.e - self.px * self.px - self.py * self.py - self.pz * self.pz).sqrt()
    }

    fn pt(&self) -> f64 {
        (self.px * self.px + self.py * self.py).sqrt()
    }
}
// ANCHOR_END: q6

// ANCHOR: q7
pub(crate) fn q7(input: Input<'_>) -> Result<Histogram> {
    #[derive(RNTuple)]
    struct Object {
        pt: f32,
        eta: f32,
        phi: f32,
    }
    #[derive(Default, RNTuple)]
    struct Event {
        jets: Vec<Object>,
        muons: Vec<Object>,
        electrons: Vec<Object>,
    }

    let is_near = |jet: &Object, lepton: &Object| {
        let d_eta = f64::from(jet.eta) - f64::from(lepton.eta);
        // From 0 to π, whatever the angles are.
        let d_phi = (f64::from(jet.phi) - f64::from(lepton.phi)).cos().acos();
        d_eta * d_eta + d_phi * d_phi < 0.16
    };
    input.fill(SUM_PT, |event: &Event, sum_pt| {
        let leptons = || event.muons.iter().chain(&event.electrons).filter(|lepton| lepton.pt > 10.0);
        let jets = event.jets.iter().filter(|jet| jet.pt > 30.0);
        let alone = jets.filter(|jet| !leptons().any(|lepton| is_near(jet, lepton)));
        if let Some(sum) = alone.map(|jet| f64::from(jet.pt)).reduce(|sum, pt| sum + pt) {
            sum_pt.fill(sum);
        }
    })
}
// ANCHOR_END: q7

// ANCHOR: q8
pub(crate) fn q8(input: Input<'_>) -> Result<Histogram> {
    #[derive(Default, RNTuple)]
    struct Met {
        pt: f32,
        phi: f32,
    }
    #[derive(Default, RNTuple)]
    struct Event {
        met: Met,
        muons: Vec<Lepton>,
        electrons: Vec<Lepton>,
    }

    input.fill(MASS, |event: &Event, mass| {
        let muons = event.muons.iter().map(|muon| (13, muon));
        let electrons = event.electrons.iter().map(|electron| (11, electron));
        let leptons: Vec<(i32, &Lepton)> = muons.chain(electrons).collect();
        if leptons.len() < 3 {
            return;
        }
        let all = || leptons.iter().enumerate();
        let pairs = all().flat_map(|(i, (flavour, a))| {
            let partners = all().filter(move |(_, (other, b))| other == flavour && a.charge < b.charge);
            partners.map(move |(j, (_, b))| (i, j, (a.mass_with(b) - 91.2).abs()))
        });
        let Some((i, j, _)) = pairs.min_by(|(_, _, a), (_, _, b)| a.total_cmp(b)) else { return };
        let others = all().filter(|(number, _)| *number != i && *number != j).map(|(_, (_, lepton))| lepton);
        if let Some(other) = others.max_by(|a, b| a.pt.total_cmp(&b.pt)) {
            let angle = f64::from(event.met.phi) - f64::from(other.phi);
            mass.fill((2.0 * f64::from(event.met.pt) * f64::from(other.pt) * (1.0 - angle.cos())).sqrt());
        }
    })
}
// ANCHOR_END: q8
