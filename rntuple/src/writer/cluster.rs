//! Pages on their way to storage: gathered, shared, written in one call.

use std::collections::HashMap;
use std::io::IoSlice;

use xxhash_rust::xxh3::xxh3_64;

use super::Summary;
use crate::error::{Error, Result};
use crate::page::SealedPage;
use crate::schema::{ColumnId, ColumnRange, Locator, PageLocation};

/// The cluster that is being written: what its pages on storage are so far.
#[derive(Debug, Default)]
pub(super) struct OpenCluster {
    pub(super) columns: Vec<ColumnRange>,
    /// Bytes of its pages on storage.
    pub(super) size: u64,
    /// Length, as columns count it, of what is in these pages.
    pub(super) length: u64,
}

/// One write: distinct pages back to back, and who uses which.
struct Batch<'a> {
    distinct: Vec<&'a SealedPage>,
    /// Column, position in `distinct`.
    uses: Vec<(ColumnId, usize)>,
    size: u64,
}

/// Writes the pages with `append` (which returns the offset of the first byte), in portions of at most
/// `limit` bytes, and notes where they are.
pub(super) fn put_pages(
    open: &mut OpenCluster,
    summary: &mut Summary,
    pages: &[(ColumnId, SealedPage)],
    share: bool,
    limit: u64,
    mut append: impl FnMut(&[IoSlice<'_>], u64) -> Result<u64>,
) -> Result<()> {
    let mut rest = pages;
    while !rest.is_empty() {
        let (batch, taken) = Batch::plan(rest, share, limit);
        let parts: Vec<IoSlice<'_>> = batch.distinct.iter().map(|page| IoSlice::new(page.stored())).collect();
        let length = batch.distinct.iter().map(|page| page.length() as u64).sum();
        let mut offset = append(&parts, length)?;
        let mut offsets = Vec::with_capacity(batch.distinct.len());
        for page in &batch.distinct {
            offsets.push(offset);
            offset += page.stored().len() as u64;
        }
        for &(column, index) in &batch.uses {
            let place =
                batch.distinct.get(index).zip(offsets.get(index)).zip(open.columns.get_mut(column.index()));
            let Some(((page, &offset), range)) = place else {
                return Err(Error::invalid_argument(format!(
                    "a page of column {column}, which is not there"
                )));
            };
            let locator = Locator::File { offset, size: page.size() as u64 };
            range.pages.push(PageLocation::new(page.count(), page.has_checksum(), locator));
            summary.page_length += page.length() as u64;
            open.length += page.memory() as u64;
        }
        open.size += batch.size;
        summary.page_size += batch.size;
        summary.pages += batch.uses.len() as u64;
        summary.shared_pages += (batch.uses.len() - batch.distinct.len()) as u64;
        rest = rest.get(taken..).unwrap_or_default();
    }
    Ok(())
}

impl<'a> Batch<'a> {
    /// As many of `pages` as fit; returns how many.
    fn plan(pages: &'a [(ColumnId, SealedPage)], share: bool, limit: u64) -> (Self, usize) {
        let mut batch = Self { distinct: Vec::new(), uses: Vec::with_capacity(pages.len()), size: 0 };
        let mut known: HashMap<u64, usize> = HashMap::new();
        for (taken, (column, page)) in pages.iter().enumerate() {
            let mut index = None;
            if share {
                // Equal hashes are a hint; equal bytes are what counts.
                let found = known.entry(xxh3_64(page.stored())).or_insert(batch.distinct.len());
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
                    if batch.size + size > limit && !batch.distinct.is_empty() {
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
}
