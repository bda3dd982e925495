//! Which page is of which column, where no page list says so.
//!
//! ROOT writes the pages of a cluster one after the other, in the order of the columns. How many of them a column has
//! follows from their lengths: it has as many elements as the entries, or the collections around it, ask for. So all that
//! has to be found is the number of entries, and there are only as many candidates as the first column can have pages.

use std::collections::HashMap;

use super::cluster::Items;
use super::layout::{Slot, Source};
use super::look::{Look, Reading};
use super::page::Pages;
use super::prove::Prover;
use crate::error::{Error, Result};
use crate::schema::{ClusterDescriptor, ColumnRange, Locator, PageLocation};

/// How often the columns and pages of a cluster are looked at, at most. Wrong numbers of entries mostly show after a few.
const MOST_LOOKS: u64 = 16;

/// A sealed page with a checksum, of a column that is not known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoosePage {
    pub(crate) offset: u64,
    /// Bytes on storage, without the checksum.
    pub(crate) size: u64,
    /// Bytes when it is not compressed.
    pub(crate) length: u64,
    /// Code of the settings that it may have been compressed with.
    pub(crate) compression: u32,
}

/// A column, with what is needed to take pages for it.
struct Place<'a> {
    slot: &'a Slot,
    index: usize,
    bits: u64,
    reading: Reading,
}

impl Prover<'_> {
    /// Finds the cluster that consists of these pages, which follow one another in the order of the columns. Its pages
    /// are not proved yet. Bytes of content that are looked at are taken from `budget`.
    ///
    /// Pages of elements that are no whole bytes are taken to be full, but for the last one of a column.
    ///
    /// # Errors
    /// There is none, or more than one; or the columns are such that it cannot be found.
    pub(crate) fn arrange(&mut self, pages: &[LoosePage], budget: &mut u64) -> Result<ClusterDescriptor> {
        let places: Option<Vec<Place<'_>>> = (self.layout.columns.iter())
            .map(|column| {
                let slot = self.layout.slots.get(column.slot)?;
                let is_simple =
                    column.representation == 0 && slot.deferred == 0 && slot.source != Source::Unknown;
                let bits = column.reading.packing.filter(|_| is_simple)?.bits();
                Some(Place { slot, index: column.slot, bits: bits.into(), reading: column.reading })
            })
            .collect();
        let Some(places) = places else {
            let message =
                "columns that came later, are of a later version, or are in more than one representation";
            return Err(Error::unsupported(message));
        };
        let total = pages.iter().fold(places.len() as u64, |total, page| total.saturating_add(page.length));
        let most = total.saturating_mul(MOST_LOOKS).min(*budget);
        let (reader, max_key_size) = (&mut self.pages, self.max_key_size);
        let mut search = Search { pages, reader, max_key_size, left: most };
        let found = search.only(&places);
        *budget -= most - search.left;
        found?.ok_or_else(|| Error::unsupported("the pages do not fit the columns in their order"))
    }
}

/// Each number of entries for which the first column has whole pages.
fn entry_counts<'p>(places: &[Place<'_>], pages: &'p [LoosePage]) -> impl Iterator<Item = u64> + 'p {
    let first = places.first().filter(|place| place.slot.source == Source::Entries);
    let bits = first.map_or(1, |place| place.bits);
    let repetitions = first.and_then(|place| place.slot.repetitions).unwrap_or(0);
    let mut before = Some(0u64);
    let fits = pages.iter().map_while(move |page| {
        let (start, most) = (before?, page.length.checked_mul(8)? / bits);
        let least = page.length.saturating_sub(1).checked_mul(8)? / bits + 1;
        // Others will follow only if this one is full.
        before = elements(bits, page.length, u64::MAX).and_then(|count| start.checked_add(count));
        Some(start.saturating_add(least)..=start.saturating_add(most))
    });
    let counts = fits.take(if repetitions > 0 { usize::MAX } else { 0 }).flatten();
    counts.filter(move |count| count.is_multiple_of(repetitions)).map(move |count| count / repetitions)
}

