//! Where bytes come from.

use std::ops::Range;

use crate::bytes::Block;
use crate::error::Result;

/// Where a cluster's bytes come from: implemented by the layer that knows the storage.
pub(crate) trait Fetch: Send + Sync {
    /// The bytes of `range` of the file.
    fn fetch(&self, range: Range<u64>) -> Result<Block>;

    /// The bytes of each range, all asked for at once where the storage can.
    fn fetch_all(&self, ranges: &[Range<u64>]) -> Vec<Result<Block>> {
        ranges.iter().map(|range| self.fetch(range.clone())).collect()
    }

    /// Takes back what is not needed any more, so that its memory serves the next read.
    fn recycle(&self, block: Block) {
        drop(block);
    }
}
