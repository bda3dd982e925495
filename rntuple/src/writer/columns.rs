//! Writing many entries at once, column by column.

use std::ops::Range;

use super::destination::Destination;
use super::filler::Filler;
use crate::error::{Error, Result};
use crate::field::columnar::{Slice, SliceOf, WriteColumnar, cut};
use crate::message::counted;

/// Entries that are appended before anything is known of their length.
const FIRST: usize = 16;

impl<T: WriteColumnar, D: Destination> Filler<T, D> {
    /// # Errors
    /// There are too many entries; columns do not have the same number of values, or are of another type, or have a value
    /// that is refused.
    pub(super) fn check_columns(&mut self, entries: SliceOf<'_, T>) -> Result<()> {
        let room = self.builder.destination.room().saturating_sub(self.open.entries);
        if entries.len() as u64 > room {
            let message =
                format!("{} are too many, there is room for {room}", counted(entries.len() as u64, "entry"));
            return Err(self.place(Error::invalid_argument(message)));
        }
        T::check_columns(&self.columns, entries).map_err(|error| self.place(error))?;
        if self.trial.is_some() { self.try_columns(entries) } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn try_columns(&mut self, entries: SliceOf<'_, T>) -> Result<()> {
        let mut tried = |part: Range<usize>| {
            self.trial.as_deref_mut().map(|trial| T::append_columns(trial, cut(entries, &part)));
            self.judge(Some(part.start as u64))
        };
        let all = tried(0..entries.len());
        if all.is_ok() {
            return Ok(());
        }
        // One after the other, to find the entry that is refused.
        (0..entries.len()).try_for_each(|number| tried(number..number + 1)).and(all)
    }

    /// Appends entries, as many as the open cluster may have, and up to its end; returns how many.
    pub(super) fn fill_columns(&mut self, entries: SliceOf<'_, T>) -> Result<usize> {
        let room = usize::try_from(self.open.limit.saturating_sub(self.open.entries)).unwrap_or(usize::MAX);
        let (mut start, end) = (0, entries.len().min(room));
        let mut portion = FIRST;
        while start < end {
            let count = portion.min(end - start);
            let part = cut(entries, &(start..start + count));
            let length = self.fill_with(count as u64, |columns| T::append_columns(columns, part))?;
            start += count;
            // The caller may want to look at what has ended.
            if self.open.entries == 0 {
                break;
            }
            portion = next_portion(count, length, self.room());
        }
        Ok(start)
    }
}

/// As many entries as fit into `room`, if they are as long as the last `count` of them were together; at most
/// twice as many, because they need not be.
fn next_portion(count: usize, length: u64, room: u64) -> usize {
    let mean = (length / count.max(1) as u64).max(1);
    usize::try_from(room / mean).unwrap_or(usize::MAX).clamp(1, count.saturating_mul(2).max(FIRST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_grow_but_stay_in_the_room() {
        assert_eq!(next_portion(16, 160, 1_000_000), 32);
        assert_eq!(next_portion(1024, 10_240, 5_000), 500);
        assert_eq!(next_portion(1, 1 << 30, 5_000), 1);
        assert_eq!(next_portion(1, 8, 1 << 20), 16);
        assert_eq!(next_portion(usize::MAX, 0, u64::MAX), usize::MAX);
    }
}
