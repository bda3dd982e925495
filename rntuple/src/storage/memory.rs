//! A file in memory, for tests, for small data and for sending over a wire.

use std::io::{self, IoSlice};
use std::ops::Range;
use std::sync::Arc;

use super::{Block, ReadAt, WriteAt, checked_length};

/// A file in memory that can be written and then read without a copy.
///
/// ```
/// use rntuple::storage::{Memory, ReadAt};
/// let file = Memory::from(vec![1u8, 2, 3]);
/// assert_eq!(file.size(), 3);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Memory {
    bytes: Arc<Vec<u8>>,
}

impl Memory {
    /// An empty file.
    pub fn new() -> Self {
        Self::default()
    }

    /// Everything written so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Gives up the bytes; copies them only if a reader still holds them.
    pub fn into_bytes(self) -> Vec<u8> {
        Arc::unwrap_or_clone(self.bytes)
    }
}

impl From<Vec<u8>> for Memory {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes: Arc::new(bytes) }
    }
}

impl ReadAt for Memory {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.bytes.read_at(offset, buffer)
    }

    fn block(&self, range: Range<u64>) -> io::Result<Block> {
        let length = checked_length(&range, self.size())?;
        let start = usize::try_from(range.start).map_err(io::Error::other)?;
        let whole = Block::new(self.bytes.clone());
        whole.slice(start..start + length).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

impl ReadAt for Vec<u8> {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = offset.saturating_add(buffer.len() as u64);
        let length = checked_length(&(offset..end), self.len() as u64)?;
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        match self.get(start..start + length) {
            Some(bytes) => buffer.copy_from_slice(bytes),
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
        Ok(())
    }
}

impl WriteAt for Memory {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        let bytes = Arc::make_mut(&mut self.bytes);
        let mut at = usize::try_from(offset).map_err(io::Error::other)?;
        for part in parts {
            let end = at.checked_add(part.len()).ok_or(io::ErrorKind::FileTooLarge)?;
            if bytes.len() < end {
                bytes.resize(end, 0);
            }
            if let Some(slot) = bytes.get_mut(at..end) {
                slot.copy_from_slice(part);
            }
            at = end;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn read_back(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<bool> {
        self.read_at(offset, buffer).map(|()| true)
    }

    fn truncate(&mut self, size: u64) -> io::Result<()> {
        Arc::make_mut(&mut self.bytes).truncate(usize::try_from(size).unwrap_or(usize::MAX));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_land_where_they_should_and_gaps_are_zero() {
        let mut file = Memory::new();
        file.write_at(2, &[IoSlice::new(&[1, 2]), IoSlice::new(&[3])]).unwrap();
        file.write_at(0, &[IoSlice::new(&[9])]).unwrap();
        assert_eq!(file.as_bytes(), [9, 0, 1, 2, 3]);
    }

    #[test]
    fn a_block_shares_the_memory_and_stays_within_it() {
        let file = Memory::from(vec![1, 2, 3, 4]);
        assert_eq!(&*file.block(1..3).unwrap(), [2, 3]);
        assert_eq!(file.block(1..3).unwrap().as_ptr(), file.as_bytes()[1..].as_ptr());
        assert!(file.block(3..5).is_err());
        assert!(file.block(u64::MAX - 1..u64::MAX).is_err());
    }

    #[test]
    fn a_short_read_is_an_error() {
        let mut buffer = [0; 4];
        assert!(vec![0u8; 3].read_at(0, &mut buffer).is_err());
        assert!(vec![0u8; 3].read_at(u64::MAX, &mut buffer).is_err());
    }
}
