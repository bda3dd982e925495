//! `lance.table.Transaction`: what a commit does, so that it can be repeated on a newer version.

use std::collections::BTreeMap;

use prost::Message as _;

use super::wire::{LEAF, Shape, decode};
use super::{Any, BasePath, DataFile, DataFragment, Field, IndexFile, IndexMetadata, IndexUuid};
use crate::error::Result;

const FRAGMENT: &Shape = &Shape(&[(2, LEAF), (11, LEAF)]);
const GROUP: &Shape = &Shape(&[(1, FRAGMENT), (2, FRAGMENT)]);
const INDEX: &Shape = &Shape(&[(10, LEAF)]);
const INDICES: &Shape = &Shape(&[(1, INDEX), (2, INDEX)]);
const FRAGMENTS_AND_SCHEMA: &Shape = &Shape(&[(1, FRAGMENT), (2, LEAF), (5, LEAF)]);
const UPDATE_MAP: &Shape = &Shape(&[(1, LEAF)]);
pub(super) const TRANSACTION: &Shape = &Shape(&[
    (100, FRAGMENTS_AND_SCHEMA),
    (101, FRAGMENTS_AND_SCHEMA),
    (102, FRAGMENTS_AND_SCHEMA),
    (103, INDICES),
    (104, &Shape(&[(1, FRAGMENT), (2, FRAGMENT), (3, GROUP), (4, LEAF)])),
    (105, FRAGMENTS_AND_SCHEMA),
    (108, &Shape(&[(2, FRAGMENT), (3, FRAGMENT), (9, LEAF), (10, LEAF)])),
    (109, &Shape(&[(1, LEAF)])),
    (110, &Shape(&[(6, UPDATE_MAP), (7, UPDATE_MAP), (8, UPDATE_MAP), (9, &Shape(&[(2, UPDATE_MAP)]))])),
    (111, &Shape(&[(1, LEAF)])),
    (114, &Shape(&[(1, LEAF)])),
]);

/// A commit: the version it was made from, and what it changes.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Transaction {
    /// The version that the writer saw; 0: there was no data set.
    #[prost(uint64, tag = "1")]
    pub read_version: u64,
    /// A random id, as text.
    #[prost(string, tag = "2")]
    pub uuid: String,
    /// A name for the version that it makes.
    #[prost(string, tag = "3")]
    pub tag: String,
    /// What else is known about it.
    #[prost(btree_map = "string, string", tag = "4")]
    pub transaction_properties: BTreeMap<String, String>,
    /// The change. `None`: one that is not known, which conflicts with everything.
    #[prost(
        oneof = "Operation",
        tags = "100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116"
    )]
    pub operation: Option<Operation>,
}

impl Transaction {
    /// Creates a transaction with a new id.
    pub fn new(read_version: u64, operation: impl Into<Operation>) -> Self {
        let uuid = uuid::Uuid::new_v4().to_string();
        Self { read_version, uuid, operation: Some(operation.into()), ..Default::default() }
    }

    /// Reads the file of a transaction.
    ///
    /// # Errors
    ///
    /// [`OutOfSpec`](crate::ErrorKind::OutOfSpec) where the bytes are not such a message, and
    /// [`LimitExceeded`](crate::ErrorKind::LimitExceeded) above [`MOST_MESSAGE_SIZE`](super::MOST_MESSAGE_SIZE).
    pub fn read(bytes: &[u8]) -> Result<Self> {
        decode(bytes, TRANSACTION)
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.encode_to_vec()
    }
}

/// What a transaction changes.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Operation {
    /// Adds rows.
    #[prost(message, tag = "100")]
    Append(Append),
    /// Marks rows as deleted.
    #[prost(message, tag = "101")]
    Delete(Delete),
    /// Creates the data set, or replaces all of it.
    #[prost(message, tag = "102")]
    Overwrite(Overwrite),
    /// Adds, replaces or removes indices.
    #[prost(message, tag = "103")]
    CreateIndex(CreateIndex),
    /// Arranges the same rows in other files.
    #[prost(message, tag = "104")]
    Rewrite(Rewrite),
    /// Adds columns.
    #[prost(message, tag = "105")]
    Merge(Merge),
    /// Makes an old version the newest.
    #[prost(message, tag = "106")]
    Restore(Restore),
    /// Takes ids of fragments for a later rewrite.
    #[prost(message, tag = "107")]
    ReserveFragments(ReserveFragments),
    /// Changes values of rows.
    #[prost(message, tag = "108")]
    Update(Update),
    /// Removes or renames columns.
    #[prost(message, tag = "109")]
    Project(Project),
    /// Changes settings and metadata.
    #[prost(message, tag = "110")]
    UpdateConfig(UpdateConfig),
    /// Replaces the files of some columns.
    #[prost(message, tag = "111")]
    DataReplacement(DataReplacement),
    /// Changes the write-ahead log of a Lance data set. Not decoded.
    #[prost(bytes = "vec", tag = "112")]
    UpdateMemWalState(Vec<u8>),
    /// Copies a Lance data set. Not decoded.
    #[prost(bytes = "vec", tag = "113")]
    Clone(Vec<u8>),
    /// Adds places where files are.
    #[prost(message, tag = "114")]
    UpdateBases(UpdateBases),
    /// Adds overlay files to fragments of a Lance data set. Not decoded.
    #[prost(bytes = "vec", tag = "115")]
    DataOverlay(Vec<u8>),
    /// Adds to the history of moved rows of a Lance data set. Not decoded.
    #[prost(bytes = "vec", tag = "116")]
    AppendFragmentReuseTransitions(Vec<u8>),
}

