//! A finished file that gets more ntuples: new records after its end, and a few small writes that make them count.
//!
//! ```text
//! before     header | root directory | ... | key list | streamer info | free list |
//! records    header | root directory | ... | key list | streamer info | free list | blobs | ANCHORS | KEY LISTS | .. |
//!            flush                 what leads to the old ones is as it was: readers see the old file
//! commit     HEADER   ROOT DIRECTORY                       one write within one sector
//!            flush                 readers see the new file
//! marks      header | root directory | ... | -gap ------------------------------ | blobs | ...
//!            flush                 records that nothing leads to any more say so
//! ```
//!
//! The records at the new end are, in this order: the records of new directories, anchors and the key list of every
//! directory that gets one, the streamer info where the old one lacks the class of an anchor (all its other classes
//! stay, at their offsets), and the free list. Directories that get nothing are not touched.
//!
//! A disk writes sectors of 512 bytes whole or not at all, and in any order between two flushes:
//!
//! - Where only the root directory gets ntuples, and its numbers end within the first sector, as they do unless the
//!   file knows itself by a name of more than some 150 bytes, header and directory change in one write. The free list
//!   that this write leads to contains the records that it replaces.
//! - Otherwise there are several writes, with a flush after each. First goes the header, with a free list that contains
//!   only what was free before: with it alone the file is the old one and has some more records that no directory
//!   lists. Then each directory gets its new key list; between two of these, some of the new ntuples are there. Only when
//!   all of them have it, the header gets another free list, which contains the replaced records. Had it contained them
//!   earlier, and the writer stopped then, a program that puts something into free space would overwrite a key list that
//!   is in use.
//!
//! The marks come last, because they are the only writes into old records. A writer that stops before them leaves a
//! file whose free list is right and lacks marks, which are for programs that walk from record to record without the
//! free list. A replaced record is freed only if nothing else of the file overlaps it: in a damaged file it may.
//!
//! A writer that stops before the commit leaves bytes after the end that the header states: they belong to nothing, and
//! the next program that adds something writes over them.

use std::collections::{HashMap, HashSet};

use super::datetime::Datetime;
use super::directories::Directories;
use super::directory::DIRECTORY_SIZE;
use super::folders::{OldFolder, put_folders};
use super::free_list::{FreeList, Segment};
use super::header::{BEGIN, GREATEST_SMALL_OFFSET};
use super::key::Key;
use super::listing::{KeyKind, Listing};
use super::names::with_article;
use super::patch::{Growth, NewHeader, Numbers, Place, SECTOR, raw_key, read_list};
use super::raw_key::RawKey;
use super::reader::RootFile;
use super::streamer_info::{self, INFO_LIMIT};
use super::tail::{Tail, derived_uuid};
use super::tree::{Entry, Tree};
use crate::compression::{Algorithm, Compression, Compressor};
use crate::error::{Error, Result};

/// The greatest size that the mark of a gap can state.
const GREATEST_GAP: u64 = 2_000_000_000;
/// The streamer info is compressed as ROOT does it, and for every ROOT to read.
const INFO_COMPRESSION: Compression = Compression::zlib(1);
const INFO_TITLE: &str = "Doubly linked list";

/// What a file was when it was opened to get more ntuples.
#[derive(Debug)]
pub(crate) struct Addition {
    /// What the directories contain; the writer takes it.
    tree: Tree,
    /// The file header, up to the first record.
    header: Numbers,
    /// Header, root directory and what is between them, where they are in one sector.
    front: Option<Numbers>,
    gaps: Vec<Segment>,
    free_key: RawKey,
    /// The record of the free list, if it can be freed.
    free: Option<Segment>,
    /// Offset of the first record: that of the root directory.
    begin: u64,
    modified: Datetime,
    info: Info,
    /// The same directories: what their lists and their numbers are.
    folders: Vec<OldFolder>,
    numbers: Vec<Numbers>,
    /// Their key lists, where they can be freed.
    lists: Vec<Option<Segment>>,
    /// Where the file ended.
    end: u64,
}

/// What becomes of the streamer info.
#[derive(Debug)]
enum Info {
    /// It describes anchors already.
    Stays,
    /// There is none.
    New,
    /// It gets a class more.
    Grows {
        key: RawKey,
        /// What references in the payload are counted from.
        key_size: u16,
        /// As it is stored.
        payload: Vec<u8>,
        length: u32,
        /// The old record, if it can be freed.
        old: Option<Segment>,
    },
}

