//! Pages on their way to storage: shared, aligned, written in one call.

use std::collections::HashMap;
use std::io::IoSlice;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result};
use crate::page::SealedPage;
use crate::schema::{ColumnId, Locator, PageLocation};

/// Uncompressed pages begin at a multiple of this, so that their values can be used where a mapped file has them.
const ALIGNMENT: u64 = 8;

/// Sums over pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) pages: u64,
    pub(super) shared_pages: u64,
    /// Bytes before compression.
    pub(super) page_length: u64,
    /// Bytes on storage.
    pub(super) page_size: u64,
    /// Length of their values, as columns count it.
    pub(super) length: u64,
    /// Values that were outside the range of their encoding.
    pub(super) saturated: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.pages += other.pages;
        self.shared_pages += other.shared_pages;
        self.page_length += other.page_length;
        self.page_size += other.page_size;
        self.length += other.length;
        self.saturated += other.saturated;
    }
}

/// A cluster that is being written: where its pages are.
#[derive(Debug)]
pub(super) struct OpenCluster {
    /// By column writer.
    pub(super) pages: Vec<Vec<PageLocation>>,
    pub(super) tally: Tally,
}

/// A cluster whose pages are all on storage, and which no page list names yet.
#[derive(Debug)]
pub(super) struct EndedCluster {
    pub(super) entries: u64,
    /// By column writer.
    pub(super) pages: Vec<Vec<PageLocation>>,
    /// Of the fields that have several.
    pub(super) representations: Arc<[u16]>,
    pub(super) tally: Tally,
}

/// How pages are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writing {
    /// Identical pages once.
    pub(super) share: bool,
    /// The most bytes of one record.
    pub(super) limit: u64,
}

/// What to write behind one another: one record, or a single page that is longer than a record may be.
#[derive(Debug)]
pub(super) struct Portion<'a> {
    pub(super) parts: Vec<IoSlice<'a>>,
    /// Bytes of the pages before compression.
    pub(super) length: u64,
    /// The first part begins at a multiple of this.
    pub(super) alignment: u64,
    /// A page that goes on in other records (format, section 7.6).
    pub(super) is_chunked: bool,
}

/// Distinct pages back to back, and who uses which.
struct Batch<'a> {
    distinct: Vec<&'a SealedPage>,
    /// Column, position in `distinct`.
    uses: Vec<(ColumnId, usize)>,
    size: u64,
}

impl OpenCluster {
    /// One without pages yet.
    pub(super) fn new(columns: usize) -> Self {
        Self { pages: vec![Vec::new(); columns], tally: Tally::default() }
    }

    /// More columns join, without pages yet.
    pub(super) fn grow(&mut self, columns: usize) {
        self.pages.resize(columns, Vec::new());
    }

    /// Ends it; another one is open.
    pub(super) fn end(&mut self, entries: u64, representations: Arc<[u16]>) -> EndedCluster {
        let Self { pages, tally } = std::mem::replace(self, Self::new(self.pages.len()));
        EndedCluster { entries, pages, representations, tally }
    }

