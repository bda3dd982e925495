//! Arrays: so many items for each, without offsets.

use std::ops::Range;

use super::{Borrowed, Many, methods};
use crate::column::ColumnReader;
use crate::encoding::Element;
use crate::error::{Error, Result};
use crate::field::{ArrayReader, BitSet};

/// Many arrays of `N` items, one behind the other.
#[derive(Clone, Copy)]
pub struct ArraySlice<S, const N: usize> {
    items: S,
    count: usize,
}

impl<S: Many, const N: usize> ArraySlice<S, N> {
    /// The items of all arrays.
    #[inline]
    pub fn items(self) -> S {
        self.items
    }
}

impl<'a, E: Element, const N: usize> ArraySlice<&'a [E], N> {
    /// All arrays; none if they are of no items.
    #[inline]
    pub fn as_slice(self) -> &'a [[E; N]] {
        if N == 0 { &[] } else { self.items.as_chunks().0 }
    }
}

methods! { [S: Many, const N: usize] ArraySlice<S, N> }

impl<S: Many, const N: usize> Many for ArraySlice<S, N> {
    type One = S::Array<N>;
    type Array<const M: usize> = Self;

    fn empty() -> Self {
        Self { items: S::empty(), count: 0 }
    }

    #[inline]
    fn len(self) -> usize {
        self.count
    }

    #[inline]
    fn get(self, index: usize) -> Option<S::Array<N>> {
        let first = (index < self.count).then(|| index.checked_mul(N))??;
        self.items.part(first..first.checked_add(N)?)?.array()
    }

    #[inline]
    fn part(self, range: Range<usize>) -> Option<Self> {
        let count = range.end.checked_sub(range.start).filter(|_| range.end <= self.count)?;
        let items = range.start.checked_mul(N)?..range.end.checked_mul(N)?;
        Some(Self { items: self.items.part(items)?, count })
    }

    #[inline]
    fn array<const M: usize>(self) -> Option<Self> {
        (self.count == M).then_some(self)
    }
}

/// What cannot be: there are as many items as were asked for.
#[cold]
fn too_few() -> Error {
    Error::out_of_spec("an array has too few items")
}

impl<T: Borrowed, const N: usize> Borrowed for [T; N] {
    type Ref<'a> = <T::Slice<'a> as Many>::Array<N>;
    type Slice<'a> = ArraySlice<T::Slice<'a>, N>;

    #[inline]
    fn borrow(columns: &mut ArrayReader<T::Reader>) -> Result<Self::Ref<'_>> {
        T::borrow_many(&mut columns.item, N)?.array().ok_or_else(too_few)
    }

    #[inline]
    fn borrow_many(columns: &mut ArrayReader<T::Reader>, count: usize) -> Result<Self::Slice<'_>> {
        let items = columns.items_of(count)?;
        Ok(ArraySlice { items: T::borrow_many(&mut columns.item, items)?, count })
    }
}

/// Many bitsets.
#[derive(Clone, Copy)]
pub struct BitSlice<'a, const N: usize>(ArraySlice<&'a [bool], N>);

impl<'a, const N: usize> BitSlice<'a, N> {
    /// The flags of all bitsets; none if they are of no flags.
    #[inline]
    pub fn as_slice(self) -> &'a [[bool; N]] {
        self.0.as_slice()
    }
}

methods! { ['a, const N: usize] BitSlice<'a, N> }

impl<const N: usize> Many for BitSlice<'_, N> {
    type One = BitSet<N>;
    type Array<const M: usize> = Self;

    fn empty() -> Self {
        Self(Many::empty())
    }

    #[inline]
    fn len(self) -> usize {
        self.0.count
    }

    #[inline]
    fn get(self, index: usize) -> Option<BitSet<N>> {
        Many::get(self.0, index).map(|bits| BitSet::from(*bits))
    }

    #[inline]
    fn part(self, range: Range<usize>) -> Option<Self> {
        self.0.part(range).map(Self)
    }

    #[inline]
    fn array<const M: usize>(self) -> Option<Self> {
        (self.0.count == M).then_some(self)
    }
}

impl<const N: usize> Borrowed for BitSet<N> {
    type Ref<'a> = Self;
    type Slice<'a> = BitSlice<'a, N>;

    #[inline]
    fn borrow(columns: &mut ArrayReader<ColumnReader<bool>>) -> Result<Self> {
        <[bool; N]>::borrow(columns).map(|bits| Self::from(*bits))
    }

    fn borrow_many(columns: &mut ArrayReader<ColumnReader<bool>>, count: usize) -> Result<BitSlice<'_, N>> {
        <[bool; N]>::borrow_many(columns, count).map(BitSlice)
    }
}
