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

pub use crate::cluster::Gathered;
pub use crate::compression::Compression;
pub use crate::encoding::{ColumnEncoding, ColumnType};
pub use crate::error::{Error, Result};
pub use crate::field::asked::{Itself, Written};
pub use crate::field::columnar::{
    Columnar, Columns, ColumnsOf, Iter, ReadColumnar, RefOf, Row, RowSliceOf, Rows, RowsOf, Slice, SliceOf,
    SwitchSlice, Switches, WriteColumnar, check_member, cut, fmt_slice, read_each, shown,
};
pub use crate::field::{
    Attach, Commit, DefaultReader, Entry, FieldBuilder, FieldNode, FieldReader, FieldWriter, Lack, Members,
    PlacedReader, PlainEnumReader, PlainEnumWriter, Position, ReadField, ReadLent, Teller, VariantReader,
    VariantWriter, VersionReader, When, WriteField, append_converted, connect_flattened, declare_flattened,
};
pub use crate::lock::assert_lock;
pub use crate::schema::{Role, TypeName};
