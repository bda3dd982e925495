//! Checked reads and plain writes of little- and big-endian values, and shared byte blocks.
//!
//! Envelopes are little-endian, the ROOT container around them is big-endian; both go through here.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::message::counted;

/// A cursor over bytes of a stranger: every read is checked against what remains.
///
/// `base` is the offset (in the file or in the decompressed envelope) of byte 0, so that errors can
/// say where they happened.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    base: u64,
}

macro_rules! read_number {
    ($($le:ident $be:ident $type:ty),* $(,)?) => {$(
        #[allow(dead_code, reason = "the pairs stand together")]
        pub(crate) fn $le(&mut self) -> Result<$type> {
            Ok(<$type>::from_le_bytes(self.array()?))
        }
        #[allow(dead_code, reason = "the pairs stand together")]
        pub(crate) fn $be(&mut self) -> Result<$type> {
            Ok(<$type>::from_be_bytes(self.array()?))
        }
    )*};
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], base: u64) -> Self {
        Self { bytes, at: 0, base }
    }

    /// Bytes not read yet.
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Bytes read so far.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Offset of the next byte, counted from the base.
    pub(crate) fn offset(&self) -> u64 {
        self.base.saturating_add(self.at as u64)
    }

    #[cold]
    fn truncated(&self, wanted: usize) -> Error {
        Error::out_of_spec(format!(
            "the data ends too early: {} needed, {} left",
            counted(wanted as u64, "byte"),
            self.remaining()
        ))
        .at_offset(self.offset())
    }

    /// The next `count` bytes.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(count);
        match end.and_then(|end| self.bytes.get(self.at..end)) {
            Some(bytes) => {
                self.at += count;
                Ok(bytes)
            }
            None => Err(self.truncated(count)),
        }
    }

    /// A cursor over the next `count` bytes, which this one passes over.
    pub(crate) fn split(&mut self, count: usize) -> Result<Cursor<'a>> {
        let base = self.offset();
        Ok(Cursor::new(self.take(count)?, base))
    }

    /// The next `N` bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>()) {
            Some(array) => {
                self.at += N;
                Ok(*array)
            }
            None => Err(self.truncated(N)),
        }
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    read_number! {
        u16_le u16_be u16, u32_le u32_be u32, u64_le u64_be u64,
        i32_le i32_be i32, i64_le i64_be i64, f64_le f64_be f64,
    }
}

/// Appends numbers to a growing buffer.
pub(crate) trait Put {
    fn put(&mut self, bytes: &[u8]);

    fn put_u8(&mut self, value: u8) {
        self.put(&[value]);
    }
    fn put_u16_le(&mut self, value: u16) {
        self.put(&value.to_le_bytes());
    }
    fn put_u32_le(&mut self, value: u32) {
        self.put(&value.to_le_bytes());
    }
    fn put_u64_le(&mut self, value: u64) {
        self.put(&value.to_le_bytes());
    }
    fn put_i32_le(&mut self, value: i32) {
        self.put(&value.to_le_bytes());
    }
    fn put_i64_le(&mut self, value: i64) {
        self.put(&value.to_le_bytes());
    }
    fn put_f64_le(&mut self, value: f64) {
        self.put(&value.to_le_bytes());
    }
    fn put_u16_be(&mut self, value: u16) {
        self.put(&value.to_be_bytes());
    }
    fn put_u32_be(&mut self, value: u32) {
        self.put(&value.to_be_bytes());
    }
}

impl Put for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Bytes of a file in memory: cheap to clone and to cut, whoever owns the memory.
#[derive(Clone)]
pub struct Block {
    owner: Owner,
    range: Range<usize>,
}

#[derive(Clone)]
enum Owner {
    /// A copy of this many bytes that was made for this block, before what the memory held until then; the memory can
    /// serve another one.
    Copy(Arc<(Vec<u8>, usize)>),
    Shared(Arc<dyn AsRef<[u8]> + Send + Sync>),
}

