//! Where lists begin and end among their items.

use std::ops::Range;

use crate::column::ColumnReader;
use crate::encoding::Index;
use crate::error::{Error, Result};
use crate::field::collection::{Lengths, Offsets};

/// Where each of several lists begins and ends among the items of all of them.
///
/// What is here was checked: the ends are not behind the items, and none is before the one in front of it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bounds<'a> {
    /// As the offsets say.
    Stored {
        /// Position in the cluster of the first of the items.
        base: u64,
        /// Where the first list begins.
        start: u64,
        /// Where each ends.
        ends: &'a [Index],
    },
    /// All lists are of one length.
    Fixed {
        /// Their length.
        size: usize,
        /// Lists in front of the first.
        skipped: usize,
        /// The number of lists.
        count: usize,
    },
}

impl<'a> Bounds<'a> {
    pub(super) const EMPTY: Self = Self::Fixed { size: 0, skipped: 0, count: 0 };

    #[inline]
    pub(super) fn len(self) -> usize {
        match self {
            Self::Stored { ends, .. } => ends.len(),
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
            Self::Fixed { size, skipped, count } => {
                Some(skipped.checked_mul(size)?..skipped.checked_add(count)?.checked_mul(size)?)
            }
        }
    }
}

#[inline]
fn within(base: u64, position: u64) -> Option<usize> {
    usize::try_from(position.checked_sub(base)?).ok()
}

/// The last of ends that begin at `start`, if none is before the one in front of it, nor further than `most`.
#[inline]
fn last_of(start: u64, ends: &[Index], most: u64) -> Option<u64> {
    let (mut before, mut is_sound) = (start, true);
    for &Index(end) in ends {
        is_sound &= end >= before && end.wrapping_sub(before) <= most;
        before = end;
    }
    is_sound.then_some(before)
}

impl Offsets {
    /// The bounds of the next `count` collections, and the number of their items, which is not more than `remaining`
    /// says there are.
    #[inline]
    pub(super) fn next_bounds(
        &mut self,
        count: usize,
        remaining: Option<u64>,
    ) -> Result<(Bounds<'_>, usize)> {
        let allowance = &self.allowance;
        bounds(&mut self.column, &mut self.end, count, u64::MAX, |items| match remaining {
            Some(limit) => Ok(items <= limit),
            None => allowance.take(items).map(|()| true),
        })
    }

    /// As [`next_bounds`](Self::next_bounds), for collections of `most` items each, however many items there are.
    #[inline]
    pub(super) fn next_bounds_of(&mut self, count: usize, most: u64) -> Result<(Bounds<'_>, usize)> {
        bounds(&mut self.column, &mut self.end, count, most, |_| Ok(true))
    }
}

/// The bounds of the next `count` collections behind `end`, none of which has over `most` items.
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
    // What does not fit is told by those who are asked for so many items.
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
        if end.checked_sub(start).is_none_or(|items| items > most) {
            let what = if most == 1 { "an option" } else { "a collection" };
            return Error::out_of_spec(format!("{what} ranges from item {start} to {end}"));
        }
        start = end;
    }
    Error::out_of_spec("the ends of collections are not in order")
}

impl Lengths {
    /// The bounds of the next `count` collections, and the number of their items, which is not more than `remaining`
    /// says there are.
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