    /// Writes pages with `append`, which returns the offset of the first part, in portions of at most so many
    /// bytes, and notes where they are. Returns their sums.
    pub(super) fn put(
        &mut self,
        pages: &[(ColumnId, SealedPage)],
        writing: Writing,
        mut append: impl FnMut(&Portion<'_>) -> Result<u64>,
    ) -> Result<Tally> {
        let saturated = pages.iter().map(|(_, page)| page.saturated()).sum();
        let mut all = Tally { saturated, ..Tally::default() };
        let mut rest = pages;
        while !rest.is_empty() {
            let (batch, taken) = Batch::plan(rest, writing);
            let (portion, within) = batch.portion(writing.limit);
            let start = append(&portion)?;
            for &(column, index) in &batch.uses {
                let place =
                    batch.distinct.get(index).zip(within.get(index)).zip(self.pages.get_mut(column.index()));
                let Some(((page, within), locations)) = place else {
                    return Err(Error::invalid_argument(format!(
                        "a page belongs to column {column}, which does not exist"
                    )));
                };
                let locator = Locator::File { offset: start + within, size: page.size() as u64 };
                locations.push(PageLocation::new(page.count(), page.has_checksum(), locator));
                all.page_length += page.length() as u64;
                all.length += page.memory() as u64;
            }
            all.page_size += batch.size;
            all.pages += batch.uses.len() as u64;
            all.shared_pages += (batch.uses.len() - batch.distinct.len()) as u64;
            rest = rest.get(taken..).unwrap_or_default();
        }
        self.tally += all;
        Ok(all)
    }
}

impl<'a> Batch<'a> {
    /// As many of `pages` as fit; returns how many.
    fn plan(pages: &'a [(ColumnId, SealedPage)], writing: Writing) -> (Self, usize) {
        let mut batch = Self { distinct: Vec::new(), uses: Vec::with_capacity(pages.len()), size: 0 };
        let mut known: HashMap<u64, usize> = HashMap::new();
        let mut padding = 0;
        for (taken, (column, page)) in pages.iter().enumerate() {
            let mut index = None;
            if writing.share {
                // Equal hashes are a hint; equal bytes are what counts.
                let found = known.entry(digest(page)).or_insert(batch.distinct.len());
                // Bytes of one length before compression and one size after it are both raw or both compressed,
                // whatever the settings of their columns: a reader takes them for the same.
                let same = |other: &&SealedPage| {
                    other.stored() == page.stored()
                        && other.count() == page.count()
                        && other.length() == page.length()
                };
                index = batch.distinct.get(*found).filter(|other| same(other)).map(|_| *found);
            }
            let index = match index {
                Some(index) => index,
                None => {
                    let size = page.stored().len() as u64;
                    // In front of it, at the most.
                    padding += if is_raw(page) { ALIGNMENT } else { 0 };
                    if batch.size + size + padding > writing.limit && !batch.distinct.is_empty() {
                        return (batch, taken);
                    }
                    batch.size += size;
                    batch.distinct.push(page);
                    batch.distinct.len() - 1
                }
            };
            batch.uses.push((*column, index));
        }
        (batch, pages.len())
    }

    /// What to write, and where each distinct page begins in it.
    fn portion(&self, limit: u64) -> (Portion<'a>, Vec<u64>) {
        const ZEROS: &[u8; 8] = &[0; 8];
        let mut parts = Vec::with_capacity(self.distinct.len());
        let mut within = Vec::with_capacity(self.distinct.len());
        let mut end = 0u64;
        for page in &self.distinct {
            if is_raw(page) {
                let padding = end.next_multiple_of(ALIGNMENT) - end;
                if let Some(zeros @ [_, ..]) = ZEROS.get(..usize::try_from(padding).unwrap_or_default()) {
                    parts.push(IoSlice::new(zeros));
                }
                end += padding;
            }
            within.push(end);
            parts.push(IoSlice::new(page.stored()));
            end += page.stored().len() as u64;
        }
        let alignment = if self.distinct.iter().any(|page| is_raw(page)) { ALIGNMENT } else { 1 };
        let length = self.distinct.iter().map(|page| page.length() as u64).sum();
        // Only where it stands alone can a page be longer than the limit.
        (Portion { parts, length, alignment, is_chunked: self.size > limit }, within)
    }
}

/// A hash of a page's bytes: its checksum is one.
fn digest(page: &SealedPage) -> u64 {
    match page.stored().last_chunk() {
        Some(checksum) if page.has_checksum() => u64::from_le_bytes(*checksum),
        _ => xxh3_64(page.stored()),
    }
}

/// Whether a page is stored as it was encoded.
fn is_raw(page: &SealedPage) -> bool {
    page.size() == page.length()
}
