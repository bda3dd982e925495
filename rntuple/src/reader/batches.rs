//! Reading many entries at a time, column by column.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;
use std::sync::Arc;

use super::Reader;
use super::cursor::Cursor;
use super::cursors::Cursors;
use super::entry_list::EntryList;
use super::fault::Fault;
use super::route::Route;
use super::walk::Walk;
use crate::error::{Error, ErrorKind, Result};
use crate::field::ReadField;
use crate::field::columnar::{Columns, Iter, ReadColumnar, RefOf, SliceOf};
use crate::hidden::Hidden;

/// Entries that are read into columns at once: enough to make calls cheap.
const PORTION: u64 = 1024;

/// Most entries that are lent at once: what is not on storage, zeros of columns that came later, costs memory for each.
const MOST_LENT: u64 = 1 << 16;

impl<T: ReadField> Reader<T> {
    /// Reads all entries in order, many at a time and column by column.
    ///
    /// A batch has `count` entries: some hundreds or more, if they are small. See [`columns`](crate::columns) for what
    /// columns are.
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    /// #[derive(RNTuple)]
    /// #[rntuple(columnar)]
    /// struct Event { met: f32 }
    ///
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # (0..10).try_for_each(|_| writer.fill(&Event { met: 2.0 }))?;
    /// # let storage = writer.finish_into()?.1;
    /// let reader = Reader::<Event>::open(storage, "Events")?;
    /// let mut sum = 0.0;
    /// let mut batches = reader.batches(4);
    /// while let Some(events) = batches.lend()? {
    ///     sum += events.met.iter().sum::<f32>();
    /// }
    /// assert_eq!(sum, 20.0);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    pub fn batches(&self, count: usize) -> Batches<T>
    where
        T: ReadColumnar,
    {
        self.batches_in(.., count)
    }

    /// Reads some of the entries in batches: those of a range or of an [`EntryList`]. What is after the last entry is
    /// left out.
    pub fn batches_in(&self, entries: impl Into<EntryList>, count: usize) -> Batches<T>
    where
        T: ReadColumnar,
    {
        Batches::new(&self.cursors, &entries.into(), count)
    }
}

/// The entries of a range in batches: [`Reader::batches`].
///
/// [`lend`](Self::lend) and [`visit`](Self::visit) lend them from the decoded pages and copy as little as possible.
/// [`read_into`](Self::read_into) and the iterator make columns that own their memory.
///
/// Damage ends it, and the error names the entry; [`Reader::batches_in`] can begin after that.
///
/// ```
/// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
/// #[derive(RNTuple)]
/// #[rntuple(columnar)]
/// struct Event { met: f32, hits: Vec<f32> }
///
/// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// # writer.fill_all(&[Event { met: 20.0, hits: vec![1.0] }, Event { met: 22.0, hits: vec![2.0, 3.0] }])?;
/// # let storage = writer.finish_into()?.1;
/// let reader = Reader::<Event>::open(storage, "Events")?;
/// // Lent, column by column ..
/// let mut batches = reader.batches(1000);
/// while let Some(events) = batches.lend()? {
///     assert_eq!(events.met, [20.0, 22.0]);
///     assert_eq!(events.hits.items(), [1.0, 2.0, 3.0]);
/// }
/// // .. lent, entry by entry ..
/// let mut hits = 0;
/// reader.batches(1000).visit(|event| {
///     hits += event.hits.len();
///     Ok::<_, rntuple::Error>(())
/// })?;
/// assert_eq!(hits, 3);
/// // .. or owned.
/// for columns in reader.batches(1000) {
///     assert_eq!(columns?.met, vec![20.0, 22.0]);
/// }
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// A batch that is read into columns ends early where its collections take more memory than the file can account for,
/// which is that of one entry ([`entry_length`](crate::Limits::entry_length)) and 64 bytes for each byte of the file;
/// and where it has over four times as many items that are not on storage as one entry may
/// ([`unstored_items`](crate::Limits::unstored_items)).
#[must_use = "nothing is read before it is asked for"]
pub struct Batches<T: ReadColumnar> {
    walk: Walk<T>,
    cursors: Arc<Cursors<T>>,
    /// Values that are lent, but not from pages.
    spare: T::Columns,
    /// Finds out which entry cannot be read.
    second: Option<Box<Second<T>>>,
    count: u64,
    /// The most entries that are read at once.
    portion: u64,
    /// The entries that were lent last.
    lent: Range<u64>,
    /// What the route has returned for the batch that is read: entries, and their run.
    parts: Vec<(Range<u64>, Range<u64>)>,
}

