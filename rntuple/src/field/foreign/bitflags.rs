//! `bitflags`: flags are stored as their integer, once [`bitflags_field!`](crate::bitflags_field) named the type.
//!
//! Bits that have no name are kept, both ways: a file of a newer program, with flags that are not known here,
//! loses nothing on its way through an older one. `Flags::contains_unknown_bits` tells whether there are some.
//!
//! ```
//! use rntuple::storage::Memory;
//! use rntuple::{RNTuple, Reader, WriteOptions, Writer};
//!
//! bitflags::bitflags! {
//!     #[derive(Clone, Copy, Debug, PartialEq)]
//!     struct Trigger: u32 {
//!         const MUON = 1;
//!         const JET = 2;
//!     }
//! }
//! rntuple::bitflags_field!(Trigger);
//!
//! #[derive(RNTuple)]
//! struct Event {
//!     trigger: Trigger,
//! }
//!
//! # fn main() -> rntuple::Result<()> {
//! let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
//! writer.fill(&Event { trigger: Trigger::MUON | Trigger::JET })?;
//! let (_, file) = writer.finish_into()?;
//!
//! let mut reader = Reader::<Event>::open(file, "Events")?;
//! assert!(reader.get(0)?.trigger.contains(Trigger::JET));
//! # Ok(())
//! # }
//! ```

#[doc(no_inline)]
pub use ::bitflags::Flags;

// What the macro names in other crates.
#[doc(hidden)]
pub use crate::field::columnar::{Columnar, ColumnsOf, ReadColumnar, SliceOf, WriteColumnar};

use crate::error::Result;
use crate::field::{
    Attach, Commit, FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField, WriteField, visits,
};

/// Makes types of [`bitflags::bitflags!`](::bitflags::bitflags) storable, as their integers.
///
/// One blanket `impl` for all flags is not possible in Rust, so the types are named, in the crate that
/// declares them. Flags over `u128`, `usize` and their signed kin cannot be stored: the format has no such integers.
///
/// ```
/// bitflags::bitflags! {
///     struct Quality: u8 {
///         const LOOSE = 1;
///         const TIGHT = 2;
///     }
/// }
/// rntuple::bitflags_field!(Quality);
///
/// assert_eq!(<Quality as rntuple::field::WriteField>::type_name().spelling(), "std::uint8_t");
/// ```
#[macro_export]
macro_rules! bitflags_field {
    ($($flags:ty),+ $(,)?) => {$(
        impl $crate::field::WriteField for $flags {
            type Writer = $crate::field::foreign::bitflags::FlagsWriter<
                <<Self as $crate::field::foreign::bitflags::Flags>::Bits as $crate::field::WriteField>::Writer,
            >;

            fn type_name() -> $crate::schema::TypeName {
                <<Self as $crate::field::foreign::bitflags::Flags>::Bits as $crate::field::WriteField>::type_name()
            }

            fn declare(field: &mut $crate::field::FieldBuilder<'_>) -> Self::Writer {
                $crate::field::foreign::bitflags::FlagsWriter::declare::<Self>(field)
            }
        }

        impl $crate::field::ReadField for $flags {
            type Reader = $crate::field::foreign::bitflags::FlagsReader<
                <<Self as $crate::field::foreign::bitflags::Flags>::Bits as $crate::field::ReadField>::Reader,
            >;

            fn connect(
                field: $crate::field::FieldNode<'_>,
                reader: &mut Self::Reader,
            ) -> $crate::error::Result<()> {
                reader.connect::<Self>(field)
            }
        }

        impl $crate::field::foreign::bitflags::Columnar for $flags {
            type Columns =
                $crate::field::foreign::bitflags::ColumnsOf<<Self as $crate::field::foreign::bitflags::Flags>::Bits>;

            fn push_to(&self, columns: &mut Self::Columns) {
                let bits = $crate::field::foreign::bitflags::Flags::bits(self);
                $crate::field::foreign::bitflags::Columnar::push_to(&bits, columns);
            }
        }

        impl $crate::field::foreign::bitflags::ReadColumnar for $flags {
            fn read_columns(
                reader: &mut <Self as $crate::field::ReadField>::Reader,
                count: usize,
                out: &mut Self::Columns,
            ) -> $crate::error::Result<()> {
                <<Self as $crate::field::foreign::bitflags::Flags>::Bits as $crate::field::foreign::bitflags::ReadColumnar>
                    ::read_columns(&mut reader.0, count, out)
            }
        }

        impl $crate::field::foreign::bitflags::WriteColumnar for $flags {
            fn append_columns(
                writer: &mut <Self as $crate::field::WriteField>::Writer,
                values: $crate::field::foreign::bitflags::SliceOf<'_, Self>,
            ) -> usize {
                <<Self as $crate::field::foreign::bitflags::Flags>::Bits as $crate::field::foreign::bitflags::WriteColumnar>
                    ::append_columns(&mut writer.0, values)
            }
        }
    )+};
}

/// The column of the integers of flags, being filled.
#[derive(Debug)]
pub struct FlagsWriter<W>(#[doc(hidden)] pub W);

impl<W> FlagsWriter<W> {
    /// Declares the integer of flags of type `T`.
    pub fn declare<T: Flags<Bits: WriteField<Writer = W>>>(field: &mut FieldBuilder<'_>) -> Self {
        Self(T::Bits::declare(field))
    }
}

visits! { Commit for [W: Commit] FlagsWriter<W>: 0 }

impl<T: Flags, W: FieldWriter<T::Bits>> FieldWriter<T> for FlagsWriter<W> {
    #[inline]
    fn append(&mut self, value: &T) -> usize {
        self.0.append(&value.bits())
    }
}

/// The column of the integers of flags, being read.
#[derive(Debug)]
pub struct FlagsReader<R>(#[doc(hidden)] pub R);

impl<R> FlagsReader<R> {
    /// Finds the integer of flags of type `T`.
    ///
    /// # Errors
    /// The field is something else.
    pub fn connect<T: Flags<Bits: ReadField<Reader = R>>>(&mut self, field: FieldNode<'_>) -> Result<()> {
        T::Bits::connect(field, &mut self.0)
    }
}

visits! { Attach for [R: Attach] FlagsReader<R>: 0; Self(R::DETACHED) }

impl<T: Flags, R: FieldReader<T::Bits>> FieldReader<T> for FlagsReader<R> {
    #[inline]
    fn read(&mut self) -> Result<T> {
        self.0.read().map(T::from_bits_retain)
    }
}
