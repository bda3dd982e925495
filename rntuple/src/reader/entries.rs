//! Walking through entries.

use std::fmt;
use std::iter::FusedIterator;
use std::sync::Arc;

use super::cursor::Cursor;
use super::cursors::Cursors;
use super::entry_list::EntryList;
use super::route::Route;
use super::walk::Walk;
use crate::error::Result;
use crate::field::ReadField;
use crate::hidden::Hidden;

/// Iterator over entries in order: [`Reader::entries`](super::Reader::entries).
///
/// Damage ends it: what comes after is read by [`Reader::entries_in`](super::Reader::entries_in). A value that the type
/// does not take ([`SchemaMismatch`](crate::ErrorKind::SchemaMismatch)) does not: the next entry follows the error.
#[must_use = "iterators read nothing unless they are asked"]
pub struct Entries<T: ReadField>(Walk<T>);

impl<T: ReadField> Entries<T> {
    pub(super) fn new(cursors: &Arc<Cursors<T>>, list: &EntryList) -> Self {
        Self(Walk::new(cursors, list))
    }

    pub(super) fn on(cursors: &Arc<Cursors<T>>, route: Hidden<Route>) -> Self {
        Self(Walk::on(cursors, route))
    }

    /// Returns the number of the entry that was read last; `None` before the first one, and after damage.
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { met: f32 }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # (0..10u8).try_for_each(|i| writer.fill(&Event { met: i.into() }))?;
    /// # let storage = writer.finish_into()?.1;
    /// # let reader = Reader::<Event>::open(storage, "Events")?;
    /// let mut entries = reader.entries_in(7..);
    /// assert_eq!(entries.next().unwrap()?.met, 7.0);
    /// assert_eq!(entries.last_entry(), Some(7));
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    pub fn last_entry(&self) -> Option<u64> {
        self.0.range.start.checked_sub(1)
    }

    /// The next entry, in place of `slot`, whose allocations are reused; returns `false` after the last one.
    ///
    /// # Errors
    /// Its pages are damaged, or hold what the type cannot.
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple, Default)]
    /// # struct Event { hits: Vec<f32> }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # writer.fill(&Event { hits: vec![1.0, 2.0] })?;
    /// # let storage = writer.finish_into()?.1;
    /// # let reader = Reader::<Event>::open(storage, "Events")?;
    /// let mut event = Event::default();
    /// let mut entries = reader.entries();
    /// let mut sum = 0.0;
    /// while entries.read_into(&mut event)? {
    ///     sum += event.hits.iter().sum::<f32>();
    /// }
    /// assert_eq!(sum, 3.0);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    #[inline]
    pub fn read_into(&mut self, slot: &mut T) -> Result<bool> {
        self.step(|cursor, entry| cursor.read_into(entry, slot)).map(|read| read.is_some())
    }

    #[inline]
    fn step<V>(&mut self, read: impl FnOnce(&mut Cursor<T::Reader>, u64) -> Result<V>) -> Result<Option<V>> {
        let result = match (self.0.next_entry(), self.0.loan.cursor()) {
            (Ok(Some(entry)), Ok(cursor)) => read(cursor, entry).map(Some),
            (Ok(_), _) => return Ok(None),
            (Err(error), _) => Err(error),
        };
        result.inspect_err(|_| self.end_at_damage())
    }

    #[cold]
    fn end_at_damage(&mut self) {
        if !self.0.loan.was_value_refused() {
            self.0.end();
        }
    }
}

impl<T: ReadField> Iterator for Entries<T> {
    type Item = Result<T>;

    #[inline]
    fn next(&mut self) -> Option<Result<T>> {
        self.step(Cursor::get).transpose()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // An error may end it at any time.
        (0, usize::try_from(self.0.most()).ok())
    }
}

impl<T: ReadField> FusedIterator for Entries<T> {}

impl<T: ReadField> fmt::Debug for Entries<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entries").field("range", &self.0.range).finish_non_exhaustive()
    }
}
