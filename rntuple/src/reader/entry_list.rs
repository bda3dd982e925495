//! Lists of entries: what was selected once and is read, combined or kept later.

use std::iter::FusedIterator;
use std::ops::{Range, RangeFrom, RangeFull, RangeTo};
use std::sync::Arc;

/// Entries of a reader, each at most once and in order: a range, or a selection.
///
/// A list takes memory for each run of neighbouring entries, and is cheap to clone. It converts from ranges and is
/// collected from numbers or ranges in any order; [`Reader::select`](crate::Reader::select) makes one with a condition.
///
/// ```
/// use rntuple::{EntryList, RNTuple, Reader};
/// # use rntuple::{WriteOptions, Writer, storage::Memory};
///
/// #[derive(RNTuple)]
/// struct Event { met: f32, hits: Vec<f32> }
///
/// #[derive(RNTuple)]
/// struct Met { met: f32 }
///
/// # fn main() -> rntuple::Result<()> {
/// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// # (0..10u8).try_for_each(|i| writer.fill(&Event { met: i.into(), hits: vec![] }))?;
/// # let file = rntuple::RootFile::from_storage(writer.finish_into()?.1)?;
/// // Only `met` is read to select events, and everything else of those that are left.
/// let high = Reader::<Met>::open(&file, "Events")?.select(|event| event.met > 5.0)?;
/// let good: EntryList = [2..4, 6..8].into_iter().collect();
/// let both = high.intersection(&good);
/// assert_eq!(both.iter().collect::<Vec<_>>(), [6, 7]);
/// for event in Reader::<Event>::open(&file, "Events")?.entries_in(&both) {
///     assert!(event?.met > 5.0);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EntryList(Arc<[Range<u64>]>);

impl EntryList {
    /// Number of entries in the list, at most 2^64 - 1.
    pub fn entry_count(&self) -> u64 {
        self.0.iter().fold(0, |sum, range| sum.saturating_add(range.end - range.start))
    }

    /// Whether the list has an entry.
    pub fn contains(&self, entry: u64) -> bool {
        let index = self.0.partition_point(|range| range.end <= entry);
        self.0.get(index).is_some_and(|range| range.contains(&entry))
    }

    /// Returns the runs of neighbouring entries, in order. None is empty, and none touches the next one.
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.0
    }

    /// Returns the numbers of the entries, in order.
    pub fn iter(&self) -> impl FusedIterator<Item = u64> + '_ {
        self.0.iter().cloned().flatten()
    }

    /// Returns the entries that are in this list, in the other one, or in both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.0.iter().chain(other.0.iter()).cloned().collect()
    }

    /// Returns the entries that are in both lists.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let (mut ours, mut theirs) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut both = Vec::new();
        while let (Some(our), Some(their)) = (ours.peek(), theirs.peek()) {
            let range = our.start.max(their.start)..our.end.min(their.end);
            if our.end < their.end {
                ours.next()
            } else {
                theirs.next()
            };
            if !range.is_empty() {
                both.push(range);
            }
        }
        Self(both.into())
    }

    /// Returns the entries that are in this list and not in the other one.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut gaps = Vec::with_capacity(other.0.len() + 1);
        let mut end = 0;
        for range in other.ranges() {
            gaps.push(end..range.start);
            end = range.end;
        }
        gaps.push(end..u64::MAX);
        self.intersection(&gaps.into_iter().collect())
    }

    /// Returns the entries at positions in the list, of which the first one has position 0. Positions after the last entry
    /// are left out.
    ///
    /// ```
    /// use rntuple::EntryList;
    ///
    /// let list: EntryList = [3, 5, 6, 9].into_iter().collect();
    /// assert_eq!(list.at(&(1..3).into()), (5..7).into());
    /// ```
    #[must_use]
    pub fn at(&self, positions: &Self) -> Self {
        let mut first = 0u64;
        let mut entries = Vec::new();
        let mut wanted = positions.0.iter().cloned().peekable();
        for run in self.ranges() {
            let end = first.saturating_add(run.end - run.start);
            while let Some(next) = wanted.peek_mut() {
                let range = next.start.max(first)..next.end.min(end);
                if !range.is_empty() {
                    entries.push(run.start + (range.start - first)..run.start + (range.end - first));
                }
                if next.end > end {
                    break;
                }
                wanted.next();
            }
            first = end;
        }
        entries.into_iter().collect()
    }

    /// The runs, in memory that the list shares.
    pub(super) fn shared(&self) -> Arc<[Range<u64>]> {
        self.0.clone()
    }

    /// Whether it shares its memory with another list: then they are the same.
    pub(super) fn shares(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The list without what comes at `end` or later.
    pub(crate) fn before(&self, end: u64) -> Self {
        match self.0.last() {
            Some(last) if last.end > end => self.intersection(&Self::from(..end)),
            _ => self.clone(),
        }
    }
}