impl Addition {
    /// Reads what must be known of a file to add ntuples.
    ///
    /// # Errors
    /// The file around the ntuples is damaged, or has a streamer info that cannot be read or extended.
    pub(crate) fn read(file: &RootFile) -> Result<Self> {
        Self::find(file).map_err(|error| file.locate(error))
    }

    fn find(file: &RootFile) -> Result<Self> {
        let header = file.header();
        let mut known = Known::default();
        for listing in Directories::new(file) {
            known.add(file, listing?)?;
        }
        if let Some(number) = known.missing() {
            return Err(Error::out_of_spec("a directory is listed twice").at_offset(number));
        }
        let gaps = file.free_list()?.unwrap_or_default().gaps;
        let top = known.numbers.first().ok_or_else(|| Error::out_of_spec("the file has no directory"))?;
        let mut used = known.used;
        used.push(Segment { first: 0, last: top.end().saturating_sub(1) });
        used.extend(gaps.iter().copied());
        let free = match header.free_offset {
            0 => None,
            at => {
                let key = file.key_at(at)?;
                segment(at, key.size).filter(|_| key.offset == at && key.size == header.free_size)
            }
        };
        let info = read_info(file)?;
        let old_info = if let Info::Grows { old, .. } = &info {
            *old
        } else {
            segment(header.info_offset, header.info_size)
        };
        used.extend(free);
        used.extend(old_info);
        let alone = alone(used);
        let can_be_freed =
            |segment: Option<Segment>| segment.filter(|segment| alone.contains(&segment.first));
        let info = match info {
            Info::Grows { key, key_size, payload, length, old } => {
                Info::Grows { key, key_size, payload, length, old: can_be_freed(old) }
            }
            other => other,
        };
        let front = if top.end() <= SECTOR { Some(Numbers::read(file, 0, top.end())?) } else { None };
        // A file without a free list has a root directory all the same, whose names are in both.
        let free_at = if header.free_offset == 0 { header.begin } else { header.free_offset };
        let addition = Self {
            tree: known.tree,
            header: Numbers::read(file, 0, header.begin.min(BEGIN))?,
            front,
            gaps,
            free_key: raw_key(file, free_at)?,
            free: can_be_freed(free),
            begin: header.begin,
            modified: file.top().modified,
            info,
            folders: known.folders,
            numbers: known.numbers,
            lists: known.lists.into_iter().map(can_be_freed).collect(),
            end: file.end(),
        };
        // What cannot be rewritten is refused before anything is written.
        let place = Place { offset: addition.begin, size: 0 };
        let wanted = NewHeader { end: addition.end, free: place, free_count: 1, info: None };
        addition.header.header_of(wanted)?;
        addition
            .numbers
            .iter()
            .try_for_each(|numbers| numbers.directory_of(place, addition.modified).map(drop))?;
        Ok(addition)
    }

    /// Where the first new record goes.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Whether the file can grow to `end`: headers and directories of the oldest files have no room for wide offsets.
    pub(super) fn check_end(&self, end: u64) -> Result<()> {
        if end > GREATEST_SMALL_OFFSET {
            let place = Place { offset: end, size: 0 };
            self.header.header_of(NewHeader { end, free: place, free_count: 1, info: None })?;
            if let Some(top) = self.numbers.first() {
                top.directory_of(place, self.modified)?;
            }
        }
        Ok(())
    }

    /// When the root directory last changed.
    pub(super) fn modified(&self) -> Datetime {
        self.modified
    }

    /// What the directories contain goes to the writer, which adds to it.
    pub(super) fn split(mut self) -> (Self, Tree) {
        let tree = std::mem::take(&mut self.tree);
        (self, tree)
    }

    /// Bytes that no other program may have changed when something is written: whatever is added to a file changes its
    /// header. Directories that change are looked at before they do.
    pub(super) fn fixed(&self) -> [&Numbers; 2] {
        [&self.header, self.numbers.first().unwrap_or(&self.header)]
    }

