//! A finished file that grows: new records behind its end, and one small write that makes them count.
//!
//! What is there is not touched, except the few numbers that lead to the rest and the marks of gaps that a killed
//! writer broke:
//!
//! ```text
//! before     header | root directory | ... | anchor | key list | free list |
//! records    header | root directory | ... | anchor | key list | free list | blobs | ANCHOR | KEY LIST | FREE LIST |
//!            flush                 what leads to the old ones is as it was: readers see the old file
//! commit     HEADER   ROOT DIRECTORY                       one write within one sector
//!            flush                 readers see the new file
//! ```
//!
//! A disk writes sectors of 512 bytes whole or not at all, and in any order between two flushes. So what makes the
//! new records count is one write within one sector wherever the layout allows it:
//!
//! - The directory of the ntuple is the root directory, and its numbers end within the first sector, as they do
//!   unless the file knows itself by a name of more than some 150 bytes: header and directory change in one write.
//! - Otherwise the header goes first, in a write of its own. It says where the file ends and what is free there; with
//!   it alone the file is the old one and has some more records that nobody lists. Behind a flush follows the
//!   directory's way to its key list, a few bytes in place. They cross the end of a sector only where the record
//!   happens to stand so; as the new list is as long as the old one, unless the anchor is the first thing to lie
//!   behind 2 GB, only its offset differs.
//!
//! A writer that stops before the commit leaves bytes after the end that the header states. No reader looks at them; the
//! next writer drops them before it writes, so that a recovery does not take them for its own.

use super::anchor::{self, Anchor};
use super::broken_gaps::broken_gaps;
use super::datetime::Datetime;
use super::directories::Directories;
use super::directory::DIRECTORY_SIZE;
use super::free_list::{FreeList, Next, Segment};
use super::key::Key;
use super::listing::{KeyKind, Listing};
use super::patch::{Growth, NewHeader, Numbers, Place, SECTOR, raw_key, read_list};
use super::raw_key::RawKey;
use super::reader::{ANCHOR_LIMIT, RootFile};
use crate::bytes::{Cursor, Put};
use crate::error::{Error, Result};

/// What a file was when it was opened to grow: everything that the records at its new end repeat or replace.
#[derive(Debug)]
pub(crate) struct Update {
    path: String,
    /// The file header as it stands, up to the first record.
    header: Numbers,
    /// Header, root directory and what is between them, where they are in one sector and the ntuple is in that
    /// directory.
    front: Option<Numbers>,
    gaps: Vec<Segment>,
    /// Those of them whose records do not lead to their ends: a writer was killed while it wrote into them.
    pub(super) broken_gaps: Vec<Segment>,
    free_key: RawKey,
    /// Offset of the first record: that of the root directory.
    begin: u64,
    /// The numbers of the directory that lists the ntuple.
    directory: Numbers,
    modified: Datetime,
    list_key: RawKey,
    /// All that the directory lists.
    keys: Vec<RawKey>,
    /// Which of them is the ntuple's.
    place: usize,
    /// Where the file ended.
    end: u64,
    /// The new one.
    anchor: Option<Anchor>,
}

/// What leads to the records of a file after a step.
#[derive(Debug)]
pub(super) struct State {
    header: Numbers,
    directory: Numbers,
    front: Option<Numbers>,
    own: RawKey,
    list_key: RawKey,
    free_key: RawKey,
}

/// The records that end a file, or a checkpoint of it.
#[derive(Debug)]
pub(super) struct Ending {
    pub(super) tail: Vec<u8>,
    /// Where the file then ends.
    pub(super) end: u64,
    /// Writes that make the tail count, a flush after each.
    pub(super) steps: Vec<Numbers>,
    /// What leads to the records after them, where the file was there before.
    pub(super) state: Option<Box<State>>,
}

impl Update {
    /// Reads what must be known of a file to replace the anchor of one of its ntuples.
    ///
    /// # Errors
    /// There is no such ntuple, it is of another format, or the file around it is damaged.
    pub(crate) fn read(file: &RootFile, path: &str) -> Result<Self> {
        Self::find(file, path).map_err(|error| file.locate(error))
    }

