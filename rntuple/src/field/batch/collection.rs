//! Collections: offsets, and a batch of all items.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::ops::{Deref, Range};

use super::ends::{append_ends, check, items_of};
use super::{Batch, Batched, Pointees, ReadBatch, Rows, Tuples, WriteBatch};
use crate::column::ItemLength;
use crate::encoding::Element;
use crate::error::{Error, Result};
use crate::field::collection::{CollectionReader, Lengths};
use crate::field::{CollectionWriter, MultiMap, MultiSet, RVec, UnorderedMultiMap, UnorderedMultiSet};

/// Many collections: the items of all of them, and where each begins and ends.
///
/// It derefs to the batch of the items, so that the members of these are members of this.
///
/// ```
/// use rntuple::batch::Lists;
/// // [1.0, 2.0], [], [3.0]
/// let hits = Lists::from_counts([2, 0, 1], vec![1.0, 2.0, 3.0])?;
/// assert_eq!(hits.offsets(), [0, 2, 2, 3]);
/// assert_eq!(hits.items(), [1.0, 2.0, 3.0]);
/// assert_eq!(hits.get(0), [1.0, 2.0]);
/// # Ok::<(), rntuple::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Lists<B> {
    /// One more than there are collections, from 0.
    offsets: Vec<u64>,
    items: B,
}

impl<B: Default> Default for Lists<B> {
    fn default() -> Self {
        Self { offsets: vec![0], items: B::default() }
    }
}

impl<B: Batch> Lists<B> {
    /// Collections of these items, each from one of the offsets to the next.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the offsets do not begin with 0, fall, or do not
    /// end with the number of items.
    pub fn from_offsets(offsets: Vec<u64>, items: B) -> Result<Self> {
        check(&offsets, items.len())?;
        Ok(Self { offsets, items })
    }

    /// Collections of so many of these items each.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if there are more items, or fewer.
    pub fn from_counts(counts: impl IntoIterator<Item = u64>, items: B) -> Result<Self> {
        let mut offsets = vec![0];
        let mut end = 0u64;
        for count in counts {
            end = end
                .checked_add(count)
                .ok_or_else(|| Error::invalid_argument("the collections have over 2^64 items"))?;
            offsets.push(end);
        }
        Self::from_offsets(offsets, items)
    }

    /// The number of collections.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no collections.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where each collection begins among the items, and behind these where the last one ends.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// How many items each collection has.
    pub fn counts(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        let ends = self.offsets.get(1..).unwrap_or_default();
        self.offsets.iter().zip(ends).map(|(start, end)| end - start).take(ends.len())
    }

    /// The items of all collections.
    pub fn items(&self) -> B::View<'_> {
        self.items.view()
    }

    /// Where the items of a collection are among all.
    ///
    /// # Panics
    /// If there is no such collection.
    #[expect(clippy::indexing_slicing, reason = "the documented panic, as a slice's")]
    pub fn range(&self, index: usize) -> Range<usize> {
        let offsets = &self.offsets[index..index + 2];
        items_of(offsets, &(0..1))
    }

    /// Where the items of each collection are among all.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = Range<usize>> + '_ {
        (0..self.len()).map(|index| items_of(&self.offsets, &(index..index + 1)))
    }

    /// The batch of items, and behind them the end of a collection.
    fn push_with(&mut self, push: impl FnOnce(&mut B)) {
        push(&mut self.items);
        self.offsets.push(self.items.len() as u64);
    }
}

impl<E: Element> Lists<Vec<E>> {
    /// The items of a collection.
    ///
    /// # Panics
    /// If there is no such collection.
    #[expect(clippy::indexing_slicing, reason = "the documented panic, as a slice's")]
    pub fn get(&self, index: usize) -> &[E] {
        &self.items[self.range(index)]
    }

    /// The collections in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[E]> + '_ {
        self.ranges().map(|range| self.items.get(range).unwrap_or_default())
    }
}

impl<T> Lists<Rows<T>> {
    /// The items of a collection.
    ///
    /// # Panics
    /// If there is no such collection.
    #[expect(clippy::indexing_slicing, reason = "the documented panic, as a slice's")]
    pub fn get(&self, index: usize) -> &[T] {
        &self.items[self.range(index)]
    }

    /// The collections in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> + '_ {
        self.ranges().map(|range| self.items.get(range).unwrap_or_default())
    }
}

/// The batch of the items.
impl<B> Deref for Lists<B> {
    type Target = B;

    fn deref(&self) -> &B {
        &self.items
    }
}

impl<B: Batch> Batch for Lists<B> {
    type View<'a>
        = &'a Self
    where
        B: 'a;

    fn len(&self) -> usize {
        Self::len(self)
    }

    fn clear(&mut self) {
        self.offsets.truncate(1);
        self.items.clear();
    }

    fn view(&self) -> &Self {
        self
    }
}

