//! The cursors of a reader: a type is connected once, and again only
//!
//! - for cursors that are in use at the same time, since each has its own pages,
//! - in each file that a cursor comes to, since columns of other files have other numbers,
//! - after a walk that has decoded ahead within a memory budget, unless it is over and the next one plans memory for all
//!   pages that it has.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::ReadOptions;
use super::connected::{Connect, Opened};
use super::cursor::Cursor;
use super::entry_list::EntryList;
use super::sequence::SharedFiles;
use crate::error::{Error, Result};
use crate::field::ReadField;
use crate::hidden::Hidden;

/// How many cursors for single entries are kept: as many as threads use at the same time, within reason.
const MOST_SINGLE: usize = 64;

/// Cursors of a type, and those of them that no one uses.
pub(super) struct Cursors<T: ReadField> {
    files: SharedFiles,
    options: Hidden<ReadOptions>,
    idle: Mutex<Vec<Cursor<T::Reader>>>,
    /// How many are kept after walks: each has the memory of a walk.
    kept: usize,
}

impl<T: ReadField> Cursors<T> {
    pub(super) fn new(files: SharedFiles, options: Hidden<ReadOptions>, kept: usize) -> Self {
        Self { files, options, idle: Mutex::default(), kept }
    }

    /// With the columns in the first file.
    pub(super) fn with(
        files: SharedFiles,
        options: Hidden<ReadOptions>,
        opened: Opened<T::Reader>,
    ) -> Result<Self> {
        let cursor = Cursor::opened(files.clone(), &options, &Connect::entries::<T>(), opened)?;
        let idle = Mutex::new(vec![cursor]);
        Ok(Self { files, options, idle, kept: 1 })
    }

    pub(super) fn files(&self) -> &SharedFiles {
        &self.files
    }

    pub(super) fn options(&self) -> &ReadOptions {
        &self.options
    }

    /// A new cursor for single entries.
    pub(super) fn another(&self) -> Result<Cursor<T::Reader>> {
        Cursor::new(self.files.clone(), &self.options, &Connect::entries::<T>(), None)
    }

    /// A cursor for the entries of a range in order, or for single entries.
    pub(super) fn take(self: &Arc<Self>, walk: Option<Range<u64>>) -> Loan<T> {
        let cursor = match self.idle(walk.as_ref()) {
            Some(mut cursor) => cursor.any().again(walk).map(|()| cursor),
            None => Cursor::new(self.files.clone(), &self.options, &Connect::entries::<T>(), walk),
        };
        Loan { cursor: cursor.map_err(Some), is_due: false, home: self.clone() }
    }

    /// A cursor that is taken once it is known which entries are read first.
    pub(super) fn take_later(self: &Arc<Self>) -> Loan<T> {
        Loan { cursor: Err(None), is_due: true, home: self.clone() }
    }

    /// One that no one uses; if there is one, that which has the pages where the walk begins.
    fn idle(&self, walk: Option<&Range<u64>>) -> Option<Cursor<T::Reader>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let last = idle.len().checked_sub(1)?;
        let before = walk.and_then(|walk| idle.iter().position(|cursor| cursor.is_before(walk.start)));
        Some(idle.swap_remove(before.unwrap_or(last)))
    }
}

/// A cursor in use, or why there is none.
pub(super) struct Loan<T: ReadField> {
    cursor: Result<Cursor<T::Reader>, Option<Error>>,
    /// Whether it has yet to be taken.
    is_due: bool,
    home: Arc<Cursors<T>>,
}

impl<T: ReadField> Loan<T> {
    /// # Errors
    /// Why there is none, once.
    #[inline]
    pub(super) fn cursor(&mut self) -> Result<&mut Cursor<T::Reader>, Option<Error>> {
        self.cursor.as_mut().map_err(Option::take)
    }

    /// The cursor, which is there unless it was refused.
    ///
    /// # Errors
    /// Why it was.
    pub(super) fn required(&mut self) -> Result<&mut Cursor<T::Reader>> {
        let files = &self.home.files;
        let cursor = self.cursor.as_mut().map_err(Option::take);
        cursor.map_err(|error| error.unwrap_or_else(|| files.beyond()))
    }

    /// Says which entries will be read in order: a run, which is one of `runs`, or a part of one.
    pub(super) fn walk_through(&mut self, run: Range<u64>, runs: Option<&EntryList>) {
        if let Ok(cursor) = &mut self.cursor {
            cursor.walk_through(run, runs);
        }
    }

    /// Whether the cursor has yet to be taken.
    pub(super) fn is_due(&self) -> bool {
        self.is_due
    }

    /// Takes a cursor for the entries of a range in order.
    pub(super) fn take_now(&mut self, walk: Range<u64>) {
        *self = self.home.take(Some(walk));
    }

    /// Instead of a cursor.
    pub(super) fn refuse(&mut self, error: Error) {
        (self.cursor, self.is_due) = (Err(Some(error)), false);
    }

    /// Whether the last error was about a value that the type does not take: what follows can be read.
    pub(super) fn was_value_refused(&self) -> bool {
        self.cursor.as_ref().is_ok_and(|cursor| cursor.was_value_refused())
    }
}

impl<T: ReadField> Drop for Loan<T> {
    fn drop(&mut self) {
        let Ok(mut cursor) = std::mem::replace(&mut self.cursor, Err(None)) else { return };
        cursor.rest();
        let most = if cursor.is_walk() { self.home.kept } else { MOST_SINGLE };
        let mut idle = self.home.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < most {
            idle.push(cursor);
        }
    }
}
