//! Blocks on disk, shared by processes.
//!
//! ```text
//! <file>.data     the blocks, each where the file has it; what is not kept is a hole
//! <file>.index    what the file is, then the checksum of each block; 0: it is not kept
//! ```
//!
//! A block is written before its checksum is. So whatever a process sees of the work of another one, or what is left by
//! one that was killed, a block that does not have its checksum is not kept.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64;

use super::super::Block;
use super::memory::BLOCK_SIZE;

/// The part of an index before its checksums.
const HEADER_SIZE: u64 = HEADER_LENGTH as u64;
const HEADER_LENGTH: usize = 4096;
const MAGIC: &str = "rntuple cache 1";

/// A folder of files, of which blocks are kept.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    limit: u64,
    /// Bytes that this process may write before it looks at the size of the folder again.
    left: AtomicU64,
}

/// What came of a request for room.
enum Room {
    Taken,
    /// Other files were given what there was.
    Missing,
    /// There is none, even without all other files.
    Full,
}

impl Folder {
    pub(super) fn open(path: &Path, limit: u64) -> io::Result<Self> {
        create(path)?;
        let folder = Self { path: path.to_owned(), limit, left: AtomicU64::new(0) };
        folder.make_room(None)?;
        Ok(folder)
    }

    /// Takes room for bytes that will be written for a file.
    fn take(&self, bytes: u64, file: u128) -> Room {
        let take = || self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(bytes)).is_ok();
        if take() {
            return Room::Taken;
        }
        match self.make_room(Some(file)) {
            Ok(room) if room < bytes => Room::Full,
            Ok(_) if take() => Room::Taken,
            _ => Room::Missing,
        }
    }

    /// Removes the files that were not opened for the longest time, but not the one that is in use, until there is room,
    /// and returns how much there is.
    fn make_room(&self, used: Option<u128>) -> io::Result<u64> {
        let portion = (self.limit / 16).max(2 * BLOCK_SIZE);
        // By name without extension: when it was opened last, and its size.
        let mut files: BTreeMap<PathBuf, (SystemTime, u64)> = BTreeMap::new();
        let mut size = 0u64;
        for entry in fs::read_dir(&self.path)? {
            let path = entry?.path();
            let is_index = path.extension().is_some_and(|extension| extension == "index");
            if !is_index && path.extension().is_none_or(|extension| extension != "data") {
                continue;
            }
            // Another process may have removed it.
            let Ok(metadata) = fs::metadata(&path) else { continue };
            // One without an index is left by a process that was killed: the first to go.
            let (opened, own) = files.entry(path.with_extension("")).or_insert((SystemTime::UNIX_EPOCH, 0));
            if is_index {
                *opened = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            }
            *own = own.saturating_add(allocated(&metadata));
            size = size.saturating_add(allocated(&metadata));
        }
        let mut files: Vec<_> = files.into_iter().map(|(path, (opened, own))| (opened, own, path)).collect();
        files.sort();
        let used = used.map(|file| self.path.join(format!("{file:032x}")));
        for (_, own, path) in files {
            if size.saturating_add(portion) <= self.limit {
                break;
            }
            if Some(&path) != used.as_ref() {
                remove(&path);
                size = size.saturating_sub(own);
            }
        }
        let room = self.limit.saturating_sub(size).min(portion);
        self.left.store(room, Relaxed);
        Ok(room)
    }
}

