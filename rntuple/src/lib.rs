//! Typed columnar I/O for ROOT's RNTuple format.

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
mod bytes;
mod cluster;
mod column;
pub mod compression;
mod dataset;
pub mod encoding;
mod envelope;
pub mod error;
pub mod field;
mod page;
mod reader;
mod root;
pub mod schema;
pub mod storage;
mod writer;

pub use compression::{Algorithm, Settings};
pub use dataset::Dataset;
pub use encoding::{Byte, CxxChar};
pub use error::{Error, ErrorKind, Result};
pub use field::{BitSet, Cardinality, RNTuple, Value};
pub use reader::{Entries, ReadOptions, Reader};
#[cfg(feature = "derive")]
pub use rntuple_derive::RNTuple;
pub use root::{
    Anchor, Datetime, EnvelopeSpan, FileKey, FileOptions, FileReport, KeyKind, Record, RecordKind, Records,
    RootFile,
};
pub use writer::{RootFileWriter, Summary, WriteOptions, Writer};
