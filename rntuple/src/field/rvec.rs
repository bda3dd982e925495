//! ROOT's own vector.

use std::ops::{Deref, DerefMut};

use super::{
    CollectionReader, CollectionWriter, FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField,
    WriteField,
};
use crate::error::Result;
use crate::schema::TypeName;

/// A `Vec<T>` that C++ sees as `ROOT::VecOps::RVec<T>`, the vector of RDataFrame.
///
/// On storage it is the collection that a `Vec` is, so each is read as the other; only the name of the type
/// differs. There are batches of it, and it is lent as `Vec` is.
///
/// ```
/// use rntuple::storage::Memory;
/// use rntuple::cxx::RVec;
/// use rntuple::{RNTuple, Reader, WriteOptions, Writer};
///
/// #[derive(RNTuple)]
/// struct Event {
///     pt: RVec<f32>,
/// }
///
/// # fn main() -> rntuple::Result<()> {
/// let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
/// writer.fill(&Event { pt: vec![45.5, 38.0].into() })?;
/// let mut reader = Reader::<Event>::open(writer.finish_into()?.1, "Events")?;
/// assert_eq!(reader.get(0)?.pt[..], [45.5, 38.0]);
/// let pt = reader.schema().field(reader.schema().find("pt").unwrap()).unwrap();
/// assert_eq!(&*pt.type_name, "ROOT::VecOps::RVec<float>");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RVec<T>(pub Vec<T>);

impl<T> Default for RVec<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Deref for RVec<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T> DerefMut for RVec<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<T> From<Vec<T>> for RVec<T> {
    fn from(items: Vec<T>) -> Self {
        Self(items)
    }
}

impl<T> From<RVec<T>> for Vec<T> {
    fn from(items: RVec<T>) -> Self {
        items.0
    }
}

impl<T> FromIterator<T> for RVec<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self(Vec::from_iter(items))
    }
}

impl<T> Extend<T> for RVec<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.0.extend(items);
    }
}

impl<T> IntoIterator for RVec<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a RVec<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T, W: FieldWriter<T>> FieldWriter<RVec<T>> for CollectionWriter<W> {
    #[inline]
    fn append(&mut self, value: &RVec<T>) -> usize {
        FieldWriter::<[T]>::append(self, &value.0)
    }
}

impl<T: WriteField> WriteField for RVec<T> {
    type Writer = CollectionWriter<T::Writer>;

    fn type_name() -> TypeName {
        TypeName::template("ROOT::VecOps::RVec", [&T::type_name()])
    }

    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
        CollectionWriter::declare(field, &Self::type_name(), T::declare)
    }
}

impl<T, R: FieldReader<T>> FieldReader<RVec<T>> for CollectionReader<R> {
    #[inline]
    fn read(&mut self) -> Result<RVec<T>> {
        FieldReader::<Vec<T>>::read(self).map(RVec)
    }

    #[inline]
    fn read_into(&mut self, slot: &mut RVec<T>) -> Result<()> {
        self.read_into(&mut slot.0)
    }

    #[inline]
    fn reclaim(&mut self, value: &mut RVec<T>) {
        self.reclaim(&mut value.0);
    }
}

impl<T: ReadField> ReadField for RVec<T> {
    type Reader = CollectionReader<T::Reader>;

    fn connect(field: FieldNode<'_>) -> Result<Self::Reader> {
        Vec::<T>::connect(field)
    }
}
