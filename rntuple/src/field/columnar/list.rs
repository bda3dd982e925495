//! Collections: the items of all of them, and where each begins and ends.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::ops::Range;

use super::bounds::{Bounds, check, offsets_of};
use super::{Columnar, Columns, ReadColumnar, Slice, SliceOf, Tuples, WriteColumnar, methods};
use crate::column::ItemLength;
use crate::error::Result;
use crate::field::{
    Attach, CollectionReader, CollectionWriter, MultiMap, MultiSet, ReadField, StringWriter, WriteField,
};

/// Many collections: the items of all of them, and where each begins and ends.
///
/// ```
/// use rntuple::columns::Lists;
/// // [1.0, 2.0], [], [3.0]
/// let hits = Lists::from_counts([2, 0, 1], vec![1.0, 2.0, 3.0])?;
/// assert_eq!(hits.offsets(), [0, 2, 2, 3]);
/// assert_eq!(hits.items(), &[1.0, 2.0, 3.0]);
/// assert_eq!(hits.as_slice().get(0), Some(&[1.0, 2.0][..]));
/// # Ok::<(), rntuple::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Lists<C> {
    /// One more than there are collections, from 0.
    pub(super) offsets: Vec<u64>,
    pub(super) items: C,
}

impl<C: Default> Default for Lists<C> {
    fn default() -> Self {
        Self { offsets: vec![0], items: C::default() }
    }
}

impl<C: Columns> Lists<C> {
    /// Makes collections of these items, each from one of the offsets to the next.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the offsets do not begin with 0, fall, or do not
    /// end with the number of items; or if members of the items are not equally many.
    pub fn from_offsets(offsets: Vec<u64>, items: C) -> Result<Self> {
        ListSlice::from_offsets(&offsets, items.as_slice())?;
        Ok(Self { offsets, items })
    }

    /// Makes collections that have this many of the items each.
    ///
    /// # Errors
    /// As [`from_offsets`](Self::from_offsets).
    pub fn from_counts(counts: impl IntoIterator<Item = u64>, items: C) -> Result<Self> {
        Self::from_offsets(offsets_of(counts)?, items)
    }

    /// Returns where each collection begins among the items, and at last where the last one ends.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// Returns the items of all collections.
    pub fn items(&self) -> &C {
        &self.items
    }

    /// Returns the offsets and the items.
    pub fn into_parts(self) -> (Vec<u64>, C) {
        (self.offsets, self.items)
    }

    /// Lends the collections.
    pub fn as_slice(&self) -> ListSlice<'_, C::Slice<'_>> {
        ListSlice { bounds: Bounds::Owned(&self.offsets), items: self.items.as_slice() }
    }

    /// Appends a collection, whose items are pushed.
    pub(super) fn push_with(&mut self, push: impl FnOnce(&mut C)) {
        push(&mut self.items);
        self.offsets.push(self.items.len() as u64);
    }
}

impl<C: Columns> Columns for Lists<C> {
    type Slice<'a> = ListSlice<'a, C::Slice<'a>>;

    fn as_slice(&self) -> Self::Slice<'_> {
        self.as_slice()
    }

    fn clear(&mut self) {
        self.offsets.truncate(1);
        self.items.clear();
    }
}

/// Many collections, lent: the items of all of them, and where each begins and ends.
#[derive(Clone, Copy)]
pub struct ListSlice<'a, S> {
    pub(super) bounds: Bounds<'a>,
    pub(super) items: S,
}

impl<'a, S: Slice> ListSlice<'a, S> {
    /// Makes collections of these items, each from one of the offsets to the next.
    ///
    /// # Errors
    /// As [`Lists::from_offsets`].
    pub fn from_offsets(offsets: &'a [u64], items: S) -> Result<Self> {
        check(offsets, items.len())?;
        items.check()?;
        Ok(Self { bounds: Bounds::Owned(offsets), items })
    }