/// A cursor of its own, for what the first one cannot do while it lends.
struct Second<T: ReadColumnar> {
    cursor: Cursor<T::Reader>,
    spare: T::Columns,
}

impl<T: ReadColumnar> Batches<T> {
    pub(super) fn new(cursors: &Arc<Cursors<T>>, list: &EntryList, count: usize) -> Self {
        Self::on(cursors, Route::new(cursors.files().clone(), list), count)
    }

    pub(super) fn on(cursors: &Arc<Cursors<T>>, route: Hidden<Route>, count: usize) -> Self {
        let mut walk = Walk::on(cursors, route);
        if count == 0 {
            let error = Error::invalid_argument("the batch size must be at least 1");
            walk.loan.refuse(cursors.files().place(error));
        }
        let (count, spare) = (count as u64, T::Columns::default());
        let portion = count.min(MOST_LENT);
        Self {
            walk,
            cursors: cursors.clone(),
            spare,
            second: None,
            count,
            portion,
            lent: 0..0,
            parts: Vec::new(),
        }
    }

    /// Lends the next entries, a slice for each column; `None` after the last one.
    ///
    /// They are fewer than were asked for where a cluster ends or, of an [`EntryList`], where entries are left out: each run
    /// of entries that follow each other is lent by itself. They are at most 65536. Where a page of a column ends among
    /// them, its values are copied: that memory comes on top of a [budget](super::ReadOptions::memory_budget).
    ///
    /// # Errors
    /// The pages of the next entry are damaged, which ends the walk. Or the type does not take one of its values
    /// ([`SchemaMismatch`](crate::ErrorKind::SchemaMismatch)), and the entries after it follow with the next call.
    pub fn lend(&mut self) -> Result<Option<SliceOf<'_, T>>> {
        let range = self.walk.next_range()?;
        self.lent = range.start..range.start;
        let most = self.portion.min(range.end - range.start);
        if most == 0 {
            return Ok(None);
        }
        let cursor = match self.walk.loan.cursor() {
            Ok(cursor) => cursor,
            Err(error) => return error.map_or(Ok(None), Err),
        };
        match cursor.lend::<T>(range.start, most, &mut self.spare) {
            Ok((count, slice)) => {
                self.walk.range.start += count;
                self.lent.end += count;
                self.portion = self.portion.saturating_mul(2).min(self.count).min(MOST_LENT);
                return Ok(Some(slice));
            }
            Err(Fault { error, is_scattered: true, .. }) => {
                self.walk.range = 0..0;
                self.walk.route.end();
                return Err(error);
            }
            Err(_) => {}
        }
        // Both still count as lent.
        let second = match &mut self.second {
            Some(second) => second,
            none => none.insert(Box::new(Second::new(&self.cursors)?)),
        };
        match second.lend(range.start, most) {
            Ok((count, slice)) => {
                self.walk.range.start += count;
                self.lent.end += count;
                self.portion = count;
                Ok(Some(slice))
            }
            Err(Fault { error, is_refusal, .. }) => {
                if is_refusal {
                    self.walk.range.start += 1;
                } else {
                    self.walk.range = 0..0;
                    self.walk.route.end();
                }
                Err(error)
            }
        }
    }

    /// Returns the numbers of the entries that [`lend`](Self::lend) lent last.
    ///
    /// ```
    /// # use rntuple::{EntryList, RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # #[rntuple(columnar)]
    /// # struct Event { met: f32 }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # (0..10u8).try_for_each(|met| writer.fill(&Event { met: f32::from(met) }))?;
    /// # let storage = writer.finish_into()?.1;
    /// # let reader = Reader::<Event>::open(storage, "Events")?;
    /// let mut selected = Vec::new();
    /// let mut batches = reader.batches(4);
    /// while let Some(events) = batches.lend()? {
    ///     let is_high: Vec<bool> = events.met.iter().map(|met| *met > 5.0).collect();
    ///     selected.extend(batches.lent().zip(is_high).filter(|(_, is_high)| *is_high).map(|(entry, _)| entry));
    /// }
    /// let selected: EntryList = selected.into_iter().collect();
    /// assert_eq!(selected, EntryList::from(6..10));
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    pub fn lent(&self) -> Range<u64> {
        self.lent.clone()
    }

    /// Lends all entries one by one, and calls `visit` with each until it fails.
    ///
    /// # Errors
    /// The first of reading, or of `visit`.
    pub fn visit<E: From<Error>>(
        mut self,
        mut visit: impl FnMut(RefOf<'_, T>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(entries) = self.lend()? {
            for entry in Iter::new(entries) {
                visit(entry)?;
            }
        }
        Ok(())
    }

    /// Reads the next batch in place of what `columns` hold, whose memory is reused; `false` after the last one, with
    /// nothing in `columns`.
    ///
    /// Clusters and files may end anywhere in it.
    ///
    /// # Errors
    /// The pages of an entry are damaged, or hold what the type cannot; `columns` are then empty, and it ends.
    pub fn read_into(&mut self, columns: &mut T::Columns) -> Result<bool> {
        columns.clear();
        let result = self.read(columns);
        if result.is_err() {
            columns.clear();
            self.walk.end();
        }
        result
    }

    fn read(&mut self, columns: &mut T::Columns) -> Result<bool> {
        self.walk.begin()?;
        let Walk { loan, range, route, .. } = &mut self.walk;
        let cursor = match loan.cursor() {
            Ok(cursor) => cursor,
            Err(error) => return error.map_or(Ok(false), Err),
        };
        let (most_bytes, unstored_items) = (cursor.most_bytes(), cursor.limits().unstored_items);
        let begin = range.clone();
        self.parts.clear();
        let (mut read, mut bytes, mut items) = (0, 0u64, 0u64);
        while read < self.count && bytes < most_bytes && items / 4 < unstored_items {
            if range.is_empty() {
                let Some((part, whole)) = route.next()? else { break };
                self.parts.push((part.clone(), whole.clone()));
                cursor.walk_through(whole, route.runs());
                *range = part;
            }
            let first = range.start;
            let portion = self.portion.min(PORTION).min(self.count - read).min(range.end - first);
            match cursor.read_with(first, portion, |reader, count| T::read_columns(reader, count, columns)) {
                Ok(count) => {
                    let taken = cursor.taken();
                    read += count;
                    range.start += count;
                    bytes = bytes.saturating_add(taken.0);
                    items = items.saturating_add(taken.1);
                }
                // Together they take more than one entry may.
                Err(error) if error.kind() == ErrorKind::LimitExceeded && portion > 1 => {
                    self.portion = portion / 2;
                    columns.clear();
                    (read, bytes, items) = (0, 0, 0);
                    *range = begin.clone();
                    route.give_back(self.parts.drain(..));
                }
                Err(error) => return Err(blame::<T>(cursor, first..first + portion, error)),
            }
        }
        Ok(read > 0)
    }
}

