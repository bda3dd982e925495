//! The records of a data set: bytes to values, and back.
//!
//! The messages are those of Lance, field by field, under the same numbers; the names are those of its `.proto` files.
//!
//! # Fields that are not known
//!
//! A message keeps the fields that are declared here. Others, of a later version of Lance, are dropped when it is
//! decoded. What must not be dropped is protected by the flags of the [`Manifest`]: [`Manifest::check_writable`] refuses
//! a data set with a flag that is not known, so its manifest is never written again. The parts of Lance that mean nothing
//! here (overlay files, clones, write-ahead logs) are kept as the bytes that they are.
//!
//! # Bytes from a file
//!
//! A message of no more than [`MOST_MESSAGE_SIZE`] bytes is decoded, in memory that is proportional to its size.

mod deletion;
mod field;
pub mod flags;
mod fragment;
mod framing;
mod index;
mod manifest;
pub mod names;
mod row_ids;
pub mod transaction;
mod wire;

pub use deletion::DeletionVector;
pub use field::{Dictionary, Encoding, Field, FieldType, TOMBSTONE};
pub use fragment::{
    CreatedAtVersions, DataFile, DataFragment, DeletionFile, DeletionFileType, ExternalFile,
    LastUpdatedAtVersions, RowIds,
};
pub use framing::ManifestFile;
pub use index::{Any, IndexFile, IndexMetadata, IndexSection, IndexUuid};
pub use manifest::{BasePath, DataStorageFormat, Manifest, Timestamp, WriterVersion};
pub use row_ids::{RowAddress, RowIdIndex, RowIdSequence};
pub use transaction::Transaction;
pub use wire::MOST_MESSAGE_SIZE;