    fn find(file: &RootFile, path: &str) -> Result<Self> {
        let header = file.header();
        let (listing, key) = locate(file, path)?;
        let payload = file.object(&key, ANCHOR_LIMIT)?;
        if payload.len() != anchor::SIZE {
            let message = format!(
                "the anchor has {} bytes: the ntuple has a later format, which cannot be appended to",
                payload.len()
            );
            return Err(Error::unsupported(message).at_offset(key.offset));
        }
        let (list_key, keys) = read_list(file, listing.record.keys_offset)?;
        let is_place =
            |bytes: &RawKey| Key::read(&mut Cursor::new(bytes.bytes(), 0)).is_ok_and(|listed| listed == key);
        let Some(place) = keys.iter().position(is_place) else {
            return Err(Error::out_of_spec("the key list has changed").at_offset(listing.record.keys_offset));
        };
        let free = file.free_list()?.unwrap_or_default();
        // A file without a free list has a root directory all the same, whose names stand in both.
        let free_at = if header.free_offset == 0 { header.begin } else { header.free_offset };
        let left = file.end().saturating_sub(listing.numbers_at);
        let directory = Numbers::read(file, listing.numbers_at, left.min(DIRECTORY_SIZE as u64))?;
        let is_one = listing.path.is_empty() && directory.end() <= SECTOR;
        let front = if is_one { Some(Numbers::read(file, 0, directory.end())?) } else { None };
        Ok(Self {
            path: path.to_owned(),
            header: Numbers::read(file, 0, header.begin.min(super::header::BEGIN))?,
            front,
            broken_gaps: broken_gaps(file, &free.gaps),
            gaps: free.gaps,
            free_key: raw_key(file, free_at)?,
            begin: header.begin,
            directory,
            modified: listing.record.modified,
            list_key,
            keys,
            place,
            end: file.end(),
            anchor: None,
        })
    }

    /// Where the first new record goes.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// When the directory last changed.
    pub(super) fn modified(&self) -> Datetime {
        self.modified
    }

    /// Puts an anchor in the place of the ntuple's own. Its name and cycle stay: it is the same ntuple.
    ///
    /// # Errors
    /// Another ntuple was opened.
    pub(super) fn replace(&mut self, path: &str, anchor: Anchor) -> Result<()> {
        if path != self.path {
            let message = format!("the file was opened to append to {:?}, not {path:?}", self.path);
            return Err(Error::invalid_argument(message));
        }
        self.anchor = Some(anchor);
        Ok(())
    }

    /// Whether what leads to the records is in one sector.
    pub(super) fn has_front(&self) -> bool {
        self.front.is_some()
    }

    /// Puts another anchor in the place of the one that is to be written; returns that.
    pub(super) fn swap(&mut self, anchor: Option<Anchor>) -> Option<Anchor> {
        std::mem::replace(&mut self.anchor, anchor)
    }

    /// What is left to be written behind data that end at `start`; `None` where nothing has changed.
    pub(super) fn growth(&self, start: u64, time: Datetime, more_gaps: &[Segment]) -> Result<Option<Growth>> {
        let Some(Ending { tail, end, steps, .. }) = self.ending(start, time, Next::End, more_gaps)? else {
            return Ok(None);
        };
        Ok(Some(Growth { tail, end, replaced: Vec::new(), steps, marks: Vec::new() }))
    }

