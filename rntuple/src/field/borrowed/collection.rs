//! Collections: a slice of the items for each, between two of the decoded offsets.

use std::collections::VecDeque;
use std::ops::Range;

use super::bounds::Bounds;
use super::{Borrowed, Many, methods};
use crate::error::Result;
use crate::field::cardinality::CardinalityReader;
use crate::field::{Attach, Cardinality, CollectionReader, RVec, UnorderedMultiSet};

/// Many lists: the items of all of them, one behind the other, and where each begins and ends.
///
/// ```
/// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
/// #[derive(RNTuple)]
/// #[rntuple(borrowed)]
/// struct Event { clusters: Vec<Vec<f32>> }
///
/// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// # writer.fill(&Event { clusters: vec![vec![1.0], vec![], vec![2.0, 3.0]] })?;
/// # let storage = writer.finish_into()?.1;
/// let reader = Reader::<Event>::open(storage, "Events")?;
/// let mut events = reader.borrowed();
/// while let Some(event) = events.next()? {
///     assert_eq!(event.clusters.len(), 3);
///     assert_eq!(event.clusters.get(2), Some(&[2.0, 3.0][..]));
///     assert_eq!(event.clusters.items(), [1.0, 2.0, 3.0]);
/// }
/// # Ok::<(), rntuple::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct ListSlice<'a, S> {
    bounds: Bounds<'a>,
    items: S,
}

impl<S: Many> ListSlice<'_, S> {
    /// The items of all lists, without boundaries.
    #[inline]
    pub fn items(self) -> S {
        self.bounds.all().and_then(|all| self.items.part(all)).unwrap_or_else(S::empty)
    }
}

methods! { ['a, S: Many] ListSlice<'a, S> }

impl<S: Many> Many for ListSlice<'_, S> {
    type One = S;
    type Array<const N: usize> = Self;

    fn empty() -> Self {
        Self { bounds: Bounds::EMPTY, items: S::empty() }
    }

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

macro_rules! collections {
    ($($type:ty)*) => {$(
        impl<T: Borrowed> Borrowed for $type {
            type Ref<'a> = T::Slice<'a>;
            type Slice<'a> = ListSlice<'a, T::Slice<'a>>;

            #[inline]
            fn borrow(columns: &mut CollectionReader<T::Reader>) -> Result<T::Slice<'_>> {
                let count = columns.next_count()?;
                T::borrow_many(&mut columns.item, count)
            }

            #[inline]
            fn borrow_many(
                columns: &mut CollectionReader<T::Reader>,
                count: usize,
            ) -> Result<Self::Slice<'_>> {
                let (bounds, total) = columns.lengths.next_bounds(count, columns.item.remaining())?;
                Ok(ListSlice { bounds, items: T::borrow_many(&mut columns.item, total)? })
            }
        }
    )*};
}

collections! { Vec<T> Box<[T]> VecDeque<T> RVec<T> UnorderedMultiSet<T> }

/// The sizes of many collections.
#[derive(Clone, Copy)]
pub struct SizeSlice<'a>(Bounds<'a>);

methods! { ['a] SizeSlice<'a> }

impl Many for SizeSlice<'_> {
    type One = Cardinality;
    type Array<const N: usize> = Self;

    fn empty() -> Self {
        Self(Bounds::EMPTY)
    }

    #[inline]
    fn len(self) -> usize {
        self.0.len()
    }

    #[inline]
    fn get(self, index: usize) -> Option<Cardinality> {
        Some(Cardinality(self.0.get(index)?.len() as u64))
    }

    #[inline]
    fn part(self, range: Range<usize>) -> Option<Self> {
        self.0.part(range).map(Self)
    }

    #[inline]
    fn array<const N: usize>(self) -> Option<Self> {
        (self.len() == N).then_some(self)
    }
}

impl Borrowed for Cardinality {
    type Ref<'a> = Self;
    type Slice<'a> = SizeSlice<'a>;

    #[inline]
    fn borrow(columns: &mut CardinalityReader) -> Result<Self> {
        crate::field::FieldReader::read(columns)
    }

    fn borrow_many(columns: &mut CardinalityReader, count: usize) -> Result<SizeSlice<'_>> {
        columns.0.next_bounds_of(count, u64::MAX).map(|(bounds, _)| SizeSlice(bounds))
    }
}
