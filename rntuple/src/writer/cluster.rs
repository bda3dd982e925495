//! Pages on their way to storage: shared, aligned, written in one call.

use std::collections::HashMap;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::shared_file::{AnyFile, lock_as};
use crate::cluster::LaneId;
use crate::error::{Error, Result};
use crate::page::{SealedPage, Sealer};
use crate::root::{Author, PageBytes};
use crate::schema::{Locator, PageLocation};
use crate::statistics::{Ascent, Observations};

/// Sealed pages of a cluster, by column writer.
pub(super) type Pages = Vec<(LaneId, SealedPage)>;

/// Sums over pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) pages: u64,
    pub(super) shared_pages: u64,
    /// Bytes before compression.
    pub(super) page_length: u64,
    /// Bytes on storage.
    pub(super) page_size: u64,
    /// Values that were outside the range of their encoding.
    pub(super) saturated: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.pages += other.pages;
        self.shared_pages += other.shared_pages;
        self.page_length += other.page_length;
        self.page_size += other.page_size;
        self.saturated += other.saturated;
    }
}

/// A cluster that is being written: where its pages are.
#[derive(Debug)]
pub(super) struct OpenCluster {
    /// By column writer.
    pub(super) pages: Vec<Vec<PageLocation>>,
    /// What they say, by column writer; empty if that was not asked for.
    observed: Vec<Observations>,
    /// Whether its entries are in order, if that was asked for.
    ascent: Ascent,
    pub(super) tally: Tally,
}

/// A cluster whose pages are all on storage, and which no page list names yet.
#[derive(Debug)]
pub(super) struct EndedCluster {
    pub(super) entries: u64,
    /// By column writer.
    pub(super) pages: Vec<Vec<PageLocation>>,
    /// What they say, by column writer; empty if that was not asked for.
    pub(super) observed: Vec<Observations>,
    /// Whether its entries are in order, if that was asked for.
    pub(super) ascent: Ascent,
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
    /// Whose pages they are.
    pub(super) author: Author,
}

/// Distinct pages back to back, and who uses which.
struct Batch<'a> {
    distinct: Vec<&'a SealedPage>,
    /// Column writer, position in `distinct`.
    uses: Vec<(LaneId, usize)>,
    size: u64,
}

impl OpenCluster {
    /// One without pages yet.
    pub(super) fn new(columns: usize) -> Self {
        let (observed, ascent) = (Vec::new(), Ascent::default());
        Self { pages: vec![Vec::new(); columns], observed, ascent, tally: Tally::default() }
    }

    /// More columns join, without pages yet.
    pub(super) fn grow(&mut self, columns: usize) {
        self.pages.resize(columns, Vec::new());
    }

