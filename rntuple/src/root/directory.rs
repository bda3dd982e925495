//! Directories and the lists of their keys (format: container, section 4).

use super::datetime::Datetime;
use super::header::{GREATEST_SMALL_OFFSET, put_uuid};
use super::key::{Key, SMALLEST_KEY};
use super::wire::{put_offset, read_offset};
use crate::bytes::{Cursor, Put};
use crate::error::{Error, Result};
use crate::message::counted;

/// Size of a directory's numbers, whatever the width of its offsets: the record never moves.
pub(super) const DIRECTORY_SIZE: usize = 60;
/// The latest version of the record.
const VERSION: u16 = 5;

/// What a directory says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Directory {
    pub(super) created: Datetime,
    pub(super) modified: Datetime,
    /// Size of the key list's record, key included.
    pub(super) keys_size: u32,
    /// Where these numbers begin, relative to the record.
    pub(super) name_size: u32,
    /// Offset of the directory's own record.
    pub(super) offset: u64,
    /// Offset of the record of the directory above; 0 for the root directory.
    pub(super) parent: u64,
    /// Offset of the key list's record; 0 where there are no keys.
    pub(super) keys_offset: u64,
    pub(super) uuid: [u8; 16],
}

impl Directory {
    /// Reads the numbers of a directory of any version.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        let at = cursor.offset();
        let word = cursor.u16_be()?;
        let (version, wide) = (word % 1000, word > 1000);
        if !(1..=VERSION).contains(&version) {
            let message = format!("the directory has version {word}, supported are 1 to {VERSION}");
            return Err(Error::out_of_spec(message).at_offset(at));
        }
        let created = Datetime::from_bits(cursor.u32_be()?);
        let modified = Datetime::from_bits(cursor.u32_be()?);
        let keys_size = cursor.u32_be()?;
        let name_size = cursor.u32_be()?;
        let offset = read_offset(cursor, wide)?;
        let parent = read_offset(cursor, wide)?;
        let keys_offset = read_offset(cursor, wide)?;
        // The oldest directories end here, and nothing depends on what follows.
        let uuid = cursor.u16_be().and_then(|_| cursor.array()).unwrap_or_default();
        Ok(Self { created, modified, keys_size, name_size, offset, parent, keys_offset, uuid })
    }

    /// Appends the 60 bytes to `out`.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let end = out.len() + DIRECTORY_SIZE;
        let wide = [self.offset, self.parent, self.keys_offset].iter().any(|&at| at > GREATEST_SMALL_OFFSET);
        out.put_u16_be(if wide { 1000 + VERSION } else { VERSION });
        out.put_u32_be(self.created.to_bits());
        out.put_u32_be(self.modified.to_bits());
        out.put_u32_be(self.keys_size);
        out.put_u32_be(self.name_size);
        for offset in [self.offset, self.parent, self.keys_offset] {
            put_offset(out, wide, offset);
        }
        put_uuid(out, &self.uuid);
        out.resize(end, 0);
    }
}

/// Reads the payload of a key list. Bytes behind the last key may be left over from a longer list.
pub(super) fn read_key_list(mut cursor: Cursor<'_>) -> Result<Vec<Key>> {
    let at = cursor.offset();
    let count = cursor.u32_be()?;
    let room = cursor.remaining() / SMALLEST_KEY;
    let Some(count) = usize::try_from(count).ok().filter(|&count| count <= room) else {
        return Err(Error::out_of_spec(format!(
            "the key list has {}, but room for {room}",
            counted(count as u64, "key")
        ))
        .at_offset(at));
    };
    let mut keys = Vec::with_capacity(count);
    for _ in 0..count {
        keys.push(Key::read(&mut cursor)?);
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_key_list(keys: &[Key]) -> Vec<u8> {
        let mut out = Vec::new();
        out.put_u32_be(u32::try_from(keys.len()).unwrap());
        keys.iter().for_each(|key| key.write(&mut out));
        out
    }

    fn sample(keys_offset: u64) -> Directory {
        Directory {
            created: Datetime::EARLIEST,
            modified: Datetime::LATEST,
            keys_size: 99,
            name_size: 60,
            offset: 100,
            parent: 0,
            keys_offset,
            uuid: *b"0123456789abcdef",
        }
    }

    #[test]
    fn both_widths_come_back_in_sixty_bytes() {
        for (at, version) in
            [(0, 5), (GREATEST_SMALL_OFFSET, 5), (GREATEST_SMALL_OFFSET + 1, 1005), (6 << 32, 1005)]
        {
            let mut bytes = Vec::new();
            sample(at).write(&mut bytes);
            assert_eq!(bytes.len(), DIRECTORY_SIZE);
            assert_eq!(u16::from_be_bytes([bytes[0], bytes[1]]), version);
            assert_eq!(Directory::read(&mut Cursor::new(&bytes, 0)).unwrap(), sample(at));
        }
    }

    #[test]
    fn the_oldest_version_has_no_uuid() {
        let mut bytes = Vec::new();
        sample(1967).write(&mut bytes);
        bytes[1] = 1;
        let old = Directory::read(&mut Cursor::new(&bytes[..30], 0)).unwrap();
        assert_eq!(old, Directory { uuid: [0; 16], ..sample(1967) });
        assert!(Directory::read(&mut Cursor::new(&bytes[..29], 0)).is_err());
    }

    #[test]
    fn unknown_versions_are_refused() {
        for version in [0u16, 6, 1000, 1006, u16::MAX] {
            let mut bytes = Vec::new();
            sample(0).write(&mut bytes);
            bytes[..2].copy_from_slice(&version.to_be_bytes());
            assert!(Directory::read(&mut Cursor::new(&bytes, 0)).is_err(), "{version}");
        }
    }

    #[test]
    fn a_key_list_comes_back_and_slack_is_left_alone() {
        let keys: Vec<Key> = ["a", "b", "c"]
            .map(|name| Key::new("ROOT::RNTuple", name, "").with_payload(78, 78).unwrap())
            .into();
        let mut bytes = write_key_list(&keys);
        bytes.extend([0xEE; 24]);
        assert_eq!(read_key_list(Cursor::new(&bytes, 0)).unwrap(), keys);
        for length in 0..bytes.len() - 24 {
            assert!(read_key_list(Cursor::new(&bytes[..length], 0)).is_err());
        }
    }

    #[test]
    fn a_count_without_room_is_refused_at_once() {
        let error = read_key_list(Cursor::new(&[0xFF; 4], 0)).unwrap_err();
        assert!(error.to_string().contains("room for 0"));
    }
}
