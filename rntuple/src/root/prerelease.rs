//! Anchors from before the format was released (format: legacy, sections 1 and 4).
//!
//! ```text
//! class version   bytes
//! 0               58      prototype or rc1.0: their headers tell them apart
//! 3               58      rc1.1 or rc1.2: their footers do
//! 4               70      rc2.0
//! 6               78      rc2.1, laid out as in version 1
//! ```

use xxhash_rust::xxh3::xxh3_64;

use super::anchor::{Anchor, BYTE_COUNT, EnvelopeSpan, FRAMING};
use crate::bytes::{Block, Cursor};
use crate::error::{Error, Result};
use crate::format_version::FormatVersion;

/// Bytes that the byte counts count, in anchors of 58 and 70 bytes.
const COUNTED_SHORT: u32 = 54;
const COUNTED_MIDDLE: u32 = 66;
/// Nothing was cut into several blobs.
const UNCUT: u64 = u64::MAX;

/// Reads the (uncompressed) payload of an anchor's record. Where the anchor does not settle what it is, `envelope`
/// is asked for the bytes of one of its envelopes.
pub(super) fn read(payload: &[u8], envelope: impl Fn(EnvelopeSpan) -> Result<Block>) -> Result<Anchor> {
    let mut cursor = Cursor::new(payload, 0);
    let word = cursor.u32_be()?;
    let class_version = cursor.u16_be()?;
    let counted = match class_version {
        0 | 3 => COUNTED_SHORT,
        4 | 6 => COUNTED_MIDDLE,
        other => {
            let message =
                format!("the pre-release anchor has class version {other}, supported are 0, 3, 4 and 6");
            return Err(Error::unsupported(message));
        }
    };
    if word != BYTE_COUNT | counted {
        return Err(Error::out_of_spec(format!("an anchor cannot begin with {word:#010x}")));
    }
    match class_version {
        0 => {
            let (header, footer) = short(&mut cursor)?;
            from_header(&envelope(header)?)?;
            Ok(anchor(FormatVersion::Rc10, header, footer))
        }
        3 => {
            let (header, footer) = short(&mut cursor)?;
            let format_version = from_footer(&envelope(footer)?)?;
            Ok(anchor(format_version, header, footer))
        }
        4 => middle(payload),
        _ => {
            let anchor = Anchor { format_version: FormatVersion::Rc21, ..Anchor::read_members(payload)? };
            check_version(anchor.version)?;
            Ok(anchor)
        }
    }
}

fn anchor(format_version: FormatVersion, header: EnvelopeSpan, footer: EnvelopeSpan) -> Anchor {
    Anchor { format_version, version: [0; 4], header, footer, max_key_size: UNCUT }
}

/// The links of an anchor of 58 bytes. Nothing in it is covered by a checksum.
fn short(cursor: &mut Cursor<'_>) -> Result<(EnvelopeSpan, EnvelopeSpan)> {
    cursor.take(12)?; // class checksum, version, size
    let mut span = || -> Result<EnvelopeSpan> {
        let (offset, size, length) = (cursor.u64_be()?, cursor.u32_be()?, cursor.u32_be()?);
        Ok(EnvelopeSpan { offset, size: size.into(), length: length.into() })
    };
    let links = (span()?, span()?);
    cursor.take(8)?; // reserved
    Ok(links)
}

/// An anchor of 70 bytes: as in version 1, without the maximum key size, and the byte count counts the checksum.
fn middle(payload: &[u8]) -> Result<Anchor> {
    let mut cursor = Cursor::new(payload, 0);
    cursor.take(FRAMING)?;
    let hashed = cursor.take((COUNTED_MIDDLE + 4) as usize - FRAMING - 8)?;
    if cursor.u64_be()? != xxh3_64(hashed) {
        return Err(Error::out_of_spec("the anchor's checksum differs"));
    }
    let mut members = Cursor::new(hashed, FRAMING as u64);
    let version = Anchor::read_version(&mut members)?;
    check_version(version)?;
    let (header, footer) = (EnvelopeSpan::read(&mut members)?, EnvelopeSpan::read(&mut members)?);
    Ok(Anchor { version, ..anchor(FormatVersion::Rc20, header, footer) })
}

/// Files of the second release candidate say 0.2; one that says 0.3 was announced and never seen.
fn check_version(version: [u16; 4]) -> Result<()> {
    match version {
        [0, 2, _, _] => Ok(()),
        [epoch, major, minor, patch] => Err(Error::unsupported(format!(
            "the ntuple has pre-release format version {epoch}.{major}.{minor}.{patch}, supported is 0.2"
        ))),
    }
}

/// Tells the prototype, which has no envelopes, from rc1.0, whose envelopes begin with two version numbers.
fn from_header(header: &[u8]) -> Result<()> {
    match header.first_chunk() {
        Some([1, 0, 1, 0]) => Ok(()),
        Some([0, 0, 0, 0]) => Err(Error::unsupported(
            "pre-release format prototype (ROOT 6.21 to 6.25), which has no envelopes",
        )),
        _ => Err(Error::out_of_spec("the header is neither of the prototype nor of rc1.0")),
    }
}

