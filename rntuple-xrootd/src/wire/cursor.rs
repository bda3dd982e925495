//! Checked reads of big-endian numbers.

use super::Fault;

/// The bytes of an answer that were not read yet.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a>(pub(crate) &'a [u8]);

impl<'a> Cursor<'a> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(Fault::TooShort)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let (bytes, rest) = self.0.split_first_chunk::<N>().ok_or(Fault::TooShort)?;
        self.0 = rest;
        Ok(*bytes)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Fault> {
        self.array().map(u8::from_be_bytes)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Fault> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Fault> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn i32(&mut self) -> Result<i32, Fault> {
        self.array().map(i32::from_be_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Fault> {
        self.array().map(u64::from_be_bytes)
    }
}

/// Text of a server for people: up to the first zero byte, on one line, of a bounded length.
pub(crate) fn text(bytes: &[u8]) -> String {
    const LONGEST: usize = 1000;
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default());
    let plain = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(LONGEST).collect()
}
