//! Where lists begin and end among their items.

use std::ops::Range;

use crate::column::{ColumnReader, ColumnWriter};
use crate::encoding::Index;
use crate::error::{Error, Result};
use crate::field::collection::{Lengths, Offsets};

/// Where each of several lists begins and ends among the items of all of them.
///
/// They were checked: no end is after the last item, or before the end of the list before.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bounds<'a> {
    /// As a file's offsets say.
    Stored {
        /// Position in the cluster of the first of the items.
        base: u64,
        /// Where the first list begins.
        start: u64,
        /// Where each ends.
        ends: &'a [Index],
    },
    /// As offsets in memory say: one more than there are lists.
    Owned(&'a [u64]),
    /// All lists have the same length.
    Fixed {
        /// Their length.
        size: usize,
        /// Lists before the first.
        skipped: usize,
        /// The number of lists.
        count: usize,
    },
}

impl<'a> Bounds<'a> {
    #[inline]
    pub(super) fn len(self) -> usize {
        match self {
            Self::Stored { ends, .. } => ends.len(),
            Self::Owned(offsets) => offsets.len().saturating_sub(1),
            Self::Fixed { count, .. } => count,
        }
    }

    /// The items of list `index`.
    #[inline]
    pub(super) fn get(self, index: usize) -> Option<Range<usize>> {
        match self {
            Self::Stored { base, start, ends } => {
                let start = match index.checked_sub(1) {
                    Some(before) => ends.get(before)?.0,
                    None => start,
                };
                Some(within(base, start)?..within(base, ends.get(index)?.0)?)
            }
            Self::Owned(offsets) => {
                Some(within(0, *offsets.get(index)?)?..within(0, *offsets.get(index.checked_add(1)?)?)?)
            }
            Self::Fixed { size, skipped, count } => {
                let first = (index < count).then(|| skipped.checked_add(index))??.checked_mul(size)?;
                Some(first..first.checked_add(size)?)
            }
        }
    }

    /// The lists of a range.
    #[inline]
    pub(super) fn part(self, range: Range<usize>) -> Option<Self> {
        match self {
            Self::Stored { base, start, ends } => {
                let start = match range.start.checked_sub(1) {
                    Some(before) => ends.get(before)?.0,
                    None => start,
                };
                Some(Self::Stored { base, start, ends: ends.get(range)? })
            }
            Self::Owned(offsets) => offsets.get(range.start..range.end.checked_add(1)?).map(Self::Owned),
            Self::Fixed { size, skipped, count } => {
                let part = range.end.checked_sub(range.start).filter(|_| range.end <= count)?;
                Some(Self::Fixed { size, skipped: skipped.checked_add(range.start)?, count: part })
            }
        }
    }

    /// The items of all lists.
    #[inline]
    pub(super) fn all(self) -> Option<Range<usize>> {
        match self {
            Self::Stored { base, start, ends } => {
                let end = ends.last().map_or(start, |end| end.0);
                Some(within(base, start)?..within(base, end)?)
            }
            Self::Owned(offsets) => Some(within(0, *offsets.first()?)?..within(0, *offsets.last()?)?),
            Self::Fixed { size, skipped, count } => {
                Some(skipped.checked_mul(size)?..skipped.checked_add(count)?.checked_mul(size)?)
            }
        }
    }

    /// The number of items of each list.
    pub(super) fn sizes(self) -> Sizes<'a> {
        Sizes(self)
    }

    /// Appends the ends to offsets in memory, counted from the last of these.
    pub(super) fn append_to(self, offsets: &mut Vec<u64>) {
        let last = offsets.last().copied().unwrap_or_default();
        match self {
            Self::Stored { start, ends, .. } => {
                // Modulo 2^64.
                let shift = last.wrapping_sub(start);
                offsets.extend(ends.iter().map(|Index(end)| end.wrapping_add(shift)));
            }
            Self::Owned(ends) => {
                let shift = last.wrapping_sub(ends.first().copied().unwrap_or_default());
                offsets.extend(ends.iter().skip(1).map(|end| end.wrapping_add(shift)));
            }
            Self::Fixed { size, count, .. } => {
                offsets.extend((0..count).map(|list| fixed_end(last, size, list)));
            }
        }
    }

    /// Appends the ends to a column, counted from `end`, which becomes the last of them; returns their length in bytes.
    pub(super) fn append_ends(self, column: &mut ColumnWriter<Index>, end: &mut u64) -> usize {
        let last = *end;
        *end = last.wrapping_add(self.all().map_or(0, |all| all.len() as u64));
        match self {
            Self::Stored { start, ends, .. } => {
                let shift = last.wrapping_sub(start);
                column.extend(ends.iter().map(|Index(end)| Index(end.wrapping_add(shift))))
            }
            Self::Owned(offsets) => {
                let Some((first, ends)) = offsets.split_first() else { return 0 };
                let shift = last.wrapping_sub(*first);
                column.extend(ends.iter().map(|end| Index(end.wrapping_add(shift))))
            }
            Self::Fixed { size, count, .. } => {
                column.extend((0..count).map(|list| Index(fixed_end(last, size, list))))
            }
        }
    }
}