/// Tells rc1.1, whose footer begins with a list of headers, from rc1.2, which has a record there.
fn from_footer(footer: &[u8]) -> Result<FormatVersion> {
    // Two versions, feature flags, the header's checksum; then the size of the frame, negative for a list.
    let mut cursor = Cursor::new(footer, 0);
    cursor.take(4 + 8 + 4)?;
    match cursor.i32_le()? {
        ..0 => Ok(FormatVersion::Rc11),
        0 => Err(Error::out_of_spec("the footer is neither of rc1.1 nor of rc1.2")),
        1.. => Ok(FormatVersion::Rc12),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    /// `int_float-epoch0-rc1.1.root` at 898 (format: legacy, section 4).
    fn short_anchor(class_version: u8) -> Vec<u8> {
        let mut bytes =
            vec![0x40, 0, 0, 0x36, 0, class_version, 0xc9, 0x47, 0x08, 0x94, 0, 0, 0, 0, 0, 0, 0, 0x38];
        bytes.extend([0, 0, 0, 0, 0, 0, 1, 0x1a, 0, 0, 0, 0xb1, 0, 0, 0, 0xe2]);
        bytes.extend([0, 0, 0, 0, 0, 0, 2, 0xef, 0, 0, 0, 0x55, 0, 0, 0, 0x68]);
        bytes.extend([0; 8]);
        bytes
    }

    fn long_anchor(class_version: u8, version: [u8; 2]) -> Vec<u8> {
        let mut bytes = vec![0x40, 0, 0, 0x42, 0, class_version, 0, version[0], 0, version[1], 0, 0, 0, 0];
        for number in 1u64..=if class_version == 4 { 6 } else { 7 } {
            bytes.extend(number.to_be_bytes());
        }
        let checksum = xxh3_64(&bytes[FRAMING..]);
        bytes.extend(checksum.to_be_bytes());
        bytes
    }

    fn with_envelope(payload: &[u8], envelope: &[u8]) -> Result<Anchor> {
        read(payload, |_| Ok(Block::from(envelope.to_vec())))
    }

    fn kind(result: Result<Anchor>) -> (ErrorKind, String) {
        let error = result.unwrap_err();
        (error.kind(), error.to_string())
    }

    #[test]
    fn short_anchors_are_told_apart_by_an_envelope() {
        let footer = |size: i32| [&[0; 16][..], &size.to_le_bytes()].concat();
        let anchor = with_envelope(&short_anchor(3), &footer(-8)).unwrap();
        assert_eq!(anchor.format_version, FormatVersion::Rc11);
        assert_eq!(anchor.header, EnvelopeSpan { offset: 282, size: 177, length: 226 });
        assert_eq!(anchor.footer, EnvelopeSpan { offset: 751, size: 85, length: 104 });
        assert_eq!(with_envelope(&short_anchor(3), &footer(36)).unwrap().format_version, FormatVersion::Rc12);
        assert_eq!(kind(with_envelope(&short_anchor(3), &footer(0))).0, ErrorKind::OutOfSpec);
        assert_eq!(kind(with_envelope(&short_anchor(3), &footer(36)[..19])).0, ErrorKind::OutOfSpec);
        assert_eq!(
            with_envelope(&short_anchor(0), &[1, 0, 1, 0, 9]).unwrap().format_version,
            FormatVersion::Rc10
        );
        let (kind, message) = kind(with_envelope(&short_anchor(0), &[0; 8]));
        assert_eq!(kind, ErrorKind::Unsupported);
        assert!(message.contains("pre-release format prototype (ROOT 6.21 to 6.25)"), "{message}");
        assert!(with_envelope(&short_anchor(0), &[1]).is_err());
        assert!(read(&short_anchor(0), |_| Err(Error::out_of_spec("damaged"))).is_err());
    }

    #[test]
    fn longer_anchors_settle_it() {
        let none = |_| Err(Error::out_of_spec("not asked for"));
        for (class_version, format_version, max) in
            [(4, FormatVersion::Rc20, u64::MAX), (6, FormatVersion::Rc21, 7)]
        {
            let bytes = long_anchor(class_version, [0, 2]);
            let anchor = read(&bytes, none).unwrap();
            assert_eq!((anchor.format_version, anchor.version), (format_version, [0, 2, 0, 0]));
            assert_eq!(anchor.header, EnvelopeSpan { offset: 1, size: 2, length: 3 });
            assert_eq!(anchor.footer, EnvelopeSpan { offset: 4, size: 5, length: 6 });
            assert_eq!(anchor.max_key_size, max);
            for at in 0..bytes.len() {
                assert!(read(&bytes[..at], none).is_err());
                let mut damaged = bytes.clone();
                damaged[at] ^= 1;
                assert!(read(&damaged, none).is_err(), "{at}");
            }
        }
        for length in 0..58 {
            assert!(with_envelope(&short_anchor(3)[..length], &[1; 30]).is_err());
        }
    }

    #[test]
    fn what_nobody_has_seen_is_refused() {
        for class_version in [1, 2, 5, 7] {
            let (kind, message) = kind(with_envelope(&short_anchor(class_version), &[]));
            assert_eq!(kind, ErrorKind::Unsupported);
            assert!(message.contains(&format!("class version {class_version}, supported")), "{message}");
        }
        for (class_version, version) in [(4, [0, 3]), (6, [0, 3]), (6, [1, 0]), (6, [0, 1])] {
            let (kind, message) = kind(with_envelope(&long_anchor(class_version, version), &[]));
            assert_eq!(kind, ErrorKind::Unsupported);
            let wanted = format!("format version {}.{}.0.0, supported is 0.2", version[0], version[1]);
            assert!(message.contains(&wanted), "{message}");
        }
    }
}