impl Block {
    /// All bytes of `owner`.
    pub fn new(owner: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Self {
        let range = 0..(*owner).as_ref().len();
        Self { owner: Owner::Shared(owner), range }
    }

    /// The first `length` bytes, which are a copy that was made for this block; the bytes after them mean nothing.
    pub(crate) fn front(bytes: Vec<u8>, length: usize) -> Self {
        Self { owner: Owner::Copy(Arc::new((bytes, length))), range: 0..length }
    }

    /// Whether the bytes are where the file has them, and not a copy.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.owner, Owner::Shared(_))
    }

    /// Whether the bytes are all of what is kept for their sake.
    pub(crate) fn is_whole(&self) -> bool {
        match &self.owner {
            Owner::Copy(copy) => self.range == (0..copy.1),
            Owner::Shared(_) => false,
        }
    }

    /// The memory of a copy, if this block is the last to use it.
    pub(crate) fn into_copy(self) -> Option<Vec<u8>> {
        match self.owner {
            Owner::Copy(copy) => Arc::try_unwrap(copy).ok().map(|(bytes, _)| bytes),
            Owner::Shared(_) => None,
        }
    }

    /// A part of this block, `None` where the range passes its end.
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        let start = self.range.start.checked_add(range.start)?;
        let end = self.range.start.checked_add(range.end)?;
        (start <= end && end <= self.range.end).then(|| Self { owner: self.owner.clone(), range: start..end })
    }
}

impl From<Vec<u8>> for Block {
    fn from(bytes: Vec<u8>) -> Self {
        let length = bytes.len();
        Self::front(bytes, length)
    }
}

impl Deref for Block {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let bytes = match &self.owner {
            Owner::Copy(copy) => &copy.0,
            Owner::Shared(bytes) => (**bytes).as_ref(),
        };
        // An owner that shrinks behind our back yields no bytes, which every caller checks.
        bytes.get(self.range.clone()).unwrap_or_default()
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Block({} bytes)", self.range.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_stop_at_the_end() {
        let mut cursor = Cursor::new(&[1, 0, 2], 100);
        assert_eq!(cursor.u16_le().unwrap(), 1);
        let error = cursor.u16_be().unwrap_err();
        assert_eq!(error.location().offset, Some(102));
        assert_eq!(cursor.u8().unwrap(), 2);
        assert!(cursor.take(usize::MAX).is_err());
    }

    #[test]
    fn numbers_come_back_in_both_orders() {
        let mut bytes = Vec::new();
        bytes.put_u16_be(0x1234);
        bytes.put_u64_le(0x1122_3344_5566_7788);
        bytes.put_i32_le(-5);
        let mut cursor = Cursor::new(&bytes, 0);
        assert_eq!(cursor.u16_be().unwrap(), 0x1234);
        assert_eq!(cursor.u64_le().unwrap(), 0x1122_3344_5566_7788);
        assert_eq!(cursor.i32_le().unwrap(), -5);
        assert_eq!(cursor.remaining(), 0);
    }

    #[test]
    fn a_block_is_cut_within_its_bounds() {
        let block = Block::from(vec![1, 2, 3, 4]);
        let middle = block.slice(1..3).unwrap();
        assert_eq!(&*middle, [2, 3]);
        assert!(middle.slice(1..3).is_none());
        assert_eq!(&*middle.slice(1..2).unwrap(), [3]);
    }

    #[test]
    fn the_last_user_of_a_copy_gets_its_memory() {
        let block = Block::from(vec![1, 2, 3, 4]);
        let part = block.slice(1..2).unwrap();
        assert!(block.into_copy().is_none(), "the part uses it");
        assert_eq!(part.into_copy().unwrap(), [1, 2, 3, 4]);
        assert!(Block::new(Arc::new(vec![1])).into_copy().is_none());
    }
}
