//! Files of the operating system, read by position and written in vectored calls.

use std::fs::File;
use std::io::{self, IoSlice, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use super::{Block, ReadAt, WriteAt, checked_length};

/// A file opened for reading or created for writing.
#[derive(Debug)]
pub struct FileSource {
    file: Positioned,
    size: u64,
    name: String,
    /// Where the operating system's write position stands: spares a seek per appended blob.
    position: u64,
    /// A flush waits until the device has everything.
    durable: bool,
}

impl FileSource {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// Those of [`File::open`].
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        Self::from_file(File::open(&path)?, path.as_ref())
    }

    /// Creates a file for writing; an existing one is emptied, as [`File::create`] does.
    ///
    /// # Errors
    /// Those of [`File::create`].
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path);
        Self::from_file(file.map_err(|error| not_created(error, path.as_ref()))?, path.as_ref())
    }

    /// Opens a file that is there for reading and writing; nothing in it changes until something is written.
    ///
    /// A [`flush`](WriteAt::flush) of it waits for the device (`fdatasync`), so that what is written behind it never
    /// survives a loss of power alone. While it is open, nobody else can edit the file: the operating system keeps a
    /// lock, which ends with the process at the latest. Programs that do not ask for the lock are not held back by it.
    ///
    /// # Errors
    /// The file is not there or cannot be written, or somebody else is editing it
    /// ([`io::ErrorKind::WouldBlock`]).
    pub fn edit(path: impl AsRef<Path>) -> io::Result<Self> {
        let mut options = File::options();
        options.read(true).write(true);
        let file = lock::open(&mut options, path.as_ref())?;
        Ok(Self { durable: true, ..Self::from_file(file, path.as_ref())? })
    }

    /// A file that is open, under the name that is shown.
    pub(crate) fn from_file(file: File, path: &Path) -> io::Result<Self> {
        let size = file.metadata()?.len();
        let name = path.display().to_string();
        Ok(Self { file: Positioned::new(file), size, name, position: 0, durable: false })
    }
}

/// What is missing for a new file is its directory.
fn not_created(error: io::Error, path: &Path) -> io::Error {
    match path.parent() {
        Some(directory) if error.kind() == io::ErrorKind::NotFound && !directory.as_os_str().is_empty() => {
            let message = format!("the directory {} does not exist", directory.display());
            io::Error::new(io::ErrorKind::NotFound, message)
        }
        _ => error,
    }
}

impl ReadAt for FileSource {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(offset, buffer)
    }

    fn block(&self, range: Range<u64>) -> io::Result<Block> {
        self.block_in(range, Vec::new())
    }

    fn block_in(&self, range: Range<u64>, mut spare: Vec<u8>) -> io::Result<Block> {
        let length = checked_length(&range, self.size)?;
        if spare.capacity() < length {
            // Growing would copy what nobody wants.
            spare = vec![0; length];
        } else {
            // Only what is beyond the old bytes is zeroed.
            spare.resize(length, 0);
        }
        self.read_at(range.start, &mut spare)?;
        Ok(Block::from(spare))
    }

    fn name(&self) -> &str {
        &self.name
    }
}

impl WriteAt for FileSource {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        let file = self.file.get_mut()?;
        if self.position != offset {
            file.seek(SeekFrom::Start(offset))?;
        }
        // Unknown until every part is through: a failure half-way must not be trusted by the next call.
        self.position = u64::MAX;
        let mut written = 0;
        for part in parts {
            written += part.len() as u64;
        }
        write_all_vectored(file, parts)?;
        self.position = offset + written;
        self.size = self.size.max(self.position);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let file = self.file.get_mut()?;
        if self.durable { file.sync_data() } else { file.flush() }
    }

    fn read_back(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<bool> {
        self.read_at(offset, buffer).map(|()| true)
    }

    fn name(&self) -> &str {
        &self.name
    }
}

fn write_all_vectored(file: &mut File, parts: &[IoSlice<'_>]) -> io::Result<()> {
    // The system takes a limited number of parts a call (1024 on Linux), so they go in portions.
    for portion in parts.chunks(512) {
        let mut portion: Vec<IoSlice<'_>> = portion.to_vec();
        let mut rest = portion.as_mut_slice();
        IoSlice::advance_slices(&mut rest, 0);
        while !rest.is_empty() {
            match file.write_vectored(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => IoSlice::advance_slices(&mut rest, count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

/// One at a time may edit a file.
mod lock {
    use super::{File, Path, io};

    #[cfg(any(
        target_os = "linux",
        target_os = "android",
        target_os = "freebsd",
        target_os = "netbsd",
        target_os = "openbsd",
        target_vendor = "apple"
    ))]
    pub(super) fn open(options: &mut std::fs::OpenOptions, path: &Path) -> io::Result<File> {
        use rustix::fs::{FlockOperation, flock};
        use rustix::io::Errno;

        let file = options.open(path)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => {
                Err(io::Error::new(io::ErrorKind::WouldBlock, "another writer is appending to the file"))
            }
            // A file system without locks is no reason not to write.
            Ok(()) | Err(_) => Ok(file),
        }
    }

    #[cfg(windows)]
    pub(super) fn open(options: &mut std::fs::OpenOptions, path: &Path) -> io::Result<File> {
        use std::os::windows::fs::OpenOptionsExt;

        /// Others may open the file for reading (`FILE_SHARE_READ`).
        const READERS: u32 = 1;
        options.share_mode(READERS).open(path)
    }

    #[cfg(not(any(
        windows,
        target_os = "linux",
        target_os = "android",
        target_os = "freebsd",
        target_os = "netbsd",
        target_os = "openbsd",
        target_vendor = "apple"
    )))]
    pub(super) fn open(options: &mut std::fs::OpenOptions, path: &Path) -> io::Result<File> {
        options.open(path)
    }
}

