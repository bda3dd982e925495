//! How long the content of a blob is that may be an envelope, as the headers of its chunks say.

use std::ops::Range;

use crate::bytes::Block;
use crate::root::RootFile;

/// Bytes of a chunk's header: magic, bytes on storage and bytes of content, in 24 bits each.
const HEADER: usize = 9;
/// Bytes that are read at once.
const WINDOW: u64 = 4096;

/// Follows the chunks of blobs, which may overlap in a damaged file.
pub(super) struct Chunks<'a> {
    file: &'a RootFile,
    /// The bytes that were read last, and where they begin.
    window: Option<(u64, Block)>,
    /// Headers that may still be looked at: one for each byte of the file, nine times what is needed where no blobs
    /// overlap.
    left: u64,
}

impl<'a> Chunks<'a> {
    pub(super) fn new(file: &'a RootFile) -> Self {
        Self { file, window: None, left: file.end().max(1) }
    }

    /// Whether too many headers were looked at, so that no other blob is followed.
    pub(super) fn is_used_up(&self) -> bool {
        self.left == 0
    }

    /// Bytes of content of a blob that consists of whole chunks.
    pub(super) fn length(&mut self, payload: &Range<u64>) -> Option<u64> {
        let (mut at, mut length) = (payload.start, 0u64);
        while at < payload.end {
            self.left = self.left.checked_sub(1)?;
            let [_, _, _, s0, s1, s2, l0, l1, l2] = self.header(at, payload.end)?;
            let part = u64::from(u32::from_le_bytes([l0, l1, l2, 0]));
            at += HEADER as u64 + u64::from(u32::from_le_bytes([s0, s1, s2, 0]));
            length = length.checked_add(part).filter(|_| part > 0)?;
        }
        (at == payload.end).then_some(length)
    }

    /// The header at an offset of a blob that ends at `end`.
    fn header(&mut self, at: u64, end: u64) -> Option<[u8; HEADER]> {
        let left = end.checked_sub(at).filter(|left| *left >= HEADER as u64)?;
        let known = self.window.as_ref().and_then(|(start, bytes)| {
            let skip = usize::try_from(at.checked_sub(*start)?).ok()?;
            bytes.get(skip..)?.first_chunk().copied()
        });
        if known.is_some() {
            return known;
        }
        let bytes = self.file.payload(at, left.min(WINDOW), u64::MAX).ok()?;
        let header = bytes.first_chunk().copied();
        self.window = Some((at, bytes));
        header
    }
}
