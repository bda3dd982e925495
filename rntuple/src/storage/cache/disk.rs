//! Blocks on disk, shared by processes.
//!
//! ```text
//! <file>.data     the blocks, each where the file has it; what is not kept is a hole
//! <file>.index    what the file is, then the checksum of each block; 0: it is not kept
//! ```
//!
//! A block is written before its checksum is. So whatever a process sees of the work of another one, or what is left by
//! one that was killed, a block that does not have its checksum is not kept.

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
    /// There is no room, even without other files.
    is_full: AtomicBool,
}

impl Folder {
    pub(super) fn open(path: &Path, limit: u64) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        let folder =
            Self { path: path.to_owned(), limit, left: AtomicU64::new(0), is_full: AtomicBool::new(false) };
        folder.make_room(None)?;
        Ok(folder)
    }

    /// Takes room for bytes that will be written for a file; `false` where there is none.
    fn take(&self, bytes: u64, file: u128) -> bool {
        if self.is_full.load(Relaxed) {
            return false;
        }
        let taken = self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(bytes));
        if taken.is_ok() {
            return true;
        }
        if self.make_room(Some(file)).is_err() {
            return false;
        }
        self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(bytes)).is_ok()
    }

    /// Removes the files that were not opened for the longest time, but not the one that is in use, until there is room.
    fn make_room(&self, used: Option<u128>) -> io::Result<()> {
        let portion = (self.limit / 16).max(2 * BLOCK_SIZE);
        let mut files = Vec::new();
        let mut size = 0u64;
        for entry in fs::read_dir(&self.path)? {
            let path = entry?.path();
            if path.extension().is_none_or(|extension| extension != "index") {
                continue;
            }
            // Another process may have removed it.
            let Ok(index) = fs::metadata(&path) else { continue };
            let data = fs::metadata(path.with_extension("data")).map_or(0, |data| allocated(&data));
            let own = data.saturating_add(allocated(&index));
            size = size.saturating_add(own);
            files.push((index.modified().unwrap_or(SystemTime::UNIX_EPOCH), own, path));
        }
        files.sort();
        let used = used.map(|file| self.path.join(format!("{file:032x}.index")));
        for (_, own, path) in files {
            if size.saturating_add(portion) <= self.limit {
                break;
            }
            if Some(&path) != used.as_ref() {
                let _ = fs::remove_file(path.with_extension("data"));
                let _ = fs::remove_file(&path);
                size = size.saturating_sub(own);
            }
        }
        let room = self.limit.saturating_sub(size).min(portion);
        self.is_full.store(room < BLOCK_SIZE && used.is_some(), Relaxed);
        self.left.store(room, Relaxed);
        Ok(())
    }
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
        Some(Self { folder: folder.clone(), file, files: Mutex::new((data, index)) })
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
        if self.folder.take(block.len() as u64, self.file) {
            let (data, index) = &mut *self.files.lock().unwrap_or_else(PoisonError::into_inner);
            let checksum = checksum_of(block).to_le_bytes();
            let written = write_at(data, number * BLOCK_SIZE, block);
            let _ = written.and_then(|()| write_at(index, entry_of(number), &checksum));
        }
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
