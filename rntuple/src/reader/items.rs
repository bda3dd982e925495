//! The items of one collection, without the entries around them.

use std::collections::BTreeSet;
use std::fmt;

use super::Reader;
use super::connected::Connect;
use super::elements::Elements;
use crate::error::Result;
use crate::field::ReadField;
use crate::field::columnar::{Columns, ReadColumnar, SliceOf};
use crate::schema::ColumnId;

/// The items of the collections of one field, in the order of entries: [`Reader::items`].
///
/// They are read in portions, so that a collection may be larger than the memory of the machine.
pub struct Items<I: ReadColumnar> {
    elements: Elements<I::Reader>,
    columns: I::Columns,
    /// Items that are still to be read; all that there are, unless an entry was chosen.
    left: Option<u64>,
}

impl<T: ReadField> Reader<T> {
    /// Reads the items of the collections at a path (`hits`, `tracks.hits`), column by column, whatever `T` is.
    ///
    /// The first file must have the field at once, the others when they are reached.
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, Value, WriteOptions, Writer, storage::Memory};
    /// #[derive(RNTuple)]
    /// #[rntuple(columnar)]
    /// struct Hit { cell: u32, energy: f32 }
    ///
    /// # #[derive(RNTuple)]
    /// # struct Event { hits: Vec<Hit> }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # for first in [0, 1000] {
    /// #     writer.fill(&Event { hits: (first..first + 1000).map(|cell| Hit { cell, energy: 0.5 }).collect() })?;
    /// # }
    /// # let storage = writer.finish_into()?.1;
    /// let reader = Reader::<Value>::open(storage, "Events")?;
    /// let mut items = reader.items::<Hit>("hits")?;
    /// // A hundred hits at a time, first of all entries ..
    /// let mut energy = 0.0;
    /// while let Some(hits) = items.lend(100)? {
    ///     energy += hits.energy.iter().sum::<f32>();
    /// }
    /// assert_eq!(energy, 1000.0);
    /// // .. and then of one.
    /// items.choose_entry(1)?;
    /// let mut cells = Vec::new();
    /// while let Some(hits) = items.lend(100)? {
    ///     cells.extend_from_slice(hits.cell);
    /// }
    /// assert!(cells.into_iter().eq(1000..2000));
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if there is no field at the path,
    /// [`SchemaMismatch`](crate::ErrorKind::SchemaMismatch) if it leads to something else than a collection of `I`.
    pub fn items<I: ReadColumnar>(&self, path: &str) -> Result<Items<I>> {
        let (files, options) = (self.cursors.files().clone(), self.cursors.options());
        let connect = Connect::field(&format!("{path}._0"), I::connect);
        let elements = Elements::new(files, options, connect, false)?;
        Ok(Items { elements, columns: I::Columns::default(), left: None })
    }
}

impl<I: ReadColumnar> Items<I> {
    /// Lends the next items, at most `most`; `None` after the last one. They may be fewer where a cluster ends.
    ///
    /// # Errors
    /// A page is damaged, or has a value that `I` does not take: only [`choose_entry`](Self::choose_entry) and
    /// [`seek_entry`](Self::seek_entry) lead further. One call is bounded as [`Column::read_into`](super::Column::read_into)
    /// is. Where a file has no column for `I`, as all its members have defaults, the items are counted by the offsets
    /// above them: in a variant they cannot be.
    pub fn lend(&mut self, most: usize) -> Result<Option<SliceOf<'_, I>>> {
        self.columns.clear();
        self.elements.begin_call();
        let wanted = self.left.unwrap_or(u64::MAX).min(most as u64);
        if wanted == 0 || !self.elements.advance()? {
            return Ok(None);
        }
        let count = self.elements.take(wanted)?;
        let length = usize::try_from(count).unwrap_or(most);
        if let Err(error) = I::read_columns(self.elements.columns(), length, &mut self.columns) {
            self.columns.clear();
            return Err(self.elements.stumble(error));
        }
        self.left = self.left.map(|left| left - count);
        Ok(Some(self.columns.as_slice()))
    }

    /// Continues with the first item of an entry, and ends after its last one.
    ///
    /// # Errors
    /// As [`seek_entry`](Self::seek_entry).
    pub fn choose_entry(&mut self, entry: u64) -> Result<()> {
        self.left = Some(0);
        self.left = Some(self.elements.choose_entry(entry)?);
        Ok(())
    }

    /// Continues with the first item of an entry, from where all items after it follow.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) after the last entry, or in a variant, whose values
    /// are in no order of entries; or offsets are damaged.
    pub fn seek_entry(&mut self, entry: u64) -> Result<()> {
        self.left = None;
        self.elements.seek_entry(entry)
    }

    /// Returns the columns of the file that are read.
    pub fn selected_columns(&self) -> &BTreeSet<ColumnId> {
        self.elements.selected()
    }
}

impl<I: ReadColumnar> fmt::Debug for Items<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items")
            .field("path", &self.elements.path())
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}
