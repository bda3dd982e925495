//! Walking through the elements of one field, whatever the entries are.

use std::collections::BTreeSet;
use std::ops::Range;

use super::ReadOptions;
use super::connected::Connect;
use super::cursor::{Cursor, Way};
use super::entry_list::EntryList;
use super::sequence::SharedFiles;
use crate::error::{Error, Result};
use crate::field::{Attach, Position};
use crate::limits;
use crate::schema::ColumnId;

/// The columns of a field, from one cluster to the next.
pub(super) struct Elements<R> {
    cursor: Cursor<R>,
    /// The entries that there are for the reader, unless all are.
    only: Option<EntryList>,
    /// Whether the elements are the scalars inside the field.
    scalars: bool,
    /// The entry from where the next elements are read; `None` after the last one, and after an error.
    next: Option<u64>,
    /// The entries of the cluster that the columns are in, from the first one that is read; empty where they are in none.
    attached: Range<u64>,
    /// Whether the first of them is the first one of the cluster.
    starts_cluster: bool,
    /// Elements at the end of the cluster that are not read now: other entries, which may not be there, have them.
    beyond: u64,
    /// Elements up to the end of the cluster, where the columns cannot say: the file has none for the type.
    unstored: u64,
    /// Where the entries of a cluster have their elements: the one in which runs of entries were found last.
    way: Option<Way>,
}

impl<R: Attach> Elements<R> {
    /// `scalars`: the elements are the scalars inside the field.
    pub(super) fn new(
        files: SharedFiles,
        options: &ReadOptions,
        connect: Connect<R>,
        scalars: bool,
    ) -> Result<Self> {
        let only = options.only.clone();
        let cursor = Cursor::new(files, options, &connect, Some(0..u64::MAX))?;
        Ok(Self {
            cursor,
            only,
            scalars,
            next: Some(0),
            attached: 0..0,
            starts_cluster: false,
            beyond: 0,
            unstored: 0,
            way: None,
        })
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

    /// The elements that are left in this cluster, as far as they are read one after the other.
    #[inline]
    pub(super) fn remaining(&mut self) -> u64 {
        self.up_to_end().saturating_sub(self.beyond)
    }

    /// The elements up to the end of the cluster.
    #[inline]
    fn up_to_end(&mut self) -> u64 {
        let unstored = self.unstored;
        self.columns().remaining().unwrap_or(unstored)
    }

    /// Takes up to `wanted` elements of this cluster, which the call reads at once; returns how many.
    ///
    /// # Errors
    /// They are not on storage, and too many for one call.
    pub(super) fn take(&mut self, wanted: u64) -> Result<u64> {
        let count = self.remaining().min(wanted);
        if self.columns().remaining().is_none() {
            self.cursor.take_unstored(count).inspect_err(|_| self.end())?;
            self.unstored -= count;
        }
        Ok(count)
    }

    /// Goes to the first cluster with an element that was not read; `false` after the last one.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<bool> {
        if !self.attached.is_empty() && self.remaining() > 0 { Ok(true) } else { self.next_elements() }
    }

    #[cold]
    fn next_elements(&mut self) -> Result<bool> {
        while let Some(entry) = self.next {
            match self.run_from(entry) {
                Some(run) if self.only.is_some() => self.find(run).map(drop)?,
                Some(run) => {
                    self.enter(run.start)?;
                    self.count_from(0).map_err(|error| self.stumble(error))?;
                }
                None => self.end(),
            }
            if !self.attached.is_empty() && self.remaining() > 0 {
                return Ok(true);
            }
        }
        self.attached = 0..0;
        Ok(false)
    }

    /// The next entries that there are, from `entry` on.
    fn run_from(&self, entry: u64) -> Option<Range<u64>> {
        let Some(only) = &self.only else { return Some(entry..u64::MAX) };
        let runs = only.ranges();
        let run = runs.get(runs.partition_point(|run| run.end <= entry))?;
        Some(run.start.max(entry)..run.end)
    }

    /// Goes to the beginning of the cluster that has an entry, if there is such an entry.
    fn enter(&mut self, entry: u64) -> Result<()> {
        self.beyond = 0;
        let cluster = self.cursor.any().enter(entry).inspect_err(|_| self.end())?;
        self.next = cluster.as_ref().map(|cluster| cluster.end);
        self.attached = entry..self.next.unwrap_or(entry);
        self.starts_cluster = cluster.is_some_and(|cluster| cluster.start == entry);
        Ok(())
    }

