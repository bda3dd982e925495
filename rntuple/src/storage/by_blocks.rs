//! What storage that answers to many ranges at once does for one.

use std::io;
use std::ops::Range;

use super::{Block, ReadAt};

/// [`ReadAt::block`] for storage that implements [`ReadAt::blocks`].
///
/// # Errors
/// Those of the storage; [`io::ErrorKind::UnexpectedEof`] where it gives no block.
#[doc(hidden)]
pub fn block_by_blocks(storage: &impl ReadAt, range: Range<u64>) -> io::Result<Block> {
    let mut blocks = storage.blocks(std::slice::from_ref(&range))?;
    blocks.pop().ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// [`ReadAt::read_at`] for the same.
///
/// # Errors
/// As [`block_by_blocks`]; also where the block has another length than `buffer`.
#[doc(hidden)]
pub fn read_by_blocks(storage: &impl ReadAt, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
    let block = block_by_blocks(storage, offset..offset.saturating_add(buffer.len() as u64))?;
    if block.len() != buffer.len() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    buffer.copy_from_slice(&block);
    Ok(())
}
