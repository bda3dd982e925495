//! What a filter looked at, and what it skipped.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What [filtered](super::Filtered) walks have looked at, and what they skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Files.
    pub files: Looked,
    /// Clusters. Those of a file that was decided as a whole count too, if it was opened for that.
    pub clusters: Looked,
    /// Pages of the columns of the predicate, in clusters that had to be looked into.
    pub pages: Looked,
    /// Bytes of these pages on storage.
    pub bytes: Looked,
    /// Entries.
    pub entries: Looked,
    /// Entries that match.
    pub matched: u64,
}

/// How many were considered, and what came of it. The rest was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Looked {
    /// How many there were.
    pub considered: u64,
    /// Of these, how many were not read because statistics say that nothing in them matches.
    pub skipped: u64,
    /// Of these, how many were not read because statistics say that everything in them matches; of pages also those in
    /// which they say so of a part, and of the rest that it does not match.
    pub certain: u64,
}

impl Looked {
    /// Returns how many were read.
    pub fn read(&self) -> u64 {
        self.considered.saturating_sub(self.skipped).saturating_sub(self.certain)
    }
}

impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = [
            ("files", &self.files),
            ("clusters", &self.clusters),
            ("pages", &self.pages),
            ("bytes", &self.bytes),
            ("entries", &self.entries),
        ];
        for (name, Looked { considered, skipped, certain }) in rows {
            writeln!(f, "{name}: {considered}, without a match {skipped}, matching as a whole {certain}")?;
        }
        write!(f, "matches: {}", self.matched)
    }
}

/// Counters that walks add to.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) files: Level,
    pub(super) clusters: Level,
    pub(super) pages: Level,
    pub(super) bytes: Level,
    pub(super) entries: Level,
    matched: AtomicU64,
}

#[derive(Debug, Default)]
pub(super) struct Level {
    considered: AtomicU64,
    skipped: AtomicU64,
    certain: AtomicU64,
}

/// What came of looking at statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Skipped,
    Certain,
    Read,
}

impl Level {
    pub(super) fn add(&self, count: u64, outcome: Outcome) {
        self.considered.fetch_add(count, Relaxed);
        match outcome {
            Outcome::Skipped => self.skipped.fetch_add(count, Relaxed),
            Outcome::Certain => self.certain.fetch_add(count, Relaxed),
            Outcome::Read => 0,
        };
    }

    fn looked(&self) -> Looked {
        Looked {
            considered: self.considered.load(Relaxed),
            skipped: self.skipped.load(Relaxed),
            certain: self.certain.load(Relaxed),
        }
    }
}

impl Tally {
    pub(super) fn matched(&self, count: u64) {
        self.matched.fetch_add(count, Relaxed);
    }

    pub(super) fn counters(&self) -> Counters {
        Counters {
            files: self.files.looked(),
            clusters: self.clusters.looked(),
            pages: self.pages.looked(),
            bytes: self.bytes.looked(),
            entries: self.entries.looked(),
            matched: self.matched.load(Relaxed),
        }
    }
}
