//! Sealed pages on their way to storage.

use crate::error::Result;
use crate::page::{PendingPage, SealedPage};
use crate::schema::ColumnId;

/// The sealed pages that the columns have given up since the last time they went to storage.
#[derive(Debug)]
pub struct Gathered {
    /// In the order in which the columns handed them over.
    pages: Vec<(ColumnId, PendingPage)>,
    cluster_ends: bool,
    discards: bool,
}

impl Gathered {
    /// Ready for pages; with `cluster_ends`, columns seal what they have and begin again.
    pub(crate) fn new(cluster_ends: bool) -> Self {
        Self { pages: Vec::new(), cluster_ends, discards: false }
    }

    /// For columns that are to be as if they had never been filled: they forget all they have, faults included.
    pub(crate) fn discarding() -> Self {
        Self { pages: Vec::new(), cluster_ends: true, discards: true }
    }

    /// Whether columns forget what they have instead of handing it over.
    pub(crate) fn discards(&self) -> bool {
        self.discards
    }

    /// Whether the columns give up everything, because their cluster ends here, or only full pages.
    pub fn cluster_ends(&self) -> bool {
        self.cluster_ends
    }

    /// Takes a page of `column`, after those that it gave before.
    pub(crate) fn put(&mut self, column: ColumnId, page: PendingPage) {
        self.pages.push((column, page));
    }

    /// All pages, column by column, each column's in order, once they are sealed.
    ///
    /// # Errors
    /// A page could not be compressed.
    pub(crate) fn into_pages(mut self) -> Result<Vec<(ColumnId, SealedPage)>> {
        self.pages.sort_by_key(|(column, _)| *column);
        let sealed = self.pages.into_iter().map(|(column, page)| match page.wait() {
            Ok(page) => Ok((column, page)),
            Err(error) => Err(error.in_column(column.0.into())),
        });
        sealed.collect()
    }
}
