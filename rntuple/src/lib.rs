//! Typed columnar I/O for ROOT's RNTuple format.

mod bytes;
pub mod compression;
pub mod encoding;
mod envelope;
pub mod error;
mod root;
pub mod schema;
pub mod storage;

pub use error::{Error, ErrorKind, Result};
pub use root::{
    Anchor, Datetime, EnvelopeSpan, FileKey, FileOptions, FileReport, KeyKind, Record, RecordKind, Records,
    RootFile,
};
