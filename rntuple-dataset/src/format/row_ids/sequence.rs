//! `lance.table.RowIdSequence`: the ids of the rows of a fragment.

use std::ops::Range;

use prost::Message as _;

use super::segment::{Run, SequenceMessage, store};
use crate::error::{Error, Result};
use crate::format::DeletionVector;
use crate::format::wire::{LEAF, Shape, decode};

const SEQUENCE: &Shape = &Shape(&[(1, LEAF)]);

/// How many runs are walked to find a row, at most.
const GROUP: usize = 16;

/// The ids of the rows of a fragment, in the order of the rows.
///
/// It is stored, and kept in memory, as ranges of ids that follow each other.
///
/// ```
/// use rntuple_dataset::format::RowIdSequence;
///
/// let mut ids = RowIdSequence::from(10..15);
/// ids.extend(&RowIdSequence::from_ids([3, 99])?);
/// assert_eq!(ids.iter().collect::<Vec<_>>(), [10, 11, 12, 13, 14, 3, 99]);
/// assert_eq!(RowIdSequence::read(&ids.to_bytes(), 7)?, ids);
/// # Ok::<(), rntuple_dataset::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowIdSequence {
    /// None is empty, and none continues the one before.
    runs: Vec<Run>,
    /// Of every 16th run, from the first one on, the offset of its first row.
    starts: Vec<u64>,
    count: u64,
}

impl RowIdSequence {
    /// Creates a sequence without ids.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a sequence of these ids, in their order.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for `u64::MAX`, which is not an id.
    pub fn from_ids(ids: impl IntoIterator<Item = u64>) -> Result<Self> {
        let mut sequence = Self::new();
        for id in ids {
            let end = id.checked_add(1);
            let end = end.ok_or_else(|| Error::invalid_argument(format!("{id} is not an id of a row")))?;
            sequence.push(id..end);
        }
        Ok(sequence)
    }

    /// Returns the count of ids.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns whether there are no ids.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the ids.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.runs.iter().cloned().flatten()
    }

    /// Returns the ranges of ids that follow each other, in the order of the rows.
    pub fn runs(&self) -> &[Range<u64>] {
        &self.runs
    }

    /// Returns the id of the row at `offset`. The run that it is in is searched by halves.
    pub fn get(&self, offset: u64) -> Option<u64> {
        let group = self.starts.partition_point(|start| *start <= offset).checked_sub(1)?;
        let mut left = offset - self.starts.get(group)?;
        for run in self.runs.iter().skip(group * GROUP).take(GROUP) {
            match left.checked_sub(run.end - run.start) {
                Some(rest) => left = rest,
                None => return Some(run.start + left),
            }
        }
        None
    }

    /// Returns the ids of the rows from `start` to `end`, the latter excluded, as far as there are such rows.
    pub fn slice(&self, rows: Range<u64>) -> Self {
        let mut sequence = Self::new();
        let mut first = 0;
        for run in &self.runs {
            let end = first + (run.end - run.start);
            let (from, to) = (rows.start.max(first), rows.end.min(end));
            if from < to {
                sequence.push(run.start + (from - first)..run.start + (to - first));
            }
            first = end;
        }
        sequence
    }

    /// Returns the ids of the rows that are not deleted.
    pub fn without(&self, deleted: &DeletionVector) -> Self {
        let mut sequence = Self::new();
        for (run, _) in self.live_runs(deleted) {
            sequence.push(run);
        }
        sequence
    }

    /// Adds the ids of `other` at the end.
    pub fn extend(&mut self, other: &Self) {
        other.runs.iter().cloned().for_each(|run| self.push(run));
    }

    /// Returns the runs of rows that are not deleted, each with the offset of its first row.
    pub(super) fn live_runs<'a>(
        &'a self,
        deleted: &'a DeletionVector,
    ) -> impl Iterator<Item = (Run, u64)> + 'a {
        let mut first = 0;
        self.runs.iter().flat_map(move |run| {
            let start = first;
            let end = start + (run.end - run.start);
            first = end;
            // Rows after 2^32 cannot be deleted.
            let [from, to] = [start, end].map(|offset| u32::try_from(offset).unwrap_or(u32::MAX));
            let holes = deleted.iter_range(from, to).map(u64::from).chain([end]);
            let mut next = start;
            holes.filter_map(move |hole| {
                let (begin, ids) = (next, run.start + (next - start)..run.start + (hole - start));
                // The end of the last run may be the largest of all numbers.
                next = hole.saturating_add(1);
                (!ids.is_empty()).then_some((ids, begin))
            })
        })
    }

    /// Reads the bytes of a sequence of `rows` ids.
    ///
    /// # Errors
    ///
    /// [`OutOfSpec`](crate::ErrorKind::OutOfSpec) where the bytes are not such a sequence, and
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for a way of storing that is not known.
    pub fn read(bytes: &[u8], rows: u64) -> Result<Self> {
        let sequence = Self::read_partial(bytes, rows)?;
        match sequence.count == rows {
            true => Ok(sequence),
            false => Err(Error::out_of_spec(format!("there are {} row ids for {rows} rows", sequence.count))),
        }
    }

    /// Reads the bytes of a sequence of at most `rows` ids: the rows after them have none yet.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn read_partial(bytes: &[u8], rows: u64) -> Result<Self> {
        let message: SequenceMessage = decode(bytes, SEQUENCE)?;
        let mut sequence = Self::new();
        for segment in &message.segments {
            segment.for_each_run(&mut |run| {
                // A few bytes can state any number of ids.
                if run.end - run.start > rows - sequence.count {
                    return Err(Error::out_of_spec(format!("there are more row ids than the {rows} rows")));
                }
                sequence.push(run);
                Ok(())
            })?;
        }
        Ok(sequence)
    }

    /// Returns the bytes of the sequence.
    pub fn to_bytes(&self) -> Vec<u8> {
        SequenceMessage { segments: store(&self.runs) }.encode_to_vec()
    }

    fn push(&mut self, run: Run) {
        if run.is_empty() {
            return;
        }
        let start = self.count;
        self.count = self.count.saturating_add(run.end - run.start);
        match self.runs.last_mut() {
            Some(last) if last.end == run.start => last.end = run.end,
            _ => {
                if self.runs.len().is_multiple_of(GROUP) {
                    self.starts.push(start);
                }
                self.runs.push(run);
            }
        }
    }
}