use positioned::Positioned;

#[cfg(any(unix, windows))]
mod positioned {
    use super::{File, io};

    /// A file that can be read at a position without moving a shared cursor.
    #[derive(Debug)]
    pub(super) struct Positioned(File);

    impl Positioned {
        pub(super) fn new(file: File) -> Self {
            Self(file)
        }

        pub(super) fn get_mut(&mut self) -> io::Result<&mut File> {
            Ok(&mut self.0)
        }

        #[cfg(unix)]
        pub(super) fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
            std::os::unix::fs::FileExt::read_exact_at(&self.0, buffer, offset)
        }

        #[cfg(windows)]
        pub(super) fn read_exact_at(&self, mut offset: u64, mut buffer: &mut [u8]) -> io::Result<()> {
            while !buffer.is_empty() {
                let count = std::os::windows::fs::FileExt::seek_read(&self.0, buffer, offset)?;
                if count == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                buffer = &mut std::mem::take(&mut buffer)[count..];
                offset += count as u64;
            }
            Ok(())
        }
    }
}

#[cfg(not(any(unix, windows)))]
mod positioned {
    use super::{File, Seek, SeekFrom, io};
    use std::io::Read;
    use std::sync::Mutex;

    /// Where the system has no positioned reads, a lock keeps seek and read together.
    #[derive(Debug)]
    pub(super) struct Positioned(Mutex<File>);

    impl Positioned {
        pub(super) fn new(file: File) -> Self {
            Self(Mutex::new(file))
        }

        pub(super) fn get_mut(&mut self) -> io::Result<&mut File> {
            self.0.get_mut().map_err(|_| io::Error::other("a reader panicked"))
        }

        pub(super) fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
            let mut file = self.0.lock().map_err(|_| io::Error::other("a reader panicked"))?;
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(buffer)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_in_many_parts_is_read_back() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("parts");
        let mut file = FileSource::create(&path).unwrap();
        let bytes: Vec<u8> = (0..3000u32).map(|i| i.to_le_bytes()[0]).collect();
        let parts: Vec<IoSlice<'_>> = bytes.chunks(1).map(IoSlice::new).collect();
        file.write_at(5, &parts).unwrap();
        file.write_at(0, &[IoSlice::new(b""), IoSlice::new(b"head!"), IoSlice::new(b"")]).unwrap();
        file.flush().unwrap();
        let file = FileSource::open(&path).unwrap();
        assert_eq!(file.size(), 3005);
        let block = file.block(0..3005).unwrap();
        assert_eq!(&block[..5], b"head!");
        assert_eq!(&block[5..], bytes);
        assert!(file.block(3000..3006).is_err());
        for spare in [vec![], vec![7; 2], vec![7; 9000]] {
            assert_eq!(&*file.block_in(5..3005, spare).unwrap(), bytes);
        }
        assert!(file.block_in(3000..3006, vec![7; 9]).is_err());
    }

    #[test]
    fn a_file_is_edited_in_place_and_by_one_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("edited");
        assert_eq!(FileSource::edit(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
        std::fs::write(&path, b"0123456789").unwrap();
        let mut file = FileSource::edit(&path).unwrap();
        assert_eq!(file.size(), 10);
        file.write_at(3, &[IoSlice::new(b"abc")]).unwrap();
        file.write_at(10, &[IoSlice::new(b"d")]).unwrap();
        file.flush().unwrap();
        let mut back = [0; 5];
        assert!(file.read_back(2, &mut back).unwrap());
        assert_eq!(&back, b"2abc6");
        assert!(file.read_back(9, &mut back).is_err());
        if cfg!(any(windows, target_os = "linux", target_vendor = "apple")) {
            assert!(FileSource::edit(&path).is_err());
        }
        drop(file);
        assert_eq!(std::fs::read(&path).unwrap(), b"012abc6789d");
        FileSource::edit(&path).unwrap();
    }
}
