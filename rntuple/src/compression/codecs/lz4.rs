//! LZ4: `L4` chunks, each a checksum and a raw block.
//!
//! With feature `lz4-c` the C library reads the blocks, since it is the faster where matches are short, as among
//! small numbers. It does not write them, being no faster at that: what is written does not depend on the feature.

use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};
use xxhash_rust::xxh64::xxh64;

use super::{Decode, Effort, Encode};
use crate::bytes::Put;
use crate::compression::fault::Fault;

/// Inputs below this length have a table of their own kind.
const SMALL: usize = u16::MAX as usize;

/// The tables of matches and the room for a block, made on first use.
#[derive(Default)]
pub(super) struct Encoder {
    // Both are kept, since one table would grow for good at the first large input, and what a page
    // becomes would depend on the pages before it.
    small: Option<CompressTable>,
    large: Option<CompressTable>,
    block: Vec<u8>,
}

/// What an encoder takes.
pub(super) fn context_length(_level: u8, _page: usize) -> usize {
    16 << 10
}

impl Encode for Encoder {
    /// Appends XXH64 of the block, big-endian, and the block. There is one way to compress, the fast one.
    fn compress(&mut self, _effort: Effort, source: &[u8], out: &mut Vec<u8>) -> Result<bool, Fault> {
        let room = get_maximum_output_size(source.len());
        if self.block.len() < room {
            self.block.try_reserve_exact(room - self.block.len())?;
            self.block.resize(room, 0);
        }
        let table = if source.len() < SMALL {
            self.small.get_or_insert_with(CompressTable::small)
        } else {
            self.large.get_or_insert_with(CompressTable::large)
        };
        let size = compress_into_with_table(source, &mut self.block, table).map_err(Fault::codec)?;
        let Some(block) = self.block.get(..size).filter(|block| block.len() < source.len()) else {
            return Ok(false);
        };
        out.try_reserve(size_of::<u64>() + size)?;
        out.put(&xxh64(block, 0).to_be_bytes());
        out.put(block);
        Ok(true)
    }
}

/// LZ4 decompresses without a context.
#[derive(Default)]
pub(super) struct Decoder;

impl Decode for Decoder {
    /// Appends the content of the block, and verifies its checksum.
    fn decompress(&mut self, source: &[u8], length: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
        let at = out.len();
        let made = self.decompress_over(source, length, out, at, false)?;
        out.truncate(at + made);
        Ok(())
    }

    /// Puts the content of the block into `out` from `at` on, over what is there, and returns its length; verifies its
    /// checksum unless the source is `verified` already.
    fn decompress_over(
        &mut self,
        source: &[u8],
        length: usize,
        out: &mut Vec<u8>,
        at: usize,
        verified: bool,
    ) -> Result<usize, Fault> {
        let Some((checksum, block)) = source.split_first_chunk() else {
            return Err(Fault::Unended);
        };
        if !verified && xxh64(block, 0) != u64::from_be_bytes(*checksum) {
            return Err(Fault::Checksum);
        }
        let end = at.saturating_add(length);
        if out.len() < end {
            out.try_reserve(end - out.len())?;
            out.resize(end, 0);
        }
        restore(block, out.get_mut(at..end).unwrap_or_default())
    }
}

/// Fills `room`, or less of it, with the content of a block; returns its length.
#[cfg(not(feature = "lz4-c"))]
fn restore(block: &[u8], room: &mut [u8]) -> Result<usize, Fault> {
    lz4_flex::block::decompress_into(block, room).map_err(Fault::codec)
}

/// Fills `room`, or less of it, with the content of a block; returns its length.
#[cfg(feature = "lz4-c")]
fn restore(block: &[u8], room: &mut [u8]) -> Result<usize, Fault> {
    // A chunk has lengths of 24 bits.
    let length = i32::try_from(room.len()).map_err(Fault::codec)?;
    ::lz4::block::decompress_to_buffer(block, Some(length), room).map_err(Fault::codec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compression::repeats::Repeats;

    /// A block by hand, with a checksum that is right.
    fn signed(block: &[u8]) -> Vec<u8> {
        [&xxh64(block, 0).to_be_bytes()[..], block].concat()
    }

    /// What a decoder makes of it. Whatever it is, it has not over `length` bytes and stands behind what was there.
    fn content(block: &[u8], length: usize) -> Option<Vec<u8>> {
        let mut out = b"before".to_vec();
        let result = Decoder.decompress_over(&signed(block), length, &mut out, 6, false);
        assert!(out.starts_with(b"before") && out.len() <= 6 + length);
        result.ok().map(|made| out[6..][..made].to_vec())
    }

    #[test]
    fn blocks_that_lie_do_no_harm() {
        let source: Vec<u8> = (0..500u32).flat_map(|i| (i * i % 97).to_le_bytes()).collect();
        let mut stored = Vec::new();
        let effort = Effort { level: 1, repeats: Repeats::Unknown };
        assert!(Encoder::default().compress(effort, &source, &mut stored).unwrap());
        let block = &stored[8..];
        let length = source.len();
        assert_eq!(content(block, length).as_ref(), Some(&source));
        assert_eq!(content(block, length - 1), None, "it has more content");
        assert_ne!(content(block, length + 1).map(|content| content.len()), Some(length + 1));
        for end in 0..block.len() {
            assert_ne!(content(&block[..end], length).as_ref(), Some(&source), "{end} bytes of it");
        }
        for position in 0..block.len() {
            for flip in [1, 0x0f, 0xf0, 0xff] {
                let mut damaged = block.to_vec();
                damaged[position] ^= flip;
                // The checksum is right, so this may be a block; both decoders must see the same in it.
                let mut room = vec![0; length];
                let other = lz4_flex::block::decompress_into(&damaged, &mut room).ok();
                if let (Some(content), Some(made)) = (content(&damaged, length), other) {
                    assert_eq!(content, room[..made], "byte {position} ^ {flip:#x}");
                }
            }
        }
        // A match before the beginning, one without an end, lengths without an end.
        for block in [&[0x00, 1, 0][..], &[0x10, 7, 9, 0], &[0x1f, 7, 1], &[0xf0, 255, 255], &[0xff; 40], &[]]
        {
            assert_ne!(content(block, 300).map(|content| content.len()), Some(300));
        }
    }
}