/// Creates a folder for this user alone. An existing one must not be writable by everyone: in place of files of the cache,
/// others could put links to files of this user.
#[cfg(unix)]
fn create(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    if fs::metadata(path)?.permissions().mode() & 0o002 != 0 {
        let message = format!("{}: the folder of a cache must not be writable by everyone", path.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    Ok(())
}

#[cfg(not(unix))]
fn create(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Removes both files of a path without extension. Where they are still open, they would keep their room on the disk until
/// they are closed: so the data are cut off before.
fn remove(path: &Path) {
    let (data, index) = (path.with_extension("data"), path.with_extension("index"));
    let _ = File::options().write(true).open(&data).and_then(|file| file.set_len(0));
    let _ = fs::remove_file(data);
    let _ = fs::remove_file(index);
}

/// Whether an open file was removed by a process that made room.
#[cfg(unix)]
fn is_removed(file: &File, _: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata().is_ok_and(|metadata| metadata.nlink() == 0)
}

#[cfg(not(unix))]
fn is_removed(_: &File, path: &Path) -> bool {
    !path.exists()
}

/// Bytes that a file takes, holes left out.
#[cfg(unix)]
fn allocated(metadata: &fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    metadata.blocks().saturating_mul(512)
}

#[cfg(not(unix))]
fn allocated(metadata: &fs::Metadata) -> u64 {
    metadata.len()
}

/// The blocks of one file.
#[derive(Debug)]
pub(super) struct Kept {
    folder: Arc<Folder>,
    file: u128,
    /// Data and index.
    files: Mutex<(File, File)>,
    /// Nothing more is written: the folder has no room for it, or its files were removed.
    is_closed: AtomicBool,
}

impl Kept {
    /// `None` where the folder does not have room for it, or it cannot be used.
    pub(super) fn open(folder: &Arc<Folder>, file: u128, identity: &str, size: u64) -> Option<Self> {
        let open = |extension: &str| {
            let path = folder.path.join(format!("{file:032x}.{extension}"));
            File::options().read(true).write(true).create(true).truncate(false).open(path)
        };
        let (data, mut index) = (open("data").ok()?, open("index").ok()?);
        let header = header_of(identity);
        if read_at(&mut index, 0, header.len()).is_none_or(|found| found != header) {
            let entries = size.div_ceil(BLOCK_SIZE).saturating_mul(8);
            index.set_len(0).ok()?;
            index.set_len(HEADER_SIZE.saturating_add(entries)).ok()?;
            write_at(&mut index, 0, &header).ok()?;
        }
        // So it is not the next one to be removed.
        index.set_modified(SystemTime::now()).ok()?;
        let (files, is_closed) = (Mutex::new((data, index)), AtomicBool::new(false));
        Some(Self { folder: folder.clone(), file, files, is_closed })
    }

    /// Block `number`, which has the bytes of `range` of the file, if it is kept.
    pub(super) fn read(&self, number: u64, range: Range<u64>) -> Option<Block> {
        let (data, index) = &mut *self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let checksum = u64::from_le_bytes(*read_at(index, entry_of(number), 8)?.first_chunk()?);
        if checksum == 0 {
            return None;
        }
        let bytes = read_at(data, range.start, usize::try_from(range.end - range.start).ok()?)?;
        (checksum_of(&bytes) == checksum).then(|| Block::from(bytes))
    }

    /// Keeps block `number`, if there is room. What cannot be written is not kept: the next time it is read again.
    pub(super) fn write(&self, number: u64, block: &Block) {
        if self.is_closed.load(Relaxed) {
            return;
        }
        let (data, index) = &mut *self.files.lock().unwrap_or_else(PoisonError::into_inner);
        // Bytes in a file that was removed take room that no one counts, and are never found again.
        if [(&*data, "data"), (&*index, "index")]
            .into_iter()
            .any(|(file, extension)| self.is_removed(file, extension))
        {
            return self.is_closed.store(true, Relaxed);
        }
        match self.folder.take(block.len() as u64, self.file) {
            Room::Missing => {}
            Room::Full => self.is_closed.store(true, Relaxed),
            Room::Taken => {
                let checksum = checksum_of(block).to_le_bytes();
                let written = write_at(data, number * BLOCK_SIZE, block);
                let _ = written.and_then(|()| write_at(index, entry_of(number), &checksum));
            }
        }
    }

    fn is_removed(&self, file: &File, extension: &str) -> bool {
        is_removed(file, &self.folder.path.join(format!("{:032x}.{extension}", self.file)))
    }
}

fn read_at(file: &mut File, offset: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(offset)).ok()?;
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

fn write_at(file: &mut File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

/// Where the checksum of a block is in the index.
fn entry_of(number: u64) -> u64 {
    HEADER_SIZE + number * 8
}

/// The checksum of a block, which is never 0.
fn checksum_of(bytes: &[u8]) -> u64 {
    xxh3_64(bytes).max(1)
}

/// What an index begins with: a line that people can read.
fn header_of(identity: &str) -> Vec<u8> {
    let mut header = format!("{MAGIC}\n{BLOCK_SIZE}\n{identity}\n").into_bytes();
    header.resize(HEADER_LENGTH, 0);
    header
}
