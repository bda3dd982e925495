//! The bytes at the two ends of a file that is far away.

use std::io;
use std::ops::Range;

use crate::storage::{Block, ReadAt, ends_of};

/// The bytes at both ends of a file, asked for at once.
#[derive(Debug)]
pub(super) struct Ends {
    head: Block,
    tail: Block,
    tail_start: u64,
}

impl Ends {
    pub(super) fn read(storage: &dyn ReadAt) -> io::Result<Self> {
        let both = ends_of(storage.size());
        let ranges = if both[1].is_empty() { &both[..1] } else { &both };
        let mut blocks = storage.blocks(ranges)?.into_iter();
        let head = blocks.next().unwrap_or_else(|| Block::from(Vec::new()));
        let tail = blocks.next();
        Ok(match tail {
            Some(tail) => Self { head, tail, tail_start: both[1].start },
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
        // Shorter than both ends, as long, longer; and one whose end is longer than that of others.
        for size in [0, 1, 64 << 10, (576 << 10) - 1, 576 << 10, 1 << 20, 70 << 20] {
            let length = usize::try_from(size).unwrap();
            let mut bytes = (0..251).collect::<Vec<u8>>().repeat(length / 251 + 1);
            bytes.truncate(length);
            let ends = Ends::read(&bytes).unwrap();
            let [head, tail] = ends_of(size);
            assert_eq!(tail.is_empty(), size < 576 << 10);
            let kept = |start: u64, end: u64| end <= head.end || start >= tail.start;
            for start in [0, 1, head.end - head.end.min(1), head.end, tail.start, size.saturating_sub(1)] {
                for length in [0, 1, 64 << 10, 256 << 10] {
                    let (start, end) = (start.min(size), (start + length).min(size));
                    let found = ends.block(&(start..end));
                    let range = usize::try_from(start).unwrap()..usize::try_from(end).unwrap();
                    let expected = kept(start, end).then(|| &bytes[range]);
                    assert_eq!(found.as_deref(), expected, "{start}..{end} of {size}");
                }
            }
        }
    }
}
