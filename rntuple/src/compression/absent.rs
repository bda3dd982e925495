//! What stands in for a codec that this build leaves out.

use super::fault::Fault;

/// Not seen by callers: [`Algorithm::require`](super::Algorithm::require) names the feature before.
const ABSENT: Fault = Fault::Unsupported("a codec that this build leaves out");

/// Compresses nothing.
#[derive(Default)]
pub(super) struct Encoder;

impl Encoder {
    pub(super) fn compress(&mut self, _level: u8, _source: &[u8], _out: &mut Vec<u8>) -> Result<bool, Fault> {
        Err(ABSENT)
    }
}

/// Decompresses nothing.
#[derive(Default)]
pub(super) struct Decoder;

impl Decoder {
    pub(super) fn decompress(
        &mut self,
        _source: &[u8],
        _length: usize,
        _out: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        Err(ABSENT)
    }

    #[cfg(not(feature = "lz4"))]
    pub(super) fn decompress_over(
        &mut self,
        _source: &[u8],
        _length: usize,
        _out: &mut Vec<u8>,
        _at: usize,
        _verified: bool,
    ) -> Result<usize, Fault> {
        Err(ABSENT)
    }
}

/// The same, for the chunks of old.
#[cfg(not(feature = "zlib"))]
pub(super) type BareDecoder = Decoder;
