//! What every job is given.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use rntuple::Compression;

use crate::digest::{Digest, FlatDigest};
use crate::{Event, FlatEvent, PlainEvent, events, flat_events, payload};

/// How bytes are made fewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Codec {
    /// Not at all.
    None,
    /// LZ4, its fast level.
    Lz4,
    /// Zstandard, level 1.
    Zstd1,
    /// Zstandard, level 5.
    Zstd5,
}

impl Codec {
    /// All of them.
    pub const ALL: &[Self] = &[Self::None, Self::Lz4, Self::Zstd1, Self::Zstd5];

    /// As in the tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lz4 => "lz4",
            Self::Zstd1 => "zstd1",
            Self::Zstd5 => "zstd5",
        }
    }

    /// Ours.
    pub const fn settings(self) -> Compression {
        match self {
            Self::None => Compression::NONE,
            Self::Lz4 => Compression::lz4(1),
            Self::Zstd1 => Compression::zstd(1),
            Self::Zstd5 => Compression::zstd(5),
        }
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Where a writer writes to.
#[derive(Clone, Copy, Debug)]
pub enum Sink<'a> {
    /// To a file that is not there yet.
    File(&'a Path),
    /// Nowhere.
    Null,
}

impl Sink<'_> {
    /// As the standard library's trait, with its small buffer.
    pub fn open(self) -> Box<dyn Write + Send> {
        match self {
            Self::File(path) => Box::new(BufWriter::new(File::create(path).unwrap())),
            Self::Null => Box::new(io::sink()),
        }
    }
}

/// The events in memory, and what readers of them must find.
pub struct Data {
    /// The nested events.
    pub events: Arc<Vec<Event>>,
    /// The same, for those who do not know our `BitSet`.
    pub plain: Vec<PlainEvent>,
    /// The flat events.
    pub flat: Vec<FlatEvent>,
    /// Bytes of payload of the nested events.
    pub payload: u64,
    /// Of the nested events.
    pub digest: u64,
    /// Of the flat events.
    pub flat_digest: u64,
    /// The digest of `jets.pt` alone.
    pub jet_pt: u64,
    /// The sum of `muons.pt`, rounded.
    pub muon_pt: u64,
}

/// Flat events for each nested one, so that both have about as many bytes.
const FLAT_FOR_EACH: u64 = 5;

impl Data {
    /// `count` nested events, and five times as many flat ones, the same every time.
    pub fn new(count: u64) -> Self {
        let events = events(count);
        let flat = flat_events(count * FLAT_FOR_EACH);
        let mut digest = Digest::default();
        events.iter().for_each(|event| digest.event(event));
        let mut flat_digest = FlatDigest::default();
        flat.iter().for_each(|event| flat_digest.event(event));
        let jets = events.iter().flat_map(|event| &event.jets);
        let jet_pt = jets.fold(0u64, |sum, jet| sum.wrapping_add(u64::from(jet.pt.to_bits())));
        let muons = events.iter().flat_map(|event| &event.muons);
        let muon_pt = muons.map(|muon| f64::from(muon.pt)).sum();
        Self {
            plain: events.iter().map(PlainEvent::from).collect(),
            payload: payload(&events),
            digest: digest.finish(),
            flat_digest: flat_digest.finish(),
            jet_pt,
            muon_pt: rounded(muon_pt),
            events: Arc::new(events),
            flat,
        }
    }

    /// How many nested events there are.
    pub fn count(&self) -> u64 {
        self.events.len() as u64
    }

    /// How many flat events there are.
    pub fn flat_count(&self) -> u64 {
        self.flat.len() as u64
    }
}

/// A sum that does not depend on the order of the additions.
#[expect(clippy::cast_sign_loss, reason = "momenta are positive")]
pub(crate) fn rounded(sum: f64) -> u64 {
    sum.round() as u64
}