    /// Returns the items of all collections, without boundaries.
    #[inline]
    pub fn items(self) -> S {
        self.bounds.all().and_then(|all| self.items.part(all)).unwrap_or(self.items)
    }

    /// Returns where the items of collection `index` are among [those of all](Self::items); `None` after the last.
    #[inline]
    pub fn range(self, index: usize) -> Option<Range<usize>> {
        let (range, start) = (self.bounds.get(index)?, self.bounds.all()?.start);
        Some(range.start - start..range.end - start)
    }

    /// Returns the number of items of each collection.
    pub fn counts(self) -> impl ExactSizeIterator<Item = u64> {
        self.bounds.sizes()
    }
}

methods! { ['a, S: Slice] ListSlice<'a, S> }

impl<S: Slice> Slice for ListSlice<'_, S> {
    type One = S;
    type Array<const N: usize> = Self;

    #[inline]
    fn len(self) -> usize {
        self.bounds.len()
    }

    #[inline]
    fn get(self, index: usize) -> Option<S> {
        self.items.part(self.bounds.get(index)?)
    }

    #[inline]
    fn part(self, range: Range<usize>) -> Option<Self> {
        Some(Self { bounds: self.bounds.part(range)?, ..self })
    }

    #[inline]
    fn array<const N: usize>(self) -> Option<Self> {
        (self.len() == N).then_some(self)
    }
}

fn read<T: ReadColumnar>(
    reader: &mut CollectionReader<T::Reader>,
    count: usize,
    out: &mut Lists<T::Columns>,
) -> Result<()> {
    let (bounds, items) = reader.lengths.next_bounds(count, reader.item.remaining())?;
    bounds.append_to(&mut out.offsets);
    let taken = reader.allowance().take_values(items, ItemLength::exactly(T::Columns::UNCOUNTED));
    taken.map_err(|error| reader.lengths.place(error))?;
    T::read_columns(&mut reader.item, items, &mut out.items)
}

#[inline]
fn lend<'a, T: ReadColumnar>(
    reader: &'a mut CollectionReader<T::Reader>,
    count: usize,
    spare: &'a mut Lists<T::Columns>,
) -> Result<ListSlice<'a, SliceOf<'a, T>>> {
    if T::Columns::UNCOUNTED > 0 {
        // The items are kept, so their memory counts.
        spare.clear();
        read::<T>(reader, count, spare)?;
        return Ok(spare.as_slice());
    }
    let (bounds, items) = reader.lengths.next_bounds(count, reader.item.remaining())?;
    Ok(ListSlice { bounds, items: T::lend(&mut reader.item, items, &mut spare.items)? })
}

impl ListSlice<'_, &[u8]> {
    /// Appends them as the bytes of strings.
    pub(super) fn append_bytes(self, writer: &mut StringWriter) -> usize {
        writer.note(self.into_iter());
        self.bounds.append_ends(&mut writer.offsets, &mut writer.end)
            + writer.chars.extend_from_slice(self.items())
    }
}

#[inline]
pub(super) fn append<T: WriteColumnar>(
    writer: &mut CollectionWriter<T::Writer>,
    values: ListSlice<'_, SliceOf<'_, T>>,
) -> usize {
    values.bounds.append_ends(&mut writer.offsets, &mut writer.end)
        + T::append_columns(&mut writer.item, values.items())
}

macro_rules! iterated {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> Columnar for $type {
            type Columns = Lists<T::Columns>;

            fn push_to(&self, columns: &mut Self::Columns) {
                columns.push_with(|items| self.iter().for_each(|item| item.push_to(items)));
            }
        }
    )*};
}

iterated! {
    [T: Columnar] [T];
    [T: Columnar] Vec<T>;
    [T: Columnar] VecDeque<T>;
    [T: Columnar] BTreeSet<T>;
    [T: Columnar] MultiSet<T>;
}

/// The items in the order in which they are written.
impl<T: Columnar + Ord, S> Columnar for HashSet<T, S> {
    type Columns = Lists<T::Columns>;

