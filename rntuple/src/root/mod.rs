//! The ROOT file around an ntuple: its records, keys and anchors (format: container). All of it is big-endian.
//!
//! ```text
//!   0  file header           the two fixed points: everything else is found through offsets
//! 100  root directory ------> key list --> anchor          one per ntuple
//!      record                              sub-directory --> its key list --> ...
//!      record                blobs (header, pages, page lists, footer), anchors, key lists,
//!      ...                   streamer info, free list: in any order, with gaps between them
//! end
//! ```
//!
//! Each record stands in one file, both directions; [`RootFile`] reads a file, `FileWriter` writes one.

mod addition;
mod anchor;
mod begun;
mod blob;
mod broken_gaps;
mod checkpoint;
mod choice;
mod datetime;
mod desk;
mod directories;
mod directory;
mod ends;
mod folders;
mod free_list;
mod header;
mod index;
mod key;
mod listing;
mod names;
#[cfg(not(feature = "prerelease"))]
mod no_prerelease;
mod options;
mod pages;
mod patch;
mod pending;
#[cfg(feature = "prerelease")]
mod prerelease;
mod raw_key;
mod reader;
mod records;
mod runs;
#[cfg(feature = "recover")]
mod salvage;
mod space;
mod steps;
mod streamer_info;
mod tail;
mod tree;
mod update;
mod verify;
#[cfg(feature = "check")]
mod whole;
mod wire;
mod writer;

#[cfg(not(feature = "prerelease"))]
use no_prerelease as prerelease;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub(crate) use addition::Addition;
pub use anchor::{Anchor, EnvelopeSpan};

pub use crate::format_version::FormatVersion;
pub(crate) use blob::{check_chunks, most_payload};
pub(crate) use checkpoint::Wait;
pub use datetime::Datetime;
pub(crate) use desk::Desk;
pub use listing::{FileKey, KeyKind};
pub(crate) use names::check_path;
#[cfg(feature = "recover")]
pub(crate) use names::{numbered_path, possible_path};
pub use options::FileOptions;
pub(crate) use pages::PageBytes;
pub use reader::RootFile;
pub use records::{Record, RecordKind, Records};
pub(crate) use runs::Author;
#[cfg(feature = "recover")]
pub(crate) use salvage::Salvaged;
pub(crate) use update::Update;
pub use verify::FileReport;
pub(crate) use writer::FileWriter;
