//! Arrays: a fixed number of items for each element of the parent, without offsets.

use super::collection::{Offsets, array_start};
use super::{Attach, Commit, FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField, WriteField};
use crate::cluster::{Cluster, Gathered};
use crate::error::{Error, ErrorKind, Result};
use crate::message::counted;
use crate::schema::{Role, TypeName};

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
    /// Of a collection that is read as an array: each must have `size` items. Boxed, because it is rare.
    pub(super) lengths: Option<Box<Offsets>>,
}

impl<R> ArrayReader<R> {
    /// An array that is one on storage.
    pub(super) fn new(item: R, size: u64) -> Self {
        Self { item, size, lengths: None }
    }
}

impl<R: Attach> ArrayReader<R> {
    /// Finds an array of `size` items, or collections that may be so long.
    fn connect<'a>(
        field: FieldNode<'a>,
        size: usize,
        array: impl FnOnce(FieldNode<'a>) -> Result<R>,
        item: impl FnOnce(FieldNode<'a>) -> Result<R>,
    ) -> Result<Self> {
        let mut node = field;
        // The schema's depth is bounded, so this ends.
        while let Some(inside) = node.optional_item() {
            let is_collection = !inside.holds_many() && size <= 1;
            match node.presume().filter(|_| !is_collection) {
                Some(inside) => node = inside,
                None => break,
            }
        }
        if node.role() != Role::Collection || node.repetition().is_some() {
            // One error, in the words of arrays, for all that is neither.
            return Ok(Self::new(array(field)?, size as u64));
        }
        let node = node.expect(Role::Collection, "an array")?;
        let (offsets, item) = (Offsets::connect(node), node.item().and_then(item));
        Ok(Self { item: item?, size: size as u64, lengths: Some(Box::new(offsets?)) })
    }

    /// Begins an array.
    #[inline]
    pub(super) fn begin(&mut self) -> Result<()> {
        let Some(lengths) = &mut self.lengths else { return Ok(()) };
        match lengths.next_count(self.item.remaining())? as u64 {
            found if found == self.size => Ok(()),
            found => Err(self.wrong_length(found)),
        }
    }

    #[cold]
    pub(super) fn wrong_length(&self, found: u64) -> Error {
        let message = format!("the collection has {}, the type wants {}", counted(found, "item"), self.size);
        let error = Error::new(ErrorKind::SchemaMismatch, message);
        match &self.lengths {
            Some(lengths) => lengths.place(error),
            None => error,
        }
    }
}

impl<R: Attach> Attach for ArrayReader<R> {
    fn attach(&mut self, cluster: &Cluster) -> Result<()> {
        if let Some(lengths) = &mut self.lengths {
            lengths.attach(cluster)?;
        }
        self.item.attach(cluster)
    }

    fn seek(&mut self, position: u64) -> Result<()> {
        let start = match &mut self.lengths {
            Some(lengths) => lengths.seek(position)?,
            None => array_start(position, self.size)?,
        };
        self.item.seek(start)
    }

    #[inline]
    fn remaining(&self) -> Option<u64> {
        match &self.lengths {
            Some(lengths) => lengths.remaining(),
            None => self.item.remaining()?.checked_div(self.size),
        }
    }
}

impl<T, R: FieldReader<T>, const N: usize> FieldReader<[T; N]> for ArrayReader<R> {
    #[inline]
    fn read(&mut self) -> Result<[T; N]> {
        self.begin()?;
        self.item.read_array()
    }

    #[inline]
    fn read_into(&mut self, slot: &mut [T; N]) -> Result<()> {
        self.begin()?;
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

    fn connect(field: FieldNode<'_>) -> Result<Self::Reader> {
        ArrayReader::connect(field, N, |array| T::connect_array(array, N), T::connect)
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
