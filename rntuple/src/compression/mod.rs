//! Compression blocks: pages, envelopes and the payloads of keys, fewer bytes than they were.
//!
//! A block is one chunk after the other, each of up to 16 MiB of content and independent of the others
//! (`rntuple-v1.md`, section 3):
//!
//! ```text
//!  0      2        3            6              9
//!  +------+--------+------------+--------------+---------------------+- - -
//!  | "ZS" | method | size (u24) | length (u24) | size bytes: payload | next chunk
//!  +------+--------+------------+--------------+---------------------+- - -
//! ```
//!
//! Each chunk names its algorithm, so a reader needs no [`Compression`]: they are what a writer wished for.
//! A block that would not shrink is stored as it is, without a header, and its size tells.

mod chunk;
mod codecs;
mod fault;
mod repeats;
mod settings;

#[cfg(test)]
mod tests;

use std::fmt;

use self::chunk::Chunk;
pub use self::codecs::Algorithm;
use self::codecs::{Decode, Decoders, Effort, Encode, Encoders};
use self::fault::Fault;
pub(crate) use self::repeats::Repeats;
pub use self::settings::Compression;
use crate::error::{Error, Result};

/// What the chunk at the beginning of some bytes says about itself, if there is one.
#[cfg(feature = "recover")]
pub(crate) struct ChunkHeader {
    pub(crate) algorithm: Algorithm,
    /// Bytes on storage, with the header.
    pub(crate) size: usize,
    /// Bytes of the content.
    pub(crate) length: usize,
}

#[cfg(feature = "recover")]
impl ChunkHeader {
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let chunk = Chunk::read(&mut rest).ok()?;
        let size = bytes.len() - rest.len();
        Some(Self { algorithm: chunk.format.algorithm(), size, length: chunk.length })
    }
}

/// The compression contexts of one thread, each made on first use and then used again.
#[derive(Default)]
pub(crate) struct Compressor {
    encoders: Encoders,
}

impl Compressor {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Appends the compressed form of `source` to `out` if it is smaller; otherwise leaves `out` as it
    /// was and returns `false`: store `source` as it is.
    ///
    /// What comes out depends on `settings` and `source`, not on what was compressed before. `out` gets
    /// room for the worst case: shrink what is kept for long.
    pub(crate) fn compress(
        &mut self,
        settings: Compression,
        source: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<bool> {
        self.compress_as(settings, Repeats::Unknown, source, out)
    }

    /// As [`compress`](Self::compress), where it is known what repeats in `source`.
    pub(crate) fn compress_as(
        &mut self,
        settings: Compression,
        repeats: Repeats,
        source: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<bool> {
        let Some((algorithm, level)) = settings.0 else {
            return Ok(false);
        };
        let encoder = self.encoders.of(algorithm)?;
        let start = out.len();
        let effort = Effort { level, repeats };
        let result = append_chunks(algorithm, encoder, effort, source, out);
        if !matches!(result, Ok(true)) {
            out.truncate(start);
        }
        // The codecs are there and refuse no input, so this is the machine's fault.
        result.map_err(|fault| {
            Error::limit(format!("{algorithm} fails to compress {} bytes: {fault}", source.len()))
        })
    }
}

/// Appends chunks, up to the first that is not smaller than its content: ROOT refuses to read such a
/// chunk, and there is none for raw content, so one of them makes the whole block a raw one.
fn append_chunks(
    algorithm: Algorithm,
    encoder: &mut dyn Encode,
    effort: Effort,
    source: &[u8],
    out: &mut Vec<u8>,
) -> Result<bool, Fault> {
    if source.len() <= chunk::HEADER {
        return Ok(false);
    }
    // Equal parts: behind full chunks, a rest of a few bytes could be left, which cannot shrink.
    let part_length = source.len().div_ceil(source.len().div_ceil(chunk::MAX_LENGTH));
    for part in source.chunks(part_length) {
        let start = out.len();
        out.extend_from_slice(&[0; chunk::HEADER]);
        let ended = encoder.compress(effort, part, out)?;
        let size = out.len() - start;
        if !ended || size >= part.len() {
            return Ok(false);
        }
        let header = chunk::header(algorithm, size - chunk::HEADER, part.len());
        match (header, out.get_mut(start..).and_then(|chunk| chunk.first_chunk_mut())) {
            (Some(header), Some(place)) => *place = header,
            _ => return Ok(false),
        }
    }
    Ok(true)
}

impl fmt::Debug for Compressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compressor").finish_non_exhaustive()
    }
}

