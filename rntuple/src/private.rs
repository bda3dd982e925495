//! The derive's only door; not part of the API.
//!
//! Expansions name everything through here, so that they mean the same in a crate that shadows the prelude.

pub use std::clone::Clone;
pub use std::cmp::PartialEq;
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
pub use crate::compression::Settings;
pub use crate::encoding::{ColumnType, Packing};
pub use crate::error::{Error, Result};
pub use crate::field::batch::{
    Batch, Batched, ReadBatch, Rows, Runs, Switches, WriteBatch, read_rows, same_length,
};
pub use crate::field::borrowed::{
    Borrowed, EnumSlice, Iter, Many, PlainEnum, Rows as LentRows, Span, Switches as LentSwitches, fmt_many,
    part_length,
};
pub use crate::field::{
    Attach, Commit, DefaultReader, FieldBuilder, FieldNode, FieldReader, FieldWriter, Lack, Members,
    PlacedReader, PlainEnumReader, PlainEnumWriter, RNTuple, ReadField, Teller, VariantReader, VariantWriter,
    VersionReader, WriteField, append_converted, connect_flattened, declare_flattened,
};
pub use crate::lock::assert_lock;
pub use crate::schema::{Role, TypeName};