    /// The same, before `next` and with more gaps.
    pub(super) fn ending(
        &self,
        start: u64,
        time: Datetime,
        next: Next,
        more_gaps: &[Segment],
    ) -> Result<Option<Ending>> {
        let Some(anchor) = &self.anchor else { return Ok(None) };
        let mut tail = Vec::new();
        let mut put = |key: &RawKey, directory, payload: &[u8]| -> Result<(RawKey, Place)> {
            let offset = start.saturating_add(tail.len() as u64);
            let key = key.moved(offset, payload.len(), time, directory)?;
            tail.extend_from_slice(key.bytes());
            tail.extend_from_slice(payload);
            let place = Place { offset, size: key.record_size() };
            Ok((key, place))
        };
        let Some(own) = self.keys.get(self.place) else { return Ok(None) };
        let (own, _) = put(own, None, &anchor.write())?;
        let mut list = Vec::new();
        list.put_u32_be(u32::try_from(self.keys.len()).unwrap_or(u32::MAX));
        for (number, key) in self.keys.iter().enumerate() {
            list.extend_from_slice(if number == self.place { own.bytes() } else { key.bytes() });
        }
        let (list_key, keys) = put(&self.list_key, None, &list)?;
        let free_start = keys.offset.saturating_add(keys.size.into());
        let key_size = self.free_key.moved(free_start, 0, time, Some(self.begin))?.bytes().len() as u64;
        let mut gaps = [&self.gaps, more_gaps].concat();
        gaps.sort_unstable_by_key(|gap| gap.first);
        let (free, free_count) = FreeList::write_before(next, &gaps, free_start.saturating_add(key_size));
        let (free_key, free) = put(&self.free_key, Some(self.begin), &free)?;
        let end = match next {
            Next::End => free.offset.saturating_add(free.size.into()),
            Next::Free { file_end, .. } => file_end,
        };
        let header = self.header.header_of(NewHeader { end, free, free_count, info: None })?;
        let directory = self.directory.directory_of(keys, time)?;
        let (steps, front) = self.steps(&header, &directory);
        let state = Some(Box::new(State { header, directory, front, own, list_key, free_key }));
        Ok(Some(Ending { tail, end, steps, state }))
    }

    /// Goes on from a state that counts now.
    pub(super) fn continue_from(&mut self, state: State) {
        let State { header, directory, front, own, list_key, free_key } = state;
        (self.header, self.directory, self.front) = (header, directory, front);
        (self.list_key, self.free_key) = (list_key, free_key);
        if let Some(key) = self.keys.get_mut(self.place) {
            *key = own;
        }
    }

    /// What nobody else may have changed when something is written.
    pub(super) fn fixed(&self) -> [&Numbers; 2] {
        [&self.header, &self.directory]
    }

    /// The writes that lead to the new records, and the new front.
    fn steps(&self, header: &Numbers, directory: &Numbers) -> (Vec<Numbers>, Option<Numbers>) {
        let (steps, front) = match &self.front {
            Some(front) => {
                let mut new = front.clone();
                new.overlay(header);
                new.overlay(directory);
                ([new.changed(front), None], Some(new))
            }
            None => ([header.changed(&self.header), directory.changed(&self.directory)], None),
        };
        (steps.into_iter().flatten().collect(), front)
    }
}

/// The directory that lists the ntuple at `path`, and its key: the one with the highest cycle.
fn locate(file: &RootFile, path: &str) -> Result<(Listing, Key)> {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut fault = None;
    for listing in Directories::new(file) {
        let listing = match listing {
            Ok(listing) => listing,
            Err(error) => {
                fault.get_or_insert(error);
                continue;
            }
        };
        if *listing.path != *directory {
            continue;
        }
        let found = listing.ntuples().into_iter().find(|(key, _)| key.name == name);
        let Some((kind, key)) = found.map(|(file_key, key)| (file_key.kind, key.clone())) else { continue };
        if kind != KeyKind::Ntuple {
            return Err(Error::unsupported("an ntuple of a format before version 1 cannot be appended to"));
        }
        return Ok((listing, key));
    }
    // Says which there are.
    match file.anchor(path) {
        Err(error) => Err(error),
        Ok(_) => Err(fault.unwrap_or_else(|| Error::out_of_spec("the directories of the file have changed"))),
    }
}

#[cfg(test)]
mod tests {
    use std::io::IoSlice;

    use super::*;
    use crate::root::header::GREATEST_SMALL_OFFSET;
    use crate::root::options::FileOptions;
    use crate::root::testing::{Sparse, file_with, put_dummy, reference_files, starting_at, with_extension};
    use crate::root::writer::FileWriter;
    use crate::storage::{Memory, ReadAt, WriteAt};

