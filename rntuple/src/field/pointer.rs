//! Pointers: they fill and read the columns of what they point to.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use super::{
    Attach, Commit, FieldBuilder, FieldNode, FieldReader, FieldWriter, Lazy, ReadField, WriteField, visits,
};
use crate::error::Result;
use crate::schema::TypeName;

/// The columns of what is pointed to, being filled.
#[derive(Debug)]
pub struct PointerWriter<W>(pub(super) W);

visits! { Commit for [W: Commit] PointerWriter<W>: 0 }

/// The columns of what is pointed to, being read.
#[derive(Debug)]
pub struct PointerReader<R>(pub(super) R);

visits! { Attach for [R: Attach] PointerReader<R>: 0; Self(R::DETACHED) }

/// What derefs to a value, and is filled as it.
macro_rules! appends {
    ($([$($generics:tt)*] $pointer:ty: $value:ty;)*) => {$(
        impl<$($generics)*, W: FieldWriter<$value>> FieldWriter<$pointer> for PointerWriter<W> {
            #[inline]
            fn append(&mut self, value: &$pointer) -> usize {
                self.0.append(value)
            }

            #[inline]
            fn append_each<'each, I>(&mut self, values: I) -> usize
            where
                $pointer: 'each,
                I: ExactSizeIterator<Item = &'each $pointer> + Clone,
            {
                self.0.append_each(values.map(|value| &**value))
            }
        }
    )*};
}

macro_rules! writes {
    ($([$($generics:tt)*] $pointer:ty;)*) => {$(
        appends! { [$($generics)*] $pointer: T; }

        impl<$($generics)*> WriteField for $pointer
        where
            T: WriteField,
        {
            type Writer = PointerWriter<T::Writer>;

            fn type_name() -> TypeName {
                T::type_name()
            }

            fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
                PointerWriter(T::declare(field))
            }

            fn array_type_name(count: usize) -> TypeName {
                T::array_type_name(count)
            }

            fn declare_array(field: &mut FieldBuilder<'_>, count: usize) -> Self::Writer {
                PointerWriter(T::declare_array(field, count))
            }
        }
    )*};
}

writes! {
    ['p, T: ?Sized] &'p T;
    [T: ?Sized] Box<T>;
    [T: ?Sized] Rc<T>;
    [T: ?Sized] Arc<T>;
    ['p, T: ToOwned + ?Sized] Cow<'p, T>;
    [T] Lazy<T>;
}

/// What owns its value, which is read in place.
macro_rules! reads {
    ($([$($generics:tt)*] $owner:ty: $value:ty, $new:expr;)*) => {$(
        impl<$($generics)*, R: FieldReader<$value>> FieldReader<$owner> for PointerReader<R> {
            #[inline]
            fn read(&mut self) -> Result<$owner> {
                self.0.read().map($new)
            }

            #[inline]
            fn read_into(&mut self, slot: &mut $owner) -> Result<()> {
                self.0.read_into(slot)
            }

            #[inline]
            fn reclaim(&mut self, value: &mut $owner) {
                self.0.reclaim(value);
            }
        }
    )*};
}

reads! { [T] Box<T>: T, Box::new; }

macro_rules! reads_shared {
    ($($pointer:ident)*) => {$(
        impl<T, R: FieldReader<T>> FieldReader<$pointer<T>> for PointerReader<R> {
            #[inline]
            fn read(&mut self) -> Result<$pointer<T>> {
                self.0.read().map($pointer::new)
            }
        }
    )*};
}

reads_shared! { Rc Arc }

macro_rules! connects {
    ($([$($generics:tt)*] $pointer:ty;)*) => {$(
        impl<$($generics)*> ReadField for $pointer
        where
            T: ReadField,
        {
            type Reader = PointerReader<T::Reader>;

            const IS_OPTION: bool = T::IS_OPTION;

            fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
                T::connect(field, &mut reader.0)
            }

            fn connect_array(field: FieldNode<'_>, count: usize, reader: &mut Self::Reader) -> Result<()> {
                T::connect_array(field, count, &mut reader.0)
            }
        }
    )*};
}

connects! {
    [T] Box<T>;
    [T] Rc<T>;
    [T] Arc<T>;
}

/// Reading makes the owned form.
impl<'p, T, R> FieldReader<Cow<'p, T>> for PointerReader<R>
where
    T: ToOwned + ?Sized,
    R: FieldReader<T::Owned>,
{
    #[inline]
    fn read(&mut self) -> Result<Cow<'p, T>> {
        self.0.read().map(Cow::Owned)
    }
}

impl<T> ReadField for Cow<'_, T>
where
    T: ToOwned + ?Sized,
    T::Owned: ReadField,
{
    type Reader = PointerReader<<T::Owned as ReadField>::Reader>;

    fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
        <T::Owned>::connect(field, &mut reader.0)
    }
}

pub(super) use {appends, reads};
#[cfg(feature = "ordered-float")]
pub(super) use {connects, writes};
