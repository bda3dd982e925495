//! Whatever the standard library can seek in.

use std::io::{self, IoSlice, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::landing::check_landing;
use super::{ReadAt, WriteAt};

/// A storage made of anything that can be written to or read at any position: a file that is open already, an
/// [`io::Cursor`], a type of another crate.
///
/// [`LocalFile`](super::LocalFile) is better for files at a path: it replaces them only when they are complete, waits
/// for the medium and lets threads read at the same time. Here, [`flush`](WriteAt::flush) is that of [`Write`], and reads
/// take turns.
///
/// ```
/// use std::io::Cursor;
/// use rntuple::storage::Seekable;
/// use rntuple::{RNTuple, Reader, WriteOptions, Writer};
///
/// #[derive(RNTuple)]
/// struct Event { met: f32 }
///
/// let storage = Seekable::new(Cursor::new(Vec::new()))?;
/// let mut writer = Writer::new(storage, "Events", WriteOptions::new())?;
/// writer.fill(&Event { met: 20.0 })?;
/// let cursor = writer.finish_into()?.1.into_inner();
///
/// let reader = Reader::<Event>::open(Seekable::new(cursor)?, "Events")?;
/// assert_eq!(reader.get(0)?.met, 20.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Seekable<S>(Mutex<State<S>>);

#[derive(Debug)]
struct State<S> {
    inner: S,
    /// Where it is; `None` after an error.
    at: Option<u64>,
    size: u64,
    /// Whether bytes are known to be where they were written.
    is_checked: bool,
}

impl<S: Seek> Seekable<S> {
    /// Takes what `inner` has as the file. One that is open for appending can be read; each write to it is an error,
    /// which may leave two bytes at its end.
    ///
    /// # Errors
    /// It cannot be sought in, as a pipe.
    pub fn new(mut inner: S) -> io::Result<Self> {
        let size = inner.seek(SeekFrom::End(0)).map_err(|error| {
            let message = "a ROOT file needs a medium that can seek: what is at its front says where it ends. Write to a file, or \
                           to `Memory`, and copy that";
            io::Error::new(error.kind(), format!("{message} ({error})"))
        })?;
        Ok(Self(Mutex::new(State { inner, at: Some(size), size, is_checked: false })))
    }
}

impl<S> Seekable<S> {
    /// Returns what it was made of.
    pub fn into_inner(self) -> S {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).inner
    }

    /// If another thread panicked in `inner`, its position was forgotten before.
    fn lock(&self) -> MutexGuard<'_, State<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Seek> State<S> {
    /// Seeks to `offset`, and runs something there; if that succeeds, the position is after `length` bytes.
    fn at<V>(
        &mut self,
        offset: u64,
        length: u64,
        work: impl FnOnce(&mut S) -> io::Result<V>,
    ) -> io::Result<V> {
        if self.at.take() != Some(offset) {
            self.inner.seek(SeekFrom::Start(offset))?;
        }
        let value = work(&mut self.inner)?;
        self.at = offset.checked_add(length);
        Ok(value)
    }
}

impl<S: Read + Seek + Send> ReadAt for Seekable<S> {
    fn size(&self) -> u64 {
        self.lock().size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.lock().at(offset, buffer.len() as u64, |inner| inner.read_exact(buffer))
    }

    fn name(&self) -> &str {
        "stream"
    }
}

impl<S: Write + Seek + Send> WriteAt for Seekable<S> {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        let length = parts.iter().map(|part| part.len() as u64).sum();
        let mut state = self.lock();
        if !state.is_checked {
            let at = state.at.take();
            state.is_checked = check_landing(&mut state.inner, offset, parts)?;
            state.at = at.filter(|_| !state.is_checked);
        }
        state.at(offset, length, |inner| parts.iter().try_for_each(|part| inner.write_all(part)))?;
        state.size = state.size.max(offset.saturating_add(length));
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lock().inner.flush()
    }

    fn name(&self) -> &str {
        "stream"
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// Writes and reads a few bytes at a time, and fails on request.
    struct Slow {
        inner: Cursor<Vec<u8>>,
        fails: bool,
        seeks: usize,
    }

    impl Slow {
        fn few<V>(
            &mut self,
            length: usize,
            work: impl FnOnce(&mut Cursor<Vec<u8>>, usize) -> V,
        ) -> io::Result<V> {
            if self.fails {
                Err(io::Error::other("on request"))
            } else {
                Ok(work(&mut self.inner, length.min(3)))
            }
        }
    }

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.few(buffer.len(), |inner, length| inner.read(&mut buffer[..length]))?
        }
    }

    impl Write for Slow {
        fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
            self.few(buffer.len(), |inner, length| inner.write(&buffer[..length]))?
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Slow {
        fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
            self.seeks += 1;
            self.inner.seek(position)
        }
    }

    #[test]
    fn bytes_are_where_they_were_written_after_errors_too() {
        let inner = Slow { inner: Cursor::new(b"0123456789".to_vec()), fails: false, seeks: 0 };
        let mut storage = Seekable::new(inner).unwrap();
        assert_eq!(storage.size(), 10);
        storage.write_at(10, &[]).unwrap();
        assert_eq!(storage.lock().inner.seeks, 1, "only to find the size: what follows is where it is");
        storage.write_at(10, &[IoSlice::new(b""), IoSlice::new(b"abcd"), IoSlice::new(b"ef")]).unwrap();
        storage.write_at(16, &[IoSlice::new(b"gh")]).unwrap();
        assert_eq!(storage.lock().inner.seeks, 6, "to look twice where the first byte is, and back");
        storage.write_at(18, &[IoSlice::new(b"i")]).unwrap();
        assert_eq!(storage.lock().inner.seeks, 6);
        storage.write_at(2, &[IoSlice::new(b"XY")]).unwrap();
        assert_eq!(storage.size(), 19);
        let mut buffer = [0; 19];
        storage.read_at(0, &mut buffer).unwrap();
        assert_eq!(&buffer, b"01XY456789abcdefghi");

        storage.lock().inner.fails = true;
        assert!(storage.write_at(19, &[IoSlice::new(b"lost")]).is_err());
        storage.lock().inner.fails = false;
        assert_eq!(storage.size(), 19);
        storage.write_at(19, &[IoSlice::new(b"jk")]).unwrap();
        assert!(storage.read_at(19, &mut [0; 3]).is_err());
        let mut two = [0; 2];
        storage.read_at(19, &mut two).unwrap();
        assert_eq!(&two, b"jk");
        assert_eq!(storage.into_inner().inner.into_inner(), b"01XY456789abcdefghijk");
    }
}
