//! What can go wrong in a chunk.

#![allow(dead_code, reason = "some faults are those of one codec, which a build may lack")]

use std::collections::TryReserveError;
use std::fmt;

use crate::error::{Error, ErrorKind};

/// What is wrong with a chunk; the block adds where it stands.
#[derive(Debug)]
pub(super) enum Fault {
    /// The block ends where a chunk should begin, with this many bytes left.
    NoHeader(usize),
    /// The first bytes are those of no algorithm.
    Magic([u8; 3]),
    /// The payload should have `size` bytes; `left` are left.
    Cut { size: usize, left: usize },
    /// More content than the payload could stand for, or none at all.
    Implausible { size: usize, length: usize },
    /// More content than the block has still to give.
    Overlong { length: usize, missing: u64 },
    /// The codec gives up, in its own words.
    Codec(String),
    /// The codec knows the feature that the payload uses, but will not serve it.
    Unsupported(&'static str),
    /// The checksum before an LZ4 block is not that of the block.
    Checksum,
    /// The content does not end within the payload, or not within the promised length.
    Unended,
    /// This many bytes of the payload follow the end of the content.
    Trailing(u64),
    /// The content has this length instead of the promised one.
    Length(usize),
    /// The machine has no memory left.
    Memory,
}

impl Fault {
    #[cold]
    pub(super) fn codec(error: impl fmt::Display) -> Self {
        Self::Codec(error.to_string())
    }

    /// The error of `chunk`, which is a few words, `at` this byte of its block.
    #[cold]
    pub(super) fn locate(self, chunk: impl fmt::Display, at: usize) -> Error {
        let kind = match self {
            Self::Unsupported(_) => ErrorKind::Unsupported,
            Self::Memory => ErrorKind::LimitExceeded,
            _ => ErrorKind::OutOfSpec,
        };
        Error::new(kind, format!("{chunk} at byte {at} of a compressed block: {self}"))
    }
}

impl From<TryReserveError> for Fault {
    #[cold]
    fn from(_: TryReserveError) -> Self {
        Self::Memory
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHeader(left) => write!(f, "9 bytes of header expected, {left} found"),
            Self::Magic([a, b, c]) => write!(f, "{a:02x} {b:02x} {c:02x} begins no known kind of chunk"),
            Self::Cut { size, left } => write!(f, "{size} bytes of payload expected, {left} found"),
            Self::Implausible { size, length } => {
                write!(f, "{size} bytes of payload cannot hold {length} bytes of content")
            }
            Self::Overlong { length, missing } => {
                write!(f, "{length} bytes of content, of which the block has only {missing} left")
            }
            Self::Codec(message) => f.write_str(message),
            Self::Unsupported(what) => write!(f, "{what} is not supported"),
            Self::Checksum => f.write_str("checksum differs"),
            Self::Unended => f.write_str("the content does not end where it should"),
            Self::Trailing(count) => write!(f, "{count} bytes follow the end of the content"),
            Self::Length(length) => write!(f, "the content has {length} bytes instead"),
            Self::Memory => f.write_str("no memory left"),
        }
    }
}
