//! One column, without a struct.

use std::collections::BTreeSet;
use std::fmt;

use super::Reader;
use super::connected::Connect;
use super::elements::Elements;
use crate::encoding::Element;
use crate::error::Result;
use crate::field::{ColumnReader, ReadField};
use crate::schema::ColumnId;

/// The scalars of one field, in the order of entries: [`Reader::column`].
///
/// Of a field in collections these are the items of all collections, one after the other;
/// [`Sizes`](super::Sizes) has how many each has. Nothing but the one column is read.
pub struct Column<E: Element> {
    elements: Elements<ColumnReader<E>>,
}

impl<T: ReadField> Reader<T> {
    /// The scalars of the field at a path (`met`, `muons.pt` or `muons._0.pt`), read as `E`, whatever `T` is.
    ///
    /// The type may differ from the file's as that of a member may: integers of other widths are compared with
    /// the range of `E`, `f32` and `f64` are read as each other. The first file must have the field at once, the others when
    /// they are reached.
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, Value, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Muon { pt: f32 }
    /// # #[derive(RNTuple)]
    /// # struct Event { muons: Vec<Muon> }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # writer.fill(&Event { muons: vec![Muon { pt: 31.0 }, Muon { pt: 12.0 }] })?;
    /// # let storage = writer.finish_into()?.1;
    /// let reader = Reader::<Value>::open(storage, "Events")?;
    /// let mut column = reader.column::<f32>("muons.pt")?;
    /// let mut sum = 0.0;
    /// while let Some(values) = column.next_chunk()? {
    ///     sum += values.iter().sum::<f32>();
    /// }
    /// assert_eq!(sum, 43.0);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if there is no field at the path,
    /// [`SchemaMismatch`](crate::ErrorKind::SchemaMismatch) if it leads to something else.
    pub fn column<E: Element>(&self, path: &str) -> Result<Column<E>> {
        let (files, options) = (self.cursors.files().clone(), self.cursors.options());
        let connect = Connect::field(path, |field, column: &mut ColumnReader<E>| {
            *column = field.values()?;
            Ok(())
        });
        Ok(Column { elements: Elements::new(files, options, connect, true)? })
    }
}

impl<E: Element> Column<E> {
    /// Lends the next values from the decoded page, up to its end; `None` after the last one.
    ///
    /// # Errors
    /// A page is damaged, or has a value that `E` cannot hold: those before it come first. Only
    /// [`seek_entry`](Self::seek_entry) leads further.
    pub fn next_chunk(&mut self) -> Result<Option<&[E]>> {
        self.elements.begin_call();
        self.chunk_of(usize::MAX)
    }

    /// Appends the next `count` values to `out`, or as many as there are; returns how many.
    ///
    /// # Errors
    /// As [`next_chunk`](Self::next_chunk); the values before the fault are in `out`. One call returns as many bytes as
    /// an entry may have ([`entry_length`](crate::Limits::entry_length)), and 64 for each byte of the files that it
    /// reads. Of a column that was added later, one call reads up to four million of the zeros before it: they are not
    /// on storage ([`unstored_items`](crate::Limits::unstored_items)).
    pub fn read_into(&mut self, count: usize, out: &mut Vec<E>) -> Result<usize> {
        self.elements.begin_call();
        let mut left = count;
        while left > 0 && self.elements.advance()? {
            // Those of this cluster.
            let mut wanted = self.remaining().min(left);
            self.elements.take_values::<E>(wanted)?;
            while wanted > 0 {
                let room = self.elements.make_room(out, wanted)?;
                let Some(values) = self.chunk_of(room)? else { return Ok(count - left) };
                let found = values.len();
                out.extend_from_slice(values);
                left -= found;
                wanted -= found;
            }
        }
        Ok(count - left)
    }

    /// Values that follow each other in this cluster.
    fn remaining(&mut self) -> usize {
        usize::try_from(self.elements.remaining()).unwrap_or(usize::MAX)
    }

    fn chunk_of(&mut self, limit: usize) -> Result<Option<&[E]>> {
        if !self.elements.advance()? {
            return Ok(None);
        }
        let most = self.remaining().min(limit);
        // Asked before, for the slice borrows the column for as long as the answer lives.
        if let Err(error) = self.elements.columns().decode_next() {
            return Err(self.elements.stumble(error));
        }
        self.elements.columns().next_chunk(most).map(Some)
    }

    /// Continues with the first value of an entry, from where all later ones follow. After an entry without values come
    /// those of the next one.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) after the last entry, or in a variant, whose values
    /// are in no order of entries; or offsets are damaged.
    pub fn seek_entry(&mut self, entry: u64) -> Result<()> {
        self.elements.seek_entry(entry)
    }

    /// Returns the columns of the file that are read: the representations of one.
    pub fn selected_columns(&self) -> &BTreeSet<ColumnId> {
        self.elements.selected()
    }
}

impl<E: Element> fmt::Debug for Column<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Column").field("path", &self.elements.path()).finish_non_exhaustive()
    }
}
