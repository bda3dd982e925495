//! What leads to the records of a file, rewritten in place when the file grows: a few numbers of the header and of
//! directories.

use super::datetime::Datetime;
use super::directory::DIRECTORY_SIZE;
use super::header::{GREATEST_SMALL_OFFSET, HEADER_SIZE, LARGE};
use super::key::Key;
use super::raw_key::RawKey;
use super::reader::RootFile;
use super::wire::{put_offset, read_offset};
use crate::bytes::{Cursor, Put};
use crate::error::{Error, Result};

/// Bytes that a disk writes in one piece.
pub(super) const SECTOR: u64 = 512;

/// Bytes at a place of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) offset: u64,
    pub(super) bytes: Vec<u8>,
}

/// What is left to be written when all data are.
#[derive(Debug)]
pub(super) struct Growth {
    /// Records that follow the data.
    pub(super) tail: Vec<u8>,
    /// Where the file then ends.
    pub(super) end: u64,
    /// Old bytes of what the steps overwrite: no other program may have changed them.
    pub(super) replaced: Vec<Numbers>,
    /// Writes that make the tail count, a flush after each.
    pub(super) steps: Vec<Numbers>,
    /// Marks of records that nothing leads to after the steps: written together, with one flush after all of them.
    pub(super) marks: Vec<Numbers>,
}

/// A record found by its offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) offset: u64,
    pub(super) size: u32,
}

impl From<&Key> for Place {
    fn from(key: &Key) -> Self {
        Self { offset: key.offset, size: key.size }
    }
}

/// What the header of a grown file says.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewHeader {
    pub(super) end: u64,
    pub(super) free: Place,
    pub(super) free_count: usize,
    /// The streamer info, if it is another record than before.
    pub(super) info: Option<Place>,
}

impl Numbers {
    pub(super) fn read(file: &RootFile, offset: u64, size: u64) -> Result<Self> {
        Ok(Self { offset, bytes: file.bytes(offset, size)?.to_vec() })
    }

    pub(super) fn end(&self) -> u64 {
        self.offset.saturating_add(self.bytes.len() as u64)
    }

    /// Puts bytes in the place of some of these.
    pub(super) fn overlay(&mut self, new: &Self) {
        let start = new.offset.checked_sub(self.offset).and_then(|start| usize::try_from(start).ok());
        let room = start.and_then(|start| self.bytes.get_mut(start..)?.get_mut(..new.bytes.len()));
        debug_assert!(room.is_some(), "the front of a file holds its header and directory");
        if let Some(room) = room {
            room.copy_from_slice(&new.bytes);
        }
    }

    /// From the first byte that is not as before to the last: the less is written, the less can be torn.
    pub(super) fn changed(&self, old: &Self) -> Option<Self> {
        let differs = |(_, (new, old)): &(usize, (&u8, &u8))| new != old;
        let mut pairs = self.bytes.iter().zip(&old.bytes).enumerate().filter(differs).map(|(at, _)| at);
        let first = pairs.next()?;
        let last = pairs.next_back().unwrap_or(first);
        let bytes = self.bytes.get(first..=last)?.to_vec();
        Some(Self { offset: self.offset + first as u64, bytes })
    }

