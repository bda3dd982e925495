//! A ROOT file under construction.

use std::fmt;
use std::io::{self, IoSlice};
use std::ops::{Deref, DerefMut};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

use super::addition::Addition;
use super::anchor::Anchor;
use super::blob::{self, Chunks};
use super::datetime::Datetime;
use super::desk::Desk;
use super::directory::{DIRECTORY_SIZE, Directory};
use super::folders::put_folders;
use super::free_list::{FreeList, Next, Segment};
use super::header::{BEGIN, FileHeader};
use super::key::Key;
use super::listing::ANCHOR_CLASS;
use super::names::check_file_name;
use super::options::FileOptions;
use super::patch::{Growth, Numbers, Place, SECTOR};
use super::pending::Pending;
use super::runs::{Author, Runs};
use super::space::Space;
use super::streamer_info;
use super::tail::{Tail, derived_uuid};
use super::tree::Tree;
pub(super) use super::update::Ending;
use super::update::{self, Update};
use crate::error::{Error, Result};
use crate::hidden::{Hidden, discards};
use crate::storage::WriteAt;

/// The release of ROOT whose files ours look like: 6.36, the first whose ntuple keys are always big.
const ROOT_VERSION: u32 = 63_600;
/// ROOT's setting for objects that it may add later: zlib, which every release can read.
const COMPRESSION: u32 = 101;
const DEFAULT_NAME: &str = "rntuple.root";
/// ROOT's own class of the root directory and of its key list.
const FILE_CLASS: &str = "TFile";

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
    state: Hidden<State>,
    pub(super) sink: W,
}

/// What is known of a file under construction, whatever its storage is.
pub(crate) struct State {
    name: String,
    time: Datetime,
    uuid: Option<[u8; 16]>,
    /// Of what goes by: makes the file's identity where none is given.
    digest: Box<Xxh3>,
    /// Where the next record goes.
    pub(super) end: u64,
    pub(super) space: Space,
    tree: Tree,
    /// The file was there before, and grows.
    old: Option<Old>,
    finished: bool,
    /// There may be bytes after its end.
    has_remains: bool,
    /// What leads to the root directory takes a write of its own, after that of the header.
    pub(super) is_apart: bool,
    /// A checkpoint whose bytes are being flushed.
    pub(super) pending: Option<Pending>,
    /// A flush has failed: what was written before may be lost, though a later flush succeeds.
    is_flush_lost: bool,
    /// Which of its last bytes can be taken back, and by whom.
    pub(super) runs: Runs,
    /// Ntuples that have begun, and of which not all entries are here.
    incomplete: u64,
    /// There was no room for all that was to be written: each ntuple that ends leaves some for the end of the file.
    is_short_of_room: bool,
}

discards!(State);

impl<W: ?Sized> Deref for FileWriter<W> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl<W: ?Sized> DerefMut for FileWriter<W> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

/// What a file that grows was before.
enum Old {
    /// One of its ntuples gets another anchor.
    Update(Box<Update>),
    /// It gets more ntuples.
    Addition(Box<Addition>),
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

impl<W: WriteAt> FileWriter<W> {
    /// Starts a file: writes a header that says it is unfinished, and an empty root directory.
    pub(crate) fn create(sink: W, options: FileOptions) -> Result<Self> {
        let state = State::create(sink.name(), options)?;
        let mut writer = Self { state, sink };
        writer.any().start()?;
        Ok(writer)
    }

    /// Continues a file that was read from the same storage: what is new comes after its end, and counts only
    /// when [`finish`](FileWriter::finish) has succeeded.
    pub(crate) fn resume(sink: W, update: Update, options: &FileOptions) -> Self {
        Self { state: State::resume(update, options), sink }
    }