/// The decompression contexts of one thread, each made on first use and then used again.
#[derive(Default)]
pub(crate) struct Decompressor {
    decoders: Decoders,
}

impl Decompressor {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Appends the content of a page or an envelope, `length` bytes, to `out`, or leaves `out` as it was.
    ///
    /// This is the rule of RNTuple: as many bytes as the content has are the content, fewer are chunks,
    /// more are an error. Keys have a rule of their own (`root-container.md`, section 3).
    pub(crate) fn restore(&mut self, stored: &[u8], length: u64, out: &mut Vec<u8>) -> Result<()> {
        if is_compressed(stored, length)? {
            return self.decompress(stored, length, out);
        }
        out.try_reserve(stored.len())
            .map_err(|_| Error::limit(format!("no memory left for {} bytes", stored.len())))?;
        out.extend_from_slice(stored);
        Ok(())
    }

    /// The content of a page, `length` bytes, by the same rule; in `room`, over what that held, if it is not `stored`
    /// itself. Where `stored` is `verified`, checksums inside it are not looked at.
    pub(crate) fn restore_over<'a>(
        &mut self,
        stored: &'a [u8],
        length: u64,
        room: &'a mut Vec<u8>,
        verified: bool,
    ) -> Result<&'a [u8]> {
        if !is_compressed(stored, length)? {
            return Ok(stored);
        }
        let end = self.chunks(stored, length, room, 0, verified)?;
        Ok(room.get(..end).unwrap_or_default())
    }

    /// Appends the content of the chunks that `stored` is, `length` bytes, to `out`, or leaves `out` as it
    /// was.
    ///
    /// `length` gets no memory by itself: there is never more than what the chunks have made so far and
    /// what the next one can make.
    pub(crate) fn decompress(&mut self, stored: &[u8], length: u64, out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        let result = self.chunks(stored, length, out, start, false);
        out.truncate(*result.as_ref().unwrap_or(&start));
        result.map(|_| ())
    }

    /// Puts the content of chunks into `out` from `at` on, over what is there; returns where it ends.
    fn chunks(
        &mut self,
        stored: &[u8],
        length: u64,
        out: &mut Vec<u8>,
        mut at: usize,
        verified: bool,
    ) -> Result<usize> {
        let mut rest = stored;
        let mut missing = length;
        // Every turn takes a header from the rest or ends.
        while missing > 0 {
            let place = stored.len() - rest.len();
            let chunk = Chunk::read(&mut rest).map_err(|fault| fault.locate("chunk", place))?;
            let decoder = self.decoders.of(chunk.format)?;
            put_content(decoder, &chunk, missing, out, at, verified)
                .map_err(|fault| fault.locate(format_args!("{} chunk", chunk.format), place))?;
            at += chunk.length;
            missing = missing.saturating_sub(chunk.length as u64);
        }
        if !rest.is_empty() {
            let size = stored.len();
            let place = size - rest.len();
            let message =
                format!("the chunks of a compressed block end at byte {place}, the block at byte {size}");
            return Err(Error::out_of_spec(message));
        }
        Ok(at)
    }
}

/// Puts the content of one chunk, of which the block wants at most `missing` bytes, into `out` from `at` on.
fn put_content(
    decoder: &mut dyn Decode,
    chunk: &Chunk<'_>,
    missing: u64,
    out: &mut Vec<u8>,
    at: usize,
    verified: bool,
) -> Result<(), Fault> {
    let &Chunk { payload, length, .. } = chunk;
    if length as u64 > missing {
        return Err(Fault::Overlong { length, missing });
    }
    match decoder.decompress_over(payload, length, out, at, verified)? {
        made if made == length => Ok(()),
        made => Err(Fault::Length(made)),
    }
}

/// Whether these bytes, which stand for `length` bytes of content, are chunks.
fn is_compressed(stored: &[u8], length: u64) -> Result<bool> {
    match stored.len() as u64 {
        size if size > length => {
            Err(Error::out_of_spec(format!("{size} bytes are stored for {length} bytes of content")))
        }
        size => Ok(size < length),
    }
}

impl fmt::Debug for Decompressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decompressor").finish_non_exhaustive()
    }
}