    /// Returns the header of the grown file, where these bytes are the old one. The layout stays unless offsets outgrow it.
    pub(super) fn header_of(&self, wanted: NewHeader) -> Result<Self> {
        let NewHeader { end, free, free_count, .. } = wanted;
        let old = &self.bytes;
        let mut cursor = Cursor::new(old, 0);
        let magic: [u8; 4] = cursor.array()?;
        let version = cursor.u32_be()?;
        let was_large = version >= LARGE;
        let large = was_large || end > GREATEST_SMALL_OFFSET;
        let begin: [u8; 4] = cursor.array()?;
        let offset_size = |large| if large { 8 } else { 4 };
        // Where the file ended, and its free list.
        cursor.take(2 * offset_size(was_large) + 8)?;
        let name_size: [u8; 4] = cursor.array()?;
        let units = cursor.u8()?;
        let compression: [u8; 4] = cursor.array()?;
        let info = Place { offset: read_offset(&mut cursor, was_large)?, size: cursor.u32_be()? };
        let info = wanted.info.unwrap_or(info);
        // UUID, and up to the first record whatever some writers leave there.
        let rest = cursor.take(cursor.remaining())?;
        let mut new = Vec::with_capacity(old.len());
        new.put(&magic);
        new.put_u32_be(if large && !was_large { version.saturating_add(LARGE) } else { version });
        new.put(&begin);
        put_offset(&mut new, large, end);
        put_offset(&mut new, large, free.offset);
        new.put_u32_be(free.size);
        new.put_u32_be(u32::try_from(free_count).unwrap_or(u32::MAX));
        new.put(&name_size);
        new.put_u8(if large && !was_large { 8 } else { units });
        new.put(&compression);
        put_offset(&mut new, large, info.offset);
        new.put_u32_be(info.size);
        new.put(rest);
        // A header that grew takes the place of bytes that mean nothing.
        new.truncate(old.len());
        if large && (new.len() as u64) < HEADER_SIZE {
            return Err(Error::unsupported(format!(
                "the file passes 2 GB, but its first record is at {}, where the longer header has to be",
                old.len()
            )));
        }
        Ok(Self { offset: 0, bytes: new })
    }

    /// Returns the numbers of a directory in the grown file, where these bytes are the old ones.
    pub(super) fn directory_of(&self, keys: Place, time: Datetime) -> Result<Self> {
        let old = &self.bytes;
        let mut cursor = Cursor::new(old, 0);
        let word = cursor.u16_be()?;
        let was_wide = word > 1000;
        let wide = was_wide || keys.offset > GREATEST_SMALL_OFFSET;
        let created: [u8; 4] = cursor.array()?;
        cursor.take(8)?;
        let name_size: [u8; 4] = cursor.array()?;
        let offset = read_offset(&mut cursor, was_wide)?;
        let parent = read_offset(&mut cursor, was_wide)?;
        read_offset(&mut cursor, was_wide)?;
        let rest = cursor.take(cursor.remaining())?;
        let mut new = Vec::with_capacity(DIRECTORY_SIZE);
        new.put_u16_be(if wide && !was_wide { word + 1000 } else { word });
        new.put(&created);
        new.put_u32_be(time.to_bits());
        new.put_u32_be(keys.size);
        new.put(&name_size);
        put_offset(&mut new, wide, offset);
        put_offset(&mut new, wide, parent);
        put_offset(&mut new, wide, keys.offset);
        new.put(rest);
        // The record has room for wide offsets since version 5 (format: container, section 4).
        if wide && !was_wide && (word != 5 || old.len() < DIRECTORY_SIZE) {
            let message = format!("the file passes 2 GB, but has a directory of version {word}");
            return Err(Error::unsupported(message).at_offset(self.offset));
        }
        new.truncate(old.len());
        Ok(Self { offset: self.offset, bytes: new })
    }
}

/// A key list, keys as they stand there.
pub(super) fn read_list(file: &RootFile, offset: u64) -> Result<(RawKey, Vec<RawKey>)> {
    let key = file.key_at(offset)?;
    let payload_offset = offset.saturating_add(key.key_size.into());
    let payload = file.bytes(payload_offset, key.payload_size().into())?;
    let mut cursor = Cursor::new(&payload, payload_offset);
    let count = cursor.u32_be()?;
    let mut keys = Vec::new();
    for _ in 0..count {
        keys.push(RawKey::read(&mut cursor)?);
    }
    Ok((raw_key(file, offset)?, keys))
}

/// Returns the key of the record at `offset`, as the file has it.
pub(super) fn raw_key(file: &RootFile, offset: u64) -> Result<RawKey> {
    let key = file.key_at(offset)?;
    let bytes = file.bytes(offset, key.key_size.into())?;
    RawKey::read(&mut Cursor::new(&bytes, offset))
}
