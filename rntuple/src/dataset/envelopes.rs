//! The bytes of envelopes.

use crate::bytes::Block;
use crate::compression::Decompressor;
use crate::error::{Error, Result};
use crate::limits;
use crate::root::{EnvelopeSpan, RootFile};

/// No envelope may claim to be longer than this when it is not compressed: ROOT's own limit, 1 GiB.
const MAX_ENVELOPE_LENGTH: u64 = 1 << 30;

/// Loads envelopes: bytes at a place, decompressed.
pub(crate) struct Envelopes<'a> {
    file: &'a RootFile,
    max_key_size: u64,
    decompressor: Decompressor,
    /// Bytes that may still be loaded.
    left: u64,
}

impl<'a> Envelopes<'a> {
    /// For those of one ntuple.
    pub(crate) fn new(file: &'a RootFile, max_key_size: u64) -> Self {
        let left = file.limits().envelopes_of(file.end());
        Self { file, max_key_size, decompressor: Decompressor::new(), left }
    }

    pub(crate) fn load(&mut self, span: EnvelopeSpan) -> Result<Block> {
        self.count(span)?;
        fetch(self.file, span, self.max_key_size, &mut self.decompressor)
    }

    /// Counts an envelope that is loaded now, or will be.
    pub(super) fn count(&mut self, span: EnvelopeSpan) -> Result<()> {
        let EnvelopeSpan { offset, size, length } = span;
        if length > MAX_ENVELOPE_LENGTH {
            let message = format!(
                "the envelope has {length} bytes, expected at most {MAX_ENVELOPE_LENGTH}, as in ROOT"
            );
            return Err(Error::limit(message).at_offset(offset));
        }
        if size > length {
            let message = format!("{size} bytes are stored for {length} bytes of content");
            return Err(Error::out_of_spec(message).at_offset(offset));
        }
        self.left = self.left.checked_sub(length).ok_or_else(|| self.too_long(length).at_offset(offset))?;
        Ok(())
    }

    #[cold]
    fn too_long(&self, length: u64) -> Error {
        let limit = self.file.limits().envelopes_of(self.file.end());
        let found = match limit - self.left {
            0 => format!("the envelope has {length} bytes"),
            before => format!("the envelope has {length} bytes, after {before} of others"),
        };
        limits::exceeded(
            format_args!("{found} in a file of {} bytes", self.file.end()),
            limit,
            "envelope_length",
        )
    }
}

/// Loads an envelope that was counted.
pub(super) fn fetch(
    file: &RootFile,
    span: EnvelopeSpan,
    max_key_size: u64,
    decompressor: &mut Decompressor,
) -> Result<Block> {
    let EnvelopeSpan { offset, size, length } = span;
    let stored = file.payload(offset, size, max_key_size)?;
    if size == length {
        return Ok(stored);
    }
    let mut bytes = Vec::new();
    decompressor.restore(&stored, length, &mut bytes).map_err(|error| error.at_offset(offset))?;
    // Page lists stay in memory.
    bytes.shrink_to_fit();
    Ok(Block::from(bytes))
}
