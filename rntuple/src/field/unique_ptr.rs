//! Pointers that may be null.

use std::ops::{Deref, DerefMut};

use super::{
    CollectionWriter, FieldBuilder, FieldNode, FieldReader, FieldWriter, OptionReader, ReadField, WriteField,
};
use crate::error::Result;
use crate::schema::TypeName;

/// A value on the heap, or none: C++'s `std::unique_ptr<T>`.
///
/// On storage it is the option that `Option<T>` is, so each is read as the other; only the name of the type
/// differs. A `Box<T>` is never null, and stored as `T`. There are batches of it, and it is lent as `Option` is.
///
/// ```
/// use rntuple::cxx::UniquePtr;
/// let mut track = UniquePtr::new(7);
/// assert_eq!(track.as_deref(), Some(&7));
/// *track = None;
/// assert_eq!(track, UniquePtr::null());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UniquePtr<T>(pub Option<Box<T>>);

impl<T> UniquePtr<T> {
    /// Points to a value.
    pub fn new(value: T) -> Self {
        Self(Some(Box::new(value)))
    }

    /// Points to nothing.
    pub const fn null() -> Self {
        Self(None)
    }

    /// What it points to.
    pub fn into_inner(self) -> Option<T> {
        self.0.map(|value| *value)
    }
}

impl<T> Default for UniquePtr<T> {
    fn default() -> Self {
        Self::null()
    }
}

impl<T> Deref for UniquePtr<T> {
    type Target = Option<Box<T>>;

    fn deref(&self) -> &Option<Box<T>> {
        &self.0
    }
}

impl<T> DerefMut for UniquePtr<T> {
    fn deref_mut(&mut self) -> &mut Option<Box<T>> {
        &mut self.0
    }
}

impl<T> From<Option<T>> for UniquePtr<T> {
    fn from(value: Option<T>) -> Self {
        Self(value.map(Box::new))
    }
}

impl<T> From<Option<Box<T>>> for UniquePtr<T> {
    fn from(pointer: Option<Box<T>>) -> Self {
        Self(pointer)
    }
}

impl<T> From<Box<T>> for UniquePtr<T> {
    fn from(pointer: Box<T>) -> Self {
        Self(Some(pointer))
    }
}

impl<T> From<UniquePtr<T>> for Option<Box<T>> {
    fn from(pointer: UniquePtr<T>) -> Self {
        pointer.0
    }
}

impl<T, W: FieldWriter<T>> FieldWriter<UniquePtr<T>> for CollectionWriter<W> {
    #[inline]
    fn append(&mut self, value: &UniquePtr<T>) -> usize {
        match &value.0 {
            Some(value) => self.append_items(1, |item| item.append(value)),
            None => self.append_items(0, |_| 0),
        }
    }
}

impl<T: WriteField> WriteField for UniquePtr<T> {
    type Writer = CollectionWriter<T::Writer>;

    fn type_name() -> TypeName {
        TypeName::template("std::unique_ptr", [&T::type_name()])
    }

    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
        CollectionWriter::declare(field, &Self::type_name(), T::declare)
    }
}

impl<T, R: FieldReader<T>> FieldReader<UniquePtr<T>> for OptionReader<R> {
    #[inline]
    fn read(&mut self) -> Result<UniquePtr<T>> {
        FieldReader::<Option<T>>::read(self).map(UniquePtr::from)
    }

    fn read_into(&mut self, slot: &mut UniquePtr<T>) -> Result<()> {
        match (self.is_next()?, &mut slot.0) {
            (false, none) => *none = None,
            (true, Some(value)) => self.item.read_into(value)?,
            (true, none) => *none = Some(Box::new(self.item.read()?)),
        }
        Ok(())
    }
}

impl<T: ReadField> ReadField for UniquePtr<T> {
    type Reader = OptionReader<T::Reader>;

    const IS_OPTION: bool = true;

    fn connect(field: FieldNode<'_>) -> Result<Self::Reader> {
        Option::<T>::connect(field)
    }
}