impl Operation {
    /// Returns the name of the operation: `Append`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Append(_) => "Append",
            Self::Delete(_) => "Delete",
            Self::Overwrite(_) => "Overwrite",
            Self::CreateIndex(_) => "CreateIndex",
            Self::Rewrite(_) => "Rewrite",
            Self::Merge(_) => "Merge",
            Self::Restore(_) => "Restore",
            Self::ReserveFragments(_) => "ReserveFragments",
            Self::Update(_) => "Update",
            Self::Project(_) => "Project",
            Self::UpdateConfig(_) => "UpdateConfig",
            Self::DataReplacement(_) => "DataReplacement",
            Self::UpdateMemWalState(_) => "UpdateMemWalState",
            Self::Clone(_) => "Clone",
            Self::UpdateBases(_) => "UpdateBases",
            Self::DataOverlay(_) => "DataOverlay",
            Self::AppendFragmentReuseTransitions(_) => "AppendFragmentReuseTransitions",
        }
    }
}

/// `impl From<Append> for Operation`, and so on.
macro_rules! into_operation {
    ($($name:ident)*) => {$(
        impl From<$name> for Operation {
            fn from(operation: $name) -> Self {
                Self::$name(operation)
            }
        }
    )*};
}

into_operation!(
    Append Delete Overwrite CreateIndex Rewrite Merge Restore ReserveFragments Update Project UpdateConfig
    DataReplacement UpdateBases
);

/// Adds rows.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Append {
    /// The new fragments, without ids.
    #[prost(message, repeated, tag = "1")]
    pub fragments: Vec<DataFragment>,
}

/// Marks rows as deleted.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Delete {
    /// The fragments with their new deletion files.
    #[prost(message, repeated, tag = "1")]
    pub updated_fragments: Vec<DataFragment>,
    /// Ids of fragments of which all rows are deleted.
    #[prost(uint64, repeated, tag = "2")]
    pub deleted_fragment_ids: Vec<u64>,
    /// The expression that the rows satisfied.
    #[prost(string, tag = "3")]
    pub predicate: String,
}

/// Creates the data set, or replaces all of it.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Overwrite {
    /// The new fragments, without ids.
    #[prost(message, repeated, tag = "1")]
    pub fragments: Vec<DataFragment>,
    /// The new schema.
    #[prost(message, repeated, tag = "2")]
    pub schema: Vec<Field>,
    /// What else is known about the schema.
    #[prost(btree_map = "string, bytes", tag = "3")]
    pub schema_metadata: BTreeMap<String, Vec<u8>>,
    /// Settings that are added to those that exist.
    #[prost(btree_map = "string, string", tag = "4")]
    pub config_upsert_values: BTreeMap<String, String>,
    /// Other places where files are, for a new data set.
    #[prost(message, repeated, tag = "5")]
    pub initial_bases: Vec<BasePath>,
}

/// Adds, replaces or removes indices.
#[derive(Clone, PartialEq, prost::Message)]
pub struct CreateIndex {
    /// The indices that are added.
    #[prost(message, repeated, tag = "1")]
    pub new_indices: Vec<IndexMetadata>,
    /// The indices that are removed.
    #[prost(message, repeated, tag = "2")]
    pub removed_indices: Vec<IndexMetadata>,
}

