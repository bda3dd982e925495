//! Arrays: the items of all of them, a fixed number for each.

use std::ops::{Deref, Range};

use super::{Columnar, Columns, ReadColumnar, Slice, SliceOf, WriteColumnar, columns_as, methods};
use crate::encoding::Element;
use crate::error::{Error, Result};
use crate::field::BitSet;
use crate::field::array::{ArrayReader, ArrayWriter};
use crate::message::counted;

/// Many arrays of `N` items: the items of all of them.
///
/// ```
/// use rntuple::columns::Arrays;
/// let positions = Arrays::<_, 3>::new(2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// assert_eq!(positions.as_slice().as_arrays(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// # Ok::<(), rntuple::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Arrays<C, const N: usize> {
    count: usize,
    /// `N` for each.
    items: C,
}

impl<C: Columns, const N: usize> Arrays<C, N> {
    /// Makes `count` arrays of these items.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if there are not `N` items for each array.
    pub fn new(count: usize, items: C) -> Result<Self> {
        ArraySlice::<_, N>::new(count, items.as_slice())?;
        Ok(Self { count, items })
    }

    /// Lends the arrays.
    pub fn as_slice(&self) -> ArraySlice<C::Slice<'_>, N> {
        ArraySlice { items: self.items.as_slice(), count: self.count }
    }
}

/// The columns of the items.
impl<C, const N: usize> Deref for Arrays<C, N> {
    type Target = C;

    fn deref(&self) -> &C {
        &self.items
    }
}

impl<C: Columns, const N: usize> Columns for Arrays<C, N> {
    type Slice<'a> = ArraySlice<C::Slice<'a>, N>;

    const UNCOUNTED: usize = C::UNCOUNTED.saturating_mul(N);

    fn as_slice(&self) -> Self::Slice<'_> {
        self.as_slice()
    }

    fn clear(&mut self) {
        self.count = 0;
        self.items.clear();
    }
}

/// Many arrays of `N` items, lent.
#[derive(Clone, Copy)]
pub struct ArraySlice<S, const N: usize> {
    items: S,
    count: usize,
}

impl<S: Slice, const N: usize> ArraySlice<S, N> {
    /// Makes `count` arrays of these items.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if there are not `N` items for each array.
    pub fn new(count: usize, items: S) -> Result<Self> {
        if count.checked_mul(N) == Some(items.len()) {
            items.check()?;
            return Ok(Self { items, count });
        }
        let message = format!(
            "{} of {N} cannot be made of {}",
            counted(count as u64, "array"),
            counted(items.len() as u64, "item")
        );
        Err(Error::invalid_argument(message))
    }

    /// Returns the items of all arrays.
    #[inline]
    pub fn items(self) -> S {
        self.items
    }
}

impl<'a, E: Element, const N: usize> ArraySlice<&'a [E], N> {
    /// Returns all arrays; none if `N` is 0.
    #[inline]
    pub fn as_arrays(self) -> &'a [[E; N]] {
        if N == 0 { &[] } else { self.items.as_chunks().0 }
    }
}

methods! { [S: Slice, const N: usize] ArraySlice<S, N> }

impl<S: Slice, const N: usize> Slice for ArraySlice<S, N> {
    type One = S::Array<N>;
    type Array<const M: usize> = Self;

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

impl<T: Columnar, const N: usize> Columnar for [T; N] {
    type Columns = Arrays<T::Columns, N>;

    fn push_to(&self, columns: &mut Self::Columns) {
        self.iter().for_each(|item| item.push_to(&mut columns.items));
        columns.count += 1;
    }
}

impl<T: ReadColumnar, const N: usize> ReadColumnar for [T; N] {
    fn read_columns(
        reader: &mut ArrayReader<T::Reader>,
        count: usize,
        out: &mut Self::Columns,
    ) -> Result<()> {
        let items = reader.items_of(count)?;
        T::read_columns(&mut reader.item, items, &mut out.items)?;
        out.count += count;
        Ok(())
    }

    #[inline]
    fn lend<'a>(
        reader: &'a mut ArrayReader<T::Reader>,
        count: usize,
        spare: &'a mut Self::Columns,
    ) -> Result<SliceOf<'a, Self>> {
        let items = reader.items_of(count)?;
        Ok(ArraySlice { items: T::lend(&mut reader.item, items, &mut spare.items)?, count })
    }
}

impl<T: WriteColumnar, const N: usize> WriteColumnar for [T; N] {
    fn append_columns(writer: &mut ArrayWriter<T::Writer>, values: SliceOf<'_, Self>) -> usize {
        T::append_columns(&mut writer.item, values.items)
    }
}

/// The flags as arrays.
impl<const N: usize> Columnar for BitSet<N> {
    type Columns = Arrays<Vec<bool>, N>;

    fn push_to(&self, columns: &mut Self::Columns) {
        self.as_array().push_to(columns);
    }
}

columns_as! { [const N: usize] BitSet<N> as [bool; N]; }