    fn push_to(&self, columns: &mut Self::Columns) {
        let mut items: Vec<&T> = self.iter().collect();
        items.sort_unstable();
        columns.push_with(|columns| items.into_iter().for_each(|item| item.push_to(columns)));
    }
}

macro_rules! maps {
    ($($map:ident)*) => {$(
        impl<K: Columnar, V: Columnar> Columnar for $map<K, V> {
            type Columns = Lists<Tuples<(K::Columns, V::Columns)>>;

            fn push_to(&self, columns: &mut Self::Columns) {
                columns.push_with(|pairs| self.iter().for_each(|(key, value)| pairs.push_pair(key, value)));
            }
        }
    )*};
}

maps! { BTreeMap MultiMap }

/// The pairs in the order in which they are written.
impl<K: Columnar + Ord, V: Columnar, S> Columnar for HashMap<K, V, S> {
    type Columns = Lists<Tuples<(K::Columns, V::Columns)>>;

    fn push_to(&self, columns: &mut Self::Columns) {
        let mut pairs: Vec<(&K, &V)> = self.iter().collect();
        pairs.sort_unstable_by_key(|(key, _)| *key);
        columns.push_with(|columns| pairs.into_iter().for_each(|(key, value)| columns.push_pair(key, value)));
    }
}

macro_rules! reads {
    ($([$($generics:tt)*] $type:ty: $item:ty;)*) => {$(
        impl<$($generics)*> ReadColumnar for $type {
            fn read_columns(
                reader: &mut CollectionReader<<$item as ReadField>::Reader>,
                count: usize,
                out: &mut Self::Columns,
            ) -> Result<()> {
                read::<$item>(reader, count, out)
            }

            #[inline]
            fn lend<'a>(
                reader: &'a mut CollectionReader<<$item as ReadField>::Reader>,
                count: usize,
                spare: &'a mut Self::Columns,
            ) -> Result<SliceOf<'a, Self>> {
                lend::<$item>(reader, count, spare)
            }
        }
    )*};
}

// Items of a set and keys of a map may be there twice: only the collection itself refuses that.
reads! {
    [T: ReadColumnar] Vec<T>: T;
    [T: ReadColumnar] Box<[T]>: T;
    [T: ReadColumnar] VecDeque<T>: T;
    [T: ReadColumnar + Ord] MultiSet<T>: T;
    [T: ReadColumnar + Ord] BTreeSet<T>: T;
    [T: ReadColumnar + Ord + Hash, S: BuildHasher + Default] HashSet<T, S>: T;
    [K: ReadColumnar + Ord, V: ReadColumnar] BTreeMap<K, V>: (K, V);
    [K: ReadColumnar + Ord, V: ReadColumnar] MultiMap<K, V>: (K, V);
    [K: ReadColumnar + Ord + Hash, V: ReadColumnar, S: BuildHasher + Default] HashMap<K, V, S>: (K, V);
}

macro_rules! writes {
    ($([$($generics:tt)*] $type:ty: $item:ty;)*) => {$(
        impl<$($generics)*> WriteColumnar for $type {
            #[inline]
            fn append_columns(
                writer: &mut CollectionWriter<<$item as WriteField>::Writer>,
                values: SliceOf<'_, Self>,
            ) -> usize {
                append::<$item>(writer, values)
            }
        }
    )*};
}

writes! {
    [T: WriteColumnar] [T]: T;
    [T: WriteColumnar] Vec<T>: T;
    [T: WriteColumnar] VecDeque<T>: T;
    [T: WriteColumnar] MultiSet<T>: T;
    [T: WriteColumnar] BTreeSet<T>: T;
    [T: WriteColumnar + Ord, S] HashSet<T, S>: T;
    [K: WriteColumnar, V: WriteColumnar] BTreeMap<K, V>: (K, V);
    [K: WriteColumnar, V: WriteColumnar] MultiMap<K, V>: (K, V);
    [K: WriteColumnar + Ord, V: WriteColumnar, S] HashMap<K, V, S>: (K, V);
}