    /// The file with a blob more, and another anchor at `path`.
    fn grow<W: ReadAt + WriteAt + Clone + 'static>(storage: W, path: &str) -> W {
        let file = RootFile::from_storage(storage.clone()).unwrap();
        let mut anchor = file.anchor(path).unwrap().1;
        let update = Update::read(&file, path).unwrap();
        drop(file);
        let mut writer = FileWriter::resume(storage, update, &FileOptions::new());
        anchor.footer.offset = writer.any().append_blob(&[IoSlice::new(&[7; 33])], 33).unwrap();
        anchor.footer.size = 33;
        writer.any().put_anchor(path, &anchor).unwrap();
        let end = writer.any().finish().unwrap();
        let storage = writer.into_inner();
        let file = RootFile::from_storage(storage.clone()).unwrap();
        assert_eq!(file.end(), end);
        let (key, found) = file.anchor(path).unwrap();
        assert_eq!((found, key.cycle), (anchor, 1));
        let report = file.verify().unwrap();
        assert!(report.is_sound(), "{:?}", report.faults);
        storage
    }

    #[test]
    fn ntuples_grow_in_any_directory() {
        let paths = ["nt", "a/nt", "a/b/nt", "b/nt"];
        let mut storage = Memory::from(file_with(&paths));
        for path in paths.iter().chain(&paths) {
            storage = grow(storage, path);
        }
        let file = RootFile::from_storage(storage).unwrap();
        assert_eq!(file.ntuples().unwrap().len(), 4);
    }

    #[test]
    fn of_several_cycles_the_latest_grows() {
        let file = RootFile::from_storage(Memory::from(file_with(&["nt", "nt", "nt"]))).unwrap();
        let storage = Memory::from(file.storage().block(0..file.end()).unwrap().to_vec());
        let mut update = Update::read(&file, "nt").unwrap();
        let mut anchor = file.anchor("nt").unwrap().1;
        anchor.footer.size = 7;
        update.replace("nt", anchor.clone()).unwrap();
        let mut writer = FileWriter::resume(storage, update, &FileOptions::new());
        writer.any().finish().unwrap();
        let grown = RootFile::from_storage(writer.into_inner()).unwrap();
        let (key, found) = grown.anchor("nt").unwrap();
        assert_eq!((key.cycle, found), (3, anchor));
        let offsets = |file: &RootFile| -> Vec<_> {
            file.keys().unwrap().iter().map(|key| (key.cycle, key.offset)).collect()
        };
        assert_eq!(offsets(&file)[1..], offsets(&grown)[1..]);
        assert!(grown.verify().unwrap().is_sound());
    }

    #[test]
    fn a_storage_that_cannot_tell_is_trusted() {
        struct Silent(Memory);
        impl WriteAt for Silent {
            fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> std::io::Result<()> {
                self.0.write_at(offset, parts)
            }
            fn flush(&mut self) -> std::io::Result<()> {
                self.0.flush()
            }
        }
        let bytes = file_with(&["nt"]);
        let file = RootFile::from_storage(Memory::from(bytes.clone())).unwrap();
        let (update, anchor) = (Update::read(&file, "nt").unwrap(), file.anchor("nt").unwrap().1);
        let mut writer = FileWriter::resume(Silent(Memory::from(bytes)), update, &FileOptions::new());
        writer.any().put_anchor("nt", &anchor).unwrap();
        writer.any().finish().unwrap();
        assert!(RootFile::from_storage(writer.into_inner().0).unwrap().verify().unwrap().is_sound());
    }

    #[test]
    fn no_gap_is_mended_in_a_file_that_another_program_has_changed() {
        for grows in [false, true] {
            let bytes = file_with(&["nt"]);
            let file = RootFile::from_storage(Memory::from(bytes.clone())).unwrap();
            let (mut update, anchor) = (Update::read(&file, "nt").unwrap(), file.anchor("nt").unwrap().1);
            update.broken_gaps = vec![Segment { first: file.end() - 40, last: file.end() - 1 }];
            let mut writer = FileWriter::resume(Memory::from(bytes), update, &FileOptions::new());
            if grows {
                writer.any().put_anchor("nt", &anchor).unwrap();
            }
            // Another program changes where the file ends.
            writer.sink.write_at(12, &[IoSlice::new(&[0, 0, 1, 0])]).unwrap();
            let before = writer.sink.clone().into_bytes();
            assert_eq!(writer.any().finish().is_err(), grows);
            assert!(writer.into_inner().into_bytes() == before);
        }
    }

    #[test]
    fn layouts_widen_where_a_file_passes_their_thresholds() {
        let top = GREATEST_SMALL_OFFSET;
        for first in [top - 700, top - 400, top - 200, top - 60, top, top + 1000, 3 << 30] {
            for path in ["nt", "a/nt"] {
                let mut writer = starting_at(Sparse::default(), first);
                put_dummy(&mut writer, path);
                writer.any().finish().unwrap();
                grow(writer.into_inner(), path);
            }
        }
    }

    #[test]
    fn the_way_to_the_new_records_is_within_a_sector_where_it_can_be() {
        let steps = |name: String, path: &str| {
            let mut writer = FileWriter::create(Memory::new(), FileOptions::new().name(name)).unwrap();
            let anchor = put_dummy(&mut writer, path);
            writer.any().finish().unwrap();
            let file = RootFile::from_storage(writer.into_inner()).unwrap();
            let mut update = Update::read(&file, path).unwrap();
            assert!(update.growth(file.end(), update.modified(), &[]).unwrap().is_none());
            update.replace(path, anchor).unwrap();
            let growth = update.growth(file.end(), update.modified(), &[]).unwrap().unwrap();
            for step in &growth.steps {
                assert_eq!(step.offset / SECTOR, (step.end() - 1) / SECTOR);
            }
            growth.steps.iter().map(|step| (step.offset < 100, step.bytes.len())).collect::<Vec<_>>()
        };
        // One write, from the header's end of the file to the directory's offset of its key list.
        let one = steps("x.root".to_owned(), "nt");
        assert_eq!(one.iter().map(|step| step.0).collect::<Vec<_>>(), [true]);
        // Two, the second of which is the offset alone, or less where its first bytes stay.
        for two in [steps("x.root".to_owned(), "a/nt"), steps("x".repeat(200), "nt")] {
            assert_eq!(two.iter().map(|step| step.0).collect::<Vec<_>>(), [true, false]);
            assert!(two[1].1 <= 4, "{two:?}");
        }
    }

    #[test]
    fn only_the_ntuple_that_was_opened_is_replaced() {
        let file = RootFile::from_storage(Memory::from(file_with(&["nt", "other"]))).unwrap();
        let mut update = Update::read(&file, "nt").unwrap();
        let anchor = file.anchor("other").unwrap().1;
        assert_eq!(update.replace("other", anchor).unwrap_err().kind(), crate::ErrorKind::InvalidArgument);
        for path in ["third", "a/nt", ""] {
            assert_eq!(Update::read(&file, path).unwrap_err().kind(), crate::ErrorKind::NotFound);
        }
    }

    #[test]
    fn no_damaged_file_does_harm() {
        let mut files = vec![file_with(&["nt", "a/nt"])];
        for stem in reference_files() {
            files.push(std::fs::read(with_extension(&stem, ".root")).unwrap());
        }
        for bytes in files.into_iter().filter(|bytes| bytes.len() < 3000) {
            for at in 0..bytes.len() {
                let mut bad = bytes.clone();
                bad[at] ^= 0x81;
                let Ok(file) = RootFile::from_storage(Memory::from(bad)) else { continue };
                for key in file.ntuples().unwrap_or_default() {
                    let Ok(mut update) = Update::read(&file, &key.path()) else { continue };
                    let span = crate::root::EnvelopeSpan::default();
                    update.replace(&key.path(), Anchor::new([1, 0, 0, 0], span, span)).unwrap();
                    let _ = update.growth(file.end(), update.modified(), &[]);
                }
            }
        }
    }
}
