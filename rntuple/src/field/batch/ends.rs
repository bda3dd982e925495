//! End offsets, many at a time.

use std::ops::Range;

use crate::column::ColumnWriter;
use crate::encoding::Index;
use crate::error::{Error, Result};
use crate::field::collection::Offsets;
use crate::message::counted;

impl Offsets {
    /// Hands the ends of the next `count` collections to `take`, page by page, with the end before them.
    ///
    /// # Errors
    /// A page is damaged, or an end lies before the one before it.
    #[inline]
    pub(super) fn each_chunk(&mut self, count: usize, mut take: impl FnMut(u64, &[Index])) -> Result<()> {
        let mut left = count;
        while left > 0 {
            let ends = self.column.next_chunk(left)?;
            left -= ends.len();
            let before = self.end;
            // All are compared, whatever the first said: a loop without a way out becomes vectors.
            let (mut last, mut falls) = (before, false);
            for Index(end) in ends {
                falls |= *end < last;
                last = *end;
            }
            if falls {
                let error = falling(before, ends);
                return Err(self.column.place(error));
            }
            take(before, ends);
            self.end = last;
        }
        Ok(())
    }

    /// Appends the ends of the next `count` collections to `out`, counted on from its last; returns how many
    /// items these have, which are not more than `remaining` says there are.
    pub(super) fn read_ends(
        &mut self,
        count: usize,
        remaining: Option<u64>,
        out: &mut Vec<u64>,
    ) -> Result<usize> {
        self.column.take_items(count)?;
        let start = self.end;
        // What is added to an end of this cluster to make one of the batch: modulo 2^64.
        let shift = out.last().copied().unwrap_or_default().wrapping_sub(start);
        self.each_chunk(count, |_, ends| out.extend(ends.iter().map(|Index(end)| end.wrapping_add(shift))))?;
        let items = self.end.saturating_sub(start);
        match remaining {
            Some(limit) if items > limit => return Err(self.beyond(start, limit)),
            Some(_) => {}
            None => self.allowance.take(items).map_err(|error| self.column.place(error))?,
        }
        usize::try_from(items).map_err(|_| self.beyond(start, usize::MAX as u64))
    }

    /// Appends the numbers of items of the next `count` collections to `out`.
    pub(super) fn read_counts(&mut self, count: usize, out: &mut Vec<u64>) -> Result<()> {
        self.each_chunk(count, |mut before, ends| {
            out.extend(ends.iter().map(|Index(end)| {
                let count = end - before;
                before = *end;
                count
            }));
        })
    }

    #[cold]
    fn beyond(&self, start: u64, limit: u64) -> Error {
        let message = format!(
            "collections range from item {start} to {}, beyond the {} left",
            self.end,
            counted(limit, "item")
        );
        self.column.place(Error::out_of_spec(message))
    }
}

/// The error of the first end that lies before the one before it.
#[cold]
fn falling(start: u64, ends: &[Index]) -> Error {
    let begins = std::iter::once(start).chain(ends.iter().map(|Index(end)| *end));
    let mut collections = begins.zip(ends.iter().map(|Index(end)| *end));
    let (begin, end) = collections.find(|(begin, end)| end < begin).unwrap_or_default();
    Error::out_of_spec(format!("a collection that ends at item {end} begins at item {begin}"))
}

/// Appends the ends of a range of collections, whose ends in the batch are `offsets`; returns their length in bytes.
pub(super) fn append_ends(
    column: &mut ColumnWriter<Index>,
    end: &mut u64,
    offsets: &[u64],
    range: &Range<usize>,
) -> usize {
    let Some((first, ends)) = offsets.get(range.start..=range.end).and_then(<[u64]>::split_first) else {
        return 0;
    };
    let shift = end.wrapping_sub(*first);
    let length = column.extend(ends.iter().map(|offset| Index(offset.wrapping_add(shift))));
    *end = ends.last().unwrap_or(first).wrapping_add(shift);
    length
}

/// The items of a range of collections.
#[inline]
pub(super) fn items_of(offsets: &[u64], range: &Range<usize>) -> Range<usize> {
    let at =
        |index: usize| offsets.get(index).map_or(0, |&offset| usize::try_from(offset).unwrap_or(usize::MAX));
    at(range.start)..at(range.end)
}

/// Checks offsets that somebody made: from 0, never falling, up to the number of items.
pub(super) fn check(offsets: &[u64], items: usize) -> Result<()> {
    let ends = offsets.first() == Some(&0) && offsets.last() == Some(&(items as u64));
    if ends && offsets.is_sorted() {
        return Ok(());
    }
    Err(Error::invalid_argument(format!(
        "offsets must begin with 0, never fall, and end with the number of items, which is {items}"
    )))
}
