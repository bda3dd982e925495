//! Arrays: a fixed number of items for each element of the parent, without offsets.

use super::{Attach, Commit, FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField, WriteField};
use crate::cluster::{Cluster, Gathered};
use crate::error::{Error, Result};
use crate::schema::TypeName;

/// The columns of an array's items, being filled.
#[derive(Debug)]
pub struct ArrayWriter<W> {
    pub(super) item: W,
}

impl<W: Commit> Commit for ArrayWriter<W> {
    fn commit(&mut self, cluster: &mut Gathered) -> Result<()> {
        self.item.commit(cluster)
    }
}

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

impl<R: Attach> Attach for ArrayReader<R> {
    fn attach(&mut self, cluster: &Cluster) -> Result<()> {
        self.item.attach(cluster)
    }

    fn seek(&mut self, position: u64) -> Result<()> {
        let first = position.checked_mul(self.size);
        self.item.seek(first.ok_or_else(|| Error::out_of_spec("an array beyond element 2^64"))?)
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
}

impl<T: ReadField, const N: usize> ReadField for [T; N] {
    type Reader = ArrayReader<T::Reader>;

    fn connect(field: FieldNode<'_>) -> Result<Self::Reader> {
        Ok(ArrayReader { item: T::connect_array(field, N)?, size: N as u64 })
    }
}

/// An array of what `make` gives, until it fails.
#[inline]
pub(super) fn try_from_fn<T, const N: usize>(mut make: impl FnMut() -> Result<T>) -> Result<[T; N]> {
    let mut fault = None;
    let slots: [Option<T>; N] = std::array::from_fn(|_| match fault {
        Some(_) => None,
        None => make().map_err(|error| fault = Some(error)).ok(),
    });
    match fault {
        Some(error) => Err(error),
        #[expect(clippy::unreachable, reason = "without a fault every slot was filled")]
        None => Ok(slots.map(|slot| slot.unwrap_or_else(|| unreachable!()))),
    }
}
