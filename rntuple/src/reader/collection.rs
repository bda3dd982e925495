//! How many items collections have, without the items.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::source::Source;
use super::walk::Walk;
use super::{ReadOptions, Reader};
use crate::dataset::Dataset;
use crate::error::Result;
use crate::field::batch::ReadBatch;
use crate::field::{Attach as _, Cardinality, CardinalityReader, ReadField};
use crate::schema::ColumnId;

/// The sizes of the collections of one field, in the order of entries: [`Reader::collection`].
///
/// Only the column of offsets is read.
pub struct Collection {
    walk: Walk<CardinalityReader>,
}

impl<T: ReadField> Reader<T> {
    /// The collections at a path (`muons`, `muons.hits`), seen without their items.
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, Value, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { muons: Vec<f32> }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # for muons in [vec![31.0, 12.0], vec![], vec![7.0]] {
    /// #     writer.fill(&Event { muons })?;
    /// # }
    /// # let storage = writer.finish_into()?.1;
    /// let reader = Reader::<Value>::from_storage(storage, "Events")?;
    /// assert_eq!(reader.collection("muons")?.counts()?, [2, 0, 1]);
    /// assert_eq!(reader.collection("muons")?.offsets()?, [0, 2, 2, 3]);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the path leads nowhere,
    /// [`SchemaMismatch`](crate::ErrorKind::SchemaMismatch) if it leads to something else.
    pub fn collection(&self, path: &str) -> Result<Collection> {
        Collection::open(self.dataset.clone(), path, &self.options)
    }

    /// How many items each of the collections at a path has; also what ROOT wrote as
    /// `ROOT::RNTupleCardinality`.
    ///
    /// # Errors
    /// As [`collection`](Self::collection), or a page is damaged.
    pub fn cardinality(&self, path: &str) -> Result<Vec<u64>> {
        self.collection(path)?.counts()
    }
}

impl Collection {
    /// The collections of an ntuple that is open already, without a reader.
    ///
    /// # Errors
    /// As [`Reader::collection`].
    pub fn open(dataset: Arc<Dataset>, path: &str, options: &ReadOptions) -> Result<Self> {
        Self::of(Source::One(dataset), path, options)
    }

    pub(super) fn of(source: Source, path: &str, options: &ReadOptions) -> Result<Self> {
        Ok(Self { walk: Walk::connect(source, options, path, Cardinality::connect)? })
    }

    /// How many items each collection has, from where this stands to the last one.
    ///
    /// # Errors
    /// A page is damaged.
    pub fn counts(&mut self) -> Result<Vec<u64>> {
        let mut counts = Vec::new();
        self.read_counts(usize::MAX, &mut counts)?;
        Ok(counts)
    }

    /// Where the items of each collection begin, counted from the first that was not read; behind these where the
    /// last one ends.
    ///
    /// # Errors
    /// A page is damaged.
    pub fn offsets(&mut self) -> Result<Vec<u64>> {
        let mut offsets = vec![0];
        self.read_offsets(usize::MAX, &mut offsets)?;
        Ok(offsets)
    }

    /// Appends the sizes of the next `count` collections to `out`, or of as many as there are; returns how many.
    ///
    /// # Errors
    /// A page is damaged. Only [`seek_entry`](Self::seek_entry) leads further. One call is bounded as
    /// [`Column::read_into`](super::Column::read_into) is.
    pub fn read_counts(&mut self, count: usize, out: &mut Vec<u64>) -> Result<usize> {
        self.walk.begin();
        let mut left = count;
        while left > 0 && self.walk.advance()? {
            let remaining = self.walk.columns.remaining().unwrap_or_default();
            // Those of this cluster.
            let mut wanted = usize::try_from(remaining).unwrap_or(usize::MAX).min(left);
            self.walk.take_values::<u64>(wanted)?;
            while wanted > 0 {
                let portion = self.walk.make_room(out, wanted)?;
                let result = self.walk.columns.read_batch(portion, out);
                result.map_err(|error| self.walk.stumble(error))?;
                left -= portion;
                wanted -= portion;
            }
        }
        Ok(count - left)
    }

    /// As [`read_counts`](Self::read_counts), for the ends of collections, counted on from the last one in `out`.
    ///
    /// # Errors
    /// As [`read_counts`](Self::read_counts).
    pub fn read_offsets(&mut self, count: usize, out: &mut Vec<u64>) -> Result<usize> {
        let start = out.len();
        let mut end = out.last().copied().unwrap_or_default();
        let read = self.read_counts(count, out)?;
        for count in out.iter_mut().skip(start) {
            end = end.wrapping_add(*count);
            *count = end;
        }
        Ok(read)
    }

    /// Goes to the first collection of an entry.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) beyond the last entry, or in a variant, whose values
    /// are in no order of entries; or offsets are damaged.
    pub fn seek_entry(&mut self, entry: u64) -> Result<()> {
        self.walk.seek_entry(entry, false)
    }

    /// The columns of the file that are read: the representations of the offsets.
    pub fn selected_columns(&self) -> &BTreeSet<ColumnId> {
        self.walk.selected()
    }
}

impl fmt::Debug for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collection").field("path", &self.walk.path()).finish_non_exhaustive()
    }
}