/// The error of the entry that cannot be read, where that can be found out.
#[cold]
fn blame<T: ReadColumnar>(cursor: &mut Cursor<T::Reader>, mut entries: Range<u64>, error: Error) -> Error {
    let mut columns = T::Columns::default();
    let fault = entries.find_map(|entry| {
        columns.clear();
        cursor.read_with(entry, 1, |reader, count| T::read_columns(reader, count, &mut columns)).err()
    });
    fault.unwrap_or(error)
}

impl<T: ReadColumnar> Second<T> {
    fn new(cursors: &Arc<Cursors<T>>) -> Result<Self> {
        Ok(Self { cursor: cursors.another()?, spare: T::Columns::default() })
    }

    /// Lends at most `most` entries: half of them if they cannot be lent together, half of these, down to one.
    ///
    /// # Errors
    /// The first of them cannot be read, or storage took too long.
    #[cold]
    fn lend(&mut self, first: u64, mut most: u64) -> Result<(u64, SliceOf<'_, T>), Fault> {
        while most > 1 {
            match self.cursor.lend::<T>(first, most, &mut self.spare) {
                Ok(_) => break,
                Err(fault) if fault.error.is_late() => return Err(fault),
                Err(_) => most /= 2,
            }
        }
        self.cursor.lend::<T>(first, most, &mut self.spare)
    }
}

impl<T: ReadColumnar> Iterator for Batches<T> {
    type Item = Result<T::Columns>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut columns = T::Columns::default();
        match self.read_into(&mut columns) {
            Ok(true) => Some(Ok(columns)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

impl<T: ReadColumnar> FusedIterator for Batches<T> {}

impl<T: ReadColumnar> fmt::Debug for Batches<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batches")
            .field("range", &self.walk.range)
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}