    /// What is left to be written after data that end at `start`; `None` where the file gets no ntuple.
    pub(super) fn growth(
        &self,
        tree: &Tree,
        start: u64,
        time: Datetime,
        digest: u128,
    ) -> Result<Option<Growth>> {
        let changed = tree.changed();
        if !changed.contains(&true) {
            return Ok(None);
        }
        let mut tail = Tail::new(start, time);
        let root = Key { offset: self.begin, ..Key::new("TFile", "", "") };
        let lists = put_folders(&mut tail, tree, root, &self.folders, &changed, derived_uuid(digest))?;
        let mut freed: Vec<Segment> = self.free.into_iter().collect();
        let mut directories = Vec::new();
        for (folder, list) in tree.folders.iter().zip(lists) {
            let (Some(old), Some(list)) = (folder.old, list) else { continue };
            if let Some(numbers) = self.numbers.get(old) {
                directories.push((numbers, numbers.directory_of(list, time)?));
            }
            freed.extend(self.lists.get(old).copied().flatten());
        }
        let (info, old_info) = self.put_info(&mut tail, time)?;
        freed.extend(old_info);
        let is_one = |front: &&Numbers| directories.iter().all(|(numbers, _)| numbers.end() <= front.end());
        let front = self.front.as_ref().filter(is_one);
        let header = |end, free, gaps: &[Segment]| {
            self.header.header_of(NewHeader { end, free, free_count: gaps.len() + 1, info })
        };
        let (steps, gaps) = match front {
            Some(front) => {
                let gaps = merged(&self.gaps, &freed);
                let free = self.put_free(&mut tail, &gaps)?;
                let mut new = front.clone();
                new.overlay(&header(tail.end(), free, &gaps)?);
                directories.iter().for_each(|(_, directory)| new.overlay(directory));
                (new.changed(front).into_iter().collect(), gaps)
            }
            None => {
                let (first, last, gaps) = self.put_two_free(&mut tail, &freed)?;
                let before = header(tail.end(), first, &self.gaps)?;
                let after = header(tail.end(), last, &gaps)?;
                let mut steps: Vec<Numbers> = before.changed(&self.header).into_iter().collect();
                steps.extend(directories.iter().filter_map(|(old, new)| new.changed(old)));
                steps.extend(after.changed(&before));
                (steps, gaps)
            }
        };
        let old_gaps: HashSet<Segment> = self.gaps.iter().copied().collect();
        let new_gaps = gaps.iter().filter(|gap| !old_gaps.contains(gap));
        let marks = new_gaps.map(|gap| Numbers { offset: gap.first, bytes: gap.mark().to_vec() }).collect();
        let replaced = directories.iter().map(|(old, _)| Numbers::clone(old)).collect();
        Ok(Some(Growth { end: tail.end(), tail: tail.into_bytes(), replaced, steps, marks }))
    }

    /// The free list, as the last record.
    fn put_free(&self, tail: &mut Tail, gaps: &[Segment]) -> Result<Place> {
        let key = tail.place(&self.free_key, Some(self.begin))?;
        let start = tail.end().saturating_add(key.bytes().len() as u64);
        tail.moved(&self.free_key, Some(self.begin), &FreeList::write_last(gaps, start))
    }

    /// Two free lists as the last records: with the gaps that there were, and with what is `freed` and the first of the
    /// two as well. Both say where the file ends, which is after both.
    fn put_two_free(&self, tail: &mut Tail, freed: &[Segment]) -> Result<(Place, Place, Vec<Segment>)> {
        let directory = Some(self.begin);
        let key_size = |offset| -> Result<u64> {
            let key = self.free_key.moved(offset, 0, tail.time(), directory)?;
            Ok(key.bytes().len() as u64)
        };
        let first_at = tail.end();
        let mut end = first_at;
        let (first, last, gaps) = loop {
            let first = FreeList::write(&self.gaps, end);
            let last_at = first_at + key_size(first_at)? + first.len() as u64;
            let own = Segment { first: first_at, last: last_at - 1 };
            let gaps = merged(&self.gaps, &[freed, &[own]].concat());
            let last = FreeList::write(&gaps, end);
            let settled = last_at + key_size(last_at)? + last.len() as u64;
            // The lists grow with the end that they state, and the end with them, but never shrink.
            if settled == end {
                break (first, last, gaps);
            }
            end = settled;
        };
        let first = tail.moved(&self.free_key, directory, &first)?;
        let last = tail.moved(&self.free_key, directory, &last)?;
        Ok((first, last, gaps))
    }