impl<B: Batch, R: ReadBatch<B>> ReadBatch<Lists<B>> for CollectionReader<R> {
    fn read_batch(&mut self, count: usize, out: &mut Lists<B>) -> Result<()> {
        let remaining = self.item.remaining();
        let items = match &mut self.lengths {
            Lengths::Stored(offsets) => offsets.read_ends(count, remaining, &mut out.offsets)?,
            fixed @ Lengths::Fixed { .. } => fixed.read_fixed_ends(count, remaining, &mut out.offsets)?,
        };
        let taken = self.allowance().take_values(items, ItemLength::exactly(B::UNCOUNTED));
        taken.map_err(|error| self.lengths.place(error))?;
        self.item.read_batch(items, &mut out.items)
    }
}

impl Lengths {
    /// As [`read_ends`](crate::field::collection::Offsets::read_ends), of arrays that are read as collections.
    fn read_fixed_ends(&mut self, count: usize, remaining: Option<u64>, out: &mut Vec<u64>) -> Result<usize> {
        let Self::Fixed { size, place, allowance } = self else { return Ok(0) };
        let place = |error: Error| error.in_field(place.to_string());
        let beyond = || {
            place(Error::out_of_spec(format!(
                "{count} arrays of {size} items are needed, more than there are"
            )))
        };
        let items = (count as u64).checked_mul(*size).ok_or_else(beyond)?;
        match remaining {
            Some(left) if left < items => return Err(beyond()),
            Some(_) => {}
            None => allowance.take(items).map_err(place)?,
        }
        let start = out.last().copied().unwrap_or_default();
        // The counts are those of stored items, or granted.
        out.extend((1..=count as u64).map(|number| start.wrapping_add(number.wrapping_mul(*size))));
        usize::try_from(items).map_err(|_| beyond())
    }
}

impl<B: Batch, R: ReadBatch<B>> ReadBatch<Pointees<Lists<B>>> for CollectionReader<R> {
    fn read_batch(&mut self, count: usize, out: &mut Pointees<Lists<B>>) -> Result<()> {
        self.read_batch(count, &mut out.0)
    }
}

impl<B: Batch, W: WriteBatch<B>> WriteBatch<Lists<B>> for CollectionWriter<W> {
    fn append_batch(&mut self, batch: &Lists<B>, range: Range<usize>) -> usize {
        let items = items_of(&batch.offsets, &range);
        append_ends(&mut self.offsets, &mut self.end, &batch.offsets, &range)
            + self.item.append_batch(&batch.items, items)
    }
}

macro_rules! lists {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> Batched for $type {
            type Batch = Lists<T::Batch>;

            fn push_to(&self, batch: &mut Lists<T::Batch>) {
                batch.push_with(|items| self.iter().for_each(|item| item.push_to(items)));
            }
        }
    )*};
}

lists! {
    [T: Batched] [T];
    [T: Batched] Vec<T>;
    [T: Batched] VecDeque<T>;
    [T: Batched] BTreeSet<T>;
    [T: Batched] RVec<T>;
    [T: Batched] MultiSet<T>;
    [T: Batched] UnorderedMultiSet<T>;
}

impl<T: Batched + Ord, S> Batched for HashSet<T, S> {
    type Batch = Lists<T::Batch>;

    fn push_to(&self, batch: &mut Lists<T::Batch>) {
        // In the order in which they are written.
        let mut items: Vec<&T> = self.iter().collect();
        items.sort_unstable();
        batch.push_with(|batch| items.into_iter().for_each(|item| item.push_to(batch)));
    }
}

impl<K: Batched, V: Batched> Batched for BTreeMap<K, V> {
    type Batch = Lists<Tuples<(K::Batch, V::Batch)>>;

    fn push_to(&self, batch: &mut Self::Batch) {
        batch.push_with(|pairs| self.iter().for_each(|(key, value)| pairs.push_pair(key, value)));
    }
}

impl<K: Batched + Ord, V: Batched, S> Batched for HashMap<K, V, S> {
    type Batch = Lists<Tuples<(K::Batch, V::Batch)>>;

    fn push_to(&self, batch: &mut Self::Batch) {
        let mut pairs: Vec<(&K, &V)> = self.iter().collect();
        pairs.sort_unstable_by_key(|(key, _)| *key);
        batch.push_with(|batch| pairs.into_iter().for_each(|(key, value)| batch.push_pair(key, value)));
    }
}

macro_rules! multimaps {
    ($($map:ident)*) => {$(
        impl<K: Batched, V: Batched> Batched for $map<K, V> {
            type Batch = Lists<Tuples<(K::Batch, V::Batch)>>;

            fn push_to(&self, batch: &mut Self::Batch) {
                batch.push_with(|pairs| self.iter().for_each(|(key, value)| pairs.push_pair(key, value)));
            }
        }
    )*};
}

multimaps! { MultiMap UnorderedMultiMap }
