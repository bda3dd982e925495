//! LZ4: `L4` chunks, each a checksum and a raw block.

use lz4_flex::block::{CompressTable, compress_into_with_table, decompress_into, get_maximum_output_size};
use xxhash_rust::xxh64::xxh64;

use super::fault::Fault;
use crate::bytes::Put;

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

impl Encoder {
    /// Appends XXH64 of the block, big-endian, and the block. There is one way to compress, the fast one.
    pub(super) fn compress(&mut self, _level: u8, source: &[u8], out: &mut Vec<u8>) -> Result<bool, Fault> {
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

impl Decoder {
    /// Verifies the checksum and appends the content of the block.
    pub(super) fn decompress(
        &mut self,
        source: &[u8],
        length: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let Some((checksum, block)) = source.split_first_chunk() else {
            return Err(Fault::Unended);
        };
        if xxh64(block, 0) != u64::from_be_bytes(*checksum) {
            return Err(Fault::Checksum);
        }
        let start = out.len();
        out.try_reserve(length)?;
        out.resize(start + length, 0);
        let made = decompress_into(block, out.get_mut(start..).unwrap_or_default()).map_err(Fault::codec)?;
        out.truncate(start + made);
        Ok(())
    }
}