    /// The streamer info, if there must be another: the record, and the old one, if it can be freed.
    fn put_info(&self, tail: &mut Tail, time: Datetime) -> Result<(Option<Place>, Option<Segment>)> {
        match &self.info {
            Info::Stays => Ok((None, None)),
            Info::New => {
                let key = Key::new("TList", "StreamerInfo", INFO_TITLE);
                let record = tail.record(key, self.begin, &streamer_info::write())?;
                Ok((Some(Place::from(&record)), None))
            }
            Info::Grows { key, key_size, payload, length, old } => {
                let mut new = key.moved(tail.end(), payload.len(), time, None)?;
                if new.bytes().len() != usize::from(*key_size) {
                    // Offsets have become wider. The title, which no program reads, makes up for it.
                    new = info_key(*key_size)?.moved(tail.end(), payload.len(), time, Some(self.begin))?;
                }
                let new = new.with_length(*length);
                let place = Place { offset: tail.end(), size: new.record_size() };
                tail.put(&new, payload);
                Ok((Some(place), *old))
            }
        }
    }
}

/// What the directories of a file have, while they are read.
#[derive(Default)]
struct Known {
    tree: Tree,
    folders: Vec<OldFolder>,
    numbers: Vec<Numbers>,
    lists: Vec<Option<Segment>>,
    /// Records that something leads to.
    used: Vec<Segment>,
    /// Directories to come, by the place of their numbers.
    pending: HashMap<u64, usize>,
}

impl Known {
    fn add(&mut self, file: &RootFile, listing: Listing) -> Result<()> {
        let at = listing.numbers_at;
        self.used.extend(listing.keys.iter().filter_map(|key| segment(key.offset, key.size)));
        self.used
            .extend(listing.list.as_ref().and_then(|list| segment(listing.record.keys_offset, list.size)));
        // The first one is the root directory.
        let folder = if self.folders.is_empty() { Some(0) } else { self.pending.remove(&at) };
        // No path leads into a directory with a slash in its name, nor into those in it.
        let Some(folder) = folder else { return Ok(()) };
        let left = file.end().saturating_sub(at);
        let numbers = Numbers::read(file, at, left.min(DIRECTORY_SIZE as u64))?;
        let mut old =
            OldFolder { offset: listing.record.offset, list_key: None, keys: Vec::new(), key_count: 0 };
        if folder == 0 {
            old.offset = file.header().begin;
        }
        let mut place = None;
        if let Some(list) = &listing.list {
            let (key, keys) = read_list(file, listing.record.keys_offset)?;
            old.key_count = u32::try_from(keys.len()).unwrap_or(u32::MAX);
            keys.iter().for_each(|key| old.keys.extend_from_slice(key.bytes()));
            old.list_key = Some(key);
            let is_sure = list.offset == listing.record.keys_offset && list.size == listing.record.keys_size;
            place = segment(list.offset, list.size).filter(|_| is_sure);
        }
        if let Some(folder) = self.tree.folders.get_mut(folder) {
            folder.old = Some(self.folders.len());
        }
        self.add_names(folder, &listing)?;
        self.folders.push(old);
        self.numbers.push(numbers);
        self.lists.push(place);
        Ok(())
    }

    /// All names of a directory are taken.
    fn add_names(&mut self, folder: usize, listing: &Listing) -> Result<()> {
        let mut directories = HashSet::new();
        let can_be_named = |key: &&Key| !key.name.contains('/');
        for key in listing.latest(|kind| kind == KeyKind::Directory).into_iter().filter(can_be_named) {
            directories.insert(&*key.name);
            let id = self.tree.push(folder, &key.name);
            if self.pending.insert(key.payload_offset(), id).is_some() {
                return Err(Error::out_of_spec("a directory is listed twice").at_offset(key.offset));
            }
        }
        let others = listing.latest(|kind| kind != KeyKind::Directory);
        for key in others.into_iter().filter(can_be_named).filter(|key| !directories.contains(&*key.name)) {
            let is_ntuple = KeyKind::of(&key.class).is_ntuple();
            let what = if is_ntuple { "an ntuple".to_owned() } else { with_article(&key.class) };
            let entry = Entry::Other { name: key.name.clone(), what };
            if let Some(folder) = self.tree.folders.get_mut(folder) {
                folder.entries.push(entry);
            }
        }
        Ok(())
    }

    /// Where a directory that is listed should be, but is not.
    fn missing(&self) -> Option<u64> {
        self.pending.keys().min().copied()
    }
}

