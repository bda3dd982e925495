//! Nested events.

use rntuple::storage::{Memory, WriteAt};
use rntuple::{RNTuple, Result, WriteOptions, Writer};

use super::Random;

/// A muon.
#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
#[rntuple(columnar)]
pub struct Muon {
    /// Transverse momentum in GeV.
    pub pt: f32,
    /// Pseudorapidity.
    pub eta: f32,
    /// Azimuth in radians.
    pub phi: f32,
    /// Electric charge.
    pub charge: i8,
    /// Isolation, where it was measured.
    pub isolation: Option<f32>,
}

/// A jet.
#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
#[rntuple(columnar)]
pub struct Jet {
    /// Energy in GeV.
    pub energy: f64,
    /// Numbers of the particles inside.
    pub constituents: Vec<u32>,
}

/// An event.
#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
#[rntuple(columnar)]
pub struct Event {
    /// Number of the event: that of its entry.
    pub number: u64,
    /// Missing transverse energy in GeV.
    pub met: f32,
    /// Its muons, up to 3.
    pub muons: Vec<Muon>,
    /// Its jets, up to 5.
    pub jets: Vec<Jet>,
    /// The trigger that fired.
    pub trigger: String,
}

impl Muon {
    fn sample(random: &mut Random) -> Self {
        Self {
            pt: f32::from(random.short()) / 64.0,
            eta: f32::from(random.short()) / 8192.0 - 4.0,
            phi: f32::from(random.short()) / 10430.0 - 3.0,
            charge: if random.bits() & 1 == 0 { -1 } else { 1 },
            isolation: (random.below(3) > 0).then(|| f32::from(random.short()) / 65536.0),
        }
    }
}

impl Jet {
    fn sample(random: &mut Random) -> Self {
        let count = random.below(12);
        Self {
            energy: f64::from(random.short()) / 16.0,
            constituents: (0..count).map(|_| u32::from(random.below(2000))).collect(),
        }
    }
}

impl Event {
    /// The event of this number.
    pub fn new(number: u64) -> Self {
        let random = &mut Random::new(number);
        let (muons, jets) = (random.below(4), random.below(6));
        Self {
            number,
            met: f32::from(random.short()) / 128.0,
            muons: (0..muons).map(|_| Muon::sample(random)).collect(),
            jets: (0..jets).map(|_| Jet::sample(random)).collect(),
            trigger: format!("HLT_{}", random.below(40)),
        }
    }
}

/// A file of nested events, an ntuple named `Events`.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Events {
    clusters: u64,
    entries: u64,
}

impl Events {
    /// The name of the ntuple.
    pub const NAME: &str = "Events";

    /// A file of this many clusters, each of this many entries of about 173 bytes.
    pub const fn new(clusters: u64, entries: u64) -> Self {
        Self { clusters, entries }
    }

    /// 64 MiB before compression and 18 MiB after it, in 8 clusters of 39 pages.
    pub fn large() -> Self {
        Self::new(8, 48_600)
    }

    /// 1 MiB before compression, in 4 clusters of 15 pages.
    pub const fn small() -> Self {
        Self::new(4, 1_500)
    }

    /// The entries of the file.
    pub const fn count(self) -> u64 {
        self.clusters * self.entries
    }

    /// Returns the file, with zstd. It always has the same bytes.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn write(self) -> Result<Vec<u8>> {
        Ok(self.write_to(Memory::new(), WriteOptions::new())?.into_bytes())
    }

    /// Writes the file to a storage, and returns that.
    ///
    /// # Errors
    /// Those of the storage.
    pub fn write_to<W: WriteAt>(self, storage: W, options: WriteOptions) -> Result<W> {
        let mut writer = Writer::<Event, _>::new(storage, Self::NAME, options)?;
        for number in 0..self.count() {
            writer.fill(&Event::new(number))?;
            if (number + 1).is_multiple_of(self.entries) {
                writer.commit_cluster()?;
            }
        }
        Ok(writer.finish_into()?.1)
    }
}
