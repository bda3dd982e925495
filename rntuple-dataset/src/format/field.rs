//! `lance.file.Field`: one column of the schema, or one part of a nested one.

use std::collections::BTreeMap;

/// The id of a field that was removed, in the list of a data file that still holds it.
pub const TOMBSTONE: i32 = -2;

/// One field of the schema. The schema is the list of all fields, parents before their children.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Field {
    /// What a parent of it may expect. Lance no longer sets it: see `logical_type`.
    #[prost(enumeration = "FieldType", tag = "1")]
    pub r#type: i32,
    /// Name within the parent.
    #[prost(string, tag = "2")]
    pub name: String,
    /// Unique in the data set, over all its versions.
    #[prost(int32, tag = "3")]
    pub id: i32,
    /// Id of the parent; -1 for a top-level field.
    #[prost(int32, tag = "4")]
    pub parent_id: i32,
    /// The type: `int64`, `struct`, `list.struct`; in data sets of this crate the type of the RNTuple field.
    #[prost(string, tag = "5")]
    pub logical_type: String,
    /// Whether a value may be missing.
    #[prost(bool, tag = "6")]
    pub nullable: bool,
    /// How the values are stored, in files of Lance 0.1.
    #[prost(enumeration = "Encoding", tag = "7")]
    pub encoding: i32,
    /// Where the dictionary is, in files of Lance 0.1.
    #[prost(message, optional, tag = "8")]
    pub dictionary: Option<Dictionary>,
    /// Name of an Arrow extension type. Deprecated: it is in `metadata`.
    #[prost(string, tag = "9")]
    pub extension_name: String,
    /// What else is known about the field.
    #[prost(btree_map = "string, bytes", tag = "10")]
    pub metadata: BTreeMap<String, Vec<u8>>,
    /// Whether the field is a part of a key that is not enforced.
    #[prost(bool, tag = "12")]
    pub unenforced_primary_key: bool,
    /// Place of the field in that key, from 1; 0 where the ids of the fields say the order.
    #[prost(uint32, tag = "13")]
    pub unenforced_primary_key_position: u32,
    /// Reserved: see the position.
    #[prost(bool, tag = "14")]
    pub unenforced_clustering_key: bool,
    /// Place of the field in the key that rows are clustered by, from 1.
    #[prost(uint32, tag = "15")]
    pub unenforced_clustering_key_position: u32,
}

/// Whether a field has parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum FieldType {
    /// A struct.
    Parent = 0,
    /// A list.
    Repeated = 1,
    /// A value.
    Leaf = 2,
}

/// How values are stored in files of Lance 0.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum Encoding {
    /// Not stated.
    None = 0,
    /// Values of one size.
    Plain = 1,
    /// Values of many sizes.
    VarBinary = 2,
    /// Numbers of the entries of a dictionary.
    Dictionary = 3,
    /// Runs of equal values.
    Rle = 4,
}

/// Where the dictionary of a field is, in a file of Lance 0.1.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct Dictionary {
    /// Offset in the file, in bytes.
    #[prost(int64, tag = "1")]
    pub offset: i64,
    /// Count of its entries.
    #[prost(int64, tag = "2")]
    pub length: i64,
}
