//! Locators: where bytes are on storage (format, section 4.4).
//!
//! ```text
//! standard   i32 size >= 0         u64 offset
//! others     i32 = -(type << 24 | size of the locator)   payload
//! ```

use super::Dialect;
use crate::bytes::{Cursor, Put};
use crate::error::{Error, Result};
use crate::schema::Locator;

/// The least that a locator takes: its first word, if the type is unknown.
pub(super) const LOCATOR: usize = 4;

/// Type of a locator in a file whose size does not fit into 31 bits.
const LARGE: u8 = 0x01;
/// First word of a large locator, which has 20 bytes: the word, size, offset.
const LARGE_WORD: i32 = -((LARGE as i32) << 24 | 20);

pub(super) fn read(cursor: &mut Cursor<'_>, dialect: Dialect) -> Result<Locator> {
    let start = cursor.offset();
    let word = cursor.i32_le()?;
    if let Ok(size) = u32::try_from(word) {
        return Ok(Locator::File { offset: cursor.u64_le()?, size: u64::from(size) });
    }
    let [low, high, _reserved, kind] = word.unsigned_abs().to_le_bytes();
    let kind = kind & 0x7f;
    let size = usize::from(u16::from_le_bytes([low, high]));
    let payload = size.checked_sub(LOCATOR).filter(|payload| *payload <= cursor.remaining());
    let Some(payload) = payload else {
        return Err(Error::out_of_spec(format!(
            "a locator has {size} bytes, but {} are left",
            cursor.remaining().saturating_add(LOCATOR)
        ))
        .at_offset(start));
    };
    let mut payload = cursor.split(payload)?;
    match kind {
        LARGE if dialect.is_released => {
            let size = payload.u64_le()?;
            Ok(Locator::File { offset: payload.u64_le()?, size })
        }
        kind => Ok(Locator::Unknown { kind }),
    }
}

/// Appends a locator. One of an unknown kind cannot be written: its place is not known.
pub(super) fn put(out: &mut Vec<u8>, locator: &Locator) -> Result<()> {
    match *locator {
        Locator::File { offset, size } => {
            match i32::try_from(size) {
                Ok(size) => out.put_i32_le(size),
                Err(_) => {
                    out.put_i32_le(LARGE_WORD);
                    out.put_u64_le(size);
                }
            }
            out.put_u64_le(offset);
            Ok(())
        }
        Locator::Unknown { kind } => {
            Err(Error::unsupported(format!("a locator of the unknown kind {kind:#04x} cannot be written")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format_version::FormatVersion;

    fn round_trip(locator: Locator) -> Vec<u8> {
        let mut bytes = Vec::new();
        put(&mut bytes, &locator).unwrap();
        let mut cursor = Cursor::new(&bytes, 0);
        assert_eq!(read(&mut cursor, Dialect::V1).unwrap(), locator);
        assert_eq!(cursor.remaining(), 0);
        bytes
    }

    #[test]
    fn the_size_chooses_the_kind() {
        let bytes = round_trip(Locator::File { offset: 0x581, size: 0xf4 });
        assert_eq!(bytes, [0xf4, 0, 0, 0, 0x81, 5, 0, 0, 0, 0, 0, 0]);
        assert_eq!(round_trip(Locator::File { offset: 1, size: 0x7fff_ffff }).len(), 12);
        let bytes = round_trip(Locator::File { offset: 1, size: 0x8000_0000 });
        assert_eq!(bytes[..5], [0xec, 0xff, 0xff, 0xfe, 0]);
        assert_eq!(bytes.len(), 20);
        round_trip(Locator::File { offset: u64::MAX, size: u64::MAX });
    }

    #[test]
    fn an_unknown_kind_is_passed_over_by_its_size() {
        let mut bytes = (-(0x7e_i32 << 24 | 16)).to_le_bytes().to_vec();
        bytes.put(&[7; 12]);
        bytes.put_u8(9);
        let mut cursor = Cursor::new(&bytes, 0);
        let locator = read(&mut cursor, Dialect::V1).unwrap();
        assert_eq!(locator, Locator::Unknown { kind: 0x7e });
        assert_eq!(cursor.u8().unwrap(), 9);
        assert!(put(&mut Vec::new(), &locator).is_err());
    }

    /// In the drafts of before version 1 the number of large locators is that of objects, or of URIs.
    #[test]
    fn before_version_1_other_kinds_are_unknown() {
        let mut bytes = Vec::new();
        put(&mut bytes, &Locator::File { offset: 1, size: 1 << 31 }).unwrap();
        let locator = read(&mut Cursor::new(&bytes, 0), Dialect::of(FormatVersion::Rc21)).unwrap();
        assert_eq!(locator, Locator::Unknown { kind: LARGE });
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for word in
            [i32::MIN, i32::MIN + 1, -1, -3, -(0x02 << 24 | 3), -(0x02 << 24 | 17), -(0x01 << 24 | 12)]
        {
            let mut bytes = word.to_le_bytes().to_vec();
            bytes.put(&[0; 12]);
            assert!(read(&mut Cursor::new(&bytes, 0), Dialect::V1).is_err(), "{word:#x}");
        }
        let bytes = [5, 0, 0, 0, 1];
        assert!(read(&mut Cursor::new(&bytes, 0), Dialect::V1).is_err());
    }
}
