//! Walking through entries many at a time, column by column.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;
use std::sync::Arc;

use super::Reader;
use super::cursor::Cursor;
use super::cursors::{Cursors, Loan};
use super::entry_list::EntryList;
use super::route::Route;
use crate::error::{Error, ErrorKind, Result};
use crate::field::batch::{Batch, Batched, ReadBatch};
use crate::field::{FieldReader, ReadField};

/// Entries that are read at once: enough to make calls cheap.
const PORTION: u64 = 1024;

impl<T: ReadField> Reader<T> {
    /// All entries in order, in batches of `count`; the last one may be smaller. Borders of clusters are none of
    /// batches.
    ///
    /// See [`batch`](crate::batch) for what a batch is. `count` is how many entries are wanted at once: a thousand
    /// or more, if they are small. With `0` the first batch is an
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) error.
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    /// #[derive(RNTuple)]
    /// #[rntuple(batch)]
    /// struct Event { met: f32 }
    ///
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # (0..10).try_for_each(|_| writer.fill(&Event { met: 2.0 }))?;
    /// # let storage = writer.finish_into()?.1;
    /// let reader = Reader::<Event>::open(storage, "Events")?;
    /// let mut sum = 0.0;
    /// for batch in reader.batches(4) {
    ///     sum += batch?.met().iter().sum::<f32>();
    /// }
    /// assert_eq!(sum, 20.0);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    pub fn batches(&self, count: usize) -> Batches<T>
    where
        T: Batched,
        T::Reader: ReadBatch<T::Batch>,
    {
        self.batches_in(.., count)
    }

    /// Reads some of the entries in batches: those of a range or of a list; what is after the last entry is left out.
    pub fn batches_in(&self, entries: impl Into<EntryList>, count: usize) -> Batches<T>
    where
        T: Batched,
        T::Reader: ReadBatch<T::Batch>,
    {
        Batches::new(&self.cursors, &entries.into(), count)
    }
}

/// The entries of a range in batches, one after the other: [`Reader::batches`].
///
/// An error ends it; what it is about is in the error, and [`Reader::batches_in`] can begin behind it.
///
/// A batch ends early where its collections take more memory than the file can account for, which is that of one entry
/// ([`entry_length`](crate::Limits::entry_length)) and 64 bytes for each byte of the file; and where it has over four
/// times as many items that are not on storage as one entry may
/// ([`unstored_items`](crate::Limits::unstored_items)).
#[must_use = "iterators read nothing unless they are asked"]
pub struct Batches<T: ReadField> {
    loan: Loan<T>,
    /// Entries that follow each other.
    range: Range<u64>,
    /// What comes after them.
    route: Route,
    count: u64,
    /// The most entries that are read at once.
    portion: u64,
}

impl<T: ReadField> Batches<T> {
    pub(super) fn new(cursors: &Arc<Cursors<T>>, list: &EntryList, count: usize) -> Self {
        let files = cursors.files();
        let route = Route::new(files.clone(), list);
        let mut loan = cursors.take(Some(route.hull()));
        if count == 0 {
            loan.refuse(files.place(Error::invalid_argument("the batch size must be at least 1")));
        }
        Self { loan, range: 0..0, route, count: count as u64, portion: PORTION }
    }
}

impl<T> Batches<T>
where
    T: ReadField + Batched,
    T::Reader: ReadBatch<T::Batch>,
{
    /// The next batch, in place of what `batch` holds, whose memory is reused; `false` behind the last one, with
    /// nothing in `batch`.
    ///
    /// # Errors
    /// The pages of an entry are damaged, or hold what the type cannot; `batch` is then empty.
    pub fn read_into(&mut self, batch: &mut T::Batch) -> Result<bool> {
        batch.clear();
        let result = self.read(batch);
        if result.is_err() {
            batch.clear();
            self.range = 0..0;
            self.route.end();
        }
        result
    }

    fn read(&mut self, batch: &mut T::Batch) -> Result<bool> {
        let cursor = match self.loan.cursor() {
            Ok(cursor) => cursor,
            Err(error) => return error.map_or(Ok(false), Err),
        };
        let (most_bytes, unstored_items) = (cursor.most_bytes(), cursor.limits().unstored_items);
        let begin = (self.range.clone(), self.route.clone());
        let (mut read, mut bytes, mut items) = (0, 0u64, 0u64);
        while read < self.count && bytes < most_bytes && items / 4 < unstored_items {
            if self.range.is_empty() {
                let Some((part, whole)) = self.route.next()? else { break };
                cursor.walk_through(whole);
                self.range = part;
            }
            let first = self.range.start;
            let portion = self.portion.min(self.count - read).min(self.range.end - first);
            match cursor.read_with(first, portion, |columns, count| columns.read_batch(count, batch)) {
                Ok(count) => {
                    let taken = cursor.taken();
                    read += count;
                    self.range.start += count;
                    bytes = bytes.saturating_add(taken.0);
                    items = items.saturating_add(taken.1);
                }
                // Together they take more than one entry may.
                Err(error) if error.kind() == ErrorKind::LimitExceeded && portion > 1 => {
                    self.portion = portion / 2;
                    batch.clear();
                    (read, bytes, items) = (0, 0, 0);
                    (self.range, self.route) = begin.clone();
                }
                Err(error) => return Err(blame::<T, _>(cursor, first..first + portion, error)),
            }
        }
        Ok(read > 0)
    }
}

/// The error of the entry that cannot be read, where that can be found out.
#[cold]
fn blame<T, R: FieldReader<T>>(cursor: &mut Cursor<R>, entries: Range<u64>, error: Error) -> Error {
    let mut entries = entries;
    entries.find_map(|entry| cursor.get::<T>(entry).err()).unwrap_or(error)
}

impl<T> Iterator for Batches<T>
where
    T: ReadField + Batched,
    T::Reader: ReadBatch<T::Batch>,
{
    type Item = Result<T::Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut batch = T::Batch::default();
        match self.read_into(&mut batch) {
            Ok(true) => Some(Ok(batch)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

impl<T> FusedIterator for Batches<T>
where
    T: ReadField + Batched,
    T::Reader: ReadBatch<T::Batch>,
{
}

impl<T: ReadField> fmt::Debug for Batches<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batches")
            .field("range", &self.range)
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}
