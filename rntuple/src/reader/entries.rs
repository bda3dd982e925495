//! Walking through entries.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;

use super::Cursor;
use crate::error::{Error, Result};
use crate::field::ReadField;

/// The entries of a range, one after the other: [`Reader::entries`](super::Reader::entries).
///
/// Damage ends it: what comes behind is read by [`Reader::get`](super::Reader::get). A value that the type does
/// not take ([`SchemaMismatch`](crate::ErrorKind::SchemaMismatch)) does not: the next entry follows the error.
#[must_use = "iterators read nothing unless they are asked"]
pub struct Entries<T: ReadField> {
    cursor: Result<Cursor<T>, Option<Error>>,
    range: Range<u64>,
}

impl<T: ReadField> Entries<T> {
    pub(super) fn new(cursor: Result<Cursor<T>>, range: Range<u64>) -> Self {
        Self { cursor: cursor.map_err(Some), range }
    }

    /// The next entry, in place of `slot`, whose allocations are reused; `false` behind the last one.
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
    /// # let reader = Reader::<Event>::from_storage(storage, "Events")?;
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
        let result = match &mut self.cursor {
            Ok(cursor) => {
                let Some(entry) = self.range.next() else { return Ok(false) };
                cursor.read_into(entry, slot).map(|()| true)
            }
            Err(error) => error.take().map_or(Ok(false), Err),
        };
        if result.is_err() {
            self.end_at_damage();
        }
        result
    }

    #[cold]
    fn end_at_damage(&mut self) {
        if !self.cursor.as_ref().is_ok_and(Cursor::was_value_refused) {
            self.range = 0..0;
        }
    }
}

impl<T: ReadField> Iterator for Entries<T> {
    type Item = Result<T>;

    #[inline]
    fn next(&mut self) -> Option<Result<T>> {
        let result = match &mut self.cursor {
            Ok(cursor) => cursor.get(self.range.next()?),
            Err(error) => Err(error.take()?),
        };
        if result.is_err() {
            self.end_at_damage();
        }
        Some(result)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.range.end - self.range.start;
        // An error may end it at any time.
        (0, usize::try_from(count).ok())
    }
}

impl<T: ReadField> FusedIterator for Entries<T> {}

impl<T: ReadField> fmt::Debug for Entries<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entries").field("range", &self.range).finish_non_exhaustive()
    }
}
