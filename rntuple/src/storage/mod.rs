//! Bytes at offsets: what a ROOT file is stored in. Storage does not know what the bytes mean.
//!
//! A new medium is an implementation of [`ReadAt`] or [`WriteAt`], here or in any other crate; a [`Protocol`] opens it by
//! URL.

use std::io::{self, IoSlice};
use std::ops::Range;

mod by_blocks;
mod cache;
mod ends;
mod file;
#[cfg(feature = "glob")]
mod find;
mod identity;
mod joined;
mod landing;
mod memory;
#[cfg(feature = "mmap")]
#[allow(unsafe_code, reason = "a memory map is only as stable as its file")]
mod mmap;
mod null;
mod output;
mod protocol;
mod readers;
mod seekable;

pub use crate::bytes::Block;
#[doc(hidden)]
pub use crate::sync::PerProcess;
#[doc(hidden)]
pub use by_blocks::{block_by_blocks, read_by_blocks};
pub use cache::Cache;
#[doc(hidden)]
pub use ends::ends_of;
pub use file::LocalFile;
#[cfg(feature = "glob")]
pub use find::find_files;
#[cfg(feature = "glob")]
pub(crate) use find::find_listed;
#[cfg(feature = "glob")]
#[doc(hidden)]
pub use find::is_url_pattern;
pub(crate) use identity::Identity;
pub(crate) use joined::Joined;
pub use memory::Memory;
#[cfg(feature = "mmap")]
pub use mmap::MappedFile;
pub use null::Null;
pub use output::Output;
pub use protocol::{Listed, Protocol, register};
#[doc(hidden)]
pub use protocol::{local_path, without_secrets};
pub(crate) use protocol::{open, open_listed, shown, url_of};
pub use seekable::Seekable;

/// A finished file that can be read at any offset, from several threads.
///
/// ```
/// use rntuple::storage::ReadAt;
/// let bytes = vec![1u8, 2, 3, 4];
/// let mut two = [0; 2];
/// bytes.read_at(1, &mut two)?;
/// assert_eq!(two, [2, 3]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait ReadAt: Send + Sync {
    /// Size in bytes.
    fn size(&self) -> u64;

    /// Fills `buffer` from `offset` on.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] where the storage ends before the buffer does.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// The bytes of `range`; a medium that has them in memory shares them instead of copying.
    ///
    /// # Errors
    /// As [`read_at`](Self::read_at); nothing is allocated for a range beyond the end. And
    /// [`io::ErrorKind::OutOfMemory`].
    fn block(&self, range: Range<u64>) -> io::Result<Block> {
        filled(&range, self.size(), &|buffer| self.read_at(range.start, buffer))
    }

    /// Returns the bytes of each range, in the order of `ranges`. Where each request costs a round trip, all of them are
    /// made at once, and neighbouring ranges together. Default: one [`block`](Self::block) after the other.
    ///
    /// # Errors
    /// As [`block`](Self::block), for any of the ranges.
    fn blocks(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Block>> {
        one_by_one(ranges, &|range| self.block(range))
    }

    /// Whether each request costs a round trip over a network. Readers then ask for [many ranges](Self::blocks) at once,
    /// and for those of the next clusters while the values of this one are used. Default: `false`.
    fn is_remote(&self) -> bool {
        false
    }

    /// Returns what is different once the bytes are: the e-tag of an object, for example. Default: `None`, which is
    /// unknown. What was read is kept for later readers only under such a version.
    fn version(&self) -> Option<&str> {
        None
    }

    /// As [`block`](Self::block), with memory that is not needed any more and may serve the copy.
    ///
    /// # Errors
    /// As [`block`](Self::block).
    #[doc(hidden)]
    fn block_in(&self, range: Range<u64>, spare: Vec<u8>) -> io::Result<Block> {
        drop(spare);
        self.block(range)
    }

    /// As [`blocks`](Self::blocks); for each copy, `spare` gives memory of that many bytes that is not needed any more, or
    /// an empty vector.
    ///
    /// # Errors
    /// As [`blocks`](Self::blocks).
    #[doc(hidden)]
    fn blocks_in(&self, ranges: &[Range<u64>], spare: &dyn Fn(u64) -> Vec<u8>) -> io::Result<Vec<Block>> {
        let _ = spare;
        self.blocks(ranges)
    }

    /// Looks whether there are more bytes by now: [`size`](Self::size) says so then.
    ///
    /// # Errors
    /// Whatever the medium reports.
    fn refresh(&self) -> io::Result<()> {
        Ok(())
    }

    /// What to call this storage in an error.
    fn name(&self) -> &str {
        "memory"
    }
}

/// A file under construction: written at any offset, mostly at the end.
pub trait WriteAt: Send {
    /// Writes all of `parts`, one after the other, from `offset` on.
    ///
    /// # Errors
    /// Whatever the medium reports; how much was written is then unknown.
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()>;

    /// Makes everything written so far reach the medium.
    ///
    /// # Errors
    /// Whatever the medium reports.
    fn flush(&mut self) -> io::Result<()>;

    /// Begins to [flush](Self::flush) what has been written so far, and need not wait for the end of it:
    /// [`end_flush`](Self::end_flush) does.
    ///
    /// # Errors
    /// As [`flush`](Self::flush).
    fn begin_flush(&mut self) -> io::Result<()> {
        self.flush()
    }

