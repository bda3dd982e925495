//! Versioned data sets over many RNTuple files.
//!
//! A data set is a folder of ordinary ROOT files, and a small amount of bookkeeping next to them:
//!
//! ```text
//! events.rnds/
//!   _versions/{u64::MAX - version, 20 digits}.manifest   what a version consists of
//!   _transactions/{read_version}-{uuid}.txn              what a commit did
//!   _deletions/{fragment}-{read_version}-{id}.arrow      which entries are deleted (or `.bin`)
//!   _stats/{uuid}.root                                   bounds of values in a data file that has none itself
//!   _indices/{uuid}/bounds.root                          bounds of values in all fragments
//!   _rowids/{uuid}.bin                                   ids of many rows that were moved
//!   data/{uuid}.root                                     RNTuple files, which ROOT reads as they are
//! ```
//!
//! The bookkeeping uses the messages of Lance, with their field numbers. A flag that only this crate has, and the name
//! of the format of the data files, keep readers of Lance from taking such a folder for a Lance data set.
//!
//! | to | see |
//! | --- | --- |
//! | create, open and change a data set | [`Table`] |
//! | read one version of it | [`Snapshot`] |
//! | find rows by a key with a few reads, however many files there are | [`Table::index_bounds`] |
//! | find, read and commit versions in an `async` program | [`Log`]; [`Log::with_table`] for data files |
//! | say where it is, and with which credentials | [`Location`] |
//! | commit where the storage cannot refuse a second file | [`ManifestStore`] |
//! | read and write each record of the bookkeeping | [`mod@format`] |
//! | know which commits exclude each other | [`transactions`] |
//! | look at a data set of Lance | [`lance_info`] |
//!
//! **Programs that read a data file by itself see entries that are deleted**, and do not see columns that were added in
//! other files. [`Table::compact`] and [`Snapshot::export`] write files for them.

#![forbid(unsafe_code)]

mod bounds;
mod config;
mod copies;
mod durable;
mod error;
mod filter;
pub mod format;
mod known;
pub mod lance_info;
mod location;
mod log;
mod order;
mod paths;
mod rewrite;
mod row_ids;
mod schema;
mod settings;
mod sides;
mod snapshot;
mod table;
pub mod transactions;

pub use error::{Error, ErrorKind, Result};
pub use location::Location;
#[cfg(feature = "redb")]
pub use log::RedbManifestStore;
pub use log::{Log, ManifestStore};
pub use snapshot::Snapshot;
pub use table::{
    Adopt, At, Cleaned, CleanupOptions, CompactOptions, Finding, IndexOptions, Report, Source, Table,
    VersionInfo,
};
