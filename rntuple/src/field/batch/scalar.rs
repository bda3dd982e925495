//! Scalars: their batch is a vector.

use std::ops::Range;

use half::f16;

use super::{Batch, Batched, ReadBatch, WriteBatch};
use crate::column::{ColumnReader, ColumnWriter};
use crate::encoding::{Byte, CxxChar, Element};
use crate::error::{Error, Result};
use crate::field::cardinality::CardinalityReader;
use crate::field::{Cardinality, Cardinality32};

impl<E: Element> Batch for Vec<E> {
    type View<'a> = &'a [E];

    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn clear(&mut self) {
        Vec::clear(self);
    }

    fn view(&self) -> &[E] {
        self
    }
}

impl<E: Element> ReadBatch<Vec<E>> for ColumnReader<E> {
    #[inline]
    fn read_batch(&mut self, count: usize, out: &mut Vec<E>) -> Result<()> {
        self.take_items(count)?;
        self.append_to(count, out)
    }
}

impl<E: Element> WriteBatch<Vec<E>> for ColumnWriter<E> {
    #[inline]
    fn append_batch(&mut self, batch: &Vec<E>, range: Range<usize>) -> usize {
        self.extend_from_slice(batch.get(range).unwrap_or_default())
    }
}

macro_rules! scalars {
    ($($type:ty)*) => {$(
        impl Batched for $type {
            type Batch = Vec<$type>;

            #[inline]
            fn push_to(&self, batch: &mut Vec<$type>) {
                batch.push(*self);
            }
        }
    )*};
}

scalars! { bool Byte CxxChar i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64 }

/// The sizes as plain numbers.
impl Batched for Cardinality {
    type Batch = Vec<u64>;

    fn push_to(&self, batch: &mut Vec<u64>) {
        batch.push(self.0);
    }
}

/// The sizes as plain numbers.
impl Batched for Cardinality32 {
    type Batch = Vec<u32>;

    fn push_to(&self, batch: &mut Vec<u32>) {
        batch.push(self.0);
    }
}

impl ReadBatch<Vec<u32>> for CardinalityReader {
    fn read_batch(&mut self, count: usize, out: &mut Vec<u32>) -> Result<()> {
        let mut sizes = Vec::new();
        self.0.read_counts(count, &mut sizes)?;
        for size in sizes {
            let size = u32::try_from(size);
            out.push(size.map_err(|_| Error::limit("a collection has more items than 32 bits can count"))?);
        }
        Ok(())
    }
}

impl ReadBatch<Vec<u64>> for CardinalityReader {
    fn read_batch(&mut self, count: usize, out: &mut Vec<u64>) -> Result<()> {
        self.0.read_counts(count, out)
    }
}
