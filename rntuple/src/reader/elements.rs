//! Walking through the elements of one field, whatever the entries are.

use std::collections::BTreeSet;
use std::ops::Range;

use super::ReadOptions;
use super::connected::Connect;
use super::cursor::Cursor;
use super::sequence::SharedFiles;
use crate::error::{Error, Result};
use crate::field::{Attach, Position};
use crate::limits;
use crate::schema::ColumnId;

/// The columns of a field, from one cluster to the next.
pub(super) struct Elements<R> {
    cursor: Cursor<R>,
    /// The first entry of the next cluster; `None` after the last one, and after an error.
    next: Option<u64>,
    /// Whether the columns are in a cluster.
    is_attached: bool,
}

impl<R: Attach> Elements<R> {
    pub(super) fn new(files: SharedFiles, options: &ReadOptions, connect: Connect<R>) -> Result<Self> {
        if options.only.is_some() {
            let message = "a column by itself has all entries: read `entries` or `batches` of a reader that was given some \
                           (`ReadOptions::only`)";
            return Err(files.place(Error::invalid_argument(message)));
        }
        let cursor = Cursor::new(files, options, &connect, Some(0..u64::MAX))?;
        Ok(Self { cursor, next: Some(0), is_attached: false })
    }

    pub(super) fn path(&self) -> &str {
        self.cursor.path()
    }

    pub(super) fn selected(&self) -> &BTreeSet<ColumnId> {
        self.cursor.selected()
    }

    #[inline]
    pub(super) fn columns(&mut self) -> &mut R {
        self.cursor.columns()
    }

    /// Begins one call, in which the walk may advance any number of times.
    #[inline]
    pub(super) fn begin_call(&mut self) {
        self.cursor.begin_call();
    }

    /// Makes room in `out` for some of the next `wanted` values, which the call returns; returns for how many.
    pub(super) fn make_room<V>(&mut self, out: &mut Vec<V>, wanted: usize) -> Result<usize> {
        limits::make_room(out, wanted).map_err(|error| self.stumble(error))
    }

    /// Counts values that the call returns.
    pub(super) fn take_values<V>(&mut self, count: usize) -> Result<()> {
        self.cursor.take_values::<V>(count).inspect_err(|_| self.end())
    }

    /// Goes to the first cluster with an element that was not read; `false` after the last one.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<bool> {
        if self.is_attached && self.columns().remaining() != Some(0) { Ok(true) } else { self.next_cluster() }
    }

    #[cold]
    fn next_cluster(&mut self) -> Result<bool> {
        while let Some(entry) = self.next {
            self.enter(entry)?;
            if self.is_attached && self.columns().remaining() != Some(0) {
                return Ok(true);
            }
        }
        self.is_attached = false;
        Ok(false)
    }

    /// Goes to the beginning of the cluster that has an entry, if there is such an entry.
    fn enter(&mut self, entry: u64) -> Result<()> {
        self.next = self.cursor.enter(entry).inspect_err(|_| self.end())?;
        self.is_attached = self.next.is_some();
        Ok(())
    }

    /// Nothing can be trusted before the next seek.
    #[cold]
    pub(super) fn stumble(&mut self, error: Error) -> Error {
        self.end();
        self.cursor.stumble(error)
    }

    #[cold]
    fn end(&mut self) {
        (self.is_attached, self.next) = (false, None);
    }

    /// Goes to the first element of an entry; `scalars`: of the scalars inside the field.
    pub(super) fn seek_entry(&mut self, entry: u64, scalars: bool) -> Result<()> {
        self.seek(entry, |cursor| Ok(cursor.first_element_of(entry, scalars)?.map(|first| (first, ()))))
    }

    /// Goes to the first element of an entry, and returns the number of its elements.
    pub(super) fn choose_entry(&mut self, entry: u64) -> Result<u64> {
        self.seek(entry, |cursor| {
            let elements = cursor.elements_of(entry, false)?;
            Ok(elements.map(|Range { start, end }| (start, end - start)))
        })
    }

    /// Goes to an entry's first element, which `find` finds with something else that is returned.
    fn seek<V>(
        &mut self,
        entry: u64,
        find: impl FnOnce(&mut Cursor<R>) -> Result<Option<(u64, V)>>,
    ) -> Result<V> {
        self.end();
        match self.try_seek(entry, find) {
            Ok(Some(found)) => Ok(found),
            Ok(None) => Err(self.cursor.beyond(entry)),
            Err(error) => {
                self.end();
                Err(self.cursor.stumble_at(entry, error))
            }
        }
    }

    /// Returns `None` if there is no such entry.
    fn try_seek<V>(
        &mut self,
        entry: u64,
        find: impl FnOnce(&mut Cursor<R>) -> Result<Option<(u64, V)>>,
    ) -> Result<Option<V>> {
        let Some((first, found)) = find(&mut self.cursor)? else { return Ok(None) };
        self.enter(entry)?;
        self.columns().seek(Position::at(first))?;
        Ok(Some(found))
    }
}
