//! Ntuples from before the format was released: recognised, so that an error can name them
//! (format: legacy, sections 1 and 4).

use std::fmt;

use super::anchor::EnvelopeSpan;
use crate::bytes::Cursor;
use crate::error::Result;

/// The class of a pre-release anchor.
pub(super) const CLASS: &str = "ROOT::Experimental::RNTuple";

/// One of the layouts that were in use before version 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Generation {
    Prototype,
    Rc10,
    Rc11,
    Rc12,
    Rc20,
    Rc21,
    /// Class version 0, and the header cannot be read.
    PrototypeOrRc10,
    /// Class version 3, and the footer cannot be read.
    Rc11OrRc12,
    /// A class version that no known ROOT has written.
    Other(u16),
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prototype => f.write_str("prototype (ROOT 6.21 to 6.25)"),
            Self::Rc10 => f.write_str("rc1.0 (ROOT 6.26)"),
            Self::Rc11 => f.write_str("rc1.1 (ROOT 6.27 to 6.29)"),
            Self::Rc12 => f.write_str("rc1.2 (ROOT 6.29)"),
            Self::Rc20 => f.write_str("rc2.0 (ROOT 6.31 to 6.33)"),
            Self::Rc21 => f.write_str("rc2.1 (ROOT 6.33)"),
            Self::PrototypeOrRc10 => f.write_str("prototype or rc1.0 (ROOT 6.21 to 6.26)"),
            Self::Rc11OrRc12 => f.write_str("rc1.1 or rc1.2 (ROOT 6.27 to 6.29)"),
            Self::Other(version) => write!(f, "of anchor class version {version}"),
        }
    }
}

/// What an anchor alone tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clue {
    /// The anchor settles it.
    Known(Generation),
    /// The first bytes of this header do: [`from_header`].
    Header(EnvelopeSpan),
    /// The first bytes of this footer do: [`from_footer`].
    Footer(EnvelopeSpan),
}

/// Looks at the (uncompressed) payload of an anchor's record.
pub(super) fn from_anchor(payload: &[u8]) -> Result<Clue> {
    let mut cursor = Cursor::new(payload, 0);
    cursor.u32_be()?; // byte count
    let class_version = cursor.u16_be()?;
    let mut links = || -> Result<(EnvelopeSpan, EnvelopeSpan)> {
        cursor.take(12)?; // class checksum, two version numbers
        let mut span = || -> Result<EnvelopeSpan> {
            let (offset, size, length) = (cursor.u64_be()?, cursor.u32_be()?, cursor.u32_be()?);
            Ok(EnvelopeSpan { offset, size: size.into(), length: length.into() })
        };
        Ok((span()?, span()?))
    };
    Ok(match class_version {
        0 => Clue::Header(links()?.0),
        3 => Clue::Footer(links()?.1),
        4 => Clue::Known(Generation::Rc20),
        6 => Clue::Known(Generation::Rc21),
        other => Clue::Known(Generation::Other(other)),
    })
}

/// Tells the prototype, which has no envelopes, from rc1.0, whose envelopes begin with two version numbers.
pub(super) fn from_header(header: Option<&[u8]>) -> Generation {
    match header.and_then(|bytes| bytes.first_chunk()) {
        Some([1, 0, 1, 0]) => Generation::Rc10,
        Some([0, 0, 0, 0]) => Generation::Prototype,
        _ => Generation::PrototypeOrRc10,
    }
}

/// Tells rc1.1, whose footer begins with a list of headers, from rc1.2, which has a record there.
pub(super) fn from_footer(footer: Option<&[u8]>) -> Generation {
    // Two versions, feature flags, the header's checksum; then the size of the frame, negative for a list.
    let first_item = |bytes: &[u8]| -> Result<i32> {
        let mut cursor = Cursor::new(bytes, 0);
        cursor.take(4 + 8 + 4)?;
        cursor.i32_le()
    };
    match footer.and_then(|bytes| first_item(bytes).ok()) {
        Some(size) if size < 0 => Generation::Rc11,
        Some(size) if size > 0 => Generation::Rc12,
        _ => Generation::Rc11OrRc12,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_versions_settle_what_they_can() {
        let clue =
            |version: u8| from_anchor(&[&[0x40, 0, 0, 0x36, 0, version][..], &[0; 60]].concat()).unwrap();
        assert_eq!(clue(4), Clue::Known(Generation::Rc20));
        assert_eq!(clue(6), Clue::Known(Generation::Rc21));
        assert_eq!(clue(5), Clue::Known(Generation::Other(5)));
        assert!(matches!(clue(0), Clue::Header(_)));
        assert!(matches!(clue(3), Clue::Footer(_)));
    }

    #[test]
    fn links_of_the_short_anchor_are_read() {
        // int_float-epoch0-rc1.1.root at 898 (format: legacy, section 4).
        let mut bytes = vec![0x40, 0, 0, 0x36, 0, 3, 0xc9, 0x47, 0x08, 0x94, 0, 0, 0, 0, 0, 0, 0, 0x38];
        bytes.extend([0, 0, 0, 0, 0, 0, 1, 0x1a, 0, 0, 0, 0xb1, 0, 0, 0, 0xe2]);
        bytes.extend([0, 0, 0, 0, 0, 0, 2, 0xef, 0, 0, 0, 0x55, 0, 0, 0, 0x68]);
        let footer = EnvelopeSpan { offset: 751, size: 85, length: 104 };
        assert_eq!(from_anchor(&bytes).unwrap(), Clue::Footer(footer));
        for length in 0..bytes.len() {
            assert!(from_anchor(&bytes[..length]).is_err());
        }
    }

    #[test]
    fn envelopes_settle_the_rest() {
        assert_eq!(from_header(Some(&[1, 0, 1, 0, 9])), Generation::Rc10);
        assert_eq!(from_header(Some(&[0; 8])), Generation::Prototype);
        assert_eq!(from_header(Some(&[1])), Generation::PrototypeOrRc10);
        assert_eq!(from_header(None), Generation::PrototypeOrRc10);
        let footer = |size: i32| [&[0; 16][..], &size.to_le_bytes()].concat();
        assert_eq!(from_footer(Some(&footer(-8))), Generation::Rc11);
        assert_eq!(from_footer(Some(&footer(36))), Generation::Rc12);
        assert_eq!(from_footer(Some(&footer(36)[..19])), Generation::Rc11OrRc12);
    }
}
