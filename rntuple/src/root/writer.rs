//! A ROOT file under construction.

use std::fmt;
use std::io::IoSlice;
use std::path::Path;

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::anchor::Anchor;
use super::blob::{self, Chunks};
use super::datetime::Datetime;
use super::directory::{DIRECTORY_SIZE, Directory, write_key_list};
use super::free_list::{FreeList, Segment};
use super::header::{BEGIN, FileHeader};
use super::key::Key;
use super::listing::ANCHOR_CLASS;
use super::names::check_file_name;
use super::options::FileOptions;
use super::streamer_info;
use super::tree::{Entry, Tree};
use super::update::{Growth, Update};
use crate::error::{Error, Result};
use crate::storage::WriteAt;

/// The release of ROOT whose files ours look like: 6.36, the first whose ntuple keys are always big.
const ROOT_VERSION: u32 = 63_600;
/// ROOT's setting for objects that it may add later: zlib, which every release can read.
const COMPRESSION: u32 = 101;
const DEFAULT_NAME: &str = "rntuple.root";
/// ROOT's own class of the root directory and of its key list.
const FILE_CLASS: &str = "TFile";
/// The class string of a directory. ROOT's ntuple reader accepts no other, not even `TDirectoryFile`.
const DIRECTORY_CLASS: &str = "TDirectory";

/// A ROOT file under construction: takes blobs and anchors, and ties them together at the end.
///
/// ```text
/// create       header (unfinished) | root directory (empty)
/// append       blob | blob | blob ...
/// finish       directories | anchors | key lists | streamer info | free list, flushed; and only then
///              header and root directory once more, in one write
/// ```
///
/// Until then, and if `finish` is never called, readers find a file that nobody finished.
pub(crate) struct FileWriter<W: ?Sized> {
    name: String,
    time: Datetime,
    uuid: Option<[u8; 16]>,
    /// Of what goes by: makes the file's identity where none is given.
    digest: Box<Xxh3>,
    /// Where the next record goes.
    end: u64,
    /// Only tests leave gaps in a new file.
    gaps: Vec<Segment>,
    tree: Tree,
    /// The file was there before, and grows.
    update: Option<Box<Update>>,
    finished: bool,
    sink: W,
}

/// What the first bytes of the file say about its end.
#[derive(Default)]
struct Closing {
    end: u64,
    free: Place,
    free_count: u32,
    info: Place,
    keys: Place,
    uuid: [u8; 16],
}

/// A record found by its offset.
#[derive(Clone, Copy, Default)]
struct Place {
    offset: u64,
    size: u32,
}

impl From<&Key> for Place {
    fn from(key: &Key) -> Self {
        Self { offset: key.offset, size: key.size }
    }
}

impl<W: WriteAt> FileWriter<W> {
    /// Starts a file: writes a header that says it is unfinished, and an empty root directory.
    pub(crate) fn create(sink: W, options: FileOptions) -> Result<Self> {
        let name = match options.name {
            Some(name) => check_file_name(&name).map(|()| name)?,
            None => default_name(sink.name()),
        };
        let mut writer = Self {
            name,
            time: options.time.unwrap_or(Datetime::EARLIEST),
            uuid: options.uuid,
            digest: Box::default(),
            end: 0,
            gaps: Vec::new(),
            tree: Tree::default(),
            update: None,
            finished: false,
            sink,
        };
        writer.any().start()?;
        Ok(writer)
    }

    /// Goes on with a file that was read from the same storage: what is new comes behind its end, and counts only
    /// when [`finish`](FileWriter::finish) has succeeded.
    pub(crate) fn resume(sink: W, update: Update, options: &FileOptions) -> Self {
        Self {
            name: String::new(),
            time: options.time.unwrap_or(update.modified()),
            uuid: None,
            digest: Box::default(),
            end: update.end(),
            gaps: Vec::new(),
            tree: Tree::default(),
            update: Some(Box::new(update)),
            finished: false,
            sink,
        }
    }

    /// The same writer, whatever its storage is: what it does is compiled once, not in every program that brings
    /// a storage. A call through a table is nothing next to a write.
    pub(crate) fn any(&mut self) -> &mut FileWriter<dyn WriteAt + '_> {
        self
    }

    /// Gives the storage back.
    pub(crate) fn into_inner(self) -> W {
        self.sink
    }
}

