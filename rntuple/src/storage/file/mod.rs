//! Files of the operating system, read by position and written in vectored calls.

use std::fs::File;
use std::io::{self, IoSlice, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

mod lock;
mod part;
mod positioned;

use self::lock::Locked;
use self::part::Part;
use self::positioned::Positioned;
use super::identity::Identity;
use super::landing::check_landing;
use super::readers::{self, Reading};
use super::{Block, ReadAt, WriteAt, checked_length, zeros};

/// A file opened for reading, created, or opened for editing.
#[derive(Debug)]
pub struct LocalFile {
    file: Positioned,
    size: AtomicU64,
    name: String,
    /// The operating system's write position: spares a seek for each appended blob.
    position: u64,
    /// Whether bytes are known to be where they were written.
    is_checked: bool,
    durable: bool,
    /// The file does not have its name yet.
    part: Option<Part>,
    /// Where a file is that was created in place, until its name is on the medium.
    new_name: Option<PathBuf>,
    /// The flush that was begun.
    flush: Option<JoinHandle<io::Result<()>>>,
    /// Keeps other writers from the file, once it has its name.
    _lock: Option<Locked>,
    /// Keeps writers of this process from the file while it is read.
    _reading: Option<Reading>,
}

impl LocalFile {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// Those of [`File::open`], and [`io::ErrorKind::InvalidInput`] where it is not a regular file: a pipe, a socket or a
    /// device cannot be read at offsets.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let (file, reading) = readers::open(path)?;
        Ok(Self { _reading: Some(reading), ..Self::from_file(file, path)? })
    }

    /// Creates a file for writing, which takes its place only when it is [published](WriteAt::publish).
    ///
    /// Until then it is next to `path`, as `.NAME.part`, and a file that is at `path` stays as it was; it keeps its
    /// permissions when it is replaced. A symbolic link is followed. If the source is dropped before, the part file is
    /// removed, or left as `NAME.left` if entries can be [recovered](WriteAt::set_recoverable) from it; that of a process
    /// that was killed becomes `NAME.left` when the next writer of the same path begins. But once it is
    /// [kept](WriteAt::keep), it is `NAME.partial`, and nothing removes it.
    ///
    /// What is neither a file nor a folder, such as `/dev/null`, is written directly.
    ///
    /// ```
    /// use rntuple::storage::{LocalFile, WriteAt};
    /// use std::io::IoSlice;
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("events.root");
    /// std::fs::write(&path, "old")?;
    /// let mut file = LocalFile::create(&path)?;
    /// file.write_at(0, &[IoSlice::new(b"new")])?;
    /// assert_eq!(std::fs::read(&path)?, b"old");
    /// file.publish()?;
    /// assert_eq!(std::fs::read(&path)?, b"new");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// The file cannot be created. [`io::ErrorKind::WouldBlock`]: another writer is creating or editing it.
    /// [`io::ErrorKind::ResourceBusy`]: this process has it open for reading.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        match std::fs::metadata(path) {
            Ok(metadata) if !metadata.is_file() => Self::create_in_place(path),
            _ => Self::from_part(Part::replacing(path)?, path),
        }
    }

    /// Creates a file as [`create`](Self::create) does, at a path where nothing is.
    ///
    /// # Errors
    /// As [`create`](Self::create), and [`io::ErrorKind::AlreadyExists`].
    pub fn create_new(path: impl AsRef<Path>) -> io::Result<Self> {
        Self::from_part(Part::new(path.as_ref())?, path.as_ref())
    }

    /// Creates a file that is at `path` from the first byte on; an existing one is emptied and its old content is lost
    /// at once. For folders that take no new files, and for files with several hard links.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_in_place(path: impl AsRef<Path>) -> io::Result<Self> {
        Self::in_place(path.as_ref(), false)
    }

    /// Creates a file as [`create_in_place`](Self::create_in_place) does, at a path where nothing is if it must be
    /// new.
    pub(crate) fn in_place(path: &Path, is_new: bool) -> io::Result<Self> {
        if let Ok(metadata) = std::fs::metadata(path) {
            check_seekable(&metadata)?;
        }
        let mut options = File::options();
        // Truncated only once it is certain that no one else uses it.
        options.read(true).write(true).create(true).create_new(is_new).truncate(false);
        let lock = lock::open(&mut options, path)?;
        readers::check_unread(&Identity::of_file(&lock, path)?)?;
        let mut new_name = None;
        if lock.metadata()?.is_file() {
            lock.set_len(0)?;
            // An existing file may have been made a moment ago, by a writer that died.
            new_name = Some(part::resolve(path)?);
        }
        Ok(Self { new_name, ..Self::from_locked(lock, path)? })
    }

    /// Opens an existing file for reading and writing; nothing in it changes until something is written.
    ///
    /// While it is open, no one else can edit or replace the file: the operating system keeps a lock, which ends with
    /// the process at the latest. Programs that do not ask for the lock are not held back by it.
    ///
    /// # Errors
    /// The file does not exist or cannot be written, or another writer has it
    /// ([`io::ErrorKind::WouldBlock`]).
    pub fn edit(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        check_seekable(&std::fs::metadata(path)?)?;
        Self::from_locked(lock::open(File::options().read(true).write(true), path)?, path)
    }

    /// Takes a file that is open, for reading and writing, under a name that errors show. Nothing in it changes until
    /// something is written, it is at its place from the first byte on, and no lock is taken on it. If it is longer
    /// than what is written, its rest stays. What shares its position must not move that meanwhile. One that is open
    /// for appending can be read; the first write to it is an error, after which the file is as it was.
    ///
    /// ```
    /// use rntuple::{RNTuple, WriteOptions, Writer, storage::LocalFile};
    ///
    /// #[derive(RNTuple)]
    /// struct Event { met: f32 }
    ///
    /// let file = LocalFile::from_open(tempfile::tempfile()?, "scratch")?;
    /// let mut writer = Writer::<Event, _>::new(file, "Events", WriteOptions::new())?;
    /// writer.fill(&Event { met: 20.0 })?;
    /// assert_eq!(writer.finish()?.entries, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// It is a pipe or a socket, which cannot be sought in, or the operating system cannot say how long it is.
    pub fn from_open(file: File, name: impl Into<String>) -> io::Result<Self> {
        check_seekable(&file.metadata()?)?;
        // Where it is now is not known, nor how it was opened.
        Ok(Self { position: u64::MAX, is_checked: false, ..Self::named(file, name.into())? })
    }

    /// Opens what a writer of `path` left that did not finish, after a [checkpoint](WriteAt::keep): the file
    /// `NAME.partial` next to it. `None`: there is nothing. It takes its place when it is published.
    ///
    /// # Errors
    /// It cannot be opened, or its writer is still at work ([`io::ErrorKind::WouldBlock`]).
    pub fn resume(path: impl AsRef<Path>) -> io::Result<Option<Self>> {
        let path = path.as_ref();
        Part::left_over(path)?.map(|part| Self::from_part(part, path)).transpose()
    }

    /// # Errors
    /// There is something to [resume](Self::resume), which is in the way of another file that is kept.
    pub(crate) fn check_nothing_left(path: &Path) -> io::Result<()> {
        part::check_nothing_left(path)
    }

    /// The name of the file that a writer of `path` leaves if it does not finish, once it has made a
    /// [checkpoint](WriteAt::keep): `NAME.partial`. Readers find there what was written so far.
    ///
    /// # Errors
    /// The path names no file, or leads nowhere.
    pub fn partial(path: impl AsRef<Path>) -> io::Result<PathBuf> {
        part::partial_of(&part::resolve(path.as_ref())?)
    }

    /// The files that writers of `path` left when they died or were dropped, and that no process is writing: from these,
    /// entries may be recovered (feature and module `recover`).
    ///
    /// | name | |
    /// | --- | --- |
    /// | `NAME.partial` | after a checkpoint: [`resume`](Self::resume) continues it, and it can be read |
    /// | `.NAME.part` | by a writer that was killed |
    /// | `NAME.left` | the same, after the next writer of the path has begun; or by a writer that was dropped |
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn leftovers(path: impl AsRef<Path>) -> io::Result<Vec<PathBuf>> {
        part::leftovers(path.as_ref())
    }

    /// Sets whether [`flush`](WriteAt::flush) waits for the medium. Default: `true`.
    ///
    /// Without it, what was written survives the end of the process, but a loss of power may leave a file that is
    /// incomplete or empty.
    #[must_use]
    pub fn durable(mut self, durable: bool) -> Self {
        self.durable = durable;
        self
    }

    fn from_part(part: Part, path: &Path) -> io::Result<Self> {
        let file = part.file()?;
        Ok(Self { part: Some(part), ..Self::from_file(file, path)? })
    }

    fn from_locked(lock: Locked, path: &Path) -> io::Result<Self> {
        let file = lock.file()?;
        Ok(Self { _lock: Some(lock), ..Self::from_file(file, path)? })
    }

    fn from_file(file: File, path: &Path) -> io::Result<Self> {
        Self::named(file, path.display().to_string())
    }

    /// Waits until the name of a file that was created in place is on the medium, which is needed once.
    fn sync_name(&mut self) -> io::Result<()> {
        if let Some(path) = &self.new_name {
            part::sync_folder(path)?;
            self.new_name = None;
        }
        Ok(())
    }

    /// A file that is open, under the name that is shown.
    fn named(file: File, name: String) -> io::Result<Self> {
        let size = file.metadata()?.len().into();
        let file = Positioned::new(file);
        Ok(Self {
            file,
            size,
            name,
            position: 0,
            is_checked: true,
            durable: true,
            part: None,
            new_name: None,
            flush: None,
            _lock: None,
            _reading: None,
        })
    }
}

