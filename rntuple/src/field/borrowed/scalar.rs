//! Values that fill one column: a slice of the decoded page.

use std::ops::Range;

use half::f16;

use super::{Borrowed, Many};
use crate::column::ColumnReader;
use crate::encoding::{Byte, CxxChar, Element};
use crate::error::Result;

impl<'a, E: Element> Many for &'a [E] {
    type One = E;
    type Array<const N: usize> = &'a [E; N];

    #[inline]
    fn empty() -> Self {
        &[]
    }

    #[inline]
    fn len(self) -> usize {
        <[E]>::len(self)
    }

    #[inline]
    fn get(self, index: usize) -> Option<E> {
        <[E]>::get(self, index).copied()
    }

    #[inline]
    fn part(self, range: Range<usize>) -> Option<Self> {
        <[E]>::get(self, range)
    }

    #[inline]
    fn array<const N: usize>(self) -> Option<&'a [E; N]> {
        self.try_into().ok()
    }
}

macro_rules! scalars {
    ($($type:ty)*) => {$(
        impl Borrowed for $type {
            type Ref<'a> = $type;
            type Slice<'a> = &'a [$type];

            #[inline]
            fn borrow(columns: &mut ColumnReader<$type>) -> Result<$type> {
                columns.next()
            }

            #[inline]
            fn borrow_many(columns: &mut ColumnReader<$type>, count: usize) -> Result<&[$type]> {
                columns.slice(count)
            }
        }
    )*};
}

scalars! { bool Byte CxxChar i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64 }
