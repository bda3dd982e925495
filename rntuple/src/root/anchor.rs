//! The anchor: the one record of an ntuple that a directory lists (format: ntuple, section 2).

use xxhash_rust::xxh3::xxh3_64;

use crate::bytes::{Cursor, Put};
use crate::error::{Error, Result};
use crate::format_version::FormatVersion;

/// Byte counts of streamed objects have this bit.
pub(super) const BYTE_COUNT: u32 = 0x4000_0000;
/// Bytes of the anchor that its byte count counts: all but the count itself and the checksum.
const COUNTED: u32 = 66;
const CLASS_VERSION: u16 = 2;
/// Byte count and class version, which the checksum leaves out.
pub(super) const FRAMING: usize = 6;
const CHECKSUM_SIZE: usize = 8;
/// Size of the anchor as we write it.
pub(super) const SIZE: usize = 78;

/// Where an envelope is: one of the two links of an [`Anchor`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct EnvelopeSpan {
    /// Offset of its first byte in the file.
    pub offset: u64,
    /// Bytes on storage.
    pub size: u64,
    /// Bytes when it is not compressed.
    pub length: u64,
}

impl EnvelopeSpan {
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        Ok(Self { offset: cursor.u64_be()?, size: cursor.u64_be()?, length: cursor.u64_be()? })
    }
}

/// The anchor of an ntuple: its format version and where its header and footer are.
///
/// ```text
///  0  40 00 00 42 | 00 02       byte count 66, class version 2
///  6  4 x u16                   format version
/// 14  3 x u64                   header: offset, size, length
/// 38  3 x u64                   footer: offset, size, length
/// 62  u64                       maximum key size
/// 70  u64                       XXH3 of bytes 6 to 70
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Anchor {
    /// Epoch, major, minor, patch of the format that the writer knew. Tells nothing about what the
    /// ntuple uses: that is what feature flags are for. Zeros where the anchor does not say: before rc2.0.
    pub version: [u16; 4],
    /// Where the header envelope is.
    pub header: EnvelopeSpan,
    /// Where the footer envelope is.
    pub footer: EnvelopeSpan,
    /// The most bytes that a single blob holds; longer payloads continue in others (section 7.6).
    pub max_key_size: u64,
    /// The layout of the ntuple. What is written is of version 1.
    pub format_version: FormatVersion,
}

impl Anchor {
    /// ROOT's maximum key size, 1 GiB.
    pub const DEFAULT_MAX_KEY_SIZE: u64 = 1 << 30;

    /// An anchor of format `version` with the default maximum key size.
    pub fn new(version: [u16; 4], header: EnvelopeSpan, footer: EnvelopeSpan) -> Self {
        let (max_key_size, format_version) = (Self::DEFAULT_MAX_KEY_SIZE, FormatVersion::V1);
        Self { version, header, footer, max_key_size, format_version }
    }

    /// Reads the (uncompressed) payload of an anchor's record; offset 0 is its first byte.
    pub(super) fn read(payload: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new(payload, 0);
        cursor.u32_be()?; // byte count
        let class_version = cursor.u16_be()?;
        if class_version < CLASS_VERSION {
            return Err(Error::unsupported(format!(
                "the anchor has class version {class_version}, supported is 2"
            )));
        }
        let anchor = Self::read_members(payload)?;
        if anchor.version[0] != 1 {
            let [epoch, major, minor, patch] = anchor.version;
            let message =
                format!("the ntuple has format version {epoch}.{major}.{minor}.{patch}, supported is 1.x");
            return Err(Error::unsupported(message));
        }
        Ok(anchor)
    }

