//! The derive's only door; not part of the API.
//!
//! Expansions name everything through here, so that they mean the same in a crate that shadows the prelude.

pub use std::clone::Clone;
pub use std::convert::{From, Into, TryFrom};
pub use std::default::Default;
pub use std::fmt;
pub use std::iter::{ExactSizeIterator, IntoIterator, Iterator};
pub use std::marker::{Copy, PhantomData};
pub use std::ops::{Deref, Range};
pub use std::option::Option::{self, None, Some};
pub use std::primitive::{bool, i8, i16, i32, i64, i128, str, u8, u16, u32, u64, usize};
pub use std::result::Result::{Err, Ok};
pub use std::string::ToString;

#[cfg(not(feature = "lock"))]
pub use self::no_lock::assert_lock;
pub use crate::cluster::Gathered;
pub use crate::encoding::{ColumnEncoding, ColumnType};
pub use crate::error::{Error, Result};
pub use crate::field::asked::{Itself, Written};
pub use crate::field::columnar::{
    Columnar, Columns, ColumnsOf, Iter, ReadColumnar, RefOf, Row, RowSliceOf, Rows, RowsOf, Slice, SliceOf,
    SwitchSlice, Switches, WriteColumnar, check_member, cut, fmt_slice, read_each, shown,
};
pub use crate::field::entry::Entry;
pub use crate::field::member::{
    DefaultReader, Lack, PlacedReader, VersionReader, append_converted, connect_flattened, declare_flattened,
};
pub use crate::field::members::Members;
pub use crate::field::node::{Connecting, When};
pub use crate::field::plain_enum::{PlainEnumReader, PlainEnumWriter};
pub use crate::field::variant::{VariantReader, VariantWriter};
pub use crate::field::{
    Attach, Commit, FieldBuilder, FieldNode, FieldReader, FieldWriter, Position, ReadField, ReadLent,
    WriteField,
};
#[cfg(feature = "lock")]
pub use crate::lock::assert_lock;
pub use crate::predicate::{Choice, Fields, Named, Opaque, Path as FieldPath};
pub use crate::schema::{Role, TypeName};

/// What constants call, to compare attributes with the tables.
pub mod wish {
    pub use crate::field::wish::{Wish, assert_bits, column_type, compression, offsets};
}

/// What leads to the module `lock` in a build without that feature: errors of the compiler that name it.
#[cfg(not(feature = "lock"))]
mod no_lock {
    /// Not implemented for anything.
    #[diagnostic::on_unimplemented(
        message = "the attribute `lock` of `{Self}` needs the Cargo feature `lock` of the crate rntuple",
        label = "its test cannot be built"
    )]
    pub trait FeatureLock {}

    pub fn assert_lock<T: FeatureLock + ?Sized>(_manifest_dir: &str, _path: &str) {}

    #[doc(hidden)]
    #[macro_export]
    macro_rules! schema_lock {
        ($($tokens:tt)*) => {
            ::core::compile_error!("`schema_lock!` needs the Cargo feature `lock` of the crate rntuple");
        };
    }

    #[doc(hidden)]
    #[macro_export]
    macro_rules! check_file {
        ($($tokens:tt)*) => {
            ::core::compile_error!("`check_file!` needs the Cargo feature `lock` of the crate rntuple");
        };
    }
}
