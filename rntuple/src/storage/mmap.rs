//! A file mapped into memory: blocks are shared, never copied.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

use super::{Block, ReadAt, checked_length};

/// A file mapped into memory.
///
/// The map shows what the file holds *now*: a program that changes or truncates the file while it is
/// mapped changes these bytes too, and reading behind a new end of file is a fault of the operating
/// system's. Map files that nobody writes to any more.
#[derive(Debug)]
pub struct MappedFile {
    map: Arc<Mmap>,
    name: String,
}

impl MappedFile {
    /// Maps the whole file.
    ///
    /// # Errors
    /// Those of opening and of mapping it.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let file = File::open(&path)?;
        // SAFETY: the map is private to this value and read-only; that nobody shrinks the file below
        // us is the documented duty of whoever chooses a map over `FileSource`.
        let map = unsafe { Mmap::map(&file)? };
        Ok(Self { map: Arc::new(map), name: path.as_ref().display().to_string() })
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
        let map = MappedFile::open(&path).unwrap();
        assert_eq!(&*map.block(2..5).unwrap(), b"234");
        let mut two = [0; 2];
        map.read_at(8, &mut two).unwrap();
        assert_eq!(&two, b"89");
        assert!(map.read_at(9, &mut two).is_err());
    }
}
