//! The two ends of a file: what leads to its entries is mostly there.

use std::ops::Range;

/// The beginning of a file has its header, the root directory, and most often the header of its ntuple, which takes more than
/// 64 KiB where there are some thousand columns.
const HEAD: u64 = 256 << 10;
/// The end has directories, footer and page lists, which are longer in longer files.
const TAIL: u64 = 256 << 10;
const MOST_OF_TAIL: u64 = 1 << 20;
const SHARE_OF_TAIL: u64 = 256;

/// Returns what is read of a file that is far away when it is opened: its beginning and its end. The end is empty where the
/// beginning is all of the file.
pub fn ends_of(size: u64) -> [Range<u64>; 2] {
    let tail = (size / SHARE_OF_TAIL).clamp(TAIL, MOST_OF_TAIL);
    match size.checked_sub(tail) {
        Some(start) if start > HEAD => [0..HEAD, start..size],
        _ => [0..size, size..size],
    }
}
