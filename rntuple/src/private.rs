//! The derive's only door; not part of the API.

pub use core;
pub use std::result::Result as StdResult;

pub use crate::cluster::{Cluster, Gathered};
pub use crate::encoding::{ColumnType, Packing};
pub use crate::error::{Error, Result};
pub use crate::field::{
    Active, Attach, Commit, FieldBuilder, FieldNode, FieldReader, FieldWriter, PlainEnumReader,
    PlainEnumWriter, RNTuple, ReadField, VariantReader, VariantWriter, WriteField,
};
pub use crate::schema::{Role, TypeName};