    /// As [`resume`](Self::resume), to add ntuples that the file does not have yet.
    pub(crate) fn add(sink: W, addition: Addition, options: &FileOptions) -> Self {
        Self { state: State::add(addition, options), sink }
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

impl State {
    fn create(storage: &str, options: FileOptions) -> Result<Hidden<Self>> {
        let name = match options.name {
            Some(name) => check_file_name(&name).map(|()| name)?,
            None => default_name(storage),
        };
        Ok(Hidden::new(Self {
            name,
            time: options.time.unwrap_or(Datetime::EARLIEST),
            uuid: options.uuid,
            digest: Box::default(),
            end: 0,
            space: Space::default(),
            tree: Tree::default(),
            old: None,
            finished: false,
            has_remains: false,
            is_apart: false,
            pending: None,
            is_flush_lost: false,
            runs: Runs::default(),
            incomplete: 0,
            is_short_of_room: false,
        }))
    }

    fn resume(mut update: Update, options: &FileOptions) -> Hidden<Self> {
        let start = (update.end(), update.modified());
        let broken = std::mem::take(&mut update.broken_gaps);
        let mut state = Self::continuing(start, Old::Update(Box::new(update)), Tree::default(), options);
        state.space.break_gaps(broken);
        state
    }

    fn add(addition: Addition, options: &FileOptions) -> Hidden<Self> {
        let start = (addition.end(), addition.modified());
        let (addition, tree) = addition.split();
        Self::continuing(start, Old::Addition(Box::new(addition)), tree, options)
    }

    fn continuing(
        (end, modified): (u64, Datetime),
        old: Old,
        tree: Tree,
        options: &FileOptions,
    ) -> Hidden<Self> {
        Hidden::new(Self {
            name: String::new(),
            time: options.time.unwrap_or(modified),
            uuid: None,
            digest: Box::default(),
            end,
            space: Space::default(),
            tree,
            old: Some(old),
            finished: false,
            has_remains: true,
            is_apart: false,
            pending: None,
            is_flush_lost: false,
            runs: Runs::default(),
            incomplete: 0,
            is_short_of_room: false,
        })
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
            let gap = Segment { first: self.end, last: self.end + size - 1 };
            self.space.push(gap);
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

    /// One more author, who writes next.
    pub(crate) fn new_author(&mut self) -> Author {
        self.runs.new_author()
    }

    /// What is appended next is of this author.
    pub(crate) fn turn_to(&mut self, author: Author) {
        self.runs.turn_to(author);
    }

    /// Where the last bytes begin that are of this author alone; the end of the file if others have written since.
    pub(crate) fn start_of(&self, author: Author) -> u64 {
        self.runs.start_of(author, self.end)
    }

    /// An ntuple has begun: the file lacks its entries until it is [complete](Self::complete_ntuple).
    pub(crate) fn begin_ntuple(&mut self) {
        self.incomplete += 1;
    }

    /// All entries of one more ntuple are here.
    pub(crate) fn complete_ntuple(&mut self) {
        self.incomplete = self.incomplete.saturating_sub(1);
    }

    /// Whether an ntuple has begun that is not complete.
    pub(crate) fn lacks_entries(&self) -> bool {
        self.incomplete > 0
    }

    /// Goes back to `end`: what follows there overwrites what is in the file, and the ntuple at `path` gets another
    /// anchor.
    pub(crate) fn roll_back(&mut self, end: u64, path: &str) {
        let end = self.end.min(end);
        self.end = end;
        self.runs.cut(end);
        if !matches!(self.old, Some(Old::Update(_))) {
            self.tree.withdraw(path);
        }
    }

    /// Appends one blob made of `parts`, in one write, and returns the offset of its first part.
    /// `uncompressed_length` is for the eyes of those who list records.
    pub(crate) fn append_blob(&mut self, parts: &[IoSlice<'_>], uncompressed_length: u64) -> Result<u64> {
        let tails: Vec<&[u8]> = parts.iter().map(|part| &**part).collect();
        self.append_digested(parts, uncompressed_length, &tails)
    }

    /// Like [`append_blob`](Self::append_blob). The ends of `tails` count as the blob in the digest of the file: envelopes,
    /// and pages that have one, end with checksums of themselves, so it is one of all of them.
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

    /// Adds bytes to the digest of the file, which makes its identity.
    pub(super) fn add_to_digest(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
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
        self.settle_pending()?;
        self.space.leave(path);
        if let Some(Old::Update(update)) = &mut self.old {
            return update.replace(path, anchor.clone()).map_err(|error| error.in_file(self.sink.name()));
        }
        if self.space.is_settled() {
            // That of an earlier checkpoint.
            self.tree.withdraw(path);
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
        self.settle_pending()?;
        if let Some(growth) = self.growth() {
            return self.grow(growth.map_err(|error| self.locate(error))?);
        }
        self.mend_gaps()?;
        let gaps = self.space.gaps_after(None, None);
        let Ending { tail, end, steps, .. } = self.new_ending(self.end, Next::End, &gaps)?;
        self.write(self.end, &[IoSlice::new(&tail)])?;
        self.flush()?;
        self.write_steps(&steps, true)?;
        self.end = end;
        self.finished = true;
        Ok(self.end)
    }

    /// What ends a file that was there before; `None`: it was not.
    fn growth(&self) -> Option<Result<Option<Growth>>> {
        match &self.old {
            Some(Old::Update(update)) => {
                Some(update.growth(self.end, self.time, &self.space.gaps_after(None, None)))
            }
            Some(Old::Addition(addition)) => {
                Some(addition.growth(&self.tree, self.end, self.time, self.digest.digest128()))
            }
            None => None,
        }
    }

    /// Whether an ntuple that ended has found too little room.
    pub(crate) fn is_short_of_room(&self) -> bool {
        self.is_short_of_room
    }

    /// Makes sure that there is room for what ends the file, if nothing else comes: writes it, so that the storage has
    /// these bytes. Nothing leads to them, and what comes next overwrites them.
    pub(crate) fn reserve_end(&mut self) -> Result<()> {
        self.check_unfinished()?;
        self.is_short_of_room = true;
        let tail = match self.growth() {
            Some(growth) => growth.map_err(|error| self.locate(error))?.map(|growth| growth.tail),
            None => {
                let (uuid, gaps) = (self.uuid, self.space.gaps_after(None, None));
                let ending = self.new_ending(self.end, Next::End, &gaps);
                // More may come, which the identity depends on.
                self.uuid = uuid;
                Some(ending?.tail)
            }
        };
        tail.map_or(Ok(()), |tail| self.write(self.end, &[IoSlice::new(&tail)]))
    }

    /// The records that end the file at `start`, or a checkpoint of it, and what leads to them.
    pub(super) fn ending(&mut self, start: u64, next: Next, gaps: &[Segment]) -> Result<Ending> {
        let ending = match &self.old {
            None => return self.new_ending(start, next, gaps),
            Some(Old::Update(update)) => update.ending(start, self.time, next, gaps),
            Some(Old::Addition(_)) => Err(no_checkpoints()),
        };
        let ending = ending.and_then(|ending| {
            ending.ok_or_else(|| Error::invalid_argument("a checkpoint needs an ntuple that has changed"))
        });
        ending.map_err(|error| self.locate(error))
    }

    fn new_ending(&mut self, start: u64, next: Next, gaps: &[Segment]) -> Result<Ending> {
        // Readers that saw a checkpoint find the same file later.
        let State { uuid, digest, .. } = &mut *self.state;
        let uuid = *uuid.get_or_insert_with(|| derived_uuid(digest.digest128()));
        let (closing, tail) = self.tail(start, uuid, next, gaps).map_err(|error| self.locate(error))?;
        let head = self.head(&closing)?;
        // One write for header and root directory: there is no moment at which only one of them is new. If they are in
        // two sectors, the header comes first, which says no more than where the file ends and what is free.
        let cut = if self.is_apart { BEGIN } else { 0 };
        let at = usize::try_from(cut).unwrap_or(0);
        let (header, rest) = head.split_at(at.min(head.len()));
        let steps = [(0, header), (cut, rest)].into_iter().filter(|(_, bytes)| !bytes.is_empty());
        let steps = steps.map(|(offset, bytes)| Numbers { offset, bytes: bytes.to_vec() }).collect();
        Ok(Ending { tail, end: closing.end, steps, state: None })
    }

    /// Whether there was a checkpoint.
    ///
    /// # Errors
    /// None can be made in this file.
    pub(crate) fn check_checkpoints(&self) -> Result<bool> {
        match &self.old {
            Some(Old::Addition(_)) => Err(self.locate(no_checkpoints())),
            Some(Old::Update(_)) | None => Ok(self.space.is_settled()),
        }
    }

    /// Whether header and root directory cannot change in one write that does not tear.
    pub(super) fn is_in_two_sectors(&self) -> Result<bool> {
        Ok(match &self.old {
            None => self.head(&Closing::default())?.len() as u64 > SECTOR,
            Some(Old::Update(update)) => !update.has_front(),
            Some(Old::Addition(_)) => true,
        })
    }

    /// Puts another anchor in the place of the one that an ntuple has, if it has any; returns that.
    pub(super) fn swap_anchor(&mut self, path: &str, anchor: Option<Anchor>) -> Result<Option<Anchor>> {
        let swapped = match &mut self.old {
            Some(Old::Update(update)) => return Ok(update.swap(anchor)),
            _ => self.tree.swap(path, anchor),
        };
        swapped.map_err(|error| error.in_file(self.sink.name()))
    }

    /// Goes on after a checkpoint.
    pub(super) fn continue_from(&mut self, state: Option<Box<update::State>>) {
        if let (Some(Old::Update(update)), Some(state)) = (&mut self.old, state) {
            update.continue_from(*state);
        }
    }

    /// Where records of a checkpoint are put together that begins at `start`.
    pub(super) fn desk(&self, start: u64) -> FileWriter<Desk> {
        let state = State {
            name: String::new(),
            time: self.time,
            uuid: None,
            digest: Box::default(),
            end: start,
            space: Space::default(),
            tree: Tree::default(),
            old: None,
            finished: false,
            has_remains: false,
            is_apart: false,
            pending: None,
            is_flush_lost: false,
            runs: Runs::default(),
            incomplete: 0,
            is_short_of_room: false,
        };
        FileWriter { state: Hidden::new(state), sink: Desk::new(start) }
    }

    /// The storage keeps the file from now on.
    pub(super) fn keep(&mut self) -> Result<()> {
        self.sink.keep().map_err(|error| self.locate(error.into()))
    }

    /// From now on, what has been written is worth keeping.
    pub(crate) fn set_recoverable(&mut self) {
        self.sink.set_recoverable();
    }

    /// Of a file that grows: no other program has written to it since it was opened. If one has, the bytes after the
    /// end that it had are theirs.
    pub(super) fn check_unchanged(&mut self) -> Result<()> {
        let Self { state, sink } = self;
        let fixed = match &state.old {
            Some(Old::Update(update)) => update.fixed(),
            Some(Old::Addition(addition)) => addition.fixed(),
            None => return Ok(()),
        };
        check_same(sink, fixed).map_err(|error| self.locate(error))
    }

    /// Makes what is new count: see [`Update`] and [`Addition`] for the order.
    fn grow(&mut self, growth: Option<Growth>) -> Result<u64> {
        let Some(Growth { tail, end, replaced, steps, marks }) = growth else {
            self.finished = true;
            return Ok(self.end);
        };
        self.check_unchanged()?;
        self.mend_gaps()?;
        self.drop_remains()?;
        self.write(self.end, &[IoSlice::new(&tail)])?;
        // All that is new is on the medium before anything leads to it.
        self.flush()?;
        self.check_unchanged()?;
        check_same(&mut self.sink, &replaced).map_err(|error| self.locate(error))?;
        // Now the file changes, whatever fails.
        self.finished = true;
        self.write_steps(&steps, true)?;
        self.end = end;
        for mark in &marks {
            self.write(mark.offset, &[IoSlice::new(&mark.bytes)])?;
        }
        if !marks.is_empty() {
            self.flush()?;
        }
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
        let directory = Directory {
            created: self.time,
            modified: self.time,
            keys_size: closing.keys.size,
            name_size,
            offset: BEGIN,
            parent: 0,
            keys_offset: closing.keys.offset,
            uuid: closing.uuid,
        };
        directory.write(&mut head);
        Ok(head)
    }

    /// The records behind the blobs, ready to be written at the end.
    fn tail(&self, start: u64, uuid: [u8; 16], next: Next, gaps: &[Segment]) -> Result<(Closing, Vec<u8>)> {
        let mut tail = Tail::new(start, self.time);
        let root = Key { offset: BEGIN, ..Key::new(FILE_CLASS, &self.name, "") };
        let needed = vec![true; self.tree.folders.len()];
        let lists = put_folders(&mut tail, &self.tree, root, &[], &needed, uuid)?;
        let key = Key::new("TList", "StreamerInfo", "Doubly linked list");
        let info = tail.record(key, BEGIN, &streamer_info::write())?;
        let key = Key::new(FILE_CLASS, &self.name, "");
        let free_start = tail.end().saturating_add(key.key_size.into());
        let (list, free_count) = FreeList::write_before(next, gaps, free_start);
        let free = tail.record(key, BEGIN, &list)?;
        let closing = Closing {
            end: match next {
                Next::End => tail.end(),
                Next::Free { file_end, .. } => file_end,
            },
            free: Place::from(&free),
            free_count: u32::try_from(free_count).unwrap_or(u32::MAX),
            info: Place::from(&info),
            keys: lists.first().copied().flatten().unwrap_or_default(),
            uuid,
        };
        Ok((closing, tail.into_bytes()))
    }

    /// Writes a record at the end and returns the offset of its payload.
    fn append(&mut self, key: Key, whole: &[IoSlice<'_>]) -> Result<u64> {
        self.check_unfinished()?;
        let end = self.end.checked_add(key.size.into());
        let end = end.ok_or_else(|| self.locate(Error::limit("a file cannot be that big")))?;
        if let Some(Old::Addition(addition)) = &self.old {
            addition.check_end(end).map_err(|error| self.locate(error))?;
        }
        self.check_unchanged()?;
        self.drop_remains()?;
        let start = self.end;
        self.write(start, whole)?;
        self.runs.add(start);
        self.end = end;
        Ok(key.payload_offset())
    }

    /// What a writer that died has left after the end of the file could pass for records of this one.
    pub(super) fn drop_remains(&mut self) -> Result<()> {
        if self.has_remains {
            let end = self.end;
            self.sink.truncate(end).map_err(|error| self.locate(Error::from(error).at_offset(end)))?;
            self.has_remains = false;
        }
        Ok(())
    }

    pub(super) fn check_unfinished(&self) -> Result<()> {
        if self.finished {
            return Err(self.locate(Error::invalid_argument("the file is finished already")));
        }
        Ok(())
    }

    pub(super) fn write(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> Result<()> {
        self.sink.write_at(offset, parts).map_err(|error| self.locate(Error::from(error).at_offset(offset)))
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        self.flush_by(|sink| sink.flush())
    }

    /// Begins a flush.
    pub(super) fn begin_flush(&mut self) -> Result<()> {
        self.flush_by(|sink| sink.begin_flush())
    }

    /// Waits for a flush that was begun.
    pub(super) fn end_flush(&mut self) -> Result<()> {
        self.flush_by(|sink| sink.end_flush())
    }

    /// After one that failed, none succeeds: nothing is to lead to what was written before.
    fn flush_by(&mut self, flush: fn(&mut (dyn WriteAt + '_)) -> io::Result<()>) -> Result<()> {
        if self.is_flush_lost {
            let message = "an earlier flush failed: what was written before it may be lost";
            return Err(self.locate(io::Error::other(message).into()));
        }
        let flushed = flush(&mut self.sink);
        self.is_flush_lost = flushed.is_err();
        flushed.map_err(|error| self.locate(error.into()))
    }

    #[cold]
    pub(super) fn locate(&self, error: Error) -> Error {
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

#[cold]
fn no_checkpoints() -> Error {
    let message =
        "an ntuple that is added to an existing file has no checkpoints: it counts when it is finished";
    Error::unsupported(message)
}

/// Whether the storage still has these bytes, as far as it can tell.
fn check_same<'a, S: WriteAt + ?Sized>(
    sink: &mut S,
    expected: impl IntoIterator<Item = &'a Numbers>,
) -> Result<()> {
    for old in expected {
        let mut now = vec![0; old.bytes.len()];
        let is_known =
            sink.read_back(old.offset, &mut now).map_err(|error| Error::from(error).at_offset(old.offset))?;
        if is_known && now != old.bytes {
            let message = "another program has changed the file since it was opened: nothing is appended";
            return Err(Error::invalid_argument(message).at_offset(old.offset));
        }
    }
    Ok(())
}

/// The last part of a path that looks like one of a ROOT file.
fn default_name(sink: &str) -> String {
    let base = Path::new(sink).file_name().and_then(|name| name.to_str());
    let base = base.filter(|base| base.ends_with(".root") && check_file_name(base).is_ok());
    base.unwrap_or(DEFAULT_NAME).to_owned()
}