    /// Forgets what it has.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.pages.len());
    }

    /// Ends it; another one is open.
    pub(super) fn end(&mut self, entries: u64, representations: Arc<[u16]>) -> EndedCluster {
        let Self { pages, observed, ascent, tally } = std::mem::replace(self, Self::new(self.pages.len()));
        EndedCluster { entries, pages, observed, ascent, representations, tally }
    }

    /// Writes pages to a file, notes where they are, and gives their memory back.
    pub(super) fn put_all(
        &mut self,
        pages: &mut Pages,
        writing: Writing,
        file: &AnyFile<'_>,
        sealer: &Sealer,
    ) -> Result<()> {
        let pages = std::mem::take(pages);
        self.put(&pages, writing, file)?;
        sealer.recycle(pages.into_iter().map(|(_, page)| page));
        Ok(())
    }

    /// Notes what a page says. Its bytes may be stored as those of another page, which says something else by them.
    fn observe(&mut self, lane: LaneId, page: &SealedPage) {
        if page.observed().is_some() && self.observed.is_empty() {
            self.observed.resize_with(self.pages.len(), Observations::default);
        }
        if let Some(observations) = self.observed.get_mut(lane.index()) {
            observations.push(page.count(), page.observed(), page.text());
        }
        if let Some(ranks) = page.ranks() {
            self.ascent.push(ranks);
        }
    }

    /// Writes pages to a file, and notes where they are.
    pub(super) fn put(
        &mut self,
        pages: &[(LaneId, SealedPage)],
        writing: Writing,
        file: &AnyFile<'_>,
    ) -> Result<()> {
        for (lane, page) in pages {
            self.observe(*lane, page);
        }
        let saturated = pages.iter().map(|(_, page)| page.saturated()).sum();
        let mut all = Tally { saturated, ..Tally::default() };
        let mut rest = pages;
        while !rest.is_empty() {
            let (batch, taken) = Batch::plan(rest, writing);
            let bytes: Vec<PageBytes<'_>> = batch.distinct.iter().map(|page| bytes_of(page)).collect();
            let offsets = lock_as(file, writing.author).append_pages(&bytes, writing.limit)?;
            for &(lane, index) in &batch.uses {
                let place =
                    batch.distinct.get(index).zip(offsets.get(index)).zip(self.pages.get_mut(lane.index()));
                let Some(((page, offset), locations)) = place else {
                    return Err(Error::invalid_argument(format!(
                        "a page belongs to column writer {}, which does not exist",
                        lane.0
                    )));
                };
                let locator = Locator::File { offset: *offset, size: page.size() as u64 };
                locations.push(PageLocation::new(page.count(), page.has_checksum(), locator));
                all.page_length += page.length() as u64;
            }
            all.page_size += batch.size;
            all.pages += batch.uses.len() as u64;
            all.shared_pages += (batch.uses.len() - batch.distinct.len()) as u64;
            rest = rest.get(taken..).unwrap_or_default();
        }
        self.tally += all;
        Ok(())
    }
}

impl<'a> Batch<'a> {
    /// As many of `pages` as fit; returns how many.
    fn plan(pages: &'a [(LaneId, SealedPage)], writing: Writing) -> (Self, usize) {
        let mut batch = Self { distinct: Vec::new(), uses: Vec::with_capacity(pages.len()), size: 0 };
        let mut known: HashMap<u64, usize> = HashMap::new();
        let mut padding = 0;
        for (taken, (lane, page)) in pages.iter().enumerate() {
            let mut index = None;
            if writing.share {
                // Equal hashes are a hint; equal bytes are what counts.
                let found = known.entry(digest(page)).or_insert(batch.distinct.len());
                // Bytes of one length before compression and one size after it are both raw or both compressed,
                // whatever the settings of their columns: a reader takes them for the same.
                let same = |other: &&SealedPage| {
                    other.bytes() == page.bytes()
                        && other.count() == page.count()
                        && other.length() == page.length()
                };
                index = batch.distinct.get(*found).filter(|other| same(other)).map(|_| *found);
            }
            let index = match index {
                Some(index) => index,
                None => {
                    let size = page.stored_size();
                    // In front of it, at the most.
                    padding += PageBytes::padding(is_raw(page));
                    if batch.size + size + padding > writing.limit && !batch.distinct.is_empty() {
                        return (batch, taken);
                    }
                    batch.size += size;
                    batch.distinct.push(page);
                    batch.distinct.len() - 1
                }
            };
            batch.uses.push((*lane, index));
        }
        (batch, pages.len())
    }
}

/// A hash of a page's bytes: its checksum is one.
fn digest(page: &SealedPage) -> u64 {
    page.checksum().map_or_else(|| xxh3_64(page.bytes()), |checksum| u64::from_le_bytes(*checksum))
}

fn bytes_of(page: &SealedPage) -> PageBytes<'_> {
    let checksum = page.checksum().map_or(&[][..], |checksum| checksum);
    PageBytes { parts: [page.bytes(), checksum], length: page.length() as u64, is_raw: is_raw(page) }
}

/// Whether a page is stored as it was encoded.
fn is_raw(page: &SealedPage) -> bool {
    page.size() == page.length()
}