/// Waits until what was written is on the medium.
fn sync(file: &File) -> io::Result<()> {
    match file.sync_data() {
        // What is not a file on a medium, such as `/dev/null`, has nothing to wait for.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        synced => synced,
    }
}

/// Refuses what can only be written from front to back.
fn check_seekable(metadata: &std::fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = metadata.file_type();
        if kind.is_fifo() || kind.is_socket() {
            let message = "a pipe or a socket cannot take a ROOT file, whose beginning is written last: write to a file, or to \
                           `Memory`, and copy that";
            return Err(io::Error::new(io::ErrorKind::NotSeekable, message));
        }
    }
    let _ = metadata;
    Ok(())
}

impl ReadAt for LocalFile {
    fn size(&self) -> u64 {
        self.size.load(Ordering::Relaxed)
    }

    fn refresh(&self) -> io::Result<()> {
        self.size.store(self.file.size()?, Ordering::Relaxed);
        Ok(())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(offset, buffer)
    }

    fn block(&self, range: Range<u64>) -> io::Result<Block> {
        self.block_in(range, Vec::new())
    }

    fn block_in(&self, range: Range<u64>, mut spare: Vec<u8>) -> io::Result<Block> {
        let length = checked_length(&range, self.size())?;
        if spare.capacity() < length {
            // Growing would copy the old bytes.
            spare = zeros(length)?;
        } else if spare.len() < length {
            // Only what is beyond the old bytes is zeroed, and nothing is given up that was zeroed once.
            spare.resize(length, 0);
        }
        self.read_at(range.start, spare.get_mut(..length).unwrap_or_default())?;
        Ok(Block::front(spare, length))
    }

