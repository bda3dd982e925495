//! Walking through entries that are borrowed from the decoded pages.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::cursor::Fault;
use super::cursors::{Cursors, Loan};
use super::entry_list::EntryList;
use super::route::Route;
use crate::error::{Error, Result};
use crate::field::Borrowed;

/// The entries of a range, one after the other, borrowed from the decoded pages:
/// [`Reader::borrowed`](super::Reader::borrowed).
///
/// An entry lives until the next one is asked for, and keeping it longer does not compile. So this is no
/// [`Iterator`], but has the same [`next`](Self::next) with a lifetime.
///
/// Damage ends it. A value that the type does not take ([`SchemaMismatch`](crate::ErrorKind::SchemaMismatch)) does not:
/// the next entry follows the error.
///
/// ```
/// use rntuple::{RNTuple, Reader};
/// # use rntuple::{WriteOptions, Writer, storage::Memory};
///
/// #[derive(RNTuple)]
/// #[rntuple(borrowed)]
/// struct Muon { pt: f32, charge: i8 }
///
/// #[derive(RNTuple)]
/// #[rntuple(borrowed)]
/// struct Event { met: f32, label: String, muons: Vec<Muon> }
///
/// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// # writer.fill(&Event { met: 20.0, label: "Z".into(), muons: vec![Muon { pt: 31.0, charge: -1 }] })?;
/// # let storage = writer.finish_into()?.1;
/// let reader = Reader::<Event>::open(storage, "Events")?;
/// let mut events = reader.borrowed();
/// while let Some(event) = events.next()? {
///     let label: &str = event.label;
///     let pt: &[f32] = event.muons.pt;
///     assert_eq!((label, pt), ("Z", &[31.0][..]));
///     for muon in event.muons {
///         assert_eq!(muon.charge, -1);
///     }
/// }
/// # Ok::<(), rntuple::Error>(())
/// ```
#[must_use = "nothing is read before it is asked for"]
pub struct BorrowedEntries<T: Borrowed> {
    loan: Loan<T>,
    /// Entries that follow each other.
    range: Range<u64>,
    /// What comes after them.
    route: Route,
    /// An entry ahead whose error was returned.
    refused: Option<u64>,
    /// Whether there was damage.
    is_over: bool,
}

/// Most entries of one slice: what is not on storage, zeros of columns that came later, costs memory for each.
const MOST_ENTRIES: u64 = 1 << 16;

impl<T: Borrowed> BorrowedEntries<T> {
    pub(super) fn new(cursors: &Arc<Cursors<T>>, list: &EntryList) -> Self {
        let route = Route::new(cursors.files().clone(), list);
        Self { loan: cursors.take(Some(route.hull())), range: 0..0, route, refused: None, is_over: false }
    }

    /// Continues where the entries do not follow each other.
    #[cold]
    fn next_range(&mut self) -> Result<()> {
        if let Some((part, whole)) = self.route.next()? {
            self.loan.walk_through(whole);
            self.range = part;
        }
        Ok(())
    }

    /// The next entry; `None` after the last one.
    ///
    /// # Errors
    /// Its pages are damaged, or hold what the type cannot.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "an iterator's items cannot borrow from it")]
    pub fn next(&mut self) -> Result<Option<T::Ref<'_>>> {
        self.pass_refused();
        if self.range.is_empty() {
            self.next_range()?;
        }
        let cursor = match self.loan.cursor() {
            Ok(cursor) => cursor,
            Err(error) => return error.map_or(Ok(None), Err),
        };
        let Some(entry) = self.range.next() else { return Ok(None) };
        match cursor.lend::<T>(entry) {
            Ok(value) => Ok(Some(value)),
            Err(Fault { error, is_refusal, .. }) => {
                if !is_refusal {
                    self.range = 0..0;
                    self.is_over = true;
                    self.route.end();
                }
                Err(error)
            }
        }
    }

    /// The next entries as slices, one for each column: up to `most` of them, fewer where a cluster ends and
    /// never over 65536; `None` after the last one.
    ///
    /// Where a page of a column ends among the entries, its values are copied: many entries at once take memory,
    /// beside that of a [budget](super::ReadOptions::memory_budget). So do items that are not on storage (zeros of
    /// columns that came later); a slice of entries with over a million of them is refused, and one of which over 1 GiB must
    /// be copied, where [`next`](Self::next) reads each ([`Limits`](crate::Limits)).
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # #[rntuple(borrowed)]
    /// # struct Event { met: f32, hits: Vec<f32> }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # writer.fill_all(&[Event { met: 20.0, hits: vec![1.0] }, Event { met: 22.0, hits: vec![2.0, 3.0] }])?;
    /// # let storage = writer.finish_into()?.1;
    /// # let reader = Reader::<Event>::open(storage, "Events")?;
    /// let mut events = reader.borrowed();
    /// while let Some(events) = events.next_slice(1000)? {
    ///     assert_eq!(events.met, [20.0, 22.0]);
    ///     assert_eq!(events.hits.items(), [1.0, 2.0, 3.0]);
    ///     assert_eq!(events.get(1).unwrap().hits, [2.0, 3.0]);
    /// }
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// Pages of one of the entries are damaged, or hold what the type cannot. The error names the entry. Those
    /// in front of it follow with the next call, as do those behind it, unless it is damaged.
    pub fn next_slice(&mut self, most: usize) -> Result<Option<T::Slice<'_>>> {
        self.pass_refused();
        if self.range.is_empty() {
            self.next_range()?;
        }
        let cursor = match self.loan.cursor() {
            Ok(cursor) => cursor,
            Err(error) => return error.map_or(Ok(None), Err),
        };
        let first = self.range.start;
        let end = self.refused.unwrap_or(self.range.end);
        let most = end.saturating_sub(first).min(most as u64).min(MOST_ENTRIES);
        if most == 0 {
            return Ok(None);
        }
        match cursor.lend_many::<T>(first, most) {
            Ok((count, entries)) => {
                self.range.start += count as u64;
                Ok(Some(entries))
            }
            Err(Fault { error, entry, is_refusal }) => {
                if is_refusal {
                    self.refused = Some(entry);
                } else {
                    self.range.end = entry;
                    self.is_over = true;
                    self.route.end();
                }
                Err(error)
            }
        }
    }

    /// Continues with entry `index`, or with the first one after it that is to be read.
    ///
    /// Damage has ended the walk: nothing follows it, wherever one goes.
    pub fn seek(&mut self, index: u64) {
        if !self.is_over {
            self.range = 0..0;
            self.route.seek(index);
            self.refused = None;
        }
    }

    /// Steps over an entry whose error was returned.
    #[inline]
    fn pass_refused(&mut self) {
        if self.refused == Some(self.range.start) {
            self.refused = None;
            self.range.start += 1;
        }
    }

    /// Calls `visit` with each entry.
    ///
    /// # Errors
    /// The first of reading.
    #[inline]
    pub fn for_each(&mut self, mut visit: impl FnMut(T::Ref<'_>)) -> Result<()> {
        while let Some(entry) = self.next()? {
            visit(entry);
        }
        Ok(())
    }

    /// Calls `visit` with each entry, until it fails.
    ///
    /// # Errors
    /// The first of reading, or of `visit`.
    #[inline]
    pub fn try_for_each<E: From<Error>>(
        &mut self,
        mut visit: impl FnMut(T::Ref<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(entry) = self.next()? {
            visit(entry)?;
        }
        Ok(())
    }
}

impl<T: Borrowed> fmt::Debug for BorrowedEntries<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BorrowedEntries").field("range", &self.range).finish_non_exhaustive()
    }
}
