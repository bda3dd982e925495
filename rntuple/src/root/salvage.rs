//! Records of a file that is cut short or damaged: they are followed as far as they lead, and looked for beyond that.

use std::ops::Range;
use std::sync::Arc;

use super::datetime::Datetime;
use super::directory::Directory;
use super::free_list::SMALLEST_GAP;
use super::header::{BEGIN, FileHeader, HEADER_SIZE};
use super::key::{Key, SMALLEST_KEY};
use super::reader::RootFile;
use crate::bytes::Cursor;
use crate::storage::ReadAt;

/// The class of the records that hold the bytes of ntuples, as a key has it.
const BLOB_CLASS: &[u8] = b"\x05RBlob";
/// Where the class stands in a key with small and with big offsets.
const CLASS_PLACES: [u64; 2] = [26, 34];
/// Bytes of a key that are read at once.
const KEY_PROBE: u64 = 128;
/// Bytes that are searched at once: few first, as the next record may be near, and then more and more.
const FIRST_WINDOW: u64 = 512;
const LAST_WINDOW: u64 = 1 << 20;
/// What is left out where the medium cannot be read.
const SECTOR: u64 = 4096;

/// A record that was found.
#[derive(Clone, Debug)]
pub(crate) struct Salvaged {
    pub(crate) class: String,
    /// Offset of its first byte.
    pub(crate) offset: u64,
    /// Its payload, as far as the file has it.
    pub(crate) payload: Range<u64>,
    /// What its key says about the length of the payload when it is not compressed.
    pub(crate) length: u64,
    /// Whether the file ends before the record does.
    pub(crate) is_cut: bool,
}

impl RootFile {
    /// Opens storage whatever it holds: only what has an offset can be read, up to the last byte that there is.
    pub(crate) fn broken(storage: Arc<dyn ReadAt>) -> Self {
        let size = storage.size();
        let bytes = storage.block(0..HEADER_SIZE.min(size)).ok();
        let header = bytes.and_then(|bytes| FileHeader::read(&bytes).ok());
        let header = header.unwrap_or(FileHeader {
            version: 0,
            begin: BEGIN,
            end: size,
            free_offset: 0,
            free_size: 0,
            free_count: 0,
            name_size: 0,
            compression: 0,
            info_offset: 0,
            info_size: 0,
            uuid: [0; 16],
        });
        let top = Directory {
            created: Datetime::EARLIEST,
            modified: Datetime::EARLIEST,
            keys_size: 0,
            name_size: 0,
            offset: 0,
            parent: 0,
            keys_offset: 0,
            uuid: [0; 16],
        };
        Self::of_parts(storage, FileHeader { end: size, free_offset: 0, ..header }, top)
    }

    /// All records that can be found.
    pub(crate) fn salvage(&self) -> Salvage<'_> {
        Salvage { file: self, at: self.header().begin.min(self.end()) }
    }

    /// The key of the record at `offset`, whose end may be cut off.
    fn key_of_record(&self, offset: u64) -> Option<Key> {
        let left = self.end().checked_sub(offset)?;
        let mut bytes = self.bytes(offset, left.min(KEY_PROBE)).ok()?;
        let key_size = u64::from(u16::from_be_bytes(*bytes.get(14..)?.first_chunk()?));
        if key_size > KEY_PROBE {
            bytes = self.bytes(offset, key_size.min(left)).ok()?;
        }
        // A key says where it is: bytes that look like one by chance do not.
        Key::read(&mut Cursor::new(&bytes, offset)).ok().filter(|key| key.offset == offset)
    }

    /// The bytes of the gap at `offset`, if there is one.
    fn gap_of(&self, offset: u64) -> Option<u64> {
        let bytes = self.bytes(offset, 4).ok()?;
        let marker = i32::from_be_bytes(*bytes.first_chunk()?);
        (marker < 0).then(|| u64::from(marker.unsigned_abs())).filter(|size| *size >= SMALLEST_GAP)
    }
}

/// The records of a file, in order: see [`RootFile::salvage`].
#[derive(Debug)]
pub(crate) struct Salvage<'a> {
    file: &'a RootFile,
    at: u64,
}

impl Salvage<'_> {
    /// Whether a record or a gap begins here, or the file ends.
    fn is_border(&self, offset: u64) -> bool {
        offset == self.file.end()
            || self.file.key_of_record(offset).is_some()
            || self.file.gap_of(offset).is_some_and(|size| offset.saturating_add(size) <= self.file.end())
    }

    /// The first blob from `from` on, whatever is before it.
    fn search(&self, from: u64) -> Option<u64> {
        let (end, overlap) = (self.file.end(), CLASS_PLACES[1] + BLOB_CLASS.len() as u64);
        let (mut at, mut window) = (from, FIRST_WINDOW);
        while at < end {
            let size = (end - at).min(window);
            window = (window * 2).min(LAST_WINDOW);
            let Ok(bytes) = self.file.bytes(at, size) else {
                // Byte by byte would take for ever: somewhere in it there is a sector that cannot be read.
                match self.search_sectors(at, size) {
                    Some(found) => return Some(found),
                    None => at += size,
                }
                continue;
            };
            if let Some(found) = self.first_in(at, &bytes, from) {
                return Some(found);
            }
            if at + size == end {
                break;
            }
            at = (at + size).saturating_sub(overlap).max(at + 1);
        }
        None
    }

    fn search_sectors(&self, from: u64, size: u64) -> Option<u64> {
        let mut at = from;
        while at < from + size {
            let part = (from + size - at).min(SECTOR);
            let found = self.file.bytes(at, part).ok().and_then(|bytes| self.first_in(at, &bytes, from));
            if found.is_some() {
                return found;
            }
            at += part;
        }
        None
    }

    fn first_in(&self, at: u64, bytes: &[u8], from: u64) -> Option<u64> {
        let classes = bytes.windows(BLOB_CLASS.len()).enumerate().filter(|(_, class)| *class == BLOB_CLASS);
        let places = classes.flat_map(|(position, _)| {
            CLASS_PLACES.iter().filter_map(move |place| (at + position as u64).checked_sub(*place))
        });
        places.filter(|place| *place >= from).find(|place| self.file.key_of_record(*place).is_some())
    }
}

impl Iterator for Salvage<'_> {
    type Item = Salvaged;

    fn next(&mut self) -> Option<Salvaged> {
        let end = self.file.end();
        while self.at.saturating_add(SMALLEST_KEY as u64) <= end {
            let offset = self.at;
            if let Some(key) = self.file.key_of_record(offset) {
                let payload = offset + u64::from(key.key_size);
                let next = offset + u64::from(key.size);
                // Where its size is damaged, the next record may begin within it.
                let is_cut = next > end;
                self.at =
                    if !is_cut && self.is_border(next) { next } else { self.search(payload).unwrap_or(end) };
                let payload = payload.min(end)..next.min(end).max(payload.min(end));
                return Some(Salvaged {
                    class: key.class,
                    offset,
                    payload,
                    length: key.length.into(),
                    is_cut,
                });
            }
            let gap = self.file.gap_of(offset).map(|size| offset.saturating_add(size));
            self.at = match gap.filter(|after| *after < end && self.is_border(*after)) {
                Some(after) => after,
                None => self.search(offset.saturating_add(1)).unwrap_or(end),
            };
        }
        None
    }
}