impl FileWriter<dyn WriteAt + '_> {
    fn start(&mut self) -> Result<()> {
        let mut closing = Closing { uuid: self.uuid.unwrap_or_default(), ..Closing::default() };
        closing.end = self.head(&closing)?.len() as u64;
        let head = self.head(&closing)?;
        self.write(0, &[IoSlice::new(&head)])?;
        self.end = closing.end;
        Ok(())
    }

    /// Leaves gaps up to `offset`, each at most as long as its mark can say: a test of the layouts for large files
    /// need not write one. Does nothing if the file is already that long.
    #[cfg(test)]
    pub(super) fn skip_to(&mut self, offset: u64) -> Result<()> {
        use super::free_list::SMALLEST_GAP;

        /// A gap starts with its size as a negative 32-bit number, of at most this magnitude.
        const GREATEST_GAP: u64 = 2_000_000_000;

        while offset.saturating_sub(self.end) >= SMALLEST_GAP {
            let left = offset - self.end;
            // What remains must be no gap or one that has room for its mark.
            let size = if left <= GREATEST_GAP { left } else { GREATEST_GAP.min(left - SMALLEST_GAP) };
            let marker = i32::try_from(size).map_err(|_| Error::limit("a gap that is too long"))?;
            self.write(self.end, &[IoSlice::new(&(-marker).to_be_bytes())])?;
            self.gaps.push(Segment { first: self.end, last: self.end + size - 1 });
            self.end += size;
        }
        Ok(())
    }

    /// What to call the file in an error.
    pub(crate) fn name(&self) -> &str {
        self.sink.name()
    }

    /// Offset of the first byte behind everything that is there so far.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Goes back to `end`: what follows there overwrites what is in the file, and the ntuple at `path` gets another
    /// anchor.
    pub(crate) fn roll_back(&mut self, end: u64, path: &str) {
        self.end = self.end.min(end);
        if self.update.is_none() {
            self.tree.withdraw(path);
        }
    }

    /// Appends one blob made of `parts`, in one write, and returns the offset of its first part.
    /// `uncompressed_length` is for the eyes of those who list records.
    pub(crate) fn append_blob(&mut self, parts: &[IoSlice<'_>], uncompressed_length: u64) -> Result<u64> {
        let tails: Vec<&[u8]> = parts.iter().map(|part| &**part).collect();
        self.append_digested(parts, uncompressed_length, &tails)
    }

    /// Like [`append_blob`](Self::append_blob). The ends of `tails` stand for the blob in the digest of the file: pages
    /// and envelopes end with checksums of themselves, so it is one of all of them.
    pub(super) fn append_digested(
        &mut self,
        parts: &[IoSlice<'_>],
        uncompressed_length: u64,
        tails: &[&[u8]],
    ) -> Result<u64> {
        let size = parts.iter().map(|part| part.len() as u64).sum();
        let key =
            blob::key(self.end, size, uncompressed_length, self.time).map_err(|error| self.locate(error))?;
        let mut header = Vec::new();
        key.write(&mut header);
        let mut whole = Vec::with_capacity(parts.len() + 1);
        whole.push(IoSlice::new(&header));
        whole.extend_from_slice(parts);
        for tail in tails {
            self.digest.update(tail.last_chunk::<8>().map_or(*tail, |tail| tail));
        }
        self.append(key, &whole)
    }

    /// Returns where the payload of the next blob will begin.
    pub(super) fn next_payload(&self) -> Result<u64> {
        // The key's own size depends on where it is, not on how long the blob is.
        let key = blob::key(self.end, 0, 0, self.time).map_err(|error| self.locate(error))?;
        Ok(self.end + u64::from(key.key_size))
    }

    /// Appends an envelope or a page, in several blobs where it is longer than `max_key_size`
    /// (format: ntuple, section 7.6), and returns the offset that a locator names.
    pub(crate) fn append_payload(
        &mut self,
        bytes: &[u8],
        uncompressed_length: u64,
        max_key_size: u64,
    ) -> Result<u64> {
        let plan = Chunks::plan(bytes.len() as u64, max_key_size).map_err(|error| self.locate(error))?;
        let Some(chunks) = plan else {
            return self.append_blob(&[IoSlice::new(bytes)], uncompressed_length);
        };
        let cut = |range: std::ops::Range<u64>| {
            let bound = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
            bytes.get(bound(range.start)..bound(range.end)).unwrap_or_default()
        };
        // The first blob comes last, as its offsets of the others are known only then.
        let mut offsets = Vec::new();
        for piece in chunks.rest() {
            let piece = cut(piece);
            let offset = self.append_blob(&[IoSlice::new(piece)], piece.len() as u64)?;
            offsets.extend_from_slice(&offset.to_le_bytes());
        }
        let first = cut(0..chunks.first);
        self.append_blob(&[IoSlice::new(first), IoSlice::new(&offsets)], max_key_size)
    }

    /// Keeps `path` free for one ntuple, so that a bad or taken path is refused before the data are written.
    pub(crate) fn reserve(&mut self, path: &str) -> Result<()> {
        self.check_unfinished()?;
        // A second ntuple of this path would be legal, and would hide the first.
        let reserved = self.tree.claim(path);
        reserved.map_err(|error| error.in_file(self.sink.name()))
    }

    /// Adds an ntuple at `path`, `directory/name`; directories are made as needed. A path that is there
    /// already gets a higher cycle, which hides the ntuple that was there. Written by [`finish`](Self::finish).
    pub(crate) fn put_anchor(&mut self, path: &str, anchor: &Anchor) -> Result<()> {
        self.check_unfinished()?;
        if let Some(update) = &mut self.update {
            return update.replace(path, anchor.clone()).map_err(|error| error.in_file(self.sink.name()));
        }
        self.tree.put(path, anchor.clone()).map_err(|error| error.in_file(self.sink.name()))?;
        self.digest.update(path.as_bytes());
        self.digest.update(&anchor.write());
        Ok(())
    }

    /// Writes an anchor that no directory lists: an attribute set's, which the footer of another ntuple leads to
    /// (format: ntuple, section 8). Returns offset and size of its payload.
    pub(crate) fn put_unlisted_anchor(&mut self, name: &str, anchor: &Anchor) -> Result<(u64, u32)> {
        let payload = anchor.write();
        let size = u32::try_from(payload.len()).unwrap_or(u32::MAX);
        let key = Key::new(ANCHOR_CLASS, name, "").with_payload(size.into(), size.into());
        let mut key = key.map_err(|error| self.locate(error))?;
        key.offset = self.end;
        key.directory = BEGIN;
        key.written = self.time;
        let mut header = Vec::new();
        key.write(&mut header);
        self.digest.update(name.as_bytes());
        self.digest.update(&payload);
        let offset = self.append(key, &[IoSlice::new(&header), IoSlice::new(&payload)])?;
        Ok((offset, size))
    }

    /// Writes everything that makes the file readable, gives it its name, and returns its size.
    pub(crate) fn finish(&mut self) -> Result<u64> {
        let size = self.write_end()?;
        self.sink.publish().map_err(|error| self.locate(error.into()))?;
        Ok(size)
    }

    /// Does as much for a file that lacks entries: it takes no other file's place.
    pub(crate) fn finish_incomplete(&mut self) -> Result<u64> {
        let size = self.write_end()?;
        self.sink.publish_incomplete().map_err(|error| self.locate(error.into()))?;
        Ok(size)
    }

    fn write_end(&mut self) -> Result<u64> {
        self.check_unfinished()?;
        if let Some(update) = &self.update {
            let growth = update.growth(self.end, self.time).map_err(|error| self.locate(error))?;
            return self.grow(growth);
        }
        let (closing, tail) = self.tail().map_err(|error| self.locate(error))?;
        let head = self.head(&closing)?;
        self.write(self.end, &[IoSlice::new(&tail)])?;
        self.flush()?;
        // One write for header and root directory: there is no moment at which only one of them is new.
        self.write(0, &[IoSlice::new(&head)])?;
        self.flush()?;
        self.end = closing.end;
        self.finished = true;
        Ok(self.end)
    }

    /// Of a file that grows: nobody else has written to it since it was opened. If somebody has, the bytes behind the
    /// end that it had are theirs.
    fn check_unchanged(&mut self) -> Result<()> {
        let Some(update) = &self.update else { return Ok(()) };
        for old in update.fixed() {
            let mut now = vec![0; old.bytes.len()];
            let read = self.sink.read_back(old.offset, &mut now);
            let is_known = read.map_err(|error| self.locate(Error::from(error).at_offset(old.offset)))?;
            if is_known && now != old.bytes {
                let message = "somebody else has changed the file since it was opened: nothing is appended";
                return Err(self.locate(Error::invalid_argument(message).at_offset(old.offset)));
            }
        }
        Ok(())
    }

    /// Makes what is new count: see [`Update`] for the order.
    fn grow(&mut self, growth: Option<Growth>) -> Result<u64> {
        let Some(Growth { tail, end, steps }) = growth else {
            self.finished = true;
            return Ok(self.end);
        };
        self.check_unchanged()?;
        self.write(self.end, &[IoSlice::new(&tail)])?;
        // All that is new is on the medium before anything leads to it.
        self.flush()?;
        self.check_unchanged()?;
        // Now the file changes, whatever fails.
        self.finished = true;
        for step in steps {
            self.write(step.offset, &[IoSlice::new(&step.bytes)])?;
            self.flush()?;
        }
        self.end = end;
        Ok(self.end)
    }

    /// Header and root directory: everything in front of the records.
    fn head(&self, closing: &Closing) -> Result<Vec<u8>> {
        let title = "";
        let mut names = Vec::new();
        super::wire::put_string(&mut names, &self.name);
        super::wire::put_string(&mut names, title);
        let payload = (names.len() + DIRECTORY_SIZE) as u64;
        let mut key = Key::new(FILE_CLASS, &self.name, title).with_payload(payload, payload)?;
        key.offset = BEGIN;
        key.written = self.time;
        let name_size = u32::from(key.key_size) + u32::try_from(names.len()).unwrap_or(u32::MAX);
        let mut head = FileHeader {
            version: ROOT_VERSION,
            begin: BEGIN,
            end: closing.end,
            free_offset: closing.free.offset,
            free_size: closing.free.size,
            free_count: closing.free_count,
            name_size,
            compression: COMPRESSION,
            info_offset: closing.info.offset,
            info_size: closing.info.size,
            uuid: closing.uuid,
        }
        .write();
        key.write(&mut head);
        head.extend_from_slice(&names);
        self.directory(BEGIN, 0, name_size, closing.keys, closing.uuid).write(&mut head);
        Ok(head)
    }

    fn directory(&self, offset: u64, parent: u64, name_size: u32, keys: Place, uuid: [u8; 16]) -> Directory {
        Directory {
            created: self.time,
            modified: self.time,
            keys_size: keys.size,
            name_size,
            offset,
            parent,
            keys_offset: keys.offset,
            uuid,
        }
    }

    /// The records behind the blobs, ready to be written at the end.
    fn tail(&self) -> Result<(Closing, Vec<u8>)> {
        let mut tail = Tail { start: self.end, time: self.time, bytes: Vec::new() };
        let uuid = self.uuid.unwrap_or_else(|| derived_uuid(self.digest.digest128()));
        // A directory's key comes first, as what is in it refers to it; its numbers come when they are known.
        let mut folder_keys = vec![Key { offset: BEGIN, ..Key::new(FILE_CLASS, &self.name, "") }];
        for folder in self.tree.folders.iter().skip(1) {
            let key = Key::new(DIRECTORY_CLASS, &folder.name, &folder.name);
            let parent = folder_keys.get(folder.parent).map_or(BEGIN, |key| key.offset);
            folder_keys.push(tail.record(key, parent, &[0; DIRECTORY_SIZE])?);
        }
        let mut keys_of_root = Place::default();
        for (id, (folder, own)) in self.tree.folders.iter().zip(&folder_keys).enumerate() {
            let mut keys = Vec::new();
            for entry in &folder.entries {
                match entry {
                    Entry::Folder(id) => keys.extend(folder_keys.get(*id).cloned()),
                    Entry::Ntuple(name, anchors) => {
                        let first = keys.len();
                        for (anchor, cycle) in anchors.iter().zip(1..) {
                            let key = Key { cycle, ..Key::new(ANCHOR_CLASS, name, "") };
                            // ROOT takes the first key of a name: the highest cycle.
                            keys.insert(first, tail.record(key, own.offset, &anchor.write())?);
                        }
                    }
                }
            }
            // A list is a record like any other, and ROOT gives it the names of its directory.
            let list =
                tail.record(Key::new(&own.class, &own.name, &own.title), own.offset, &write_key_list(&keys))?;
            if id == 0 {
                keys_of_root = Place::from(&list);
                continue;
            }
            let parent = folder_keys.get(folder.parent).map_or(BEGIN, |key| key.offset);
            let mut numbers = Vec::new();
            let uuid = derived_uuid(xxh3_128(&[&uuid[..], &own.offset.to_be_bytes()].concat()));
            self.directory(own.offset, parent, own.key_size.into(), Place::from(&list), uuid)
                .write(&mut numbers);
            tail.replace(own.payload_offset(), &numbers);
        }
        let key = Key::new("TList", "StreamerInfo", "Doubly linked list");
        let info = tail.record(key, BEGIN, &streamer_info::write())?;
        // The list says where the file ends, which is behind the list: settled as soon as its size is.
        let key = Key::new(FILE_CLASS, &self.name, "");
        let start = tail.end().saturating_add(key.key_size.into());
        let mut list = FreeList::write(&self.gaps, start);
        loop {
            let settled = FreeList::write(&self.gaps, start.saturating_add(list.len() as u64));
            if std::mem::replace(&mut list, settled).len() == list.len() {
                break;
            }
        }
        let free = tail.record(key, BEGIN, &list)?;
        let closing = Closing {
            end: tail.end(),
            free: Place::from(&free),
            free_count: u32::try_from(self.gaps.len() + 1).unwrap_or(u32::MAX),
            info: Place::from(&info),
            keys: keys_of_root,
            uuid,
        };
        Ok((closing, tail.bytes))
    }

    /// Writes a record at the end and returns the offset of its payload.
    fn append(&mut self, key: Key, whole: &[IoSlice<'_>]) -> Result<u64> {
        self.check_unfinished()?;
        let end = self.end.checked_add(key.size.into());
        let end = end.ok_or_else(|| self.locate(Error::limit("a file cannot be that big")))?;
        self.check_unchanged()?;
        self.write(self.end, whole)?;
        self.end = end;
        Ok(key.payload_offset())
    }

    fn check_unfinished(&self) -> Result<()> {
        if self.finished {
            return Err(self.locate(Error::invalid_argument("the file is finished already")));
        }
        Ok(())
    }

    fn write(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> Result<()> {
        self.sink.write_at(offset, parts).map_err(|error| self.locate(Error::from(error).at_offset(offset)))
    }

    fn flush(&mut self) -> Result<()> {
        self.sink.flush().map_err(|error| self.locate(error.into()))
    }

    #[cold]
    fn locate(&self, error: Error) -> Error {
        error.in_file(self.sink.name())
    }
}

impl<W: WriteAt + ?Sized> fmt::Debug for FileWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileWriter")
            .field("name", &self.sink.name())
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}

/// Records being put together in memory, to be written at `start`.
struct Tail {
    start: u64,
    time: Datetime,
    bytes: Vec<u8>,
}

impl Tail {
    fn end(&self) -> u64 {
        self.start.saturating_add(self.bytes.len() as u64)
    }

    /// Adds an uncompressed record that belongs to the directory at `directory`.
    fn record(&mut self, key: Key, directory: u64, payload: &[u8]) -> Result<Key> {
        let size = payload.len() as u64;
        let mut key = key.with_payload(size, size)?;
        key.offset = self.end();
        key.directory = directory;
        key.written = self.time;
        key.write(&mut self.bytes);
        self.bytes.extend_from_slice(payload);
        Ok(key)
    }

    /// Overwrites bytes that are there.
    fn replace(&mut self, offset: u64, bytes: &[u8]) {
        let start = offset.checked_sub(self.start).and_then(|start| usize::try_from(start).ok());
        let room = start.and_then(|start| self.bytes.get_mut(start..start + bytes.len()));
        debug_assert!(room.is_some(), "only records of the tail are replaced");
        if let Some(room) = room {
            room.copy_from_slice(bytes);
        }
    }
}

/// The last part of a path that looks like one of a ROOT file.
fn default_name(sink: &str) -> String {
    let base = Path::new(sink).file_name().and_then(|name| name.to_str());
    let base = base.filter(|base| base.ends_with(".root") && check_file_name(base).is_ok());
    base.unwrap_or(DEFAULT_NAME).to_owned()
}

/// A UUID of the version for numbers of one's own making (8).
fn derived_uuid(digest: u128) -> [u8; 16] {
    let mut uuid = digest.to_be_bytes();
    uuid[6] = uuid[6] & 0x0F | 0x80;
    uuid[8] = uuid[8] & 0x3F | 0x80;
    uuid
}
