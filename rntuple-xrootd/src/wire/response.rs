//! What a server answers: the header, and the bodies that are not data.

use super::Fault;
use super::code::{Code, Status};
use super::cursor::{Cursor, text};
use super::request::Handle;
use super::stat::Stat;

/// Length of the header of an answer.
pub(crate) const HEADER: usize = 8;

/// Length of what is before the body of a late answer: see [`LATE_ANSWER`](super::code::LATE_ANSWER).
pub(crate) const LATE: u32 = 16;

/// The first eight bytes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) stream: u16,
    pub(crate) status: Status,
    pub(crate) length: u32,
}

impl Header {
    pub(crate) fn read(bytes: [u8; HEADER]) -> Result<Self, Fault> {
        let mut cursor = Cursor(&bytes);
        let (stream, status, length) = (cursor.u16()?, cursor.u16()?, cursor.u32()?);
        let status = Status::of(status).ok_or(Fault::UnknownStatus(status))?;
        Ok(Self { stream, status, length })
    }
}

/// An answer that is not data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// It cannot be done.
    Error { code: u32, message: String },
    /// Another server has it.
    Redirect(Redirect),
    /// The same request is to be made again in this many seconds.
    Wait { seconds: u32, message: String },
    /// The answer comes later, within this many seconds.
    WaitResponse { seconds: u32 },
    /// The method of authentication has another step.
    AuthMore,
}

/// Where another server is: see [`Place::redirected`](crate::url::Place::redirected).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Redirect {
    /// Negative: `target` is a URL, with the path and the opaque part for the next server.
    pub(crate) port: i32,
    /// `host[:port][?opaque[?token]]`.
    pub(crate) target: String,
}

impl Control {
    /// `None`: this status has data, or is not an answer.
    pub(crate) fn read(status: Status, body: &[u8]) -> Result<Option<Self>, Fault> {
        let mut cursor = Cursor(body);
        Ok(Some(match status {
            Status::Error => Self::Error { code: cursor.u32()?, message: text(cursor.0) },
            Status::Redirect => {
                let port = cursor.i32()?;
                let end = cursor.0.iter().position(|&byte| byte == 0).unwrap_or(cursor.0.len());
                let target = std::str::from_utf8(cursor.take(end)?).map_err(|_| Fault::Unexpected)?;
                Self::Redirect(Redirect { port, target: target.trim().to_owned() })
            }
            Status::Wait => Self::Wait { seconds: cursor.u32()?, message: text(cursor.0) },
            Status::WaitResponse => Self::WaitResponse { seconds: cursor.u32()? },
            Status::AuthMore => Self::AuthMore,
            Status::Ok | Status::OkSoFar | Status::Attention | Status::Pages => return Ok(None),
        }))
    }
}

/// The body of a `kXR_status` answer: what the data after it is. Other than in other answers, the length in the header
/// is that of this body alone.
///
/// ```text
/// CRC32C of the rest 4 | stream 2 | request 1 | kind 1 | reserved 4 | length of the data 4 | offset of the data 8
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pages {
    pub(crate) is_last: bool,
    pub(crate) length: u32,
    pub(crate) offset: u64,
}

/// What the length of a `kXR_status` body may be; it has members after those above for other requests than ours.
pub(crate) const STATUS_LENGTH: std::ops::RangeInclusive<u32> = 24..=1024;

impl Pages {
    pub(crate) fn read(stream: u16, body: &[u8]) -> Result<Self, Fault> {
        let mut cursor = Cursor(body);
        let checksum = cursor.u32()?;
        if crc32c::crc32c(cursor.0) != checksum {
            return Err(Fault::HeaderChecksum);
        }
        let same_stream = cursor.u16()? == stream;
        let request = u16::from(cursor.u8()?).checked_add(Code::auth.number());
        if !same_stream || request != Some(Code::pgread.number()) {
            return Err(Fault::Unexpected);
        }
        let is_last = match cursor.u8()? {
            0 => true,
            1 => false,
            _ => return Err(Fault::Unexpected),
        };
        cursor.take(4)?;
        Ok(Self { is_last, length: cursor.u32()?, offset: cursor.u64()? })
    }
}

/// The answer to `kXR_open`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opened {
    pub(crate) handle: Handle,
    pub(crate) stat: Option<Stat>,
}

impl Opened {
    pub(crate) fn read(body: &[u8]) -> Result<Self, Fault> {
        let mut cursor = Cursor(body);
        let handle = cursor.array()?;
        // The size of compressed blocks and the kind of compression; absent without a stat.
        let stat = match cursor.take(8) {
            Ok(_) if !cursor.is_empty() => Some(Stat::read(cursor.0)?),
            _ => None,
        };
        Ok(Self { handle, stat })
    }
}
