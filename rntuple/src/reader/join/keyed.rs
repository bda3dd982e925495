//! Entries with those that have the same key.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;
use std::sync::Arc;

use super::index::Index;
use super::{DuplicateKeys, JoinKey};
use crate::error::Result;
use crate::field::ReadField;
use crate::reader::EntryList;
use crate::reader::cursors::{Cursors, Loan};
use crate::reader::fault::Fault;
use crate::reader::walk::Walk;

/// Two ntuples joined by a key: [`Reader::join_on`](crate::Reader::join_on).
///
/// The key is a struct of members that both sides have. The left side is walked through in its order; of the right
/// side the entry with the same key is read, wherever it is.
///
/// ```
/// # use rntuple::{WriteOptions, Writer, storage::Memory};
/// use rntuple::{RNTuple, Reader};
///
/// #[derive(RNTuple)]
/// struct Event { run: u32, event: u64, met: f32 }
///
/// #[derive(RNTuple)]
/// struct Weights { run: u32, event: u64, nominal: f64 }
///
/// #[derive(RNTuple, PartialEq, Eq, Hash)]
/// struct EventKey { run: u32, event: u64 }
///
/// # fn main() -> rntuple::Result<()> {
/// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// # writer.fill_all(&[Event { run: 1, event: 7, met: 20.0 }, Event { run: 1, event: 8, met: 30.0 }])?;
/// # let events = writer.finish_into()?.1;
/// # let mut writer = Writer::new(Memory::new(), "Weights", WriteOptions::new())?;
/// # writer.fill_all(&[Weights { run: 1, event: 9, nominal: 1.0 }, Weights { run: 1, event: 7, nominal: 0.5 }])?;
/// # let weights = writer.finish_into()?.1;
/// let events = Reader::<Event>::open(events, "Events")?;
/// let weights = Reader::<Weights>::open(weights, "Weights")?;
/// let join = events.join_on::<EventKey, _>(&weights)?;
/// for entry in join.entries() {
///     let (event, weights): (Event, Option<Weights>) = entry?;
///     assert_eq!(weights.is_some(), event.event == 7);
/// }
/// // Only those that have weights.
/// for entry in join.inner() {
///     let (event, weights): (Event, Weights) = entry?;
///     assert_eq!((event.met, weights.nominal), (20.0, 0.5));
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Memory and time
/// The keys of the right side are kept in a hash table: for each one its own size, what it has allocated, and about 9 bytes,
/// twice that while it grows. All else is bounded as walks are: of the right side and of the left one there
/// are the pages where each is, and where a [budget](crate::ReadOptions::memory_budget) is given, each side and the
/// left keys have one.
///
/// Where both sides are in about the same order, every page is read once. In another order each entry of the right
/// side may cost a page of every column: then let the smaller side be the right one, or sort.
pub struct Join<L: ReadField, R: ReadField, K: ReadField> {
    left: Arc<Cursors<L>>,
    right: Arc<Cursors<R>>,
    left_keys: Arc<Cursors<K>>,
    index: Arc<Index<K>>,
}

/// Reads keys of what another type is read from.
fn keys_of<T: ReadField, K: ReadField>(cursors: &Cursors<T>) -> Arc<Cursors<K>> {
    Arc::new(Cursors::new(cursors.files().clone(), cursors.options().for_all_fields().hidden(), 1))
}

impl<L: ReadField, R: ReadField, K: JoinKey> Join<L, R, K> {
    pub(super) fn new(
        left: Arc<Cursors<L>>,
        right: Arc<Cursors<R>>,
        duplicates: DuplicateKeys,
    ) -> Result<Self> {
        let left_keys = keys_of(&left);
        left_keys.files().check::<K>(left_keys.options())?;
        let index = Arc::new(Index::build(&keys_of(&right), duplicates)?);
        Ok(Self { left, right, left_keys, index })
    }

    /// Returns the number of different keys on the right side.
    pub fn key_count(&self) -> usize {
        self.index.len()
    }

    /// Reads all entries of the left side in order, each with the one of the right side that has the same key, if there
    /// is one.
    ///
    /// Each call starts a walk of its own; several may be in progress at the same time.
    pub fn entries(&self) -> Joined<L, R, K> {
        self.entries_in(..)
    }

    /// Reads some of the entries of the left side: those of a range or of a list, as
    /// [`Reader::entries_in`](crate::Reader::entries_in) takes them.
    pub fn entries_in(&self, entries: impl Into<EntryList>) -> Joined<L, R, K> {
        Joined(self.steps(&entries.into(), false))
    }

    /// Reads the entries that have a partner: of the others only the key is read.
    pub fn inner(&self) -> InnerJoined<L, R, K> {
        self.inner_in(..)
    }

    /// Reads some of the entries of the left side, without those that have no partner.
    pub fn inner_in(&self, entries: impl Into<EntryList>) -> InnerJoined<L, R, K> {
        InnerJoined(self.steps(&entries.into(), true))
    }

