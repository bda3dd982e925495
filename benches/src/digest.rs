//! A number that depends on every value of every event: a reader that skips something gets another one.
//!
//! Each leaf has a sum of its values' bits (for a collection: of the squares of its lengths), so that columns can be
//! added one after the other and structs one by one. The sums are cheap on purpose: they are part of every timed
//! read, ours and the peers'.

use arrow::datatypes::ArrowNativeType;

use crate::{Event, FlatEvent, Jet, Muon, PlainEvent, Process, Vertex};

/// The leaves of the nested event.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "they are named after the members")]
pub enum Leaf {
    Run,
    Event,
    Weight,
    Met,
    Good,
    Triggers,
    VertexX,
    VertexY,
    VertexZ,
    Muons,
    MuonPt,
    MuonEta,
    MuonPhi,
    MuonMass,
    MuonCharge,
    MuonTight,
    MuonIsoCount,
    MuonIso,
    Jets,
    JetPt,
    JetEta,
    JetPhi,
    JetMass,
    JetBtag,
    JetNConst,
    JetConstituentsCount,
    JetConstituents,
    LabelLength,
    Label,
    Shape,
    ProcessTag,
    ProcessMass,
    ProcessLeptons,
}

/// Number of [`Leaf`]s.
pub const LEAVES: usize = Leaf::ProcessLeptons as usize + 1;

/// A value with bits that can be summed.
pub trait Bits: Copy {
    /// The bits.
    fn bits(self) -> u64;
}

macro_rules! bits {
    ($($type:ty: $value:ident => $bits:expr;)*) => {
        $(impl Bits for $type {
            fn bits(self) -> u64 {
                let $value = self;
                $bits
            }
        })*
    };
}

bits! {
    u8: value => u64::from(value);
    u16: value => u64::from(value);
    u32: value => u64::from(value);
    u64: value => value;
    i32: value => u64::from(value.cast_unsigned());
    f32: value => u64::from(value.to_bits());
    f64: value => value.to_bits();
    bool: value => u64::from(value);
}

/// The sum over a leaf's values.
pub fn sum<T: Bits>(values: &[T]) -> u64 {
    values.iter().fold(0, |sum, value| sum.wrapping_add(value.bits()))
}

/// The sums of all leaves so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest {
    leaves: [u64; LEAVES],
}

impl Default for Digest {
    fn default() -> Self {
        Self { leaves: [0; LEAVES] }
    }
}

impl Digest {
    /// Adds a sum of [`sum`] to a leaf.
    #[inline]
    pub fn add(&mut self, leaf: Leaf, sum: u64) {
        let slot = &mut self.leaves[leaf as usize];
        *slot = slot.wrapping_add(sum);
    }

    /// Adds the values of a leaf.
    pub fn values<T: Bits>(&mut self, leaf: Leaf, values: &[T]) {
        self.add(leaf, sum(values));
    }

    /// Adds the lengths of collections, from where each begins, and where the last ends.
    pub fn offsets<T: ArrowNativeType>(&mut self, leaf: Leaf, offsets: &[T]) {
        let lengths = offsets.windows(2).map(|pair| (pair[1].as_usize() - pair[0].as_usize()) as u64);
        self.add(leaf, lengths.fold(0, |sum, length| sum.wrapping_add(length * length)));
    }

    /// Adds the lengths of collections.
    pub fn counts(&mut self, leaf: Leaf, counts: impl Iterator<Item = u64>) {
        self.add(leaf, counts.fold(0, |sum, count| sum.wrapping_add(count * count)));
    }

    #[inline]
    fn length(&mut self, leaf: Leaf, length: usize) {
        self.add(leaf, (length * length) as u64);
    }

    /// Adds an event.
    #[inline]
    pub fn event(&mut self, event: &Event) {
        self.add(Leaf::Run, event.run.bits());
        self.add(Leaf::Event, event.event);
        self.add(Leaf::Weight, event.weight.bits());
        self.add(Leaf::Met, event.met.bits());
        self.add(Leaf::Good, event.good.bits());
        let flags = event.triggers.as_array().iter();
        self.add(Leaf::Triggers, u64::from(flags.map(|flag| u8::from(*flag)).sum::<u8>()));
        self.rest(&event.vertex, &event.muons, &event.jets, &event.label, &event.shape, &event.process);
    }

    /// Adds an event.
    #[inline]
    pub fn plain(&mut self, event: &PlainEvent) {
        self.add(Leaf::Run, event.run.bits());
        self.add(Leaf::Event, event.event);
        self.add(Leaf::Weight, event.weight.bits());
        self.add(Leaf::Met, event.met.bits());
        self.add(Leaf::Good, event.good.bits());
        self.add(Leaf::Triggers, u64::from(event.triggers.count_ones()));
        self.rest(&event.vertex, &event.muons, &event.jets, &event.label, &event.shape, &event.process);
    }

