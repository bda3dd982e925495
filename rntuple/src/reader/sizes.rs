//! How many items collections have, without the items.

use std::collections::BTreeSet;
use std::fmt;

use super::Reader;
use super::connected::Connect;
use super::elements::Elements;
use crate::error::Result;
use crate::field::columnar::ReadColumnar;
use crate::field::{Cardinality, CardinalityReader, ReadField};
use crate::schema::ColumnId;

/// The sizes of the collections of one field, in the order of entries: [`Reader::sizes`].
///
/// Only the column of offsets is read.
pub struct Sizes {
    elements: Elements<CardinalityReader>,
}

impl<T: ReadField> Reader<T> {
    /// Reads how many items each of the collections at a path (`muons`, `muons.hits`) has; also what ROOT wrote as
    /// `ROOT::RNTupleCardinality`.
    ///
    /// The path need not be one of `T`'s. The first file must have it at once, the others when they are reached. Among
    /// the members of a struct, a [`Cardinality`] is the same.
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
    /// let reader = Reader::<Value>::open(storage, "Events")?;
    /// let mut sizes = Vec::new();
    /// reader.sizes("muons")?.read_into(usize::MAX, &mut sizes)?;
    /// assert_eq!(sizes, [2, 0, 1]);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if there is no field at the path,
    /// [`SchemaMismatch`](crate::ErrorKind::SchemaMismatch) if it leads to something else.
    pub fn sizes(&self, path: &str) -> Result<Sizes> {
        let (files, options) = (self.cursors.files().clone(), self.cursors.options());
        let connect = Connect::field(path, Cardinality::connect);
        Ok(Sizes { elements: Elements::new(files, options, connect, false)? })
    }
}

impl Sizes {
    /// Appends the sizes of the next `count` collections to `out`, or of all that are left; returns how many.
    ///
    /// # Errors
    /// A page is damaged: only [`seek_entry`](Self::seek_entry) leads further. One call is bounded as
    /// [`Column::read_into`](super::Column::read_into) is.
    pub fn read_into(&mut self, count: usize, out: &mut Vec<u64>) -> Result<usize> {
        self.elements.begin_call();
        let mut left = count;
        while left > 0 && self.elements.advance()? {
            let remaining = self.elements.remaining();
            // Those of this cluster.
            let mut wanted = usize::try_from(remaining).unwrap_or(usize::MAX).min(left);
            self.elements.take_values::<u64>(wanted)?;
            while wanted > 0 {
                let portion = self.elements.make_room(out, wanted)?;
                let result = Cardinality::read_columns(self.elements.columns(), portion, out);
                result.map_err(|error| self.elements.stumble(error))?;
                left -= portion;
                wanted -= portion;
            }
        }
        Ok(count - left)
    }

    /// Continues with the first collection of an entry.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) after the last entry, or in a variant, whose values
    /// are in no order of entries; or offsets are damaged.
    pub fn seek_entry(&mut self, entry: u64) -> Result<()> {
        self.elements.seek_entry(entry)
    }

    /// Returns the columns of the file that are read: the representations of the offsets.
    pub fn selected_columns(&self) -> &BTreeSet<ColumnId> {
        self.elements.selected()
    }
}

impl fmt::Debug for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sizes").field("path", &self.elements.path()).finish_non_exhaustive()
    }
}
