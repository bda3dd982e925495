//! A file mapped into memory: blocks are shared, never copied.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

use super::readers::{self, Reading};
use super::{Block, ReadAt, checked_length};

/// A file mapped into memory.
///
/// The map shows what the file holds *now*: a program that changes the file while it is mapped changes these bytes
/// too. Map files that no one writes to any more.
#[derive(Debug)]
pub struct MappedFile {
    map: Arc<Mmap>,
    name: String,
    /// Keeps writers of this process from the file.
    _reading: Reading,
}

impl MappedFile {
    /// Maps the whole file.
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, WriteOptions, Writer};
    /// # #[derive(RNTuple)]
    /// # struct Event { number: u64 }
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let path = directory.path().join("events.root");
    /// # let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new())?;
    /// # writer.fill(&Event { number: 1 })?;
    /// # writer.finish()?;
    /// use rntuple::storage::MappedFile;
    ///
    /// // SAFETY: no program writes to the file any more.
    /// let file = unsafe { MappedFile::open(&path) }.unwrap();
    /// let mut reader = Reader::<Event>::open(file, "Events")?;
    /// assert_eq!(reader.get(0)?.number, 1);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// A program without `unsafe` maps nothing:
    ///
    /// ```compile_fail,E0133
    /// let file = rntuple::storage::MappedFile::open("events.root");
    /// ```
    ///
    /// # Safety
    /// While this value, or a [`Block`] or borrowed entry of it, exists, no one changes or truncates the file: no other
    /// part of this program and no other program. Changed bytes are undefined behaviour, since they are lent as
    /// `&[u8]` and `&str`; bytes after a new end of the file end the process (`SIGBUS`).
    ///
    /// In the same process, writers of this crate refuse to create a file in place of a mapped one. They do append to it,
    /// which changes bytes of its header and its directories: drop the map before.
    ///
    /// # Errors
    /// Those of opening and of mapping it.
    pub unsafe fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let (file, reading) = readers::open(path)?;
        // SAFETY: the map is read-only; that no one changes the file is the duty of the caller.
        let map = unsafe { Mmap::map(&file)? };
        Ok(Self { map: Arc::new(map), name: path.display().to_string(), _reading: reading })
    }
}

impl ReadAt for MappedFile {
    fn size(&self) -> u64 {
        self.map.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = offset.saturating_add(buffer.len() as u64);
        buffer.copy_from_slice(&self.block(offset..end)?);
        Ok(())
    }

    fn block(&self, range: Range<u64>) -> io::Result<Block> {
        let length = checked_length(&range, self.size())?;
        let start = usize::try_from(range.start).map_err(io::Error::other)?;
        let whole = Block::new(self.map.clone());
        whole.slice(start..start + length).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    fn name(&self) -> &str {
        &self.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_reads_like_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("mapped");
        std::fs::write(&path, b"0123456789").unwrap();
        // SAFETY: no one else knows the file.
        let map = unsafe { MappedFile::open(&path) }.unwrap();
        assert_eq!(&*map.block(2..5).unwrap(), b"234");
        let mut two = [0; 2];
        map.read_at(8, &mut two).unwrap();
        assert_eq!(&two, b"89");
        assert!(map.read_at(9, &mut two).is_err());
    }
}