impl From<Range<u64>> for RowIdSequence {
    fn from(ids: Range<u64>) -> Self {
        let mut sequence = Self::new();
        sequence.push(ids);
        sequence
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ErrorKind;

    /// Ids as they occur: runs with holes, near and far, sorted or not.
    fn ids() -> impl Strategy<Value = Vec<u64>> {
        let start = prop_oneof![0..100u64, 0..100_000u64, 1 << 33..1u64 << 34];
        let run = (start, 1..40u64).prop_map(|(start, length)| start..start + length);
        (proptest::collection::vec(run, 0..40), any::<bool>()).prop_map(|(runs, sort)| {
            let mut ids: Vec<u64> = runs.into_iter().flatten().collect();
            if sort {
                ids.sort_unstable();
                ids.dedup();
            }
            ids
        })
    }

    proptest! {
        #[test]
        fn ids_are_read_as_they_were_written(ids in ids()) {
            let sequence = RowIdSequence::from_ids(ids.iter().copied()).unwrap();
            let bytes = sequence.to_bytes();
            prop_assert!(bytes.len() <= 9 * ids.len() + 24, "{} bytes", bytes.len());
            let read = RowIdSequence::read(&bytes, ids.len() as u64).unwrap();
            prop_assert_eq!(read.iter().collect::<Vec<_>>(), ids);
            prop_assert_eq!(read, sequence);
        }

        #[test]
        fn parts_are_those_of_a_list(
            ids in ids(), more in ids(), start in 0..2000u64, length in 0..2000u64, deleted: Vec<u16>,
        ) {
            let mut sequence = RowIdSequence::from_ids(ids.iter().copied()).unwrap();
            let end = start + length;
            let part = |from: u64| usize::try_from(from).unwrap().min(ids.len());
            let slice: Vec<u64> = sequence.slice(start..end).iter().collect();
            prop_assert_eq!(slice, &ids[part(start)..part(end)]);
            prop_assert_eq!(sequence.get(start), ids.get(part(start)).copied());
            let deleted: DeletionVector = deleted.into_iter().map(|offset| u32::from(offset) % 1000).collect();
            let kept = (0..).zip(&ids).filter(|(offset, _)| !deleted.contains(*offset)).map(|(_, &id)| id);
            let without = sequence.without(&deleted);
            prop_assert_eq!(without.iter().collect::<Vec<_>>(), kept.collect::<Vec<_>>());
            sequence.extend(&RowIdSequence::from_ids(more.iter().copied()).unwrap());
            prop_assert_eq!(sequence.iter().collect::<Vec<_>>(), [ids, more].concat());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>, rows in 0..1000u64) {
            if let Ok(read) = RowIdSequence::read(&bytes, rows) {
                prop_assert_eq!(read.iter().count() as u64, rows);
            }
        }

        #[test]
        fn flipped_bytes_are_read_or_refused(ids in ids(), at in any::<proptest::sample::Index>(), value: u8) {
            let mut bytes = RowIdSequence::from_ids(ids.iter().copied()).unwrap().to_bytes();
            if !bytes.is_empty() {
                *at.get_mut(&mut bytes) = value;
            }
            if let Ok(read) = RowIdSequence::read(&bytes, ids.len() as u64) {
                prop_assert_eq!(read.iter().count(), ids.len());
            }
        }
    }

    /// A walk through all runs for each row would take minutes.
    #[test]
    fn a_row_is_found_soon_among_many() {
        let sequence = RowIdSequence::from_ids((0..300_000).map(|number| 2 * number)).unwrap();
        assert!((0..300_000).all(|offset| sequence.get(offset) == Some(2 * offset)));
        assert_eq!(sequence.get(300_000), None);
        assert_eq!(RowIdSequence::new().get(0), None);
    }

    #[test]
    fn rows_up_to_the_largest_number_are_live() {
        let (ids, none) = (RowIdSequence::from(0..u64::MAX), DeletionVector::new());
        assert!(ids.live_runs(&none).eq([(0..u64::MAX, 0)]));
        let deleted = DeletionVector::from_iter([7]);
        assert_eq!(ids.without(&deleted).runs(), [0..7, 8..u64::MAX]);
    }

    #[test]
    fn the_count_is_that_of_the_rows() {
        let bytes = RowIdSequence::from(0..u64::MAX).to_bytes();
        let error = RowIdSequence::read(&bytes, 1000).unwrap_err();
        assert_eq!(error.to_string(), "there are more row ids than the 1000 rows");
        let bytes = RowIdSequence::from(0..999).to_bytes();
        let error = RowIdSequence::read(&bytes, 1000).unwrap_err();
        assert_eq!(error.to_string(), "there are 999 row ids for 1000 rows");
        assert_eq!(RowIdSequence::from_ids([u64::MAX]).unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
}
