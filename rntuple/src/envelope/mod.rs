//! Envelopes: the records in which a file describes itself (format, sections 4 to 8).
//!
//! ```text
//! u64  type (low 16 bits), length of the whole envelope (high 48 bits)
//! ..   items, frames; unknown ones at the end are passed over
//! u64  XXH3-64 of everything before
//! ```
//!
//! Reading takes the decompressed bytes of one envelope and writing gives them back. Each record has one
//! file with both directions. A file written by ROOT comes back byte for byte, as long as it holds nothing
//! that this crate does not know.
//!
//! What the generations before version 1 spell differently is in their [`Dialect`]; they are read by the same code.

#[cfg(test)]
mod corrupt;
mod crc32;
mod description;
mod dialect;
mod footer;
mod frame;
mod header;
mod locator;
mod page_list;
#[cfg(test)]
mod reference;

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

use crate::bytes::{Cursor, Put};
use crate::error::{Error, Result};
use crate::message::counted;

use dialect::Framing;

pub(crate) use description::SchemaDescription;
pub(crate) use dialect::Dialect;
pub(crate) use footer::Footer;
pub(crate) use header::Header;
pub(crate) use page_list::{ClusterSummary, PageIndex, PageList};

/// Preamble and checksum.
const FRAMING: usize = 16;

/// What an envelope is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Header = 1,
    Footer = 2,
    PageList = 3,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Footer => "footer",
            Self::PageList => "page list",
        }
    }

    /// Checks type, length and checksum; then reads the items, and returns the checksum with them.
    fn read<'a, T>(
        self,
        bytes: &'a [u8],
        dialect: Dialect,
        items: impl FnOnce(&mut Cursor<'a>) -> Result<T>,
    ) -> Result<(T, u64)> {
        let opened = match dialect.framing {
            Framing::Versions => dialect::open_versioned(self.name(), bytes),
            Framing::Typed => self.open(bytes),
        };
        opened
            .and_then(|(mut payload, checksum)| Ok((items(&mut payload)?, checksum)))
            .map_err(|error| error.in_envelope(self.name()))
    }

    /// A cursor over the items, and the checksum that follows them.
    fn open(self, bytes: &[u8]) -> Result<(Cursor<'_>, u64)> {
        let mut cursor = Cursor::new(bytes, 0);
        let preamble = cursor.u64_le()?;
        let (kind, length) = (preamble & 0xffff, preamble >> 16);
        if kind != self as u64 {
            return Err(Error::out_of_spec(format!(
                "the envelope has type {kind}, expected {} ({})",
                self as u64,
                self.name()
            ))
            .at_offset(0));
        }
        if length != bytes.len() as u64 {
            return Err(Error::out_of_spec(format!(
                "the envelope says that it has {length} bytes, but has {}",
                bytes.len()
            ))
            .at_offset(2));
        }
        let Some((hashed, stored)) = bytes.split_last_chunk::<8>().filter(|_| bytes.len() >= FRAMING) else {
            return Err(
                Error::out_of_spec(format!("an envelope has only {}", counted(length, "byte"))).at_offset(2)
            );
        };
        let (stored, computed) = (u64::from_le_bytes(*stored), xxh3_64(hashed));
        if stored != computed {
            return Err(Error::out_of_spec(format!(
                "checksum differs: {stored:#018x} is stored, the bytes have {computed:#018x}"
            )));
        }
        let payload = cursor.split(hashed.len() - cursor.position())?;
        Ok((payload, stored))
    }

    /// The bytes of an envelope with the given items, and its checksum.
    fn write(self, items: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<(Vec<u8>, u64)> {
        let mut bytes = vec![0; 8];
        items(&mut bytes)?;
        let length = bytes.len() as u64 + 8;
        if length >> 48 != 0 {
            return Err(Error::limit(format!("an envelope of {length} bytes is too long for 48 bits"))
                .in_envelope(self.name()));
        }
        let preamble = self as u64 | length << 16;
        if let Some(front) = bytes.first_chunk_mut() {
            *front = preamble.to_le_bytes();
        }
        let checksum = xxh3_64(&bytes);
        bytes.put_u64_le(checksum);
        Ok((bytes, checksum))
    }
}

/// The envelope with these items, whatever they are, in a dialect.
#[cfg(feature = "internals")]
pub(crate) fn sign(dialect: Dialect, kind: u64, items: &[u8]) -> Vec<u8> {
    if dialect.framing == Framing::Versions {
        return dialect::sign_versioned(items);
    }
    let mut bytes = Vec::new();
    bytes.put_u64_le(kind | ((items.len() + FRAMING) as u64) << 16);
    bytes.put(items);
    let checksum = xxh3_64(&bytes);
    bytes.put_u64_le(checksum);
    bytes
}

