//! `lance.table.DataFragment`: some rows, in files with some columns each.

/// Some rows of the data set: files with different columns of the same rows.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DataFragment {
    /// Unique in the data set, over all its versions.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// The files, each with columns that no other has.
    #[prost(message, repeated, tag = "2")]
    pub files: Vec<DataFile>,
    /// Which rows are deleted; `None`: none is.
    #[prost(message, optional, tag = "3")]
    pub deletion_file: Option<DeletionFile>,
    /// Count of the rows in the files, the deleted ones included. 0 where Lance 0.1 did not record it.
    #[prost(uint64, tag = "4")]
    pub physical_rows: u64,
    /// The stable ids of the rows, in their order. Set in all fragments of a data set, or in none.
    #[prost(oneof = "RowIds", tags = "5, 6")]
    pub row_id_sequence: Option<RowIds>,
    /// The version of the data set that changed each row last.
    #[prost(oneof = "LastUpdatedAtVersions", tags = "7, 8")]
    pub last_updated_at_version_sequence: Option<LastUpdatedAtVersions>,
    /// The version of the data set that added each row.
    #[prost(oneof = "CreatedAtVersions", tags = "9, 10")]
    pub created_at_version_sequence: Option<CreatedAtVersions>,
    /// Messages `DataOverlayFile`, not decoded: this crate neither reads nor writes them.
    #[prost(bytes = "vec", repeated, tag = "11")]
    pub overlays: Vec<Vec<u8>>,
}

impl DataFragment {
    /// Returns the count of rows that are deleted; 0 where the manifest does not [state](Self::states_deleted_rows) it.
    pub fn deleted_rows(&self) -> u64 {
        self.deletion_file.as_ref().map_or(0, |file| file.num_deleted_rows)
    }

    /// Returns whether it is known how many rows are deleted. Old versions of Lance state 0 for a deletion file whose rows
    /// they did not count.
    pub fn states_deleted_rows(&self) -> bool {
        self.deletion_file.is_none_or(|file| file.num_deleted_rows != 0)
    }

    /// Returns the count of rows that are not deleted, as far as the manifest [states](Self::states_deleted_rows) it.
    pub fn rows(&self) -> u64 {
        self.physical_rows.saturating_sub(self.deleted_rows())
    }

    /// Returns the file that holds the field of this id.
    pub fn file_of(&self, field: i32) -> Option<&DataFile> {
        self.files.iter().find(|file| file.fields.contains(&field))
    }
}

/// One file of a fragment.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub struct DataFile {
    /// Path of the file from the folder `data`.
    #[prost(string, tag = "1")]
    pub path: String,
    /// Ids of the fields in the file; [`TOMBSTONE`](super::TOMBSTONE) for one that is no longer in use.
    #[prost(int32, repeated, tag = "2")]
    pub fields: Vec<i32>,
    /// For each field its number in the file: that of the field of the RNTuple. In a Lance file of version 2, the number of
    /// its column, or -1.
    #[prost(int32, repeated, tag = "3")]
    pub column_indices: Vec<i32>,
    /// Version of the file, before the point.
    #[prost(uint32, tag = "4")]
    pub file_major_version: u32,
    /// Version of the file, after the point. A file of Lance 2.0 states 0.3.
    #[prost(uint32, tag = "5")]
    pub file_minor_version: u32,
    /// Size of the file in bytes; 0 where it is not known.
    #[prost(uint64, tag = "6")]
    pub file_size_bytes: u64,
    /// Id of the [`BasePath`](super::BasePath) that the path counts from; `None`: the data set itself.
    #[prost(uint32, optional, tag = "7")]
    pub base_id: Option<u32>,
}

/// The file with the deleted rows of a fragment.
///
/// Its name is made of the fragment's id and what is here: see [`names::deletion_file`](super::names::deletion_file).
#[derive(Clone, Copy, PartialEq, Eq, Hash, prost::Message)]
pub struct DeletionFile {
    /// How the offsets of the rows are stored.
    #[prost(enumeration = "DeletionFileType", tag = "1")]
    pub file_type: i32,
    /// The version that the deletion was made from.
    #[prost(uint64, tag = "2")]
    pub read_version: u64,
    /// A random number that makes the name unique.
    #[prost(uint64, tag = "3")]
    pub id: u64,
    /// Count of the deleted rows; 0 where it is not known.
    #[prost(uint64, tag = "4")]
    pub num_deleted_rows: u64,
    /// Id of the [`BasePath`](super::BasePath) that the file is in; `None`: the data set itself.
    #[prost(uint32, optional, tag = "7")]
    pub base_id: Option<u32>,
}

/// How a deletion file stores the offsets of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum DeletionFileType {
    /// An Arrow IPC file with one batch of one column. For few rows.
    ArrowArray = 0,
    /// A Roaring bitmap. For many rows.
    Bitmap = 1,
}

/// A part of a file.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub struct ExternalFile {
    /// Path of the file from the folder of the data set.
    #[prost(string, tag = "1")]
    pub path: String,
    /// Where the part begins, in bytes.
    #[prost(uint64, tag = "2")]
    pub offset: u64,
    /// Size of the part in bytes.
    #[prost(uint64, tag = "3")]
    pub size: u64,
}

/// Where the row ids of a fragment are.
#[derive(Clone, PartialEq, Eq, Hash, prost::Oneof)]
pub enum RowIds {
    /// Here: the bytes of a [`RowIdSequence`](super::RowIdSequence) below 200 kB.
    #[prost(bytes = "vec", tag = "5")]
    Inline(Vec<u8>),
    /// In a file.
    #[prost(message, tag = "6")]
    External(ExternalFile),
}

/// Where the versions are that changed the rows of a fragment last.
#[derive(Clone, PartialEq, Eq, Hash, prost::Oneof)]
pub enum LastUpdatedAtVersions {
    /// Here.
    #[prost(bytes = "vec", tag = "7")]
    Inline(Vec<u8>),
    /// In a file.
    #[prost(message, tag = "8")]
    External(ExternalFile),
}

/// Where the versions are that added the rows of a fragment.
#[derive(Clone, PartialEq, Eq, Hash, prost::Oneof)]
pub enum CreatedAtVersions {
    /// Here.
    #[prost(bytes = "vec", tag = "9")]
    Inline(Vec<u8>),
    /// In a file.
    #[prost(message, tag = "10")]
    External(ExternalFile),
}
