//! Sealed pages on their way to storage.

use std::any::Any;
use std::fmt;

use crate::encoding::{Ranks, TextBlocks};
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

/// What a visit to all columns is for: mostly the sealed pages that they have given up since the last time they went to
/// storage.
pub struct Gathered<'a> {
    pages: PendingPages,
    purpose: Purpose<'a>,
}

/// Pages that columns gave up, and that may not be sealed yet.
#[derive(Debug, Default)]
pub(crate) struct PendingPages {
    /// In the order in which the columns handed them over.
    pages: Vec<(LaneId, PendingPage)>,
    /// Bounds of the strings whose offsets end here.
    texts: Vec<(LaneId, Box<TextBlocks>)>,
    /// Ranks of the values of columns that entries are sorted by.
    ranks: Vec<(LaneId, Box<Ranks>)>,
    /// The first one.
    fault: Option<LaneError>,
}

/// Why columns are visited.
enum Purpose<'a> {
    /// They give up their full pages.
    FullPages,
    /// They give up all pages, and begin again.
    ClusterEnd,
    /// They forget all they have, faults included.
    Oblivion,
    /// The items of the collection whose offsets have this number become more.
    Items(LaneId, &'a mut Appended<'a>),
}

/// Appends items to the columns of a collection's items, if it knows their type; returns how many.
pub(crate) type Appended<'a> = dyn FnMut(&mut dyn Any) -> Option<usize> + 'a;

impl<'a> Gathered<'a> {
    /// Ready for pages; with `cluster_ends`, columns seal what they have and begin again.
    pub(crate) fn new(cluster_ends: bool) -> Self {
        Self::with(if cluster_ends { Purpose::ClusterEnd } else { Purpose::FullPages })
    }

    /// For columns that are to be as if they had never been filled: they forget all they have, faults included.
    pub(crate) fn discarding() -> Self {
        Self::with(Purpose::Oblivion)
    }

    /// For the collection whose offsets have this number: `append` gets the columns of its items.
    pub(crate) fn for_items(lane: LaneId, append: &'a mut Appended<'a>) -> Self {
        Self::with(Purpose::Items(lane, append))
    }

    fn with(purpose: Purpose<'a>) -> Self {
        Self { pages: PendingPages::default(), purpose }
    }

    /// Whether columns forget what they have instead of handing it over.
    pub(crate) fn discards(&self) -> bool {
        matches!(self.purpose, Purpose::Oblivion)
    }

    /// Whether single columns have nothing to do with it.
    pub(crate) fn is_for_items(&self) -> bool {
        matches!(self.purpose, Purpose::Items(..))
    }

    /// Appends items to the columns of the items of the collection whose offsets have this number, if that is what
    /// columns are visited for; returns how many.
    pub(crate) fn append_items(&mut self, lane: LaneId, items: &mut dyn Any) -> Option<usize> {
        match &mut self.purpose {
            Purpose::Items(wanted, append) if *wanted == lane => append(items),
            _ => None,
        }
    }

    /// Whether the columns give up everything, because their cluster ends here, or only full pages.
    pub fn cluster_ends(&self) -> bool {
        matches!(self.purpose, Purpose::ClusterEnd | Purpose::Oblivion)
    }

    /// Takes a page, after those that its column writer gave before.
    pub(crate) fn put(&mut self, lane: LaneId, page: PendingPage) {
        self.pages.pages.push((lane, page));
    }

    /// Takes bounds of the strings whose offsets end with the last page that this column writer gave.
    pub(crate) fn put_text(&mut self, lane: LaneId, text: Box<TextBlocks>) {
        self.pages.texts.push((lane, text));
    }

    /// Takes the ranks of all values in the pages that this column writer gave.
    pub(crate) fn put_ranks(&mut self, lane: LaneId, ranks: Box<Ranks>) {
        self.pages.ranks.push((lane, ranks));
    }

    /// Takes the reason why a column writer has no pages to give.
    pub(crate) fn fail(&mut self, lane: LaneId, error: Error) {
        self.pages.fault.get_or_insert(LaneError { lane, error });
    }

    /// What the columns gave.
    pub(crate) fn into_pages(self) -> PendingPages {
        self.pages
    }
}

impl PendingPages {
    /// The first thing that went wrong, if anything did.
    #[inline]
    pub(crate) fn into_fault(self) -> Option<LaneError> {
        self.fault
    }

    /// Returns all pages, column by column, each column's in order, once they are sealed.
    ///
    /// # Errors
    /// A column writer failed, or a page could not be compressed.
    pub(crate) fn into_sealed(mut self) -> Result<Vec<(LaneId, SealedPage)>, LaneError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        self.pages.sort_by_key(|(lane, _)| *lane);
        let sealed = self.pages.into_iter().map(|(lane, page)| match page.wait() {
            Ok(page) => Ok((lane, page)),
            Err(error) => Err(LaneError { lane, error }),
        });
        let mut sealed: Vec<(LaneId, SealedPage)> = sealed.collect::<Result<_, _>>()?;
        for (lane, text) in self.texts {
            // Where the last page of the column has gone before, nothing is known of its strings.
            if let Some((_, page)) = sealed.iter_mut().rfind(|(owner, _)| *owner == lane) {
                page.set_text(text);
            }
        }
        for (lane, ranks) in self.ranks {
            if let Some((_, page)) = sealed.iter_mut().rfind(|(owner, _)| *owner == lane) {
                page.set_ranks(ranks);
            }
        }
        Ok(sealed)
    }
}

impl fmt::Debug for Gathered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gathered")
            .field("pages", &self.pages)
            .field("cluster_ends", &self.cluster_ends())
            .finish_non_exhaustive()
    }
}