/// The number of items of each list.
#[derive(Clone, Debug)]
pub(super) struct Sizes<'a>(Bounds<'a>);

impl Iterator for Sizes<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        match &mut self.0 {
            Bounds::Stored { start, ends, .. } => {
                let (Index(end), rest) = ends.split_first()?;
                let size = end.wrapping_sub(*start);
                (*start, *ends) = (*end, rest);
                Some(size)
            }
            Bounds::Owned(offsets) => {
                let (first, rest) = offsets.split_first()?;
                let size = rest.first()?.wrapping_sub(*first);
                *offsets = rest;
                Some(size)
            }
            Bounds::Fixed { size, count, .. } => {
                *count = count.checked_sub(1)?;
                Some(*size as u64)
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.len();
        (count, Some(count))
    }

    /// One loop for each kind of bounds: these become vectors.
    #[inline]
    fn fold<B, F: FnMut(B, u64) -> B>(self, first: B, mut add: F) -> B {
        match self.0 {
            Bounds::Stored { start, ends, .. } => {
                let (sum, _) = ends.iter().fold((first, start), |(sum, before), Index(end)| {
                    (add(sum, end.wrapping_sub(before)), *end)
                });
                sum
            }
            Bounds::Owned(offsets) => {
                let sizes =
                    offsets.iter().zip(offsets.iter().skip(1)).map(|(start, end)| end.wrapping_sub(*start));
                sizes.fold(first, add)
            }
            Bounds::Fixed { size, count, .. } => std::iter::repeat_n(size as u64, count).fold(first, add),
        }
    }
}

impl ExactSizeIterator for Sizes<'_> {}

#[inline]
fn within(base: u64, position: u64) -> Option<usize> {
    usize::try_from(position.checked_sub(base)?).ok()
}

/// The end of list `list`, where the first of them begins at `start` and each has `size` items.
#[inline]
fn fixed_end(start: u64, size: usize, list: usize) -> u64 {
    start.wrapping_add((size as u64).wrapping_mul(list as u64 + 1))
}

/// Checks offsets that a user made: from 0, never falling, up to the number of items.
///
/// # Errors
/// They are not so.
pub(super) fn check(offsets: &[u64], items: usize) -> Result<()> {
    let ends = offsets.first() == Some(&0) && offsets.last() == Some(&(items as u64));
    if ends && offsets.is_sorted() {
        return Ok(());
    }
    Err(Error::invalid_argument(format!(
        "offsets must begin with 0, never fall, and end with the number of items, which is {items}"
    )))
}

/// The offsets of lists of these sizes.
///
/// # Errors
/// Together they have over 2^64 items.
pub(super) fn offsets_of(counts: impl IntoIterator<Item = u64>) -> Result<Vec<u64>> {
    let (mut offsets, mut end) = (vec![0], 0u64);
    for count in counts {
        let next = end.checked_add(count);
        end = next.ok_or_else(|| Error::invalid_argument("the collections have over 2^64 items"))?;
        offsets.push(end);
    }
    Ok(offsets)
}

/// The last of ends that begin at `start`, if no list ends before it begins or has over `most` items: one less than a
/// power of two, and less than 2^63.
#[inline]
fn last_of(start: u64, ends: &[Index], most: u64) -> Option<u64> {
    // Nothing is compared: vectors of 128 bits can only put together the bits of all sizes. Of positions below 2^63,
    // the size of a list that ends before it begins has the highest one.
    let (mut before, mut positions, mut sizes) = (start, start, 0);
    for &Index(end) in ends {
        positions |= end;
        sizes |= end.wrapping_sub(before);
        before = end;
    }
    (positions <= MOST && sizes & !most == 0).then_some(before)
}

/// More elements than a cluster can have.
pub(super) const MOST: u64 = u64::MAX >> 1;

impl Offsets {
    /// The bounds of the next `count` collections, and the number of their items, which is at most `remaining`.
    #[inline]
    pub(super) fn next_bounds(
        &mut self,
        count: usize,
        remaining: Option<u64>,
    ) -> Result<(Bounds<'_>, usize)> {
        let allowance = remaining.is_none().then(|| self.allowance().clone());
        bounds(&mut self.column, &mut self.end, count, MOST, |items| {
            allowance.map_or(Ok(()), |allowance| allowance.take(items))?;
            Ok(remaining.is_none_or(|limit| items <= limit))
        })
    }

    /// The same for collections of at most `most` items each.
    #[inline]
    pub(super) fn next_bounds_of(&mut self, count: usize, most: u64) -> Result<(Bounds<'_>, usize)> {
        bounds(&mut self.column, &mut self.end, count, most, |_| Ok(true))
    }
}