/// The streamer info, with the class of an anchor.
fn read_info(file: &RootFile) -> Result<Info> {
    let at = file.header().info_offset;
    if at == 0 {
        return Ok(Info::New);
    }
    let place = |error: Error| {
        error.at_offset(at).widen(|error| {
            format!("the class of an ntuple cannot be added to the file's streamer info: {error}")
        })
    };
    let mut key = file.key_at(at).map_err(place)?;
    let is_sure = key.offset == at && key.size == file.header().info_size;
    key.offset = at;
    let payload = file.object(&key, INFO_LIMIT).map_err(place)?;
    if streamer_info::describes_anchor(&payload, key.key_size).map_err(place)? {
        return Ok(Info::Stays);
    }
    let payload = streamer_info::extend(&payload).map_err(place)?;
    let length = u32::try_from(payload.len()).map_err(|_| Error::limit("the streamer info has over 4 GB"))?;
    // If it was compressed, it is worth it.
    let is_compressed = key.length > key.payload_size() && Algorithm::Zlib.is_enabled();
    let mut stored = Vec::new();
    if !is_compressed || !Compressor::new().compress(INFO_COMPRESSION, &payload, &mut stored)? {
        stored = payload;
    }
    info_key(key.key_size).map_err(place)?;
    let old = segment(at, key.size).filter(|_| is_sure);
    Ok(Info::Grows { key: raw_key(file, at)?, key_size: key.key_size, payload: stored, length, old })
}

/// A key of exactly this size, with wide offsets.
fn info_key(size: u16) -> Result<RawKey> {
    let bare = Key::new("TList", "StreamerInfo", "");
    let length = size.checked_sub(bare.key_size).map(usize::from);
    let Some(length) = length.filter(|&length| length < 255) else {
        return Err(Error::unsupported(format!("its key has {size} bytes")));
    };
    let title = format!("{INFO_TITLE:<length$.length$}");
    let mut bytes = Vec::new();
    Key::new("TList", "StreamerInfo", &title).with_payload(0, 0)?.write(&mut bytes);
    RawKey::read(&mut crate::bytes::Cursor::new(&bytes, 0))
}

/// The bytes of a record.
fn segment(offset: u64, size: u32) -> Option<Segment> {
    let last = offset.checked_add(u64::from(size).checked_sub(1)?)?;
    Some(Segment { first: offset, last })
}

/// Where those begin that none of the others overlaps.
fn alone(mut segments: Vec<Segment>) -> HashSet<u64> {
    segments.sort_unstable_by_key(|segment| (segment.first, segment.last));
    let mut end = None;
    let mut alone = HashSet::new();
    for (number, segment) in segments.iter().enumerate() {
        let next = segments.get(number + 1).map_or(u64::MAX, |next| next.first);
        if end.is_none_or(|end| end < segment.first) && next > segment.last {
            alone.insert(segment.first);
        }
        end = end.max(Some(segment.last));
    }
    alone
}

