//! Keys as they stand in a file that grows: their names go back as they came.

use super::datetime::Datetime;
use super::header::GREATEST_SMALL_OFFSET;
use super::key::{GREATEST_SIZE, Key};
use super::wire::put_offset;
use crate::bytes::{Cursor, Put};
use crate::error::{Error, Result};

/// Added to the version word of a key with 64-bit offsets.
const WIDE: u16 = 1000;
/// Bytes in front of the offsets.
const FRONT: usize = 18;

/// The bytes of a key, names that are not UTF-8 and negative cycles included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RawKey {
    bytes: Vec<u8>,
}

impl RawKey {
    /// Reads the key at the cursor, which goes on behind its names.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        let mut ahead = Cursor::clone(cursor);
        let start = ahead.position();
        Key::read(&mut ahead)?;
        let bytes = cursor.take(ahead.position() - start)?.to_vec();
        Ok(Self { bytes })
    }

    /// As a list repeats it.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same key for a new record at `offset` with `size` bytes of uncompressed payload; wide only where it was,
    /// or must be. `directory`: the one that it belongs to, if not the same as before.
    pub(super) fn moved(
        &self,
        offset: u64,
        size: usize,
        written: Datetime,
        directory: Option<u64>,
    ) -> Result<Self> {
        let mut cursor = Cursor::new(&self.bytes, 0);
        cursor.take(4)?;
        let version = cursor.u16_be()?;
        cursor.take(10)?;
        let cycle: [u8; 2] = cursor.array()?;
        let was_wide = version > WIDE;
        super::wire::read_offset(&mut cursor, was_wide)?;
        let old_directory = super::wire::read_offset(&mut cursor, was_wide)?;
        let directory = directory.unwrap_or(old_directory);
        let names = cursor.take(cursor.remaining())?;
        let wide = was_wide || offset.max(directory) > GREATEST_SMALL_OFFSET;
        let key_size = FRONT + if wide { 16 } else { 8 } + names.len();
        let whole = key_size.saturating_add(size) as u64;
        let sizes = (u32::try_from(whole), u32::try_from(size), u16::try_from(key_size));
        let (Ok(whole), Ok(length), Ok(key_size)) = sizes else {
            return Err(Error::limit(format!(
                "a record has {size} bytes, the format allows {GREATEST_SIZE}"
            )));
        };
        if u64::from(whole) > GREATEST_SIZE {
            return Err(Error::limit(format!(
                "a record has {size} bytes, the format allows {GREATEST_SIZE}"
            )));
        }
        let mut bytes = Vec::with_capacity(usize::from(key_size));
        bytes.put_u32_be(whole);
        bytes.put_u16_be(if wide && !was_wide { version + WIDE } else { version });
        bytes.put_u32_be(length);
        bytes.put_u32_be(written.to_bits());
        bytes.put_u16_be(key_size);
        bytes.put(&cycle);
        put_offset(&mut bytes, wide, offset);
        put_offset(&mut bytes, wide, directory);
        bytes.put(names);
        Ok(Self { bytes })
    }

    /// The same key, of a payload that has `length` bytes when it is not compressed.
    pub(super) fn with_length(mut self, length: u32) -> Self {
        if let Some(place) = self.bytes.get_mut(6..).and_then(|bytes| bytes.first_chunk_mut()) {
            *place = length.to_be_bytes();
        }
        self
    }

    /// Size of the whole record.
    pub(super) fn record_size(&self) -> u32 {
        self.bytes.first_chunk().copied().map_or(0, u32::from_be_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(name: &[u8]) -> Vec<u8> {
        let mut bytes = vec![
            0, 0, 0, 0x84, 0, 4, 0, 0, 0, 0x4e, 0x76, 0xda, 0xd4, 0x18, 0, 0x36, 0xFF, 0xFE, 0, 0, 7, 0x2b,
        ];
        bytes.extend([0, 0, 0, 0x64]);
        bytes.extend(b"\x0dROOT::RNTuple\x0c");
        bytes.extend(name);
        bytes.push(0);
        bytes
    }

    #[test]
    fn everything_but_the_place_stays() {
        let old = small(b"Contribut\xFF\xFE\xFD");
        let key = RawKey::read(&mut Cursor::new(&old, 0)).unwrap();
        assert_eq!(key.bytes(), old);
        let moved = key.moved(70_000, 78, Datetime::from_bits(7), None).unwrap();
        let mut wanted = old.clone();
        wanted[10..14].copy_from_slice(&[0, 0, 0, 7]);
        wanted[18..22].copy_from_slice(&70_000u32.to_be_bytes());
        assert_eq!(moved.bytes(), wanted);
        assert_eq!(moved.record_size(), 132);
    }

    #[test]
    fn a_key_widens_where_it_must_and_stays_wide() {
        let key = RawKey::read(&mut Cursor::new(&small(b"Contributors"), 0)).unwrap();
        for offset in [GREATEST_SMALL_OFFSET + 1, 5 << 30] {
            let far = key.moved(offset, 78, Datetime::EARLIEST, None).unwrap();
            let read = Key::read(&mut Cursor::new(far.bytes(), 0)).unwrap();
            assert_eq!((read.offset, read.directory, read.cycle, read.key_size), (offset, 100, 2, 62));
            assert_eq!((read.size, read.name.as_str()), (140, "Contributors"));
            let near = far.moved(500, 78, Datetime::EARLIEST, Some(300)).unwrap();
            let read = Key::read(&mut Cursor::new(near.bytes(), 0)).unwrap();
            assert_eq!((read.offset, read.directory, read.key_size), (500, 300, 62));
        }
        assert_eq!(key.moved(GREATEST_SMALL_OFFSET, 78, Datetime::EARLIEST, None).unwrap().bytes().len(), 54);
    }

    #[test]
    fn no_prefix_is_a_key_and_no_record_is_too_big() {
        let bytes = small(b"Contributors");
        for length in 0..bytes.len() {
            assert!(RawKey::read(&mut Cursor::new(&bytes[..length], 0)).is_err(), "{length}");
        }
        let key = RawKey::read(&mut Cursor::new(&bytes, 0)).unwrap();
        let error = key.moved(500, 1 << 31, Datetime::EARLIEST, None).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::LimitExceeded);
    }
}
