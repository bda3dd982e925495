//! A ROOT file opened for reading.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::anchor::{Anchor, EnvelopeSpan};
use super::blob::Chunks;
use super::directory::Directory;
use super::ends::Ends;
use super::free_list::FreeList;
use super::header::{FileHeader, HEADER_SIZE};
use super::index::Index;
use super::key::Key;
use super::listing::KeyKind;
use super::prerelease;
use crate::bytes::{Block, Cursor};
use crate::compression::Decompressor;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{self, Limits};
use crate::message::counted;
use crate::storage::{self, Joined, ReadAt};

/// Keys are mostly shorter: one read brings the whole key.
const KEY_PROBE: u64 = 128;
/// ROOT's bounds for the place of the root directory's numbers.
const NAME_SIZES: std::ops::RangeInclusive<u32> = 10..=10_000;
/// An anchor has 78 bytes; later formats may append members.
pub(super) const ANCHOR_LIMIT: u64 = 4096;

/// A ROOT file opened for reading: finds ntuples and hands out stored bytes.
///
/// It shows the file as it was when it was opened. Where its ntuples are is read when one is first asked for, and then
/// remembered: to see what another program adds, open the file again.
///
/// A clone shares the storage.
///
/// ```no_run
/// let file = rntuple::RootFile::open("events.root")?;
/// for key in file.ntuples()? {
///     println!("{} at {}", key.path(), key.offset);
/// }
/// # Ok::<(), rntuple::Error>(())
/// ```
#[derive(Clone)]
pub struct RootFile {
    storage: Arc<dyn ReadAt>,
    header: FileHeader,
    /// The root directory.
    top: Directory,
    known: Arc<Known>,
    limits: Limits,
    /// No payload that begins here or later continues in other records: it is in another file, of another maximum.
    uncut_from: u64,
}

/// What is known of a file, shared by its clones.
#[derive(Default)]
struct Known {
    index: Mutex<Index>,
    /// Of storage that is far away.
    ends: Option<Ends>,
    /// Of storage that is far away: beginnings of records, by offset. What passes all records does so several times.
    probes: Mutex<BTreeMap<u64, Block>>,
}

/// More beginnings of records are not kept.
const MOST_PROBES: usize = 1 << 14;

/// What is said of a file that does not say where its records are.
const UNFINISHED: &str = "the file is not finished: its writer is still at work, or ended without calling `finish`; \
                          its entries cannot be read";

