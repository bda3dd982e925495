//! Where the row of an id is.

use super::sequence::RowIdSequence;
use crate::error::{Error, Result};
use crate::format::DeletionVector;

/// Where a row is: in a fragment, at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowAddress {
    /// Id of the fragment.
    pub fragment: u64,
    /// Offset in the fragment, deleted rows included.
    pub offset: u64,
}

/// Finds rows by their ids: a list of ranges of ids, sorted.
///
/// It takes 32 bytes for each range of ids that follow each other, so usually for each fragment.
///
/// ```
/// use rntuple_dataset::format::{DeletionVector, RowAddress, RowIdIndex, RowIdSequence};
///
/// let ids = RowIdSequence::from(100..200);
/// let deleted = DeletionVector::from_iter([7]);
/// let index = RowIdIndex::new([(42, &ids, &deleted)])?;
/// assert_eq!(index.get(109), Some(RowAddress { fragment: 42, offset: 9 }));
/// assert_eq!(index.get(107), None);
/// # Ok::<(), rntuple_dataset::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RowIdIndex {
    /// Sorted, and without common ids.
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u64,
    end: u64,
    address: RowAddress,
}

impl RowIdIndex {
    /// Creates an index of the rows of fragments that are not deleted; each fragment with its id.
    ///
    /// An id may occur twice where only one of the rows is not deleted: the other one was its place before an update.
    ///
    /// # Errors
    ///
    /// [`OutOfSpec`](crate::ErrorKind::OutOfSpec) where two rows have the same id.
    pub fn new<'a>(
        fragments: impl IntoIterator<Item = (u64, &'a RowIdSequence, &'a DeletionVector)>,
    ) -> Result<Self> {
        let mut entries = Vec::new();
        for (fragment, ids, deleted) in fragments {
            entries.extend(ids.live_runs(deleted).map(|(run, offset)| Entry {
                start: run.start,
                end: run.end,
                address: RowAddress { fragment, offset },
            }));
        }
        entries.sort_unstable_by_key(|entry| entry.start);
        for pair in entries.windows(2) {
            if let [first, second] = pair
                && second.start < first.end
            {
                let of = |entry: &Entry| format!("fragment {}", entry.address.fragment);
                return Err(Error::out_of_spec(format!(
                    "row id {} is in {} and in {}",
                    second.start,
                    of(first),
                    of(second)
                )));
            }
        }
        Ok(Self { entries })
    }

    /// Returns the place of the row; `None` where it does not exist, or is deleted.
    pub fn get(&self, id: u64) -> Option<RowAddress> {
        let after = self.entries.partition_point(|entry| entry.start <= id);
        let entry = self.entries.get(after.checked_sub(1)?).filter(|entry| id < entry.end)?;
        Some(RowAddress { offset: entry.address.offset + (id - entry.start), ..entry.address })
    }

    /// Returns the count of rows.
    pub fn count(&self) -> u64 {
        self.entries.iter().map(|entry| entry.end - entry.start).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn two_rows_do_not_have_one_id() {
        let none = DeletionVector::new();
        let (first, second) = (RowIdSequence::from(0..10), RowIdSequence::from(9..12));
        let error = RowIdIndex::new([(3, &first, &none), (4, &second, &none)]).unwrap_err();
        assert_eq!(error.to_string(), "row id 9 is in fragment 3 and in fragment 4");
        // The row was updated: its old place is deleted.
        let deleted = DeletionVector::from_iter([9]);
        let index = RowIdIndex::new([(3, &first, &deleted), (4, &second, &none)]).unwrap();
        assert_eq!(index.get(9), Some(RowAddress { fragment: 4, offset: 0 }));
        assert_eq!(index.count(), 12);
        let error = RowIdIndex::new([(3, &RowIdSequence::from_ids([1, 0, 1]).unwrap(), &none)]);
        assert_eq!(error.unwrap_err().to_string(), "row id 1 is in fragment 3 and in fragment 3");
    }

    #[test]
    fn a_hundred_thousand_fragments_are_found_soon() {
        let none = DeletionVector::new();
        let sequences: Vec<RowIdSequence> =
            (0..100_000).map(|number| RowIdSequence::from(1000 * number..1000 * number + 1000)).collect();
        let start = Instant::now();
        let index = RowIdIndex::new((0..).zip(&sequences).map(|(id, ids)| (id, ids, &none))).unwrap();
        for id in (0..100_000_000).step_by(997) {
            assert_eq!(index.get(id), Some(RowAddress { fragment: id / 1000, offset: id % 1000 }));
        }
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }

    proptest! {
        #[test]
        fn rows_are_found_where_they_are(
            order in Just((0..400u64).collect::<Vec<_>>()).prop_shuffle(),
            cuts in proptest::collection::vec(1..120usize, 1..8),
            deleted in proptest::collection::btree_set(0..120u32, 0..60),
            sorted: bool,
        ) {
            let mut order = order;
            if sorted {
                order.sort_unstable();
            }
            let deleted: DeletionVector = deleted.into_iter().collect();
            let mut expected = BTreeMap::new();
            let mut sequences = Vec::new();
            let mut rest = &*order;
            for (fragment, cut) in (10..).zip(cuts) {
                let (ids, after) = rest.split_at(cut.min(rest.len()));
                rest = after;
                for (offset, &id) in (0..).zip(ids) {
                    if !deleted.contains(offset) {
                        expected.insert(id, RowAddress { fragment, offset: offset.into() });
                    }
                }
                sequences.push((fragment, RowIdSequence::from_ids(ids.iter().copied()).unwrap()));
            }
            let index = RowIdIndex::new(sequences.iter().map(|(id, ids)| (*id, ids, &deleted))).unwrap();
            for id in 0..=400 {
                prop_assert_eq!(index.get(id), expected.get(&id).copied(), "{}", id);
            }
            prop_assert_eq!(index.count(), expected.len() as u64);
        }
    }
}
