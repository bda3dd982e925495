//! The messages of the protocol as bytes, in both directions. Nothing here reads or writes a socket.
//!
//! ```text
//! request:  stream 2 | code 2   | fields 16 | length 4 | payload      all numbers big-endian
//! answer:   stream 2 | status 2 |             length 4 | body
//! ```
//!
//! The server repeats the stream number of a request in its answers, which may come in any order, and in pieces.

use std::fmt;

pub(crate) mod code;
pub(crate) mod cursor;
pub(crate) mod limits;
pub(crate) mod login;
pub(crate) mod pages;
pub(crate) mod request;
pub(crate) mod response;
pub(crate) mod stat;
pub(crate) mod vector;

/// What is wrong with the bytes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It ends before its last member does.
    TooShort,
    /// Its status is none of the protocol.
    UnknownStatus(u16),
    /// The checksum of its header differs.
    HeaderChecksum,
    /// The checksum of the page at this offset of the file differs.
    PageChecksum(u64),
    /// A number in it is not one.
    NotANumber,
    /// It is about other bytes of the file than those asked for.
    OtherRange,
    /// It is longer than what was asked for.
    TooLong,
    /// It answers a request that was not made.
    UnknownStream(u16),
    /// It is of a kind that does not answer this request.
    Unexpected,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort => f.write_str("the answer ends too early"),
            Self::UnknownStatus(status) => write!(f, "the answer has the unknown status {status}"),
            Self::HeaderChecksum => f.write_str("the checksum of the answer's header differs"),
            Self::PageChecksum(offset) => {
                write!(f, "the checksum of the page at offset {offset} differs from the server's")
            }
            Self::NotANumber => f.write_str("the answer has text where a number is expected"),
            Self::OtherRange => f.write_str("the answer is about other bytes than those asked for"),
            Self::TooLong => f.write_str("the answer is longer than what was asked for"),
            Self::UnknownStream(stream) => {
                write!(f, "there is an answer for stream {stream}, on which nothing was asked")
            }
            Self::Unexpected => f.write_str("the answer is of a kind that does not belong to the request"),
        }
    }
}
