//! The header of a chunk: which codec, how many bytes, how many they become.

use super::codecs::{Algorithm, Format};
use super::fault::Fault;

/// The most content of one chunk: what its 24 bits can say.
pub(super) const MAX_LENGTH: usize = 0xff_ffff;

/// Bytes before the payload.
pub(super) const HEADER: usize = 9;

/// A chunk whose header makes sense.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk<'a> {
    pub(super) format: Format,
    pub(super) payload: &'a [u8],
    /// Bytes of the content.
    pub(super) length: usize,
}

impl<'a> Chunk<'a> {
    /// The chunk at the beginning of `rest`, which passes over it.
    ///
    /// A chunk that claims more than its payload can hold is refused here, before it gets any memory.
    pub(super) fn read(rest: &mut &'a [u8]) -> Result<Self, Fault> {
        let Some((&[a, b, c, size @ .., l0, l1, l2], after)) = rest.split_first_chunk::<HEADER>() else {
            return Err(Fault::NoHeader(rest.len()));
        };
        let format = Format::from_magic([a, b, c]).ok_or(Fault::Magic([a, b, c]))?;
        let (size, length) = (u24(size), u24([l0, l1, l2]));
        let Some((payload, after)) = after.split_at_checked(size) else {
            return Err(Fault::Cut { size, left: after.len() });
        };
        if length == 0 || length > size.saturating_mul(format.most_per_byte()) {
            return Err(Fault::Implausible { size, length });
        }
        *rest = after;
        Ok(Self { format, payload, length })
    }
}

/// The header of a chunk by `algorithm`, `None` where a number does not fit.
pub(super) fn header(algorithm: Algorithm, size: usize, length: usize) -> Option<[u8; HEADER]> {
    let [a, b, c] = algorithm.format().magic();
    let [s0, s1, s2, 0] = u32::try_from(size).ok()?.to_le_bytes() else { return None };
    let [l0, l1, l2, 0] = u32::try_from(length).ok()?.to_le_bytes() else { return None };
    Some([a, b, c, s0, s1, s2, l0, l1, l2])
}

fn u24([a, b, c]: [u8; 3]) -> usize {
    usize::from(a) | usize::from(b) << 8 | usize::from(c) << 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back() {
        for algorithm in Algorithm::ALL {
            let mut bytes = header(algorithm, 4, 0x0201).unwrap().to_vec();
            bytes.extend_from_slice(&[1, 2, 3, 4, 5]);
            let mut rest = &bytes[..];
            let chunk = Chunk::read(&mut rest).unwrap();
            assert_eq!(chunk.format, algorithm.format());
            assert_eq!((chunk.payload, chunk.length), (&[1, 2, 3, 4][..], 0x0201));
            assert_eq!(rest, [5]);
        }
    }

    #[test]
    fn numbers_are_little_endian() {
        let header = header(Algorithm::Zlib, 0x03_0201, MAX_LENGTH).unwrap();
        assert_eq!(header, [b'Z', b'L', 8, 1, 2, 3, 0xff, 0xff, 0xff]);
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        assert!(header(Algorithm::Zstd, 1, MAX_LENGTH + 1).is_none());
        assert!(header(Algorithm::Zstd, 1 << 24, 1).is_none());
        assert!(header(Algorithm::Zstd, usize::MAX, 1).is_none());
    }

    #[test]
    fn the_method_of_lz4_is_ignored_and_the_others_count() {
        assert_eq!(Format::from_magic(*b"L4\x07"), Some(Format::Lz4));
        assert_eq!(Format::from_magic(*b"CS\x08"), Some(Format::Deflate));
        for magic in [*b"ZL\x01", *b"XZ\x01", *b"ZS\x02", *b"CS\x00", *b"zs\x01", *b"\0\0\0"] {
            assert_eq!(Format::from_magic(magic), None, "{magic:?}");
        }
    }

    #[test]
    fn a_header_that_cannot_be_true_is_refused() {
        let read = |bytes: &[u8]| Chunk::read(&mut &*bytes).unwrap_err();
        assert!(matches!(read(b""), Fault::NoHeader(0)));
        assert!(matches!(read(b"ZS\x01\x01\0\0\x01\0"), Fault::NoHeader(8)));
        assert!(matches!(read(b"??\x01\x01\0\0\x01\0\0."), Fault::Magic([b'?', b'?', 1])));
        assert!(matches!(read(b"ZS\x01\x02\0\0\x01\0\0."), Fault::Cut { size: 2, left: 1 }));
        assert!(matches!(read(b"ZS\x01\x01\0\0\0\0\0."), Fault::Implausible { size: 1, length: 0 }));
        assert!(matches!(read(b"ZS\x01\0\0\0\x01\0\0."), Fault::Implausible { size: 0, length: 1 }));
        assert!(matches!(read(b"L4\x01\x01\0\0\0\x01\0."), Fault::Implausible { size: 1, length: 256 }));
    }
}
