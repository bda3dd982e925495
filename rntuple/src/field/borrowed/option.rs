//! Options: the values that are there, and which those are.

use std::ops::Range;

use super::bounds::Bounds;
use super::{Borrowed, Many, methods};
use crate::error::Result;
use crate::field::{OptionReader, UniquePtr};

/// Many options: the values of those that have one, one behind the other.
#[derive(Clone, Copy)]
pub struct OptionSlice<'a, S> {
    /// Of lists of none or one.
    bounds: Bounds<'a>,
    items: S,
}

impl<S: Many> OptionSlice<'_, S> {
    /// The values of the options that have one.
    #[inline]
    pub fn items(self) -> S {
        self.bounds.all().and_then(|all| self.items.part(all)).unwrap_or_else(S::empty)
    }
}

methods! { ['a, S: Many] OptionSlice<'a, S> }

impl<S: Many> Many for OptionSlice<'_, S> {
    type One = Option<S::One>;
    type Array<const N: usize> = Self;

    fn empty() -> Self {
        Self { bounds: Bounds::EMPTY, items: S::empty() }
    }

    #[inline]
    fn len(self) -> usize {
        self.bounds.len()
    }

    #[inline]
    fn get(self, index: usize) -> Option<Option<S::One>> {
        let item = self.bounds.get(index)?;
        if item.is_empty() { Some(None) } else { self.items.get(item.start).map(Some) }
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

/// As an option.
impl<T: Borrowed> Borrowed for UniquePtr<T> {
    type Ref<'a> = Option<T::Ref<'a>>;
    type Slice<'a> = OptionSlice<'a, T::Slice<'a>>;

    #[inline]
    fn borrow(columns: &mut OptionReader<T::Reader>) -> Result<Option<T::Ref<'_>>> {
        Option::<T>::borrow(columns)
    }

    #[inline]
    fn borrow_many(columns: &mut OptionReader<T::Reader>, count: usize) -> Result<Self::Slice<'_>> {
        Option::<T>::borrow_many(columns, count)
    }
}

impl<T: Borrowed> Borrowed for Option<T> {
    type Ref<'a> = Option<T::Ref<'a>>;
    type Slice<'a> = OptionSlice<'a, T::Slice<'a>>;

    #[inline]
    fn borrow(columns: &mut OptionReader<T::Reader>) -> Result<Option<T::Ref<'_>>> {
        if columns.is_next()? { T::borrow(&mut columns.item).map(Some) } else { Ok(None) }
    }

    #[inline]
    fn borrow_many(columns: &mut OptionReader<T::Reader>, count: usize) -> Result<Self::Slice<'_>> {
        let (bounds, total) = match &mut columns.presence {
            Some(presence) => presence.0.next_bounds_of(count, 1)?,
            None => (Bounds::Fixed { size: 1, skipped: 0, count }, count),
        };
        Ok(OptionSlice { bounds, items: T::borrow_many(&mut columns.item, total)? })
    }
}
