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
pub use std::primitive::{bool, i8, i16, i32, i64, i128, u8, u16, u32, u64, usize};
pub use std::result::Result::{Err, Ok};
pub use std::string::ToString;

pub use crate::cluster::{Cluster, Gathered};
pub use crate::compression::Compression;
pub use crate::encoding::{ColumnEncoding, ColumnType};
pub use crate::error::{Error, Result};
pub use crate::field::columnar::{
    Columnar, Columns, ColumnsOf, Iter, ReadColumnar, RefOf, Row, RowSlice, Rows, Slice, SliceOf,
    SwitchSlice, Switches, WriteColumnar, check_member, cut, fmt_slice, read_each, shown,
};
pub use crate::field::{
    Attach, Commit, DefaultReader, Entry, FieldBuilder, FieldNode, FieldReader, FieldWriter, Lack, Members,
    PlacedReader, PlainEnumReader, PlainEnumWriter, ReadField, ReadLent, Teller, VariantReader,
    VariantWriter, VersionReader, When, WriteField, append_converted, connect_flattened, declare_flattened,
};
pub use crate::lock::assert_lock;
pub use crate::schema::{Role, TypeName};

/// `T`. The compiler points at the whole name, where the derive has placed it.
pub type Itself<T> = T;

/// `T`, found through the writer of its values.
///
/// A derived type asks its members two questions: can you be written, can you be read? A type without the derive
/// fails both, and the compiler reports both. Where what is read is named in this way, the second question begins
/// with the first one; it then fails in the same words at the same place, which the compiler prints once.
pub type Written<T> = <<T as WriteField>::Writer as WriterOf<T>>::Value;

/// Leads from the writer of some values to their type. While the writer is not known, neither is the type, and
/// nothing more is reported about it.
pub trait WriterOf<T: ?Sized> {
    type Value: ?Sized;
}

impl<W, T: ?Sized> WriterOf<T> for W {
    type Value = T;
}
