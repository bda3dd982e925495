//! `lance.table.IndexMetadata`: what a manifest says about an index.

/// Sixteen bytes that name something for ever.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub struct IndexUuid {
    /// The bytes, the first of the text first.
    #[prost(bytes = "vec", tag = "1")]
    pub uuid: Vec<u8>,
}

/// A message whose type is stated: `google.protobuf.Any`.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub struct Any {
    /// Name of the type.
    #[prost(string, tag = "1")]
    pub type_url: String,
    /// The encoded message.
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
}

/// An index of a data set. This crate writes those of [`Table::index_bounds`](crate::Table::index_bounds), and keeps others
/// that a manifest has.
#[derive(Clone, PartialEq, prost::Message)]
pub struct IndexMetadata {
    /// Unique over all versions.
    #[prost(message, optional, tag = "1")]
    pub uuid: Option<IndexUuid>,
    /// Ids of the fields that it is about.
    #[prost(int32, repeated, tag = "2")]
    pub fields: Vec<i32>,
    /// Unique in a version.
    #[prost(string, tag = "3")]
    pub name: String,
    /// The version that it was built from.
    #[prost(uint64, tag = "4")]
    pub dataset_version: u64,
    /// Ids of the fragments that it covers, as a Roaring bitmap. Empty: not known.
    #[prost(bytes = "vec", tag = "5")]
    pub fragment_bitmap: Vec<u8>,
    /// What its kind of index says about it.
    #[prost(message, optional, tag = "6")]
    pub index_details: Option<Any>,
    /// Version of its kind of index.
    #[prost(int32, optional, tag = "7")]
    pub index_version: Option<i32>,
    /// When it was made, in milliseconds since 1970.
    #[prost(uint64, optional, tag = "8")]
    pub created_at: Option<u64>,
    /// Id of the [`BasePath`](super::BasePath) that it is in; `None`: the data set itself.
    #[prost(uint32, optional, tag = "9")]
    pub base_id: Option<u32>,
    /// Its files. Empty: not known.
    #[prost(message, repeated, tag = "10")]
    pub files: Vec<IndexFile>,
    /// Those of its fields whose values it holds without being sorted by them.
    #[prost(int32, repeated, tag = "11")]
    pub covering_fields: Vec<i32>,
}

/// One file of an index.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub struct IndexFile {
    /// Path from the folder of the index.
    #[prost(string, tag = "1")]
    pub path: String,
    /// Size in bytes.
    #[prost(uint64, tag = "2")]
    pub size_bytes: u64,
}

/// All indices of a version, in front of its manifest.
#[derive(Clone, PartialEq, prost::Message)]
pub struct IndexSection {
    /// The indices.
    #[prost(message, repeated, tag = "1")]
    pub indices: Vec<IndexMetadata>,
}
