//! Arrays: a fixed number of items for each element of the parent, without offsets.

use super::collection::{array_start, too_many};
use super::{
    Attach, Commit, FieldBuilder, FieldNode, FieldReader, FieldWriter, Position, ReadField, WriteField,
    visits,
};
use crate::error::Result;
use crate::schema::TypeName;

/// The columns of an array's items, being filled.
#[derive(Debug)]
pub struct ArrayWriter<W> {
    pub(super) item: W,
}

visits! { Commit for [W: Commit] ArrayWriter<W>: item }

impl<T, W: FieldWriter<T>, const N: usize> FieldWriter<[T; N]> for ArrayWriter<W> {
    #[inline]
    fn append(&mut self, value: &[T; N]) -> usize {
        self.item.append_slice(value)
    }
}

impl<T: WriteField, const N: usize> WriteField for [T; N] {
    type Writer = ArrayWriter<T::Writer>;

    fn type_name() -> TypeName {
        T::array_type_name(N)
    }

    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
        ArrayWriter { item: T::declare_array(field, N) }
    }
}

/// The columns of an array's items, being read.
#[derive(Debug)]
pub struct ArrayReader<R> {
    pub(super) item: R,
    pub(super) size: u64,
}

impl<R> ArrayReader<R> {
    /// An array that is one on storage.
    pub(super) fn new(item: R, size: u64) -> Self {
        Self { item, size }
    }

    /// The number of items of `count` arrays.
    pub(super) fn items_of(&self, count: usize) -> Result<usize> {
        let items = usize::try_from(self.size).ok().and_then(|size| size.checked_mul(count));
        items.ok_or_else(|| too_many(count, self.size))
    }
}

impl<R: Attach> Attach for ArrayReader<R> {
    const DETACHED: Self = Self { item: R::DETACHED, size: 0 };

    fn seek(&mut self, to: Position<'_>) -> Result<()> {
        self.item.seek(to.with_element(array_start(to.element(), self.size)?))
    }

    #[inline]
    fn remaining(&self) -> Option<u64> {
        self.item.remaining()?.checked_div(self.size)
    }
}

impl<T, R: FieldReader<T>, const N: usize> FieldReader<[T; N]> for ArrayReader<R> {
    #[inline]
    fn read(&mut self) -> Result<[T; N]> {
        self.item.read_array()
    }

    #[inline]
    fn read_into(&mut self, slot: &mut [T; N]) -> Result<()> {
        if !std::mem::needs_drop::<T>() {
            *slot = self.item.read_array()?;
            return Ok(());
        }
        for value in slot {
            self.item.read_into(value)?;
        }
        Ok(())
    }

    #[inline]
    fn reclaim(&mut self, value: &mut [T; N]) {
        if std::mem::needs_drop::<T>() {
            for value in value {
                self.item.reclaim(value);
            }
        }
    }
}

impl<T: ReadField, const N: usize> ReadField for [T; N] {
    type Reader = ArrayReader<T::Reader>;

    fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
        reader.size = N as u64;
        T::connect_array(field, N, &mut reader.item)
    }
}
