//! Entries with those that have the same key.

use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use super::index::Index;
use super::{Duplicates, Input, JoinKey};
use crate::error::{Error, Result};
use crate::field::ReadField;
use crate::reader::cursor::Cursor;

/// Two ntuples joined by a key: [`Reader::join_on`](crate::Reader::join_on),
/// [`Chain::join_on`](crate::Chain::join_on).
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
/// let events = Reader::<Event>::from_storage(events, "Events")?;
/// let weights = Reader::<Weights>::from_storage(weights, "Weights")?;
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
/// The keys of the right side are kept in a hash table: for each one its own size, what it has allocated, and 9 bytes,
/// with room to grow about twice that. All else is bounded as walks are: of the right side and of the left one there
/// are the pages where each stands, and where a [budget](crate::ReadOptions::memory_budget) is given, each side and the
/// left keys have one.
///
/// Where both sides are in about the same order, every page is read once. In another order each entry of the right
/// side may cost a page of every column: then let the smaller side be the right one, or sort.
pub struct Join<L, R, K> {
    left: Input,
    right: Input,
    left_keys: Input,
    index: Arc<Index<K>>,
    entries: PhantomData<fn() -> (L, R)>,
}

impl<L: ReadField, R: ReadField, K: JoinKey> Join<L, R, K> {
    pub(super) fn new(left: Input, right: Input, duplicates: Duplicates) -> Result<Self> {
        let left_keys = left.for_keys();
        left_keys.check::<K>()?;
        let index = Arc::new(Index::build(&right.for_keys(), duplicates)?);
        Ok(Self { left, right, left_keys, index, entries: PhantomData })
    }

    /// Number of different keys on the right side.
    pub fn key_count(&self) -> usize {
        self.index.len()
    }

    /// All entries of the left side in order, each with the one of the right side that has the same key, if there is
    /// one.
    ///
    /// Each call starts a walk of its own; several may go on at once.
    pub fn entries(&self) -> Joined<L, R, K> {
        self.entries_in(0..self.left.source.len())
    }

    /// As [`entries`](Self::entries), for a range of entries of the left side; what lies beyond the last one is left
    /// out.
    pub fn entries_in(&self, range: Range<u64>) -> Joined<L, R, K> {
        Joined(self.steps(range, false))
    }

    /// As [`entries`](Self::entries), without those that have no partner: of them only the key is read.
    pub fn inner(&self) -> InnerJoined<L, R, K> {
        self.inner_in(0..self.left.source.len())
    }

    /// As [`inner`](Self::inner), for a range of entries of the left side.
    pub fn inner_in(&self, range: Range<u64>) -> InnerJoined<L, R, K> {
        InnerJoined(self.steps(range, true))
    }

    /// Ranges of entries of the left side, about `target` of them, for threads that each read one.
    pub fn partitions(&self, target: usize) -> Vec<Range<u64>> {
        self.left.partitions(target)
    }

    fn steps(&self, range: Range<u64>, is_inner: bool) -> Steps<L, R, K> {
        let range = self.left.source.clamp(range);
        let sides = Sides::new(self, &range);
        Steps { sides: sides.map_err(Some), index: self.index.clone(), range, pending: None, is_inner }
    }
}

impl<L, R, K> fmt::Debug for Join<L, R, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Join").field("left", &self.left.source.len()).finish_non_exhaustive()
    }
}

/// Where each side stands.
struct Sides<L: ReadField, R: ReadField, K: ReadField> {
    keys: Cursor<K>,
    left: Cursor<L>,
    right: Cursor<R>,
}

impl<L: ReadField, R: ReadField, K: ReadField> Sides<L, R, K> {
    fn new(join: &Join<L, R, K>, range: &Range<u64>) -> Result<Self> {
        Ok(Self {
            keys: join.left_keys.walk(range.clone())?,
            left: join.left.walk(range.clone())?,
            right: join.right.any()?,
        })
    }
}

struct Steps<L: ReadField, R: ReadField, K: ReadField> {
    sides: Result<Sides<L, R, K>, Option<Error>>,
    index: Arc<Index<K>>,
    /// What is left of the left side.
    range: Range<u64>,
    /// An entry of the left side that comes again, and with which.
    pending: Option<(u64, u64)>,
    is_inner: bool,
}

/// An error, and whether it is about a value alone, so that what follows can be read.
struct Fault {
    error: Error,
    is_refusal: bool,
}

fn get<T: ReadField>(cursor: &mut Cursor<T>, entry: u64) -> Result<T, Fault> {
    cursor.get(entry).map_err(|error| Fault { error, is_refusal: cursor.was_value_refused() })
}

impl<L: ReadField, R: ReadField, K: JoinKey> Steps<L, R, K> {
    fn next(&mut self) -> Option<Result<(L, Option<R>)>> {
        let result = self.step().transpose()?;
        Some(result.map_err(|Fault { error, is_refusal }| {
            if !is_refusal {
                (self.range, self.pending) = (0..0, None);
            }
            error
        }))
    }

    fn step(&mut self) -> Result<Option<(L, Option<R>)>, Fault> {
        let sides = match &mut self.sides {
            Ok(sides) => sides,
            Err(error) => {
                return error.take().map_or(Ok(None), |error| Err(Fault { error, is_refusal: false }));
            }
        };
        let (entry, partner) = loop {
            if let Some((entry, partner)) = self.pending.take() {
                break (entry, Some(partner));
            }
            let Some(entry) = self.range.next() else { return Ok(None) };
            let partner = self.index.get(&get(&mut sides.keys, entry)?);
            if partner.is_some() || !self.is_inner {
                break (entry, partner);
            }
        };
        self.pending = partner.and_then(|partner| Some((entry, self.index.behind(partner)?)));
        let left = get(&mut sides.left, entry)?;
        let right = partner.map(|partner| get(&mut sides.right, partner)).transpose()?;
        Ok(Some((left, right)))
    }

    fn most(&self) -> Option<usize> {
        // Several partners make more of an entry.
        let count = usize::try_from(self.range.end - self.range.start).ok();
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
        f.debug_struct("Joined").field("range", &self.0.range).finish_non_exhaustive()
    }
}

impl<L: ReadField, R: ReadField, K: ReadField> fmt::Debug for InnerJoined<L, R, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InnerJoined").field("range", &self.0.range).finish_non_exhaustive()
    }
}
