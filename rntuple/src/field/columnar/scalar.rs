//! Scalars: a vector, or a slice of the decoded page.

use std::ops::Range;

use half::f16;

use super::bounds::MOST;
use super::{Columnar, Columns, ReadColumnar, Slice, WriteColumnar};
use crate::column::{ColumnReader, ColumnWriter};
use crate::encoding::{Byte, CxxChar, Element};
use crate::error::{Error, Result};
use crate::field::cardinality::CardinalityReader;
use crate::field::{Cardinality, Cardinality32};

impl<E: Element> Columns for Vec<E> {
    type Slice<'a> = &'a [E];

    fn as_slice(&self) -> &[E] {
        self
    }

    fn clear(&mut self) {
        Vec::clear(self);
    }
}

impl<'a, E: Element> Slice for &'a [E] {
    type One = E;
    type Array<const N: usize> = &'a [E; N];

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
        impl Columnar for $type {
            type Columns = Vec<$type>;

            #[inline]
            fn push_to(&self, columns: &mut Vec<$type>) {
                columns.push(*self);
            }
        }

        impl ReadColumnar for $type {
            #[inline]
            fn read_columns(
                reader: &mut ColumnReader<$type>,
                count: usize,
                out: &mut Vec<$type>,
            ) -> Result<()> {
                reader.take_items(count)?;
                reader.append_to(count, out)
            }

            #[inline]
            fn lend<'a>(
                reader: &'a mut ColumnReader<$type>,
                count: usize,
                _: &'a mut Vec<$type>,
            ) -> Result<&'a [$type]> {
                reader.slice(count)
            }
        }

        impl WriteColumnar for $type {
            #[inline]
            fn append_columns(writer: &mut ColumnWriter<$type>, values: &[$type]) -> usize {
                writer.extend_from_slice(values)
            }
        }
    )*};
}

scalars! { bool Byte CxxChar i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64 }

/// The sizes as plain numbers.
impl Columnar for Cardinality {
    type Columns = Vec<u64>;

    fn push_to(&self, columns: &mut Vec<u64>) {
        columns.push(self.0);
    }
}

impl ReadColumnar for Cardinality {
    fn read_columns(reader: &mut CardinalityReader, count: usize, out: &mut Vec<u64>) -> Result<()> {
        let (bounds, _) = reader.0.next_bounds_of(count, MOST)?;
        out.extend(bounds.sizes());
        Ok(())
    }
}

/// The sizes as plain numbers.
impl Columnar for Cardinality32 {
    type Columns = Vec<u32>;

    fn push_to(&self, columns: &mut Vec<u32>) {
        columns.push(self.0);
    }
}

impl ReadColumnar for Cardinality32 {
    fn read_columns(reader: &mut CardinalityReader, count: usize, out: &mut Vec<u32>) -> Result<()> {
        let (bounds, _) = reader.0.next_bounds_of(count, u64::from(u32::MAX))?;
        let too_many = |_| Error::limit("a collection has more items than 32 bits can count");
        for size in bounds.sizes() {
            out.push(u32::try_from(size).map_err(too_many)?);
        }
        Ok(())
    }
}
