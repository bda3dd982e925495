//! What every codec does.

use crate::compression::fault::Fault;
use crate::compression::repeats::Repeats;

/// What is asked of an encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::compression) struct Effort {
    pub(in crate::compression) level: u8,
    pub(in crate::compression) repeats: Repeats,
}

/// Compresses the payloads of chunks, with a context that is made on first use and then used again.
pub(in crate::compression) trait Encode {
    /// Appends the compressed form of `source`. Returns `false` where that would not be smaller; what was appended until
    /// then means nothing.
    ///
    /// What comes out depends on `effort` and `source`, not on what was compressed before.
    fn compress(&mut self, effort: Effort, source: &[u8], out: &mut Vec<u8>) -> Result<bool, Fault>;
}

/// Decompresses the payloads of chunks of one format, with a context that is made on first use and then used again.
pub(in crate::compression) trait Decode {
    /// Appends the content of `payload`, which has no other bytes after it, and verifies its checksum if it has one.
    ///
    /// The content should have `length` bytes. The caller compares, so this may append fewer, and a few more.
    fn decompress(&mut self, payload: &[u8], length: usize, out: &mut Vec<u8>) -> Result<(), Fault>;

    /// Puts the content into `out` from `at` on and returns its length. What `out` holds after it has no meaning.
    ///
    /// A codec that needs initialised memory overrides this, to write over what `out` has there already. Where the
    /// payload is `verified`, a checksum inside it need not be looked at.
    fn decompress_over(
        &mut self,
        payload: &[u8],
        length: usize,
        out: &mut Vec<u8>,
        at: usize,
        verified: bool,
    ) -> Result<usize, Fault> {
        let _ = verified;
        out.truncate(at);
        self.decompress(payload, length, out)?;
        Ok(out.len().saturating_sub(at))
    }
}