    fn name(&self) -> &str {
        &self.name
    }
}

impl WriteAt for LocalFile {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        let file = self.file.get_mut()?;
        if !self.is_checked {
            self.position = u64::MAX;
            let size = file.metadata()?.len();
            let checked = check_landing(file, offset, parts);
            // What was written to see where it is, unless another program has written too.
            if checked.is_err() && file.metadata().is_ok_and(|now| now.len() <= size.saturating_add(2)) {
                let _ = file.set_len(size);
            }
            self.is_checked = checked?;
        }
        // Other systems than Unix move the position when something is read elsewhere.
        if self.position != offset || !cfg!(unix) {
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
        self.size.fetch_max(offset + written, Ordering::Relaxed);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.end_flush()?;
        if !self.durable {
            return Ok(());
        }
        sync(self.file.get_mut()?)?;
        self.sync_name()
    }

    fn begin_flush(&mut self) -> io::Result<()> {
        self.end_flush()?;
        if !self.durable {
            return Ok(());
        }
        self.sync_name()?;
        let file = self.file.get_mut()?.try_clone()?;
        let thread = thread::Builder::new().name("rntuple flush".to_owned());
        match thread.spawn(move || sync(&file)) {
            Ok(thread) => self.flush = Some(thread),
            // Where no thread can be had, it is waited for.
            Err(_) => sync(self.file.get_mut()?)?,
        }
        Ok(())
    }