    /// Waits for the flush that was begun, if there is one.
    ///
    /// # Errors
    /// It has failed.
    fn end_flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Fills `buffer` with the bytes that are at `offset` by now; `false`: the medium cannot be read.
    ///
    /// A writer that appends checks by it, before its last write, that no other program has written to the file.
    ///
    /// # Errors
    /// Whatever the medium reports.
    fn read_back(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<bool> {
        let _ = (offset, buffer);
        Ok(false)
    }

    /// Forgets the bytes from `size` on, where the medium can. Called at most once, before the first write to a file that
    /// was there before: a writer that died has left them after its end.
    ///
    /// # Errors
    /// Whatever the medium reports.
    fn truncate(&mut self, size: u64) -> io::Result<()> {
        let _ = size;
        Ok(())
    }

    /// Keeps a file that can be read from now on, whatever becomes of what writes it: it is not complete, but is
    /// [flushed](Self::flush), and grows further. Called after each checkpoint.
    ///
    /// # Errors
    /// Whatever the medium reports.
    fn keep(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// From now on, entries could be recovered from what has been written, whatever becomes of what writes it: where a
    /// file would be removed that is never finished, it is left.
    fn set_recoverable(&mut self) {}

    /// Makes a file that is complete and [flushed](Self::flush) visible under its name, where the medium can hide it
    /// until then. Called once, after the last write.
    ///
    /// # Errors
    /// Whatever the medium reports; the error says where the file is then, if it is anywhere.
    fn publish(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Makes a file visible that can be read, but lacks entries that were to be in it: never in place of another
    /// file. Called instead of [`publish`](Self::publish); [`name`](Self::name) is then the name that the file has.
    ///
    /// # Errors
    /// Whatever the medium reports.
    fn publish_incomplete(&mut self) -> io::Result<()> {
        self.publish()
    }

    /// What to call this storage in an error.
    fn name(&self) -> &str {
        "memory"
    }
}

impl<W: WriteAt + ?Sized> WriteAt for &mut W {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        (**self).write_at(offset, parts)
    }
    fn flush(&mut self) -> io::Result<()> {
        (**self).flush()
    }
    fn begin_flush(&mut self) -> io::Result<()> {
        (**self).begin_flush()
    }
    fn end_flush(&mut self) -> io::Result<()> {
        (**self).end_flush()
    }
    fn read_back(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<bool> {
        (**self).read_back(offset, buffer)
    }
    fn truncate(&mut self, size: u64) -> io::Result<()> {
        (**self).truncate(size)
    }
    fn keep(&mut self) -> io::Result<()> {
        (**self).keep()
    }
    fn set_recoverable(&mut self) {
        (**self).set_recoverable();
    }
    fn publish(&mut self) -> io::Result<()> {
        (**self).publish()
    }
    fn publish_incomplete(&mut self) -> io::Result<()> {
        (**self).publish_incomplete()
    }
    fn name(&self) -> &str {
        (**self).name()
    }
}

impl<W: WriteAt + ?Sized> WriteAt for Box<W> {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        (**self).write_at(offset, parts)
    }
    fn flush(&mut self) -> io::Result<()> {
        (**self).flush()
    }
    fn begin_flush(&mut self) -> io::Result<()> {
        (**self).begin_flush()
    }
    fn end_flush(&mut self) -> io::Result<()> {
        (**self).end_flush()
    }
    fn read_back(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<bool> {
        (**self).read_back(offset, buffer)
    }
    fn truncate(&mut self, size: u64) -> io::Result<()> {
        (**self).truncate(size)
    }
    fn keep(&mut self) -> io::Result<()> {
        (**self).keep()
    }
    fn set_recoverable(&mut self) {
        (**self).set_recoverable();
    }
    fn publish(&mut self) -> io::Result<()> {
        (**self).publish()
    }
    fn publish_incomplete(&mut self) -> io::Result<()> {
        (**self).publish_incomplete()
    }
    fn name(&self) -> &str {
        (**self).name()
    }
}

/// A copy of a range, which `fill` makes: compiled once, not for each storage.
fn filled(range: &Range<u64>, size: u64, fill: &dyn Fn(&mut [u8]) -> io::Result<()>) -> io::Result<Block> {
    let mut bytes = zeros(checked_length(range, size)?)?;
    fill(&mut bytes)?;
    Ok(Block::from(bytes))
}

/// The blocks that `block` returns, one after the other.
fn one_by_one(
    ranges: &[Range<u64>],
    block: &dyn Fn(Range<u64>) -> io::Result<Block>,
) -> io::Result<Vec<Block>> {
    ranges.iter().cloned().map(block).collect()
}

/// There is memory for this much, which the system may have zeroed already.
const SMALL: usize = 64 << 20;

/// Memory for bytes of a file, which may be sparse and longer than any memory.
fn zeros(length: usize) -> io::Result<Vec<u8>> {
    if length <= SMALL {
        return Ok(vec![0; length]);
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    bytes.resize(length, 0);
    Ok(bytes)
}

/// The length of `range` if it lies within `size` bytes.
pub(crate) fn checked_length(range: &Range<u64>, size: u64) -> io::Result<usize> {
    let length = range.end.checked_sub(range.start).filter(|_| range.end <= size);
    length.and_then(|length| usize::try_from(length).ok()).ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::UnexpectedEof,
            format!("bytes {}..{} wanted, but there are {size}", range.start, range.end),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that is longer than any memory.
    struct Endless;

    impl ReadAt for Endless {
        fn size(&self) -> u64 {
            u64::MAX
        }
        fn read_at(&self, _: u64, _: &mut [u8]) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_lack_of_memory_is_an_error() {
        for length in [1 << 62, 1 << 50] {
            assert_eq!(Endless.block(0..length).unwrap_err().kind(), io::ErrorKind::OutOfMemory);
        }
        assert_eq!(Endless.block(7..100).unwrap().len(), 93);
        assert_eq!(Endless.block(7..SMALL as u64 + 8).unwrap().len(), SMALL + 1);
    }
}