    /// Reads what anchors of version 1 and of rc2.1 have in common: all but the class version.
    pub(super) fn read_members(payload: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new(payload, 0);
        let word = cursor.u32_be()?;
        cursor.u16_be()?; // class version
        let count = word & !BYTE_COUNT;
        if word & BYTE_COUNT == 0 || count < COUNTED {
            return Err(Error::out_of_spec(format!("an anchor cannot begin with {word:#010x}")));
        }
        let whole = u64::from(count) + 4 + CHECKSUM_SIZE as u64;
        if whole > payload.len() as u64 {
            let message = format!("the anchor has {whole} bytes, its record {}", payload.len());
            return Err(Error::out_of_spec(message));
        }
        // A later format may append members: its checksum is at the end all the same.
        let body = payload.get(FRAMING..payload.len() - CHECKSUM_SIZE).unwrap_or_default();
        let stored =
            Cursor::new(payload.get(payload.len() - CHECKSUM_SIZE..).unwrap_or_default(), 0).u64_be()?;
        if stored != xxh3_64(body) {
            return Err(Error::out_of_spec("the anchor's checksum differs"));
        }
        let version = Self::read_version(&mut cursor)?;
        let (header, footer) = (EnvelopeSpan::read(&mut cursor)?, EnvelopeSpan::read(&mut cursor)?);
        Ok(Self {
            version,
            header,
            footer,
            max_key_size: cursor.u64_be()?,
            format_version: FormatVersion::V1,
        })
    }

    pub(super) fn read_version(cursor: &mut Cursor<'_>) -> Result<[u16; 4]> {
        Ok([cursor.u16_be()?, cursor.u16_be()?, cursor.u16_be()?, cursor.u16_be()?])
    }

    /// The payload of an anchor's record.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(SIZE);
        out.put_u32_be(BYTE_COUNT | COUNTED);
        out.put_u16_be(CLASS_VERSION);
        for part in self.version {
            out.put_u16_be(part);
        }
        for span in [self.header, self.footer] {
            for number in [span.offset, span.size, span.length] {
                out.put(&number.to_be_bytes());
            }
        }
        out.put(&self.max_key_size.to_be_bytes());
        let checksum = xxh3_64(out.get(FRAMING..).unwrap_or_default());
        out.put(&checksum.to_be_bytes());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn sample() -> Anchor {
        Anchor::new(
            [1, 0, 0, 0],
            EnvelopeSpan { offset: 254, size: 332, length: 332 },
            EnvelopeSpan { offset: 1687, size: 148, length: 148 },
        )
    }

    #[test]
    fn the_checksum_is_roots() {
        // uncompressed_single-v1.0.0.0.root, bytes 1959 to 1967.
        let bytes = sample().write();
        assert_eq!(bytes.len(), SIZE);
        assert_eq!(bytes[..8], [0x40, 0, 0, 0x42, 0, 2, 0, 1]);
        assert_eq!(bytes[70..], [0xda, 0x43, 0x7b, 0x17, 0xd6, 0xe1, 0x04, 0xe9]);
        assert_eq!(Anchor::read(&bytes).unwrap(), sample());
    }

    #[test]
    fn no_prefix_and_no_changed_byte_is_an_anchor() {
        let good = sample().write();
        for length in 0..good.len() {
            assert!(Anchor::read(&good[..length]).is_err(), "{length}");
        }
        for at in FRAMING..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            assert!(Anchor::read(&bad).is_err(), "{at}");
        }
    }

    #[test]
    fn members_of_a_later_format_are_passed_over() {
        let mut bytes = sample().write();
        bytes.truncate(70);
        bytes.put(&[0xAB; 12]);
        bytes[3] += 12;
        bytes[5] = 3;
        let checksum = xxh3_64(&bytes[FRAMING..]);
        bytes.put(&checksum.to_be_bytes());
        assert_eq!(Anchor::read(&bytes).unwrap(), sample());
    }

    #[test]
    fn other_epochs_and_older_classes_are_unsupported() {
        let mut anchor = sample();
        anchor.version = [2, 0, 0, 0];
        let error = Anchor::read(&anchor.write()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains("2.0.0.0"));
        let mut bytes = sample().write();
        bytes[5] = 1;
        assert_eq!(Anchor::read(&bytes).unwrap_err().kind(), ErrorKind::Unsupported);
    }
}
