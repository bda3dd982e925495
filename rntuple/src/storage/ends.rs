//! The two ends of a file: what leads to its entries is mostly there.

use std::ops::Range;

use super::cache::BLOCK_SIZE;

/// The beginning of a file has its header, the root directory, and most often the header of its ntuple, which takes more than
/// 64 KiB where there are some thousand columns.
const HEAD: u64 = 256 << 10;
/// The end has directories, footer and page lists, which are longer in longer files.
const TAIL: u64 = 256 << 10;
const MOST_OF_TAIL: u64 = 1 << 20;
const SHARE_OF_TAIL: u64 = 256;

/// Returns what is read of a file that is far away when it is opened: its beginning and its end. The end is empty where the
/// beginning is all of the file, and begins with a block of a cache otherwise: one that is cut would be asked for
/// again.
pub fn ends_of(size: u64) -> [Range<u64>; 2] {
    let tail = (size / SHARE_OF_TAIL).clamp(TAIL, MOST_OF_TAIL);
    match size.checked_sub(tail).map(|start| start / BLOCK_SIZE * BLOCK_SIZE) {
        Some(start) if start > HEAD => [0..HEAD, start..size],
        _ => [0..size, size..size],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_blocks_of_a_cache() {
        let sizes = (0..4_000_000).step_by(9_999).chain([64 << 20, 100_000_001, 3 << 30, u64::MAX]);
        for size in sizes {
            let [head, tail] = ends_of(size);
            assert_eq!((head.start, tail.end), (0, size));
            if tail.is_empty() {
                assert_eq!(head.end, size);
                assert!(size < HEAD + TAIL + BLOCK_SIZE, "{size}");
                continue;
            }
            assert_eq!((head.end % BLOCK_SIZE, tail.start % BLOCK_SIZE), (0, 0), "{size}");
            let least = (size / SHARE_OF_TAIL).clamp(TAIL, MOST_OF_TAIL);
            assert!((least..least + BLOCK_SIZE).contains(&(size - tail.start)), "{size}: {tail:?}");
            assert!(head.end < tail.start, "{size}");
        }
    }
}