impl RootFile {
    /// Opens a file.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) where it cannot be opened or read, [`OutOfSpec`](ErrorKind::OutOfSpec) where
    /// it is not a ROOT file or is cut short, [`Unfinished`](ErrorKind::Unfinished) where its writer stopped
    /// before the end, or before it wrote anything.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let storage = storage::open(path);
        Self::from_arc(storage.map_err(|error| Error::from(error).in_file(&storage::shown(path)))?)
    }

    /// Opens whatever holds the bytes of a ROOT file.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_storage(storage: impl ReadAt + 'static) -> Result<Self> {
        Self::from_arc(Arc::new(storage))
    }

    /// Opens storage that is shared already.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_arc(storage: Arc<dyn ReadAt>) -> Result<Self> {
        Self::read(&storage).map_err(|error| error.in_file(storage.name()))
    }

    fn read(storage: &Arc<dyn ReadAt>) -> Result<Self> {
        let size = storage.size();
        let ends = if storage.is_remote() { Some(Ends::read(&**storage)?) } else { None };
        let header = FileHeader::read(&block(storage, ends.as_ref(), 0..HEADER_SIZE.min(size))?)?;
        let unfinished = || Error::new(ErrorKind::Unfinished, UNFINISHED);
        if header.end > size {
            // Before the end only the header that a writer begins with has neither list.
            if header.free_offset == 0 && header.info_offset == 0 {
                return Err(unfinished());
            }
            let message =
                format!("the file is truncated: it has {size} bytes and should have {}", header.end);
            return Err(Error::out_of_spec(message));
        }
        if !NAME_SIZES.contains(&header.name_size) {
            let message =
                format!("the root directory cannot begin {} bytes into its record", header.name_size);
            return Err(Error::out_of_spec(message));
        }
        let top_offset = header.begin + u64::from(header.name_size);
        let left = header.end.saturating_sub(top_offset);
        if left == 0 {
            return Err(Error::out_of_spec("the file ends before its root directory").at_offset(top_offset));
        }
        let top_end = top_offset + left.min(super::directory::DIRECTORY_SIZE as u64);
        let bytes = block(storage, ends.as_ref(), top_offset..top_end)?;
        let top = Directory::read(&mut Cursor::new(&bytes, top_offset))?;
        // A writer notes lists of keys and of free segments at the very end. A directory without a list is left by one
        // that stopped between the header and the directory, keys after the end of the file by one that stopped between
        // the directory and the header.
        if top.keys_offset == 0 || header.free_offset == 0 && top.keys_offset >= header.end {
            return Err(unfinished());
        }
        let known = Arc::new(Known { ends, ..Known::default() });
        Ok(Self { known, ..Self::of_parts(storage.clone(), header, top) })
    }

    pub(super) fn of_parts(storage: Arc<dyn ReadAt>, header: FileHeader, top: Directory) -> Self {
        Self { storage, header, top, known: Arc::default(), limits: Limits::new(), uncut_from: u64::MAX }
    }

    /// The bytes of several files in one address space, and where each begins; the first one is found in it as it is. Only
    /// its payloads may continue in other records.
    ///
    /// # Errors
    /// A file is too long.
    pub(crate) fn joined(files: &[Self]) -> Result<(Self, Vec<u64>)> {
        let Some(first) = files.first() else {
            return Err(Error::invalid_argument("there are no files to join"));
        };
        let names: Vec<&str> = files.iter().map(Self::name).collect();
        let storages = files.iter().map(|file| file.storage.clone()).collect();
        let joined = Joined::new(storages, names.join(" + "))?;
        let starts: Vec<u64> = (0..files.len()).map(Joined::start).collect();
        let mut file = first.clone();
        let ends = files.iter().zip(&starts).map(|(file, start)| start.saturating_add(file.end()));
        file.header.end = ends.max().unwrap_or_default();
        file.uncut_from = Joined::start(1);
        file.storage = Arc::new(joined);
        Ok((file, starts))
    }

    /// Opens the same file again, which may have grown.
    pub(crate) fn reopened(&self) -> Result<Self> {
        self.storage.refresh().map_err(|error| Error::from(error).in_file(self.name()))?;
        Ok(Self::from_arc(self.storage.clone())?.with_limits(self.limits))
    }

    /// Sets how much the file may take while it is read, by whatever reads from this handle. Default: the defaults of
    /// [`Limits`].
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How much the file may take while it is read.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The bytes themselves.
    pub fn storage(&self) -> &Arc<dyn ReadAt> {
        &self.storage
    }

    /// Whether each read costs a round trip.
    pub(crate) fn is_remote(&self) -> bool {
        self.storage.is_remote()
    }

    /// What to call the file in an error.
    pub fn name(&self) -> &str {
        self.storage.name()
    }

    /// Offset of the first byte after the last record; the storage may have more.
    pub fn end(&self) -> u64 {
        self.header.end
    }

    /// Its identity, as its writer chose it.
    pub(crate) fn uuid(&self) -> [u8; 16] {
        self.header.uuid
    }

    /// The release of ROOT that wrote the file or is named by its writer: 63600 is 6.36/00.
    pub fn root_version(&self) -> u32 {
        self.header.version
    }

    /// The anchor of an attribute set, which no directory lists: its payload is at `offset`
    /// (format: ntuple, section 8).
    pub(crate) fn anchor_at(&self, offset: u64, size: u64, length: u64) -> Result<Anchor> {
        let stored = self.bytes(offset, size.min(ANCHOR_LIMIT))?;
        let anchor = unpack(&stored, length, ANCHOR_LIMIT).and_then(|payload| Anchor::read(&payload));
        anchor.map_err(|error| error.at_offset(offset))
    }

    pub(super) fn read_anchor(&self, key: &Key, kind: KeyKind) -> Result<Anchor> {
        let payload = self.object(key, ANCHOR_LIMIT)?;
        let envelope = |span: EnvelopeSpan| {
            let limit = self.limits.envelopes_of(self.end());
            if span.length > limit {
                let found = format_args!("the envelope has {} bytes", span.length);
                return Err(limits::exceeded(found, limit, "envelope_length").at_offset(span.offset));
            }
            let stored = self.bytes(span.offset, span.size)?;
            unpack(&stored, span.length, limit).map_err(|error| error.at_offset(span.offset))
        };
        let anchor = match kind {
            KeyKind::PreRelease => prerelease::read(&payload, envelope),
            _ => Anchor::read(&payload),
        };
        anchor.map_err(|error| error.at_offset(key.offset))
    }

    /// The `size` stored bytes of an envelope or a page that begins at `offset`. Where they are more than
    /// `max_key_size`, they continue in other blobs (format: ntuple, section 7.6).
    ///
    /// # Errors
    /// [`OutOfSpec`](ErrorKind::OutOfSpec) where they leave the file.
    pub fn payload(&self, offset: u64, size: u64, max_key_size: u64) -> Result<Block> {
        self.payload_in(offset, size, max_key_size, Vec::new())
    }

    /// As [`payload`](Self::payload), with memory that may serve the copy.
    pub(crate) fn payload_in(
        &self,
        offset: u64,
        size: u64,
        max_key_size: u64,
        spare: Vec<u8>,
    ) -> Result<Block> {
        self.gather(offset, size, max_key_size, spare).map_err(|error| self.locate(error))
    }

    /// How a payload is cut.
    fn plan(&self, offset: u64, size: u64, max_key_size: u64) -> Result<Option<Chunks>> {
        Chunks::plan(size, if offset < self.uncut_from { max_key_size } else { 0 })
    }

    fn gather(&self, offset: u64, size: u64, max_key_size: u64, spare: Vec<u8>) -> Result<Block> {
        if size > self.header.end {
            return Err(self.outside(offset, size));
        }
        let plan = self.plan(offset, size, max_key_size);
        let Some(chunks) = plan.map_err(|error| Error::out_of_spec(error.to_string()).at_offset(offset))?
        else {
            return self.bytes_in(offset, size, spare);
        };
        let first = self.bytes(offset, max_key_size)?;
        let mut cursor = Cursor::new(&first, offset);
        let mut whole = Vec::new();
        // Both fit `usize`: the block is in memory, and a file's size may not be on a small machine.
        let length = usize::try_from(size)
            .map_err(|_| Error::limit(format!("the address space has no room for {size} bytes")))?;
        whole.try_reserve_exact(length).map_err(|_| limits::no_memory(size))?;
        whole.extend_from_slice(cursor.take(usize::try_from(chunks.first).unwrap_or(usize::MAX))?);
        for piece in chunks.rest() {
            let at = cursor.u64_le()?;
            whole.extend_from_slice(&self.bytes(at, piece.end - piece.start)?);
        }
        Ok(Block::from(whole))
    }

    /// As [`payload`](Self::payload), for each of many ranges, which are asked for at once. For each copy, `spare` may give
    /// memory of that many bytes.
    pub(crate) fn payloads(
        &self,
        ranges: &[Range<u64>],
        max_key_size: u64,
        spare: &dyn Fn(u64) -> Vec<u8>,
    ) -> Vec<Result<Block>> {
        let is_plain = |range: &Range<u64>| {
            let size = range.end.saturating_sub(range.start);
            range.end <= self.header.end && matches!(self.plan(range.start, size, max_key_size), Ok(None))
        };
        let mut found: Vec<_> = ranges.iter().map(|range| self.at_ends(range).map(Ok)).collect();
        let wanted: Vec<_> = (0..ranges.len())
            .zip(ranges.iter().cloned())
            .filter(|(number, range)| found.get(*number).is_some_and(Option::is_none) && is_plain(range))
            .collect();
        let all: Vec<_> = wanted.iter().map(|(_, range)| range.clone()).collect();
        match self.storage.blocks_in(&all, spare) {
            Ok(blocks) => {
                for ((number, _), block) in wanted.into_iter().zip(blocks) {
                    if let Some(slot) = found.get_mut(number) {
                        *slot = Some(Ok(block));
                    }
                }
            }
            Err(error) => {
                let error = self.locate(error.into());
                for (number, range) in wanted {
                    if let Some(slot) = found.get_mut(number) {
                        *slot = Some(Err(error.clone().at_offset(range.start)));
                    }
                }
            }
        }
        let single = |range: &Range<u64>| {
            self.payload(range.start, range.end.saturating_sub(range.start), max_key_size)
        };
        found.into_iter().zip(ranges).map(|(block, range)| block.unwrap_or_else(|| single(range))).collect()
    }

    /// The bytes of a range that is at an end of the file, where those are kept.
    fn at_ends(&self, range: &Range<u64>) -> Option<Block> {
        self.known.ends.as_ref().filter(|_| range.end <= self.header.end)?.block(range)
    }

    /// Where its ntuples are, as far as that is known.
    pub(super) fn index(&self) -> MutexGuard<'_, Index> {
        // What a panic left of it is no worse than nothing.
        self.known.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn header(&self) -> &FileHeader {
        &self.header
    }

    pub(super) fn top(&self) -> &Directory {
        &self.top
    }

    pub(super) fn locate(&self, error: Error) -> Error {
        error.in_file(self.name())
    }

    /// Bytes of the file, none of them after its end.
    pub(super) fn bytes(&self, offset: u64, size: u64) -> Result<Block> {
        self.bytes_in(offset, size, Vec::new())
    }

    fn bytes_in(&self, offset: u64, size: u64, spare: Vec<u8>) -> Result<Block> {
        match offset.checked_add(size) {
            Some(end) if end <= self.header.end => match self.at_ends(&(offset..end)) {
                Some(block) => Ok(block),
                None if size <= KEY_PROBE && self.is_remote() => self.probe(offset..end),
                None => self
                    .storage
                    .block_in(offset..end, spare)
                    .map_err(|error| Error::from(error).at_offset(offset)),
            },
            _ => Err(self.outside(offset, size)),
        }
    }

    /// A few bytes of storage that is far away. They are mostly of the beginning of a record, of which more is needed.
    fn probe(&self, range: Range<u64>) -> Result<Block> {
        let probes = || self.known.probes.lock().unwrap_or_else(PoisonError::into_inner);
        let part = |start: u64, block: &Block| {
            let at = |offset: u64| usize::try_from(offset - start).ok();
            block.slice(at(range.start)?..at(range.end)?)
        };
        if let Some((start, block)) = probes().range(..=range.start).next_back()
            && let Some(known) = part(*start, block)
        {
            return Ok(known);
        }
        let end = range.end.max(self.header.end.min(range.start.saturating_add(KEY_PROBE)));
        let block = self.storage.block(range.start..end);
        let block = block.map_err(|error| Error::from(error).at_offset(range.start))?;
        let mut probes = probes();
        if probes.len() < MOST_PROBES {
            probes.insert(range.start, block.clone());
        }
        part(range.start, &block).ok_or_else(|| self.outside(range.start, range.end - range.start))
    }

    #[cold]
    pub(super) fn outside(&self, offset: u64, size: u64) -> Error {
        let message = format!("{} needed, but the file ends at {}", counted(size, "byte"), self.header.end);
        Error::out_of_spec(message).at_offset(offset)
    }

    /// The key of the record at `offset`; the record ends within the file.
    pub(super) fn key_at(&self, offset: u64) -> Result<Key> {
        let left = self.header.end.saturating_sub(offset);
        let mut bytes = self.bytes(offset, left.min(KEY_PROBE))?;
        let key_size = bytes.get(14..16).map_or(0, |size| size.iter().fold(0, |n, &b| n << 8 | u64::from(b)));
        if key_size > KEY_PROBE {
            bytes = self.bytes(offset, key_size)?;
        }
        let key = Key::read(&mut Cursor::new(&bytes, offset))?;
        if u64::from(key.size) > left {
            return Err(self.outside(offset, key.size.into()));
        }
        Ok(key)
    }

    /// The uncompressed payload of a record, at most `limit` bytes.
    pub(super) fn object(&self, key: &Key, limit: u64) -> Result<Block> {
        let at = key.payload_offset();
        let stored = self.bytes(at, key.payload_size().into())?;
        // Unlike pages, records are compressed exactly if they would be longer than they are.
        if key.length > key.payload_size() {
            return unpack(&stored, key.length.into(), limit).map_err(|error| error.at_offset(at));
        }
        usize::try_from(key.length).ok().and_then(|length| stored.slice(0..length)).ok_or_else(|| {
            Error::out_of_spec(format!("a record has {} bytes, but ends before them", key.length))
                .at_offset(at)
        })
    }

    /// The free list; `None` where the file has none, which only ROOT minds, and only for an update.
    pub(super) fn free_list(&self) -> Result<Option<FreeList>> {
        let at = self.header.free_offset;
        if at == 0 {
            return Ok(None);
        }
        let key = self.key_at(at)?;
        let payload_offset = at + u64::from(key.key_size);
        let payload = self.bytes(payload_offset, key.payload_size().into())?;
        FreeList::read(Cursor::new(&payload, payload_offset), self.header.end).map(Some)
    }
}

impl fmt::Debug for RootFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RootFile")
            .field("name", &self.name())
            .field("end", &self.end())
            .finish_non_exhaustive()
    }
}

/// Bytes at an end of a file, or from the file.
fn block(storage: &Arc<dyn ReadAt>, ends: Option<&Ends>, range: Range<u64>) -> std::io::Result<Block> {
    match ends.and_then(|ends| ends.block(&range)) {
        Some(block) => Ok(block),
        None => storage.block(range),
    }
}

/// Stored bytes of something that has `length` bytes in memory.
fn unpack(stored: &Block, length: u64, limit: u64) -> Result<Block> {
    if length > limit {
        return Err(Error::limit(format!("an object has {length} bytes, expected are at most {limit}")));
    }
    if stored.len() as u64 == length {
        return Ok(stored.clone());
    }
    let mut bytes = Vec::new();
    Decompressor::new().decompress(stored, length, &mut bytes)?;
    Ok(Block::from(bytes))
}