    #[inline]
    fn rest(
        &mut self,
        vertex: &Vertex,
        muons: &[Muon],
        jets: &[Jet],
        label: &str,
        shape: &[f32],
        process: &Process,
    ) {
        self.add(Leaf::VertexX, vertex.x.bits());
        self.add(Leaf::VertexY, vertex.y.bits());
        self.add(Leaf::VertexZ, vertex.z.bits());
        self.length(Leaf::Muons, muons.len());
        for muon in muons {
            self.add(Leaf::MuonPt, muon.pt.bits());
            self.add(Leaf::MuonEta, muon.eta.bits());
            self.add(Leaf::MuonPhi, muon.phi.bits());
            self.add(Leaf::MuonMass, muon.mass.bits());
            self.add(Leaf::MuonCharge, muon.charge.bits());
            self.add(Leaf::MuonTight, muon.tight.bits());
            self.add(Leaf::MuonIsoCount, muon.iso.is_some().bits());
            self.add(Leaf::MuonIso, muon.iso.map_or(0, Bits::bits));
        }
        self.length(Leaf::Jets, jets.len());
        for jet in jets {
            self.add(Leaf::JetPt, jet.pt.bits());
            self.add(Leaf::JetEta, jet.eta.bits());
            self.add(Leaf::JetPhi, jet.phi.bits());
            self.add(Leaf::JetMass, jet.mass.bits());
            self.add(Leaf::JetBtag, jet.btag.bits());
            self.add(Leaf::JetNConst, jet.n_const.bits());
            self.length(Leaf::JetConstituentsCount, jet.constituents.len());
            self.values(Leaf::JetConstituents, &jet.constituents);
        }
        self.length(Leaf::LabelLength, label.len());
        self.values(Leaf::Label, label.as_bytes());
        self.values(Leaf::Shape, shape);
        match process {
            Process::MinimumBias => {}
            Process::DrellYan(mass) => {
                self.add(Leaf::ProcessTag, 1);
                self.add(Leaf::ProcessMass, mass.bits());
            }
            Process::Top { leptons } => {
                self.add(Leaf::ProcessTag, 2);
                self.add(Leaf::ProcessLeptons, leptons.bits());
            }
        }
    }

    /// Adds the sums of another part of the events, such as another thread's.
    pub fn merge(&mut self, other: &Self) {
        for (sum, more) in self.leaves.iter_mut().zip(other.leaves) {
            *sum = sum.wrapping_add(more);
        }
    }

    /// The sums, in the order of [`Leaf`].
    pub fn from_sums(leaves: [u64; LEAVES]) -> Self {
        Self { leaves }
    }

    /// One number.
    pub fn finish(&self) -> u64 {
        fold(&self.leaves)
    }
}

fn fold(sums: &[u64]) -> u64 {
    sums.iter().fold(0xcbf2_9ce4_8422_2325, |hash, sum| {
        (hash ^ sum).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29)
    })
}

/// The sums of the flat event's twenty members, in their order.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlatDigest([u64; FLAT_MEMBERS]);

/// Number of the flat event's members.
pub const FLAT_MEMBERS: usize = 20;

impl FlatDigest {
    /// The sums, in the order of the members.
    pub fn from_sums(members: [u64; FLAT_MEMBERS]) -> Self {
        Self(members)
    }

    /// Adds the values of the member of this number.
    pub fn values<T: Bits>(&mut self, number: usize, values: &[T]) {
        self.0[number] = self.0[number].wrapping_add(sum(values));
    }

    /// Adds an event.
    #[inline]
    pub fn event(&mut self, event: &FlatEvent) {
        let bits = [
            event.run.bits(),
            event.event.bits(),
            event.weight.bits(),
            event.time.bits(),
            event.x.bits(),
            event.y.bits(),
            event.z.bits(),
            event.met.bits(),
            event.met_phi.bits(),
            event.pt1.bits(),
            event.eta1.bits(),
            event.phi1.bits(),
            event.pt2.bits(),
            event.eta2.bits(),
            event.phi2.bits(),
            event.mass.bits(),
            event.charge.bits(),
            event.jets.bits(),
            event.good.bits(),
            event.tight.bits(),
        ];
        for (sum, bits) in self.0.iter_mut().zip(bits) {
            *sum = sum.wrapping_add(bits);
        }
    }

    /// One number.
    pub fn finish(&self) -> u64 {
        fold(&self.0)
    }
}