/// Arranges the same rows in other files.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Rewrite {
    /// Deprecated: see `groups`.
    #[prost(message, repeated, tag = "1")]
    pub old_fragments: Vec<DataFragment>,
    /// Deprecated: see `groups`.
    #[prost(message, repeated, tag = "2")]
    pub new_fragments: Vec<DataFragment>,
    /// Which fragments take the place of which.
    #[prost(message, repeated, tag = "3")]
    pub groups: Vec<RewriteGroup>,
    /// Indices that were adapted to the new places of rows.
    #[prost(message, repeated, tag = "4")]
    pub rewritten_indices: Vec<RewrittenIndex>,
}

/// Fragments, and those with the same rows that take their place.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RewriteGroup {
    /// The fragments that are removed, as they were read.
    #[prost(message, repeated, tag = "1")]
    pub old_fragments: Vec<DataFragment>,
    /// The new fragments, with ids that were reserved, or without.
    #[prost(message, repeated, tag = "2")]
    pub new_fragments: Vec<DataFragment>,
}

/// An index that was adapted.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RewrittenIndex {
    /// The index that is removed.
    #[prost(message, optional, tag = "1")]
    pub old_id: Option<IndexUuid>,
    /// The index that takes its place.
    #[prost(message, optional, tag = "2")]
    pub new_id: Option<IndexUuid>,
    /// What its kind of index says about it.
    #[prost(message, optional, tag = "3")]
    pub new_index_details: Option<Any>,
    /// Version of its kind of index.
    #[prost(uint32, tag = "4")]
    pub new_index_version: u32,
    /// Its files.
    #[prost(message, repeated, tag = "5")]
    pub new_index_files: Vec<IndexFile>,
}

/// Adds columns.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Merge {
    /// All fragments, with the new files.
    #[prost(message, repeated, tag = "1")]
    pub fragments: Vec<DataFragment>,
    /// The new schema.
    #[prost(message, repeated, tag = "2")]
    pub schema: Vec<Field>,
    /// What else is known about the schema.
    #[prost(btree_map = "string, bytes", tag = "3")]
    pub schema_metadata: BTreeMap<String, Vec<u8>>,
    /// Whether rows that were written for the older schema are valid in the new one.
    #[prost(bool, tag = "4")]
    pub preserves_nullability: bool,
}

/// Removes or renames columns.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Project {
    /// The new schema.
    #[prost(message, repeated, tag = "1")]
    pub schema: Vec<Field>,
    /// Whether rows that were written for the older schema are valid in the new one.
    #[prost(bool, tag = "2")]
    pub preserves_nullability: bool,
}

/// Makes an old version the newest.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct Restore {
    /// The old version.
    #[prost(uint64, tag = "1")]
    pub version: u64,
}

/// Takes ids of fragments for a later rewrite.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct ReserveFragments {
    /// Count of the ids.
    #[prost(uint32, tag = "1")]
    pub num_fragments: u32,
}

/// Changes values of rows.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Update {
    /// Ids of fragments of which all rows were moved.
    #[prost(uint64, repeated, tag = "1")]
    pub removed_fragment_ids: Vec<u64>,
    /// The fragments with their new deletion files, or with new files for some columns.
    #[prost(message, repeated, tag = "2")]
    pub updated_fragments: Vec<DataFragment>,
    /// Fragments with the changed rows, without ids.
    #[prost(message, repeated, tag = "3")]
    pub new_fragments: Vec<DataFragment>,
    /// Ids of the fields that were changed.
    #[prost(uint32, repeated, tag = "4")]
    pub fields_modified: Vec<u32>,
    /// Parts of a write-ahead log of Lance. Not decoded.
    #[prost(bytes = "vec", repeated, tag = "5")]
    pub compacted_sstables: Vec<Vec<u8>>,
    /// Ids of fields whose indices stay valid.
    #[prost(uint32, repeated, tag = "6")]
    pub fields_for_preserving_frag_bitmap: Vec<u32>,
    /// How the values were changed.
    #[prost(enumeration = "UpdateMode", tag = "7")]
    pub update_mode: i32,
    /// The keys of rows that were added.
    #[prost(message, optional, tag = "8")]
    pub inserted_rows: Option<KeyExistenceFilter>,
    /// Deprecated: see `updated_fragment_offset_bitmaps`.
    #[prost(btree_map = "uint64, message", tag = "9")]
    pub updated_fragment_offsets: BTreeMap<u64, UInt32List>,
    /// For each fragment the rows that were changed in place, as a Roaring bitmap.
    #[prost(btree_map = "uint64, bytes", tag = "10")]
    pub updated_fragment_offset_bitmaps: BTreeMap<u64, Vec<u8>>,
}

/// How values of rows are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum UpdateMode {
    /// Rows are deleted where they are, and written to new fragments.
    RewriteRows = 0,
    /// Columns are written again as a whole, to new files of the same fragments.
    RewriteColumns = 1,
}