/// The bounds of the next `count` collections after `end`, none of which has over `most` items.
#[inline]
fn bounds<'a>(
    column: &'a mut ColumnReader<Index>,
    end: &mut u64,
    count: usize,
    most: u64,
    fits: impl FnOnce(u64) -> Result<bool>,
) -> Result<(Bounds<'a>, usize)> {
    let start = *end;
    let (ends, last) = column.slice_if(count, |ends| match last_of(start, ends, most) {
        Some(last) if fits(last.wrapping_sub(start))? => Ok(last),
        last => Err(impossible(start, ends, most, last)),
    })?;
    *end = last;
    // The reader of the items reports what does not fit.
    let total = usize::try_from(last.wrapping_sub(start)).unwrap_or(usize::MAX);
    Ok((Bounds::Stored { base: start, start, ends }, total))
}

#[cold]
fn impossible(mut start: u64, ends: &[Index], most: u64, last: Option<u64>) -> Error {
    if let Some(last) = last {
        let items = last.saturating_sub(start);
        return Error::out_of_spec(format!(
            "collections range from item {start} on over {items} items, more than there are"
        ));
    }
    for &Index(end) in ends {
        match end.checked_sub(start) {
            Some(items) if items <= most => start = end,
            Some(_) if most == u64::from(u32::MAX) => {
                return Error::limit("a collection has more items than 32 bits can count");
            }
            _ => {
                let what = if most == 1 { "an option" } else { "a collection" };
                return Error::out_of_spec(format!("{what} ranges from item {start} to {end}"));
            }
        }
    }
    Error::out_of_spec("the ends of collections are not in order")
}

impl Lengths {
    /// The bounds of the next `count` collections, and the number of their items, which is at most `remaining`.
    #[inline]
    pub(super) fn next_bounds(
        &mut self,
        count: usize,
        remaining: Option<u64>,
    ) -> Result<(Bounds<'_>, usize)> {
        match self {
            Self::Stored(offsets) => offsets.next_bounds(count, remaining),
            Self::Fixed { .. } => self.fixed_bounds(count, remaining),
        }
    }

    #[cold]
    fn fixed_bounds(&self, count: usize, remaining: Option<u64>) -> Result<(Bounds<'_>, usize)> {
        let size = if let Self::Fixed { size, .. } = self { usize::try_from(*size).ok() } else { None };
        let total = size.and_then(|size| size.checked_mul(count));
        let (Some(size), Some(total)) = (size, total) else {
            return Err(self.place(Error::limit("arrays do not fit in the address space")));
        };
        self.check_fixed(total as u64, remaining)?;
        Ok((Bounds::Fixed { size, skipped: 0, count }, total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_ranges() {
        let ends = [3, 3, 7, 8].map(Index);
        let offsets = [0, 2, 2, 5, 9];
        let all = [
            Bounds::Stored { base: 1, start: 1, ends: &ends },
            Bounds::Stored { base: 0, start: 3, ends: &ends[1..] },
            Bounds::Owned(&offsets),
            Bounds::Owned(&offsets[2..]),
            Bounds::Owned(&[]),
            Bounds::Fixed { size: 4, skipped: 2, count: 3 },
        ];
        for bounds in all {
            let wanted: Vec<u64> =
                (0..bounds.len()).map(|index| bounds.get(index).unwrap().len() as u64).collect();
            let mut sizes = bounds.sizes();
            let by_next: Vec<u64> = std::iter::from_fn(|| sizes.next()).collect();
            let by_fold = bounds.sizes().fold(Vec::new(), |mut all, size| {
                all.push(size);
                all
            });
            assert_eq!((&by_next, &by_fold), (&wanted, &wanted), "{bounds:?}");
            assert_eq!(bounds.sizes().len(), wanted.len());
        }
    }

    #[test]
    fn what_is_sound_is_what_a_comparison_of_each_end_says() {
        let values = [0, 1, 2, 3, u64::from(u32::MAX), MOST - 1, MOST, MOST + 1, u64::MAX - 1, u64::MAX];
        let mut found = [0, 0];
        for most in [1, u64::from(u32::MAX), MOST] {
            for start in values {
                for (first, second) in values.iter().flat_map(|first| values.map(|second| (*first, second))) {
                    let ends = [first, second];
                    let mut before = start;
                    let is_sound = ends.iter().chain([&start]).all(|position| *position <= MOST)
                        && ends.iter().all(|end| {
                            let size = end.checked_sub(std::mem::replace(&mut before, *end));
                            size.is_some_and(|size| size <= most)
                        });
                    let expected = is_sound.then_some(second);
                    let ends = ends.map(Index);
                    assert_eq!(last_of(start, &ends, most), expected, "{start} {ends:?} {most}");
                    if expected.is_none() {
                        let error = impossible(start, &ends, most, None).to_string();
                        assert!(!error.contains("32 bits") || most == u64::from(u32::MAX), "{error}");
                    }
                    found[usize::from(is_sound)] += 1;
                }
            }
        }
        assert!(found.iter().all(|count| *count > 50), "{found:?}");
        assert_eq!(last_of(7, &[], 1), Some(7));
    }
}