impl FromIterator<Range<u64>> for EntryList {
    fn from_iter<I: IntoIterator<Item = Range<u64>>>(ranges: I) -> Self {
        let mut all: Vec<Range<u64>> = ranges.into_iter().filter(|range| !range.is_empty()).collect();
        if !all.is_sorted_by_key(|range| range.start) {
            all.sort_unstable_by_key(|range| range.start);
        }
        all.dedup_by(|next, last| {
            let touches = next.start <= last.end;
            if touches {
                last.end = last.end.max(next.end);
            }
            touches
        });
        Self(all.into())
    }
}

/// The last possible number, 2^64 - 1, is left out: no ntuple has such an entry.
impl FromIterator<u64> for EntryList {
    fn from_iter<I: IntoIterator<Item = u64>>(entries: I) -> Self {
        let mut runs: Vec<Range<u64>> = Vec::new();
        for entry in entries {
            match runs.last_mut() {
                // Long lists are mostly in order: they take no more memory on the way than in the end.
                Some(last) if last.end == entry => last.end = entry.saturating_add(1),
                _ => runs.push(entry..entry.saturating_add(1)),
            }
        }
        runs.into_iter().collect()
    }
}

impl From<Range<u64>> for EntryList {
    fn from(range: Range<u64>) -> Self {
        std::iter::once(range).collect()
    }
}

impl From<RangeFrom<u64>> for EntryList {
    fn from(range: RangeFrom<u64>) -> Self {
        Self::from(range.start..u64::MAX)
    }
}

impl From<RangeTo<u64>> for EntryList {
    fn from(range: RangeTo<u64>) -> Self {
        Self::from(0..range.end)
    }
}

impl From<RangeFull> for EntryList {
    fn from(_: RangeFull) -> Self {
        Self::from(0..u64::MAX)
    }
}

impl From<&EntryList> for EntryList {
    fn from(list: &EntryList) -> Self {
        list.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn numbers(list: &EntryList) -> BTreeSet<u64> {
        list.iter().collect()
    }

    #[test]
    fn the_ends_of_all_numbers_are_no_trouble() {
        let all = EntryList::from(..);
        assert_eq!((all.entry_count(), all.contains(u64::MAX - 1)), (u64::MAX, true));
        assert_eq!(all.difference(&EntryList::from(3..)), EntryList::from(0..3));
        assert_eq!([u64::MAX, 1].into_iter().collect::<EntryList>(), EntryList::from(1..2));
    }

    proptest! {
        #[test]
        fn lists_are_sets(a in prop::collection::vec(0u64..40, 0..60), b in prop::collection::vec(0u64..40, 0..60)) {
            let (x, y): (BTreeSet<u64>, BTreeSet<u64>) = (a.iter().copied().collect(), b.iter().copied().collect());
            let (a, b): (EntryList, EntryList) = (a.into_iter().collect(), b.into_iter().collect());
            prop_assert_eq!(numbers(&a), x.clone());
            prop_assert_eq!(a.entry_count(), x.len() as u64);
            for entry in 0..42 {
                prop_assert_eq!(a.contains(entry), x.contains(&entry));
            }
            prop_assert!(a.ranges().windows(2).all(|pair| pair[0].end < pair[1].start));
            for (list, set) in [
                (a.union(&b), x.union(&y).copied().collect::<BTreeSet<_>>()),
                (a.intersection(&b), x.intersection(&y).copied().collect()),
                (a.difference(&b), x.difference(&y).copied().collect()),
                (a.before(20), x.range(..20).copied().collect()),
                (a.at(&b), y.iter().filter_map(|&at| x.iter().nth(usize::try_from(at).unwrap())).copied().collect()),
            ] {
                // One list stands for each set: so what is equal compares equal.
                prop_assert_eq!(&list, &set.iter().copied().collect());
                prop_assert_eq!(numbers(&list), set);
            }
        }
    }
}
