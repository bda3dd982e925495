//! A walk through entries: a cursor, and which entries it reads.

use std::ops::Range;
use std::sync::Arc;

use super::cursors::{Cursors, Loan};
use super::entry_list::EntryList;
use super::route::Route;
use crate::error::Result;
use crate::field::ReadField;
use crate::hidden::Hidden;

/// A cursor, and the entries that it has yet to read.
pub(super) struct Walk<T: ReadField> {
    pub(super) loan: Loan<T>,
    /// Entries that follow each other.
    pub(super) range: Range<u64>,
    /// What comes after them.
    pub(super) route: Hidden<Route>,
}

impl<T: ReadField> Walk<T> {
    pub(super) fn new(cursors: &Arc<Cursors<T>>, list: &EntryList) -> Self {
        Self::on(cursors, Route::new(cursors.files().clone(), list))
    }

    pub(super) fn on(cursors: &Arc<Cursors<T>>, route: Hidden<Route>) -> Self {
        let loan = if route.is_found() { cursors.take_later() } else { cursors.take(Some(route.hull())) };
        Self { loan, range: 0..0, route }
    }

    /// Takes the cursor in the file that has the first entry, once that is found: files before it are not opened.
    ///
    /// # Errors
    /// As [`Route::next`].
    pub(super) fn begin(&mut self) -> Result<()> {
        if self.loan.is_due()
            && let Some(next) = self.route.next()?
        {
            let (start, end) = (next.1.start, next.1.end.max(self.route.hull().end));
            self.loan.take_now(start..end);
            self.route.give_back(std::iter::once(next));
        }
        Ok(())
    }

    /// Continues where the entries do not follow each other; the range stays empty at the end.
    ///
    /// # Errors
    /// As [`Route::next`]; or why there is no cursor.
    #[cold]
    #[inline(never)]
    fn advance(&mut self) -> Result<()> {
        self.begin()?;
        let cursor = match self.loan.cursor() {
            Ok(cursor) => cursor,
            Err(error) => return error.map_or(Ok(()), Err),
        };
        if let Some((part, whole)) = self.route.next()? {
            cursor.walk_through(whole, self.route.runs());
            self.range = part;
        }
        Ok(())
    }

    /// The next entries that follow each other; empty at the end.
    ///
    /// # Errors
    /// The file that would have them cannot be opened, or does not fit.
    #[inline]
    pub(super) fn next_range(&mut self) -> Result<Range<u64>> {
        if self.range.is_empty() {
            self.advance()?;
        }
        Ok(self.range.clone())
    }

    /// The next entry, which is then passed; `None` at the end.
    ///
    /// # Errors
    /// As [`next_range`](Self::next_range).
    #[inline]
    pub(super) fn next_entry(&mut self) -> Result<Option<u64>> {
        if self.range.is_empty() {
            self.advance()?;
        }
        Ok(self.range.next())
    }

    /// Reads no more.
    pub(super) fn end(&mut self) {
        self.range = 0..0;
        self.route.end();
    }

    /// The most entries that are to come.
    pub(super) fn most(&self) -> u64 {
        (self.range.end - self.range.start).saturating_add(self.route.most())
    }
}
