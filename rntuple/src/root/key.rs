//! The key in front of every record: what the record is and how big it is (format: container, section 3).

use super::datetime::Datetime;
use super::wire::{put_offset, put_string, read_offset, read_string, string_size};
use crate::bytes::{Cursor, Put};
use crate::error::{Error, Result};

/// Version word of a key with 32-bit offsets; anything above 1000 has 64-bit offsets.
const SMALL_VERSION: u16 = 4;
/// Version word of the keys that we write.
const BIG_VERSION: u16 = 1000 + SMALL_VERSION;
/// A small key with three empty strings.
pub(super) const SMALLEST_KEY: usize = 26 + 3;
/// A big key without its strings.
const BIG_FIXED: usize = 34;
/// The upper 16 bits of the directory's offset number a process, not a place.
const DIRECTORY_MASK: u64 = 0x0000_FFFF_FFFF_FFFF;
/// fNbytes and fObjlen are signed 32-bit numbers.
pub(super) const GREATEST_SIZE: u64 = i32::MAX as u64;

/// The key of a record. Small and big keys mix freely; we write big ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// Size of the record: this key and its payload.
    pub(super) size: u32,
    /// Length of the payload when it is not compressed. Decorative for blobs.
    pub(super) length: u32,
    pub(super) written: Datetime,
    /// Size of this key.
    pub(super) key_size: u16,
    /// Tells keys of one name apart; the highest one counts.
    pub(super) cycle: u16,
    /// Offset of the record.
    pub(super) offset: u64,
    /// Offset of the record of the directory that the record belongs to.
    pub(super) directory: u64,
    pub(super) class: String,
    pub(super) name: String,
    pub(super) title: String,
}