    fn end_flush(&mut self) -> io::Result<()> {
        let ended = self.flush.take().map(JoinHandle::join);
        ended
            .unwrap_or(Ok(Ok(())))
            .unwrap_or_else(|_| Err(io::Error::other("the thread that flushes has panicked")))
    }

    fn truncate(&mut self, size: u64) -> io::Result<()> {
        let file = self.file.get_mut()?;
        if file.metadata()?.len() > size {
            file.set_len(size)?;
            self.size.store(size, Ordering::Relaxed);
        }
        Ok(())
    }

    fn keep(&mut self) -> io::Result<()> {
        self.part.as_mut().map_or(Ok(()), Part::keep)
    }

    fn set_recoverable(&mut self) {
        if let Some(part) = &mut self.part {
            part.set_worthy();
        }
    }

    fn publish(&mut self) -> io::Result<()> {
        self.part.take().map_or(Ok(()), Part::publish)
    }

    fn publish_incomplete(&mut self) -> io::Result<()> {
        let kept = self.part.take().map_or(Ok(None), Part::publish_incomplete)?;
        if let Some(kept) = kept {
            self.name = kept.display().to_string();
        }
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_in_many_parts_is_read_back() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("parts");
        let mut file = LocalFile::create(&path).unwrap();
        let bytes: Vec<u8> = (0..3000u32).map(|i| i.to_le_bytes()[0]).collect();
        let parts: Vec<IoSlice<'_>> = bytes.chunks(1).map(IoSlice::new).collect();
        file.write_at(5, &parts).unwrap();
        file.write_at(0, &[IoSlice::new(b""), IoSlice::new(b"head!"), IoSlice::new(b"")]).unwrap();
        file.flush().unwrap();
        file.publish().unwrap();
        let file = LocalFile::open(&path).unwrap();
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
    fn what_is_not_a_regular_file_is_refused_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let mut paths = vec![directory.path().to_path_buf()];
        let pipe = directory.path().join("pipe");
        // Opening a pipe that has no writer would wait for ever.
        if cfg!(unix) && std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|it| it.success())
        {
            paths.push(pipe);
        }
        for path in paths {
            let error = LocalFile::open(&path).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            assert!(error.to_string().contains("not a regular file"), "{error}");
        }
        let error = LocalFile::open(directory.path().join("missing")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn the_name_of_a_file_in_place_is_flushed_once() {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().join("folder");
        std::fs::create_dir(&folder).unwrap();
        let path = folder.join("file");
        let flushes: [fn(&mut LocalFile) -> io::Result<()>; 2] =
            [LocalFile::flush, |file| file.begin_flush().and_then(|()| file.end_flush())];
        for flush in flushes {
            let mut file = LocalFile::create_in_place(&path).unwrap().durable(false);
            flush(&mut file).unwrap();
            assert!(file.new_name.is_some());
            file = file.durable(true);
            flush(&mut file).unwrap();
            assert_eq!(file.new_name, None);
        }
        #[cfg(unix)]
        {
            let mut file = LocalFile::create_in_place(&path).unwrap();
            // Whether the name is there is not known any more.
            std::fs::rename(&folder, directory.path().join("elsewhere")).unwrap();
            assert_eq!(file.flush().unwrap_err().kind(), io::ErrorKind::NotFound);
        }
    }

    #[test]
    fn a_file_is_edited_in_place_and_by_one_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("edited");
        assert_eq!(LocalFile::edit(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
        std::fs::write(&path, b"0123456789").unwrap();
        let mut file = LocalFile::edit(&path).unwrap();
        assert_eq!(file.size(), 10);
        file.write_at(3, &[IoSlice::new(b"abc")]).unwrap();
        file.write_at(10, &[IoSlice::new(b"d")]).unwrap();
        file.flush().unwrap();
        let mut back = [0; 5];
        assert!(file.read_back(2, &mut back).unwrap());
        assert_eq!(&back, b"2abc6");
        assert!(file.read_back(9, &mut back).is_err());
        if cfg!(any(windows, target_os = "linux", target_vendor = "apple")) {
            assert_eq!(LocalFile::edit(&path).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        }
        drop(file);
        assert_eq!(std::fs::read(&path).unwrap(), b"012abc6789d");
        LocalFile::edit(&path).unwrap();
    }
}
