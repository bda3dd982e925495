//! The two ends of a file that is far away: what leads to its entries is mostly there.

use std::io;
use std::ops::Range;

use crate::storage::{Block, ReadAt};

/// The beginning of a file has its header, the root directory, and most often the header of its ntuple.
const HEAD: u64 = 64 << 10;
/// The end has directories, footer and page lists.
const TAIL: u64 = 256 << 10;

/// The bytes at both ends of a file, asked for at once.
#[derive(Debug)]
pub(super) struct Ends {
    head: Block,
    tail: Block,
    tail_start: u64,
}

impl Ends {
    pub(super) fn read(storage: &dyn ReadAt) -> io::Result<Self> {
        let size = storage.size();
        let tail_start = size.saturating_sub(TAIL);
        let head = HEAD.min(size);
        let both = [0..head, tail_start..size];
        // They may meet.
        let whole = 0..size;
        let ranges = if tail_start <= head { std::slice::from_ref(&whole) } else { &both };
        let mut blocks = storage.blocks(ranges)?.into_iter();
        let head = blocks.next().unwrap_or_else(|| Block::from(Vec::new()));
        let tail = blocks.next();
        Ok(match tail {
            Some(tail) => Self { head, tail, tail_start },
            None => Self { tail: head.clone(), head, tail_start: 0 },
        })
    }

    /// The bytes of a range that lies in one of the ends.
    pub(super) fn block(&self, range: &Range<u64>) -> Option<Block> {
        let cut = |block: &Block, start: u64| {
            let at = |offset: u64| offset.checked_sub(start).and_then(|at| usize::try_from(at).ok());
            block.slice(at(range.start)?..at(range.end)?)
        };
        cut(&self.head, 0).or_else(|| cut(&self.tail, self.tail_start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_at_the_ends_is_there_and_what_is_between_is_not() {
        for size in [0, 1, HEAD, TAIL, HEAD + TAIL, HEAD + TAIL + 1, 1 << 20] {
            let bytes: Vec<u8> = (0..size).map(|at| u8::try_from(at % 251).unwrap()).collect();
            let ends = Ends::read(&bytes).unwrap();
            let kept = |start: u64, end: u64| end <= HEAD || start >= size.saturating_sub(TAIL);
            for start in [0, 1, HEAD - 1, HEAD, size.saturating_sub(TAIL), size.saturating_sub(1)] {
                for length in [0, 1, HEAD, TAIL] {
                    let (start, end) = (start.min(size), (start + length).min(size));
                    let found = ends.block(&(start..end));
                    if start <= end && kept(start, end) {
                        let range = usize::try_from(start).unwrap()..usize::try_from(end).unwrap();
                        assert_eq!(*found.unwrap(), bytes[range], "{start}..{end} of {size}");
                    } else if size > HEAD + TAIL {
                        assert!(found.is_none(), "{start}..{end} of {size}");
                    }
                }
            }
        }
    }
}