/// Elements of a page of `length` bytes in a column that has `left` more, if it can be one of it.
fn elements(bits: u64, length: u64, left: u64) -> Option<u64> {
    let count = (length.checked_mul(8)? / bits).min(left);
    let is_whole = count > 0 && count.checked_mul(bits)?.div_ceil(8) == length;
    is_whole.then_some(count)
}

/// The way from the first page to the last one.
struct Search<'s, 'f> {
    pages: &'s [LoosePage],
    reader: &'s mut Pages<'f>,
    max_key_size: u64,
    /// Bytes that may still be looked at.
    left: u64,
}

impl Search<'_, '_> {
    /// The cluster, with the only number of entries that fits.
    fn only(&mut self, places: &[Place<'_>]) -> Result<Option<ClusterDescriptor>> {
        let mut found = None;
        for entries in entry_counts(places, self.pages) {
            if let Some(cluster) = self.with(entries, places)? {
                if found.is_some() {
                    return Err(Error::unsupported("the pages fit the columns in more than one way"));
                }
                found = Some(cluster);
            }
        }
        Ok(found)
    }

    /// The cluster, if it has this many entries.
    fn with(&mut self, entries: u64, places: &[Place<'_>]) -> Result<Option<ClusterDescriptor>> {
        // By the place that counts.
        let mut items: HashMap<usize, Items> = HashMap::new();
        let mut rest = self.pages.iter();
        let mut columns = Vec::new();
        for place in places {
            let Slot { source, repetitions, .. } = *place.slot;
            let values = match source {
                Source::Entries => Some(entries),
                Source::Items(slot) | Source::Alternative(slot, _) => {
                    items.get(&slot).and_then(|items| items.values(source))
                }
                Source::Unknown => None,
            };
            let count =
                values.zip(repetitions).and_then(|(values, repetitions)| values.checked_mul(repetitions));
            let Some(column) = count.map(|count| self.column(place, count, &mut rest)).transpose()?.flatten()
            else {
                return Ok(None);
            };
            let (range, own) = column;
            columns.push(range);
            if !matches!(own, Items::Unknown) {
                items.insert(place.index, own);
            }
        }
        Ok(rest.next().is_none().then(|| ClusterDescriptor::new(0, entries, columns)))
    }

    /// A column of `count` elements, from the next pages.
    fn column(
        &mut self,
        place: &Place<'_>,
        count: u64,
        rest: &mut std::slice::Iter<'_, LoosePage>,
    ) -> Result<Option<(ColumnRange, Items)>> {
        let mut items = Items::of(place.reading.look);
        let (mut pages, mut compression, mut left) = (Vec::new(), 0, count);
        self.spend(1)?;
        while left > 0 {
            let Some(page) = rest.next() else { return Ok(None) };
            let Some(count) = elements(place.bits, page.length, left) else { return Ok(None) };
            let Ok(elements) = u32::try_from(count) else { return Ok(None) };
            left -= count;
            compression = compression.max(page.compression);
            let locator = Locator::File { offset: page.offset, size: page.size };
            let location = PageLocation { count: elements, has_checksum: true, locator };
            if matches!(place.reading.look, Look::Index | Look::Switch(_)) {
                self.spend(page.length)?;
                // Other bytes than offsets are no reason to stop: they are another column's.
                let content = self.reader.content(&location, page.length, place.reading, self.max_key_size);
                if content.and_then(|content| items.add(&content)).is_err() {
                    return Ok(None);
                }
            }
            self.spend(1)?;
            pages.push(location);
        }
        Ok(Some((ColumnRange::new(0, compression, pages), items)))
    }

    fn spend(&mut self, bytes: u64) -> Result<()> {
        self.left = self
            .left
            .checked_sub(bytes)
            .ok_or_else(|| Error::limit("the pages could be of the columns in too many ways to try"))?;
        Ok(())
    }
}
