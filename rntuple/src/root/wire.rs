//! What the records of a ROOT file are made of: counted strings and offsets of two widths.

use crate::bytes::{Cursor, Put};
use crate::error::Result;

/// Lengths from here on do not fit the one-byte form (format: container, section 1.1).
const LONG: usize = 255;

/// Reads a counted string. Names are shown and compared, never written back, so that bytes which
/// are not UTF-8 may become replacement characters.
pub(super) fn read_string(cursor: &mut Cursor<'_>) -> Result<String> {
    let length = match cursor.u8()? {
        0xFF => cursor.u32_be()?,
        short => u32::from(short),
    };
    // A length that does not fit `usize` cannot be there either.
    let bytes = cursor.take(usize::try_from(length).unwrap_or(usize::MAX))?;
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

/// Writes a counted string.
pub(super) fn put_string(out: &mut Vec<u8>, text: &str) {
    match u8::try_from(text.len()) {
        Ok(length) if text.len() < LONG => out.put_u8(length),
        _ => {
            out.put_u8(0xFF);
            out.put_u32_be(u32::try_from(text.len()).unwrap_or(u32::MAX));
        }
    }
    out.put(text.as_bytes());
}

/// Size of a counted string on storage.
pub(super) fn string_size(text: &str) -> usize {
    text.len() + if text.len() < LONG { 1 } else { 5 }
}

/// Reads an offset: 8 bytes where the record is `wide`, otherwise 4.
pub(super) fn read_offset(cursor: &mut Cursor<'_>, wide: bool) -> Result<u64> {
    if wide { cursor.u64_be() } else { Ok(u64::from(cursor.u32_be()?)) }
}

/// Writes an offset; whoever asks for the narrow form has made sure that it fits.
pub(super) fn put_offset(out: &mut Vec<u8>, wide: bool, offset: u64) {
    debug_assert!(wide || u32::try_from(offset).is_ok());
    let [_, _, _, _, low @ ..] = offset.to_be_bytes();
    if wide { out.put(&offset.to_be_bytes()) } else { out.put(&low) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_come_back_around_the_long_form() {
        for length in [0, 1, 254, 255, 256, 70_000] {
            let text = "x".repeat(length);
            let mut bytes = Vec::new();
            put_string(&mut bytes, &text);
            assert_eq!(bytes.len(), string_size(&text), "{length}");
            assert_eq!(read_string(&mut Cursor::new(&bytes, 0)).unwrap(), text);
            assert!(read_string(&mut Cursor::new(&bytes[..bytes.len() - 1], 0)).is_err());
        }
    }

    #[test]
    fn a_huge_length_is_refused_before_anything_is_allocated() {
        assert!(read_string(&mut Cursor::new(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, b'x'], 0)).is_err());
    }

    #[test]
    fn offsets_come_back_in_both_widths() {
        let mut bytes = Vec::new();
        put_offset(&mut bytes, false, 0x0102_0304);
        put_offset(&mut bytes, true, 0x01_0203_0405);
        assert_eq!(bytes, [1, 2, 3, 4, 0, 0, 0, 1, 2, 3, 4, 5]);
        let mut cursor = Cursor::new(&bytes, 0);
        assert_eq!(read_offset(&mut cursor, false).unwrap(), 0x0102_0304);
        assert_eq!(read_offset(&mut cursor, true).unwrap(), 0x01_0203_0405);
    }
}
