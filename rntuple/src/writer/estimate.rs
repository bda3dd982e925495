//! How large a cluster will be on storage, while most of it is still in columns.

use crate::cluster::LaneId;
use crate::page::SealedPage;

/// Before the first pages are known: what compression may make of them.
const EXPECTED_RATIO: f64 = 2.0;

/// Length of values, size and number of their pages.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    length: u64,
    size: u64,
    pages: u64,
}

impl Sums {
    fn add(&mut self, other: Self) {
        self.pages += other.pages;
        self.length += other.length;
        self.size += other.size;
    }
}

/// What is known of the pages so far.
///
/// Where clusters end must not depend on whether a pool compresses, and a pool has a batch of pages in work when
/// the next ones come: so without one, too, the latest batch does not count yet.
#[derive(Debug)]
pub(super) struct Estimate {
    all: Sums,
    cluster: Sums,
    latest: Sums,
    is_compressed: bool,
    /// Batches come late by themselves.
    is_parallel: bool,
}

impl Estimate {
    pub(super) fn new(is_compressed: bool, is_parallel: bool) -> Self {
        let (all, cluster, latest) = Default::default();
        Self { all, cluster, latest, is_compressed, is_parallel }
    }

    /// A batch of pages is sealed.
    pub(super) fn note(&mut self, pages: &[(LaneId, SealedPage)]) {
        let mut sums = Sums::default();
        for (_, page) in pages {
            sums.add(Sums { length: page.memory() as u64, size: page.stored_size(), pages: 1 });
        }
        let known = if self.is_parallel { sums } else { std::mem::replace(&mut self.latest, sums) };
        self.all.add(known);
        self.cluster.add(known);
    }

    /// The next cluster begins.
    pub(super) fn end_cluster(&mut self) {
        self.all.add(std::mem::take(&mut self.latest));
        self.cluster = Sums::default();
    }

    /// Something else begins, of which nothing is known.
    pub(super) fn forget(&mut self) {
        *self = Self::new(self.is_compressed, self.is_parallel);
    }

    /// Pages of the open cluster that are known.
    pub(super) fn pages(&self) -> u64 {
        self.cluster.pages
    }

    /// Length per byte on storage.
    fn ratio(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        match (self.is_compressed, self.all.size) {
            (false, 0) => 1.0,
            (true, 0) => EXPECTED_RATIO,
            (_, size) => self.all.length as f64 / size as f64,
        }
    }

    /// What a cluster of this length takes on storage: what is there, and what is still in columns.
    pub(super) fn size_of(&self, length: u64) -> u64 {
        let waiting = length.saturating_sub(self.cluster.length);
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an estimate"
        )]
        let waiting = (waiting as f64 / self.ratio()) as u64;
        self.cluster.size.saturating_add(waiting)
    }

    /// The length of what takes so many bytes on storage.
    pub(super) fn length_of(&self, size: u64) -> u64 {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an estimate, of which too much is cut"
        )]
        let length = (size as f64 * self.ratio()) as u64;
        length
    }
}
