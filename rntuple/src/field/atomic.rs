//! Atomic numbers: what they hold, in a field of its own around it.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicU8, AtomicU16, AtomicU32};
#[cfg(target_has_atomic = "64")]
use std::sync::atomic::{AtomicI64, AtomicU64};

use super::columnar::{Columnar, columns_as};
use super::own::stored_as;
use super::pointer::{appends, reads};
use super::{
    FieldBuilder, FieldNode, FieldReader, FieldWriter, PointerReader, PointerWriter, ReadField, WriteField,
};
use crate::column::{ColumnReader, ColumnWriter};
use crate::error::Result;
use crate::schema::TypeName;

/// A value that C++ sees as `std::atomic<T>`: plain here, for numbers that Rust has no atomics of, as `f32`.
///
/// `AtomicBool`, `AtomicI8` to `AtomicU64` themselves are stored in the same way; what they hold is loaded when
/// they are written, with relaxed ordering. Each of them is read as the plain value, and the other way round.
///
/// ```
/// use rntuple::storage::Memory;
/// use rntuple::cxx::Atomic;
/// use rntuple::{RNTuple, Reader, WriteOptions, Writer};
/// use std::sync::atomic::AtomicU32;
///
/// #[derive(RNTuple)]
/// struct Counters {
///     hits: AtomicU32,
///     energy: Atomic<f32>,
/// }
///
/// # fn main() -> rntuple::Result<()> {
/// let mut writer = Writer::<Counters, _>::new(Memory::new(), "Counters", WriteOptions::new())?;
/// writer.fill(&Counters { hits: AtomicU32::new(3), energy: Atomic(1.5) })?;
/// let mut reader = Reader::<Counters>::open(writer.finish_into()?.1, "Counters")?;
/// let counters = reader.get(0)?;
/// assert_eq!((counters.hits.into_inner(), *counters.energy), (3, 1.5));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Atomic<T>(pub T);

impl<T> Deref for Atomic<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Atomic<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> From<T> for Atomic<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

appends! { [T] Atomic<T>: T; }

reads! { [T] Atomic<T>: T, Atomic; }

impl<T: WriteField> WriteField for Atomic<T> {
    type Writer = PointerWriter<T::Writer>;

    fn type_name() -> TypeName {
        TypeName::template("std::atomic", [&T::type_name()])
    }

    /// The value is a subfield of a field without columns (format, section 9.2).
    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
        field.plain(&Self::type_name());
        PointerWriter(T::declare(&mut field.item()))
    }
}

impl<T: ReadField> ReadField for Atomic<T> {
    type Reader = PointerReader<T::Reader>;

    fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
        T::connect(field.atomic_item().unwrap_or(field), &mut reader.0)
    }
}

macro_rules! atomics {
    ($($(#[$only:meta])? $atomic:ident, $value:ident;)*) => {$(
        $(#[$only])?
        impl FieldWriter<$atomic> for PointerWriter<ColumnWriter<$value>> {
            #[inline]
            fn append(&mut self, value: &$atomic) -> usize {
                self.0.push(value.load(Relaxed))
            }
        }

        $(#[$only])?
        impl FieldReader<$atomic> for PointerReader<ColumnReader<$value>> {
            #[inline]
            fn read(&mut self) -> Result<$atomic> {
                self.0.next().map($atomic::new)
            }
        }

        $(#[$only])?
        stored_as! { [] $atomic as Atomic<$value>; }

        $(#[$only])?
        impl Columnar for $atomic {
            type Columns = Vec<$value>;

            #[inline]
            fn push_to(&self, columns: &mut Vec<$value>) {
                columns.push(self.load(Relaxed));
            }
        }

        $(#[$only])?
        columns_as! { [] $atomic as Atomic<$value>; }
    )*};
}

atomics! {
    AtomicBool, bool;
    AtomicI8, i8;
    AtomicU8, u8;
    AtomicI16, i16;
    AtomicU16, u16;
    AtomicI32, i32;
    AtomicU32, u32;
    #[cfg(target_has_atomic = "64")] AtomicI64, i64;
    #[cfg(target_has_atomic = "64")] AtomicU64, u64;
}
