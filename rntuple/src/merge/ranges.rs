//! The ranges of an attribute set, where only some of the entries that they are about are copied.

use std::ops::Range;
use std::sync::Arc;

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::field::AttributeRange;
use crate::reader::{EntryList, ReadOptions, Reader};

/// What becomes of the values of a page that says where ranges are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Change {
    /// This is added to where each begins.
    Shift(u64),
    /// They say where the ranges from this row on begin.
    Starts(u64),
    /// They say how long the ranges from this row on are.
    Lengths(u64),
}

/// By row of a set: where its range begins in the output, and how long it is.
#[derive(Debug)]
pub(super) struct Ranges {
    starts: Vec<u64>,
    lengths: Vec<u64>,
}

impl Ranges {
    /// Reads the ranges of a set, and reduces them to the entries `left` of its ntuple, which come after `before` other
    /// entries in the output. A range without any of these entries becomes empty.
    pub(super) fn new(set: &Arc<Dataset>, left: &EntryList, before: u64) -> Result<Self> {
        let ranks = Ranks::new(left);
        let (mut starts, mut lengths) = (Vec::new(), Vec::new());
        let reader = Reader::<AttributeRange>::from_dataset(set.clone(), ReadOptions::new())?;
        for range in reader.entries() {
            let AttributeRange(range) = range?;
            let (start, end) = (ranks.of(range.start), ranks.of(range.end));
            let moved = start.checked_add(before);
            starts.push(moved.ok_or_else(|| Error::limit("the output has over 2^64 entries"))?);
            lengths.push(end.saturating_sub(start));
        }
        Ok(Self { starts, lengths })
    }

    /// The new values of a page that has `count` of them; `None`: there are fewer rows.
    pub(super) fn values(&self, change: Change, count: u32) -> Option<&[u64]> {
        let (values, first) = match change {
            Change::Starts(row) => (&self.starts, row),
            Change::Lengths(row) => (&self.lengths, row),
            Change::Shift(_) => return None,
        };
        let first = usize::try_from(first).ok()?;
        values.get(first..first.checked_add(usize::try_from(count).ok()?)?)
    }
}

/// How many entries of a list come before an entry.
struct Ranks<'a> {
    runs: &'a [Range<u64>],
    /// By run: entries of the list before it; and all of them.
    before: Vec<u64>,
}

impl<'a> Ranks<'a> {
    fn new(list: &'a EntryList) -> Self {
        let mut before = vec![0];
        let mut end = 0;
        for run in list.ranges() {
            end += run.end - run.start;
            before.push(end);
        }
        Self { runs: list.ranges(), before }
    }

    fn of(&self, entry: u64) -> u64 {
        let run = self.runs.partition_point(|run| run.end <= entry);
        let within = self.runs.get(run).map_or(0, |run| entry.saturating_sub(run.start));
        self.before.get(run).copied().unwrap_or_default() + within
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_counted_as_they_are_left() {
        let list: EntryList = [2..5, 9..10].into_iter().collect();
        let ranks = Ranks::new(&list);
        let found: Vec<u64> = (0..12).map(|entry| ranks.of(entry)).collect();
        assert_eq!(found, [0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 4, 4]);
        assert_eq!(Ranks::new(&(0..0).into()).of(7), 0);
    }
}