/// A list of numbers.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub struct UInt32List {
    /// The numbers.
    #[prost(uint32, repeated, tag = "1")]
    pub values: Vec<u32>,
}

/// The keys of rows that were added.
#[derive(Clone, PartialEq, prost::Message)]
pub struct KeyExistenceFilter {
    /// Ids of the fields that make the key.
    #[prost(int32, repeated, tag = "1")]
    pub field_ids: Vec<i32>,
    /// The keys.
    #[prost(oneof = "KeySet", tags = "2, 3")]
    pub data: Option<KeySet>,
}

/// A set of keys.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum KeySet {
    /// The hash of each key.
    #[prost(message, tag = "2")]
    Exact(ExactKeySet),
    /// A Bloom filter.
    #[prost(message, tag = "3")]
    Bloom(BloomFilter),
}

/// The hashes of keys.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub struct ExactKeySet {
    /// The hashes.
    #[prost(uint64, repeated, tag = "1")]
    pub key_hashes: Vec<u64>,
}

/// A Bloom filter of keys.
#[derive(Clone, PartialEq, prost::Message)]
pub struct BloomFilter {
    /// The bits.
    #[prost(bytes = "vec", tag = "1")]
    pub bitmap: Vec<u8>,
    /// Count of the bits.
    #[prost(uint32, tag = "2")]
    pub num_bits: u32,
    /// Count of the keys that it was made for.
    #[prost(uint64, tag = "3")]
    pub number_of_items: u64,
    /// Probability of a false positive that it was made for.
    #[prost(double, tag = "4")]
    pub probability: f64,
}

/// Changes settings and metadata.
#[derive(Clone, PartialEq, prost::Message)]
pub struct UpdateConfig {
    /// Deprecated: see `config_updates`.
    #[prost(btree_map = "string, string", tag = "1")]
    pub upsert_values: BTreeMap<String, String>,
    /// Deprecated: see `config_updates`.
    #[prost(string, repeated, tag = "2")]
    pub delete_keys: Vec<String>,
    /// Deprecated: see `schema_metadata_updates`.
    #[prost(btree_map = "string, string", tag = "3")]
    pub schema_metadata: BTreeMap<String, String>,
    /// Deprecated: see `field_metadata_updates`.
    #[prost(btree_map = "uint32, message", tag = "4")]
    pub field_metadata: BTreeMap<u32, FieldMetadataUpdate>,
    /// Changes of the settings.
    #[prost(message, optional, tag = "6")]
    pub config_updates: Option<UpdateMap>,
    /// Changes of what users say about the data set.
    #[prost(message, optional, tag = "7")]
    pub table_metadata_updates: Option<UpdateMap>,
    /// Changes of what else is known about the schema.
    #[prost(message, optional, tag = "8")]
    pub schema_metadata_updates: Option<UpdateMap>,
    /// Changes of what else is known about fields, by their ids.
    #[prost(btree_map = "int32, message", tag = "9")]
    pub field_metadata_updates: BTreeMap<i32, UpdateMap>,
}

/// Changes of a map.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub struct UpdateMap {
    /// The changes.
    #[prost(message, repeated, tag = "1")]
    pub update_entries: Vec<UpdateMapEntry>,
    /// Whether what is not named is removed.
    #[prost(bool, tag = "2")]
    pub replace: bool,
}

/// Sets a value, or removes it.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub struct UpdateMapEntry {
    /// Name of the value.
    #[prost(string, tag = "1")]
    pub key: String,
    /// The new value; `None`: it is removed.
    #[prost(string, optional, tag = "2")]
    pub value: Option<String>,
}

/// Deprecated: new metadata of a field.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub struct FieldMetadataUpdate {
    /// The metadata.
    #[prost(btree_map = "string, string", tag = "5")]
    pub metadata: BTreeMap<String, String>,
}

/// Replaces the files of some columns.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DataReplacement {
    /// The new files.
    #[prost(message, repeated, tag = "1")]
    pub replacements: Vec<DataReplacementGroup>,
}

/// A file that takes the place of the one with the same fields.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DataReplacementGroup {
    /// Id of the fragment.
    #[prost(uint64, tag = "1")]
    pub fragment_id: u64,
    /// The new file.
    #[prost(message, optional, tag = "2")]
    pub new_file: Option<DataFile>,
}

/// Adds places where files are.
#[derive(Clone, PartialEq, prost::Message)]
pub struct UpdateBases {
    /// The new places.
    #[prost(message, repeated, tag = "1")]
    pub new_bases: Vec<BasePath>,
}