impl Key {
    /// Reads a key, of a record or in a key list.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        let (at, start) = (cursor.offset(), cursor.position());
        let fault = |message: String| Error::out_of_spec(message).at_offset(at);
        let size = cursor.i32_be()?;
        let wide = cursor.u16_be()? > 1000;
        let length = cursor.i32_be()?;
        let written = Datetime::from_bits(cursor.u32_be()?);
        let mut key_size = cursor.u16_be()?;
        // A negative cycle asks ROOT to keep the key when others of its name are purged.
        let cycle = i16::from_be_bytes(cursor.array()?).unsigned_abs();
        let offset = read_offset(cursor, wide)?;
        let directory = read_offset(cursor, wide)? & DIRECTORY_MASK;
        let (class, name, title) = (read_string(cursor)?, read_string(cursor)?, read_string(cursor)?);
        let used = cursor.position() - start;
        if class == "RBlob" {
            // ROOT 6.29 gave the size of a small key to the big ones of blobs.
            key_size = key_size.max(u16::try_from(used).unwrap_or(u16::MAX));
        } else if used > usize::from(key_size) {
            return Err(fault(format!("a key says it has {key_size} bytes, but its strings end at {used}")));
        }
        let size = u32::try_from(size).ok().filter(|&size| size >= u32::from(key_size));
        let Some(size) = size else {
            return Err(fault(format!("a record is smaller than its key of {key_size} bytes")));
        };
        let Ok(length) = u32::try_from(length) else {
            return Err(fault(format!("a record has the negative length {length}")));
        };
        Ok(Self { size, length, written, key_size, cycle, offset, directory, class, name, title })
    }

    /// A key for a new record at `offset`; size and length follow from [`with_payload`](Self::with_payload).
    pub(super) fn new(class: &str, name: &str, title: &str) -> Self {
        let strings = string_size(class) + string_size(name) + string_size(title);
        Self {
            size: 0,
            length: 0,
            written: Datetime::EARLIEST,
            // Names are limited to 254 bytes before they come here.
            key_size: u16::try_from(BIG_FIXED + strings).unwrap_or(u16::MAX),
            cycle: 1,
            offset: 0,
            directory: 0,
            class: class.into(),
            name: name.into(),
            title: title.into(),
        }
    }

    /// The key of a record with `size` bytes of payload, which are `length` bytes in memory.
    pub(super) fn with_payload(mut self, size: u64, length: u64) -> Result<Self> {
        let whole = size.checked_add(u64::from(self.key_size)).filter(|&whole| whole <= GREATEST_SIZE);
        let Some(whole) = whole.and_then(|whole| u32::try_from(whole).ok()) else {
            return Err(Error::limit(format!(
                "a record has {size} bytes, the format allows {GREATEST_SIZE}"
            )));
        };
        self.size = whole;
        self.length = u32::try_from(length.min(GREATEST_SIZE)).unwrap_or(u32::MAX);
        Ok(self)
    }

    /// Appends the key to `out`, always with 64-bit offsets.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.put_u32_be(self.size);
        out.put_u16_be(BIG_VERSION);
        out.put_u32_be(self.length);
        out.put_u32_be(self.written.to_bits());
        out.put_u16_be(self.key_size);
        out.put_u16_be(self.cycle);
        put_offset(out, true, self.offset);
        put_offset(out, true, self.directory);
        for text in [&self.class, &self.name, &self.title] {
            put_string(out, text);
        }
    }

    /// Offset of the payload.
    pub(super) fn payload_offset(&self) -> u64 {
        self.offset.saturating_add(u64::from(self.key_size))
    }

    /// Size of the payload on storage.
    pub(super) fn payload_size(&self) -> u32 {
        self.size - u32::from(self.key_size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Key {
        let mut key = Key::new("ROOT::RNTuple", "Contributors", "").with_payload(78, 78).unwrap();
        key.offset = 1835;
        key.directory = 100;
        key.written = Datetime::from_bits(0x76da_d418);
        key
    }

    #[test]
    fn a_big_key_comes_back_and_no_prefix_of_it_does() {
        let key = sample();
        let mut bytes = Vec::new();
        key.write(&mut bytes);
        assert_eq!(bytes.len(), usize::from(key.key_size));
        assert_eq!(Key::read(&mut Cursor::new(&bytes, 0)).unwrap(), key);
        for length in 0..bytes.len() {
            assert!(Key::read(&mut Cursor::new(&bytes[..length], 0)).is_err());
        }
    }

    #[test]
    fn a_small_key_of_a_real_file_is_read() {
        // uncompressed_single-v1.0.0.0.root at 1835 (format: container, section 8).
        let mut bytes = vec![
            0, 0, 0, 0x84, 0, 4, 0, 0, 0, 0x4e, 0x76, 0xda, 0xd4, 0x18, 0, 0x36, 0, 1, 0, 0, 7, 0x2b, 0, 0,
            0, 0x64,
        ];
        bytes.extend(b"\x0dROOT::RNTuple\x0cContributors\x00");
        let key = Key::read(&mut Cursor::new(&bytes, 0)).unwrap();
        // Ours would be eight bytes longer.
        assert_eq!(key, Key { key_size: 54, size: 132, ..sample() });
        assert_eq!(key.payload_offset(), 1889);
        assert_eq!(key.payload_size(), 78);
    }

    #[test]
    fn contradictions_are_refused() {
        let write = |change: fn(&mut Key)| {
            let mut key = sample();
            change(&mut key);
            let mut bytes = Vec::new();
            key.write(&mut bytes);
            Key::read(&mut Cursor::new(&bytes, 1000))
        };
        assert!(write(|_| ()).is_ok());
        assert!(write(|key| key.key_size += 1).is_ok());
        assert!(write(|key| key.key_size -= 1).unwrap_err().to_string().contains("strings end at 62"));
        assert!(write(|key| key.size = 61).unwrap_err().to_string().contains("smaller than its key"));
        assert!(write(|key| key.size = u32::MAX).is_err());
        assert!(write(|key| key.length = u32::MAX).is_err());
    }

    #[test]
    fn the_key_of_a_blob_may_understate_its_size() {
        let mut key = Key::new("RBlob", "", "").with_payload(5, 5).unwrap();
        key.key_size = 34;
        let mut bytes = Vec::new();
        key.write(&mut bytes);
        let read = Key::read(&mut Cursor::new(&bytes, 0)).unwrap();
        assert_eq!((read.key_size, read.payload_size()), (42, 5));
    }

    #[test]
    fn a_negative_cycle_and_a_process_number_are_looked_through() {
        let mut key = sample();
        key.cycle = -3i16 as u16;
        key.directory = 100 | 7 << 48;
        let mut bytes = Vec::new();
        key.write(&mut bytes);
        let read = Key::read(&mut Cursor::new(&bytes, 0)).unwrap();
        assert_eq!((read.cycle, read.directory), (3, 100));
    }

    #[test]
    fn records_beyond_31_bits_are_refused() {
        assert!(Key::new("RBlob", "", "").with_payload(GREATEST_SIZE - 42, u64::MAX).is_ok());
        let error = Key::new("RBlob", "", "").with_payload(GREATEST_SIZE - 41, 0).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::LimitExceeded);
        assert!(Key::new("RBlob", "", "").with_payload(u64::MAX, 0).is_err());
    }
}
