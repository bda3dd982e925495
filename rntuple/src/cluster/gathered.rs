//! Sealed pages on their way to storage.

use crate::error::{Error, Result};
use crate::page::{PendingPage, SealedPage};

/// The number of a column writer. A field with several representations has a column for each, and one writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LaneId(pub(crate) u32);

impl LaneId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What went wrong with the pages of a column writer.
#[derive(Debug)]
pub(crate) struct LaneError {
    pub(crate) lane: LaneId,
    pub(crate) error: Error,
}

/// The sealed pages that the columns have given up since the last time they went to storage.
#[derive(Debug)]
pub struct Gathered {
    /// In the order in which the columns handed them over.
    pages: Vec<(LaneId, PendingPage)>,
    /// The first one.
    fault: Option<LaneError>,
    cluster_ends: bool,
    discards: bool,
}

impl Gathered {
    /// Ready for pages; with `cluster_ends`, columns seal what they have and begin again.
    pub(crate) fn new(cluster_ends: bool) -> Self {
        Self { pages: Vec::new(), fault: None, cluster_ends, discards: false }
    }

    /// For columns that are to be as if they had never been filled: they forget all they have, faults included.
    pub(crate) fn discarding() -> Self {
        Self { discards: true, ..Self::new(true) }
    }

    /// Whether columns forget what they have instead of handing it over.
    pub(crate) fn discards(&self) -> bool {
        self.discards
    }

    /// Whether the columns give up everything, because their cluster ends here, or only full pages.
    pub fn cluster_ends(&self) -> bool {
        self.cluster_ends
    }

    /// Takes a page, after those that its column writer gave before.
    pub(crate) fn put(&mut self, lane: LaneId, page: PendingPage) {
        self.pages.push((lane, page));
    }

    /// Takes the reason why a column writer has no pages to give.
    pub(crate) fn fail(&mut self, lane: LaneId, error: Error) {
        self.fault.get_or_insert(LaneError { lane, error });
    }

    /// Returns all pages, column by column, each column's in order, once they are sealed.
    ///
    /// # Errors
    /// A column writer failed, or a page could not be compressed.
    pub(crate) fn into_pages(mut self) -> Result<Vec<(LaneId, SealedPage)>, LaneError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        self.pages.sort_by_key(|(lane, _)| *lane);
        let sealed = self.pages.into_iter().map(|(lane, page)| match page.wait() {
            Ok(page) => Ok((lane, page)),
            Err(error) => Err(LaneError { lane, error }),
        });
        sealed.collect()
    }
}