/// Bit 63 of a word of feature flags: another word follows.
const MORE_FLAGS: u64 = 1 << 63;

/// Reads feature flags and refuses every one of them: a flag says that who does not know it cannot read
/// the ntuple, and this crate implements none (format, section 4.6).
fn read_feature_flags(cursor: &mut Cursor<'_>) -> Result<Vec<u64>> {
    let mut words = Vec::new();
    loop {
        let offset = cursor.offset();
        let word = cursor.u64_le()?;
        let flags = word & !MORE_FLAGS;
        if flags != 0 {
            let number = words.len() * 64 + flags.trailing_zeros() as usize;
            let name = match number {
                0 => Cow::Borrowed("nested deferred columns"),
                _ => Cow::Borrowed("unknown"),
            };
            return Err(Error::unsupported(format!(
                "the ntuple has feature flag {number} ({name}), which is not supported"
            ))
            .at_offset(offset));
        }
        words.push(flags);
        if word & MORE_FLAGS == 0 {
            break;
        }
    }
    // What every file has, one word without flags, is written in memory as no words.
    Ok(if words.len() == 1 { Vec::new() } else { words })
}

fn put_feature_flags(out: &mut Vec<u8>, words: &[u64]) {
    match words.split_last() {
        None => out.put_u64_le(0),
        Some((last, others)) => {
            others.iter().for_each(|word| out.put_u64_le(word | MORE_FLAGS));
            out.put_u64_le(last & !MORE_FLAGS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn envelope(words: &[u64]) -> Vec<u8> {
        let write = |out: &mut Vec<u8>| {
            words.iter().for_each(|word| out.put_u64_le(*word));
            Ok(())
        };
        Kind::Footer.write(write).unwrap().0
    }

    fn flags(words: &[u64]) -> Result<Vec<u64>> {
        Kind::Footer.read(&envelope(words), Dialect::V1, read_feature_flags).map(|(words, _)| words)
    }

    #[test]
    fn the_framing_is_type_length_checksum() {
        let (bytes, checksum) = Kind::PageList.write(|_| Ok(())).unwrap();
        assert_eq!(bytes[..8], [3, 0, 16, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[8..], xxh3_64(&bytes[..8]).to_le_bytes());
        assert_eq!(Kind::PageList.read(&bytes, Dialect::V1, |_| Ok(7)).unwrap(), (7, checksum));
        let error = Kind::Header.read(&bytes, Dialect::V1, |_| Ok(())).unwrap_err();
        assert_eq!(
            error.to_string(),
            "offset 0 of the header envelope: the envelope has type 3, expected 1 (header)"
        );
    }

    #[test]
    fn length_and_checksum_must_agree() {
        let bytes = envelope(&[0]);
        for end in 0..bytes.len() {
            assert!(Kind::Footer.read(&bytes[..end], Dialect::V1, read_feature_flags).is_err());
        }
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x40;
            let error = Kind::Footer.read(&bytes, Dialect::V1, read_feature_flags).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutOfSpec);
            assert_eq!(error.to_string().contains("checksum differs"), at >= 8, "{error}");
        }
    }

    #[test]
    fn an_envelope_shorter_than_its_framing_is_refused() {
        let bytes = [2, 0, 8, 0, 0, 0, 0, 0];
        assert!(
            Kind::Footer
                .read(&bytes, Dialect::V1, |_| Ok(()))
                .unwrap_err()
                .to_string()
                .contains("an envelope has only ")
        );
    }

    #[test]
    fn feature_flags_are_refused_by_number() {
        assert_eq!(flags(&[0]).unwrap(), [0; 0]);
        assert_eq!(flags(&[MORE_FLAGS, MORE_FLAGS, 0]).unwrap(), [0; 3]);
        let error = flags(&[8]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().ends_with("feature flag 3 (unknown), which is not supported"), "{error}");
        assert!(
            flags(&[1])
                .unwrap_err()
                .to_string()
                .ends_with("feature flag 0 (nested deferred columns), which is not supported")
        );
        let error = flags(&[MORE_FLAGS, 4]).unwrap_err();
        assert_eq!(error.location().offset, Some(16));
        assert!(error.to_string().ends_with("feature flag 66 (unknown), which is not supported"), "{error}");
        assert_eq!(flags(&[MORE_FLAGS]).unwrap_err().kind(), ErrorKind::OutOfSpec);
    }

    #[test]
    fn feature_flags_are_written_with_their_continuation() {
        for words in [&[][..], &[0, 0]] {
            let write = |out: &mut Vec<u8>| {
                put_feature_flags(out, words);
                Ok(())
            };
            let (bytes, _) = Kind::Footer.write(write).unwrap();
            assert_eq!(Kind::Footer.read(&bytes, Dialect::V1, read_feature_flags).unwrap().0, words);
        }
    }
}