/// Gaps and what becomes one, in the order of the file; neighbours become one gap.
fn merged(gaps: &[Segment], freed: &[Segment]) -> Vec<Segment> {
    let mut all = [gaps, freed].concat();
    all.sort_by_key(|segment| segment.first);
    let mut merged: Vec<Segment> = Vec::new();
    for segment in all {
        // A damaged list may have gaps that end before they begin: those stay as they are.
        let fits = |before: &Segment| {
            let length = segment.last.checked_sub(before.first);
            before.last.checked_add(1) == Some(segment.first)
                && length.is_some_and(|length| length < GREATEST_GAP)
        };
        match merged.last_mut() {
            Some(before) if fits(before) => before.last = segment.last,
            _ => merged.push(segment),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    #![expect(clippy::cast_possible_truncation, reason = "offsets in small files")]

    use std::io::IoSlice;

    use super::*;
    use crate::root::FileKey;
    use crate::root::options::FileOptions;
    use crate::root::testing::{
        Sparse, file_with, put_dummy, reference_files, starting_at, with_class, with_extension,
    };
    use crate::root::writer::FileWriter;
    use crate::storage::{Memory, ReadAt, WriteAt};

    fn adding<W: ReadAt + WriteAt + Clone + 'static>(storage: &W) -> FileWriter<W> {
        let file = RootFile::from_storage(storage.clone()).unwrap();
        FileWriter::add(storage.clone(), Addition::read(&file).unwrap(), &FileOptions::new())
    }

    /// The file with more ntuples.
    fn add<W: ReadAt + WriteAt + Clone + 'static>(storage: &W, paths: &[&str]) -> W {
        let old = RootFile::from_storage(storage.clone()).unwrap();
        let mut writer = adding(storage);
        for path in paths {
            writer.any().reserve(path).unwrap();
            put_dummy(&mut writer, path);
        }
        let end = writer.any().finish().unwrap();
        let storage = writer.into_inner();
        let file = RootFile::from_storage(storage.clone()).unwrap();
        assert_eq!(file.end(), end);
        let new: Vec<FileKey> = file.keys().unwrap();
        assert!(old.keys().unwrap().iter().all(|key| new.contains(key)));
        for path in paths {
            let (_, anchor) = file.anchor(path).unwrap();
            assert_eq!(&*file.payload(anchor.footer.offset, 30, anchor.max_key_size).unwrap(), [b'f'; 30]);
        }
        let report = file.verify().unwrap();
        assert!(report.is_sound() && report.describes_anchors, "{:?}", report.faults);
        storage
    }

    #[test]
    fn ntuples_join_in_old_and_new_directories() {
        let mut storage = Memory::from(file_with(&["nt", "a/nt", "a/b/nt"]));
        for paths in [&["x"][..], &["a/x", "a/b/x"], &["a/c/x", "d/e/f/x", "y"], &["a/b/y"]] {
            storage = add(&storage, paths);
        }
        let file = RootFile::from_storage(storage).unwrap();
        assert_eq!(file.ntuples().unwrap().len(), 10);
        // What was replaced is free, and marked as such: a walk by marks alone sees the same gaps.
        let report = file.verify().unwrap();
        assert!(report.gaps > 4, "{report:?}");
        for record in file.records().map(Result::unwrap) {
            let mark = file.storage().block(record.offset..record.offset + 4).unwrap();
            let size = i32::from_be_bytes(*mark.first_chunk().unwrap());
            let is_gap = matches!(record.kind, crate::root::RecordKind::Gap { .. });
            assert_eq!((size < 0, u64::from(size.unsigned_abs())), (is_gap, record.size));
        }
    }

    #[test]
    fn names_that_are_there_are_refused() {
        let bytes = with_class(file_with(&["nt", "a/nt", "tree"]), "tree", "TTree");
        let mut writer = adding(&Memory::from(bytes.clone()));
        for (path, why) in [
            ("nt", "the file has an ntuple \"nt\" already"),
            ("a/nt", "the file has an ntuple \"a/nt\" already"),
            ("a", "the file has a directory \"a\" already"),
            ("tree", "the file has a TTree \"tree\" already"),
            ("tree/x", "the file has a TTree \"tree\" already, so an ntuple \"tree/x\" is not possible"),
            ("a/nt/x", "the file has an ntuple \"nt\" already, so an ntuple \"a/nt/x\" is not possible"),
        ] {
            let error = writer.any().reserve(path).unwrap_err();
            assert_eq!((error.kind(), error.message()), (crate::ErrorKind::InvalidArgument, why));
        }
        // Nothing was added: the file is as it was.
        assert_eq!(writer.any().finish().unwrap(), bytes.len() as u64);
        assert_eq!(writer.into_inner().into_bytes(), bytes);
    }

    #[test]
    fn an_ntuple_that_never_came_leaves_no_directory() {
        let bytes = file_with(&["nt"]);
        let mut writer = adding(&Memory::from(bytes.clone()));
        writer.any().reserve("a/b/x").unwrap();
        writer.any().append_blob(&[IoSlice::new(&[1; 50])], 50).unwrap();
        writer.any().finish().unwrap();
        let new = writer.into_inner().into_bytes();
        assert_eq!(new[..bytes.len()], bytes);
        assert_eq!(RootFile::from_storage(Memory::from(new)).unwrap().keys().unwrap().len(), 1);
    }

    #[test]
    fn layouts_widen_where_a_file_passes_their_thresholds() {
        let top = GREATEST_SMALL_OFFSET;
        for first in
            [top - 2400, top - 900, top - 700, top - 400, top - 200, top - 60, top, top + 1000, 3 << 30]
        {
            for paths in [&["x"][..], &["a/x"], &["x", "a/x", "b/x"]] {
                let mut writer = starting_at(Sparse::default(), first);
                put_dummy(&mut writer, "nt");
                put_dummy(&mut writer, "a/nt");
                writer.any().finish().unwrap();
                add(&writer.into_inner(), paths);
            }
        }
    }

    #[test]
    fn a_small_file_grows_past_two_gigabytes() {
        for start in [GREATEST_SMALL_OFFSET - 600, GREATEST_SMALL_OFFSET + 1, 3 << 30] {
            let mut writer = starting_at(Sparse::default(), 0);
            put_dummy(&mut writer, "nt");
            put_dummy(&mut writer, "a/nt");
            writer.any().finish().unwrap();
            let storage = writer.into_inner();
            for paths in [&["x"][..], &["a/x"], &["b/x"]] {
                let mut writer = adding(&storage);
                for path in paths {
                    writer.any().reserve(path).unwrap();
                }
                writer.any().skip_to(start).unwrap();
                for path in paths {
                    put_dummy(&mut writer, path);
                }
                writer.any().finish().unwrap();
                let file = RootFile::from_storage(writer.into_inner()).unwrap();
                assert!(file.ntuples().unwrap().len() == 3 && file.end() > start);
                // The bytes that a test skips are in no free list.
                let faults = file.verify().unwrap().faults;
                assert!(faults.iter().all(|fault| fault.to_string().contains("does not know")), "{faults:?}");
            }
        }
    }

    #[test]
    fn one_write_leads_to_ntuples_of_the_root_directory() {
        let steps = |name: String, paths: &[&str]| {
            let mut writer = FileWriter::create(Memory::new(), FileOptions::new().name(name)).unwrap();
            let anchor = put_dummy(&mut writer, "a/nt");
            writer.any().finish().unwrap();
            let file = RootFile::from_storage(writer.into_inner()).unwrap();
            let (addition, mut tree) = Addition::read(&file).unwrap().split();
            assert!(addition.growth(&tree, file.end(), Datetime::EARLIEST, 0).unwrap().is_none());
            for path in paths {
                tree.put(path, anchor.clone()).unwrap();
            }
            let growth = addition.growth(&tree, file.end(), Datetime::EARLIEST, 0).unwrap().unwrap();
            for step in &growth.steps {
                assert_eq!(step.offset / SECTOR, (step.end() - 1) / SECTOR);
            }
            growth.steps.iter().map(|step| step.offset < 100).collect::<Vec<_>>()
        };
        let short = || "x.root".to_owned();
        assert_eq!(steps(short(), &["x"]), [true]);
        assert_eq!(steps(short(), &["x", "b/x"]), [true]);
        assert_eq!(steps(short(), &["a/x"]), [true, false, true]);
        assert_eq!(steps(short(), &["x", "a/x"]), [true, false, false, true]);
        assert_eq!(steps("x".repeat(200), &["x"]), [true, false, true]);
    }

    #[test]
    fn neighbours_become_one_gap() {
        let gap = |first, last| Segment { first, last };
        assert_eq!(merged(&[gap(10, 19)], &[gap(30, 39), gap(20, 29)]), [gap(10, 39)]);
        assert_eq!(merged(&[gap(10, 19)], &[gap(21, 29)]), [gap(10, 19), gap(21, 29)]);
        let long = gap(30, 29 + GREATEST_GAP);
        assert_eq!(merged(&[long], &[gap(20, 29)]), [gap(20, 29), long]);
        // Damaged ones.
        assert_eq!(merged(&[gap(100, 50)], &[gap(51, 60)]).len(), 2);
        assert_eq!(merged(&[gap(0, u64::MAX)], &[gap(0, 5)]).len(), 2);
        assert_eq!(gap(10, 13).mark(), [0xFF, 0xFF, 0xFF, 0xFC]);
    }

    #[test]
    fn what_overlaps_is_not_alone() {
        let of = |list: &[(u64, u64)]| {
            let mut alone: Vec<u64> =
                alone(list.iter().map(|&(first, last)| Segment { first, last }).collect())
                    .into_iter()
                    .collect();
            alone.sort_unstable();
            alone
        };
        assert_eq!(of(&[(20, 29), (0, 9), (10, 19)]), [0, 10, 20]);
        assert_eq!(of(&[(0, 99), (10, 19), (30, 39), (100, 109)]), [100]);
        assert!(of(&[(10, 19), (10, 19), (19, 30)]).is_empty());
        assert!(of(&[]).is_empty());
    }

    #[test]
    fn no_damaged_file_does_harm() {
        let mut files = vec![file_with(&["nt", "a/nt"])];
        for stem in reference_files() {
            files.push(std::fs::read(with_extension(&stem, ".root")).unwrap());
        }
        for bytes in files.into_iter().filter(|bytes| bytes.len() < 3000) {
            for at in 0..bytes.len() {
                for flip in [0x81, 0x04] {
                    let mut bad = bytes.clone();
                    bad[at] ^= flip;
                    let Ok(file) = RootFile::from_storage(Memory::from(bad.clone())) else { continue };
                    let Ok(addition) = Addition::read(&file) else { continue };
                    drop(file);
                    let mut writer = FileWriter::add(Memory::from(bad), addition, &FileOptions::new());
                    for path in ["x", "a/x", "b/x"] {
                        if writer.any().reserve(path).is_ok() {
                            put_dummy(&mut writer, path);
                        }
                    }
                    let _ = writer.any().finish();
                }
            }
        }
    }

    /// The classes of a file, and the size of the key that their references are counted from.
    fn classes(file: &RootFile) -> (Vec<String>, u16) {
        let at = file.header().info_offset;
        let key = file.key_at(at).unwrap();
        assert_eq!((key.offset, key.size), (at, file.header().info_size));
        let classes = streamer_info::read(&file.object(&key, INFO_LIMIT).unwrap(), key.key_size).unwrap();
        (classes.into_iter().map(|class| format!("{} {}", class.name, class.version)).collect(), key.key_size)
    }

    /// The file without the class of an anchor: another class has its place.
    fn without_the_class(mut bytes: Vec<u8>) -> Vec<u8> {
        let info = RootFile::from_storage(Memory::from(bytes.clone())).unwrap().header().info_offset as usize;
        let name = b"ROOT::RNTuple";
        let at = (info..bytes.len()).find(|&at| bytes[at..].starts_with(name)).unwrap();
        bytes[at..at + name.len()].copy_from_slice(b"ROOT::Another");
        bytes
    }

    #[test]
    fn all_classes_of_the_streamer_info_stay() {
        let mut files = vec![file_with(&["nt"]), without_the_class(file_with(&["nt"]))];
        for stem in reference_files() {
            files.push(std::fs::read(with_extension(&stem, ".root")).unwrap());
        }
        for bytes in files {
            for start in [0, GREATEST_SMALL_OFFSET + 1] {
                let storage = Sparse::from(bytes.clone());
                let file = RootFile::from_storage(storage.clone()).unwrap();
                let (mut old, key_size) = classes(&file);
                let mut writer = adding(&storage);
                writer.any().reserve("x").unwrap();
                writer.any().skip_to(start).unwrap();
                if file.header().version < 62_700 && start > 0 {
                    // Their directories have no room: refused with the first byte beyond the threshold.
                    let error = writer.any().append_blob(&[IoSlice::new(&[1; 50])], 50).unwrap_err();
                    assert!(error.to_string().contains("has a directory of version 1"), "{error}");
                    continue;
                }
                put_dummy(&mut writer, "x");
                writer.any().finish().unwrap();
                let new = RootFile::from_storage(writer.into_inner()).unwrap();
                if !old.contains(&"ROOT::RNTuple 2".to_owned()) {
                    old.push("ROOT::RNTuple 2".to_owned());
                    assert_ne!(new.header().info_offset, file.header().info_offset);
                }
                assert_eq!(classes(&new), (old, key_size), "{start}");
            }
        }
    }

    #[test]
    fn a_file_without_a_streamer_info_gets_one() {
        let mut bytes = file_with(&["nt"]);
        bytes[37..45].fill(0);
        let new = RootFile::from_storage(add(&Memory::from(bytes), &["x"])).unwrap();
        assert_eq!(classes(&new).0, ["ROOT::RNTuple 2"]);
    }

    #[test]
    fn a_streamer_info_that_cannot_be_extended_is_refused() {
        let good = without_the_class(file_with(&["nt"]));
        let at = RootFile::from_storage(Memory::from(good.clone())).unwrap().header().info_offset as usize;
        let payload = at + 72;
        // The list's byte count, its version, and the number of its entries.
        for (place, value) in [(payload, 0), (payload + 5, 3), (payload + 20, 2)] {
            let mut bad = good.clone();
            bad[place] = value;
            let file = RootFile::from_storage(Memory::from(bad)).unwrap();
            let error = Addition::read(&file).unwrap_err().to_string();
            assert!(error.contains("cannot be added to the file's streamer info"), "{error}");
        }
    }

    #[test]
    fn a_key_of_any_size_is_made_for_the_streamer_info() {
        for size in [54, 64, 72, 100, 308] {
            assert_eq!(info_key(size).unwrap().bytes().len(), usize::from(size));
        }
        for size in [0, 53, 309, u16::MAX] {
            assert_eq!(info_key(size).unwrap_err().kind(), crate::ErrorKind::Unsupported);
        }
    }
}