    /// Cuts the entries of the left side into about `target` ranges, for threads that each read one.
    ///
    /// # Errors
    /// As [`Reader::partitions`](crate::Reader::partitions).
    pub fn partitions(&self, target: usize) -> Result<Vec<Range<u64>>> {
        self.left.files().partitions(target)
    }

    fn steps(&self, list: &EntryList, is_inner: bool) -> Steps<L, R, K> {
        let left = Walk::new(&self.left, list);
        Steps {
            keys: self.left_keys.take(Some(left.route.hull())),
            left,
            right: self.right.take(None),
            index: self.index.clone(),
            pending: None,
            is_inner,
        }
    }
}

impl<L: ReadField, R: ReadField, K: ReadField> fmt::Debug for Join<L, R, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Join").field("left", &self.left.files().names()).finish_non_exhaustive()
    }
}

struct Steps<L: ReadField, R: ReadField, K: ReadField> {
    keys: Loan<K>,
    left: Walk<L>,
    right: Loan<R>,
    index: Arc<Index<K>>,
    /// An entry of the left side that comes again, and with which.
    pending: Option<(u64, u64)>,
    is_inner: bool,
}

/// `None` where an error that was returned before has ended everything.
fn get<T: ReadField>(loan: &mut Loan<T>, entry: u64) -> Result<Option<T>, Fault> {
    match loan.cursor() {
        Ok(cursor) => cursor.get(entry).map(Some).map_err(|error| Fault {
            error,
            is_refusal: cursor.was_value_refused(),
            is_scattered: false,
        }),
        Err(Some(error)) => Err(error.into()),
        Err(None) => Ok(None),
    }
}

impl<L: ReadField, R: ReadField, K: JoinKey> Steps<L, R, K> {
    fn next(&mut self) -> Option<Result<(L, Option<R>)>> {
        let result = self.step().transpose()?;
        Some(result.map_err(|Fault { error, is_refusal, .. }| {
            if !is_refusal {
                self.pending = None;
                self.left.end();
            }
            error
        }))
    }

    /// The next entry of the left side.
    fn next_left(&mut self) -> Result<Option<u64>> {
        if self.left.range.is_empty() {
            let range = self.left.next_range()?;
            self.keys.walk_through(range, self.left.route.runs());
        }
        self.left.next_entry()
    }

    fn step(&mut self) -> Result<Option<(L, Option<R>)>, Fault> {
        let (entry, partner) = loop {
            if let Some((entry, partner)) = self.pending.take() {
                break (entry, Some(partner));
            }
            let Some(entry) = self.next_left()? else { return Ok(None) };
            let Some(key) = get(&mut self.keys, entry)? else { return Ok(None) };
            let partner = self.index.get(&key);
            if partner.is_some() || !self.is_inner {
                break (entry, partner);
            }
        };
        self.pending = partner.and_then(|partner| Some((entry, self.index.next_same(partner)?)));
        let Some(left) = get(&mut self.left.loan, entry)? else { return Ok(None) };
        let right = partner.map(|partner| get(&mut self.right, partner)).transpose()?.flatten();
        Ok(Some((left, right)))
    }

    fn most(&self) -> Option<usize> {
        // Several partners make more of an entry.
        let count = usize::try_from(self.left.most()).ok();
        count.filter(|_| self.index.has_one_each())
    }
}

/// The entries of the left side of a [`Join`], each with its partner or without: [`Join::entries`].
///
/// Damage on either side ends it, a value that a type does not take does not, as with
/// [`Entries`](crate::Entries).
#[must_use = "iterators read nothing unless they are asked"]
pub struct Joined<L: ReadField, R: ReadField, K: ReadField>(Steps<L, R, K>);

impl<L: ReadField, R: ReadField, K: JoinKey> Iterator for Joined<L, R, K> {
    type Item = Result<(L, Option<R>)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.0.most())
    }
}

/// The entries of the left side of a [`Join`] that have a partner, with it: [`Join::inner`].
///
/// Errors are as those of [`Joined`].
#[must_use = "iterators read nothing unless they are asked"]
pub struct InnerJoined<L: ReadField, R: ReadField, K: ReadField>(Steps<L, R, K>);

impl<L: ReadField, R: ReadField, K: JoinKey> Iterator for InnerJoined<L, R, K> {
    type Item = Result<(L, R)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.0.next()? {
                Ok((left, Some(right))) => return Some(Ok((left, right))),
                // An inner walk steps over them.
                Ok((_, None)) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.0.most())
    }
}

impl<L: ReadField, R: ReadField, K: JoinKey> FusedIterator for Joined<L, R, K> {}

impl<L: ReadField, R: ReadField, K: JoinKey> FusedIterator for InnerJoined<L, R, K> {}

impl<L: ReadField, R: ReadField, K: ReadField> fmt::Debug for Joined<L, R, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Joined").field("range", &self.0.left.range).finish_non_exhaustive()
    }
}

impl<L: ReadField, R: ReadField, K: ReadField> fmt::Debug for InnerJoined<L, R, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InnerJoined").field("range", &self.0.left.range).finish_non_exhaustive()
    }
}