    /// Counts the elements of the cluster from `start` on, where the columns cannot say. Then the offsets above the
    /// field do.
    fn count_from(&mut self, start: u64) -> Result<()> {
        self.unstored = 0;
        if self.columns().remaining().is_none() && !self.attached.is_empty() {
            let elements = self.elements_of(&self.attached.clone())?;
            self.unstored = elements.map_or(0, |elements| elements.end.saturating_sub(start));
        }
        Ok(())
    }

    /// Nothing can be trusted before the next seek.
    #[cold]
    pub(super) fn stumble(&mut self, error: Error) -> Error {
        self.end();
        self.cursor.any().stumble(error)
    }

    #[cold]
    fn end(&mut self) {
        (self.attached, self.next) = (0..0, None);
    }

    /// Goes to the first element of an entry.
    pub(super) fn seek_entry(&mut self, entry: u64) -> Result<()> {
        let end = match &self.only {
            Some(_) => self.run_from(entry).map_or(entry, |run| run.end),
            None => entry,
        };
        self.seek(entry..end).map(drop)
    }

    /// Goes to the first element of an entry, and returns the number of its elements.
    pub(super) fn choose_entry(&mut self, entry: u64) -> Result<u64> {
        self.seek(entry..entry.saturating_add(1))
    }

    /// Goes to the elements of entries, and returns how many of them are in the cluster of the first one.
    ///
    /// # Errors
    /// The first one is not there.
    fn seek(&mut self, entries: Range<u64>) -> Result<u64> {
        self.end();
        let first = entries.start;
        self.cursor.check_entry(first)?;
        let found = self.find(entries)?;
        found.ok_or_else(|| self.cursor.any().beyond(first))
    }

    /// As [`go_to`](Self::go_to), and ends the walk unless the first entry is found.
    fn find(&mut self, entries: Range<u64>) -> Result<Option<u64>> {
        let first = entries.start;
        let found = self.go_to(entries);
        if !matches!(found, Ok(Some(_))) {
            self.end();
        }
        found.map_err(|error| self.cursor.any().stumble_at(first, error))
    }

    /// Goes to the elements that entries have in the cluster of the first one, and returns how many these are; `None` if
    /// there is no such entry. Where the reader has all entries, those after them follow.
    fn go_to(&mut self, entries: Range<u64>) -> Result<Option<u64>> {
        if self.only.is_some() {
            self.cursor.walk_through(entries.clone(), self.only.as_ref());
            if !self.attached.contains(&entries.start) {
                self.enter(entries.start)?;
                // Where a cluster is wanted as a whole, its offsets are not needed. In the first one they are: they say
                // whether there is a way at all.
                if self.way.is_some() && self.starts_cluster && self.attached.end <= entries.end {
                    self.count_from(0)?;
                    return Ok(Some(self.up_to_end()));
                }
            }
        }
        let Some(Range { start, end }) = self.elements_of(&entries)? else { return Ok(None) };
        if !self.attached.contains(&entries.start) {
            self.enter(entries.start)?;
        }
        self.columns().seek(Position::at(start))?;
        self.count_from(start)?;
        let count = end - start;
        if self.only.is_some() {
            self.next = Some(entries.end.min(self.attached.end));
            let remaining = self.up_to_end();
            self.beyond = remaining.checked_sub(count).ok_or_else(|| {
                Error::out_of_spec(format!(
                    "entries have items {start} to {end}, of which only {remaining} are there"
                ))
            })?;
        }
        Ok(Some(count))
    }

    fn elements_of(&mut self, entries: &Range<u64>) -> Result<Option<Range<u64>>> {
        if !self.way.as_ref().is_some_and(|way| way.has(entries.start)) {
            let is_whole = self.only.is_some();
            self.way = self.cursor.any().way_to(entries.start, self.scalars, is_whole)?;
        }
        // It is trusted again when it has found its way.
        let Some(mut way) = self.way.take() else { return Ok(None) };
        let elements = way.elements_of(entries.clone())?;
        self.way = Some(way);
        Ok(Some(elements))
    }
}
