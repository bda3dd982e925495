//! Pages where one walk begins and another one ends: they are decompressed once for both.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::bytes::Block;
use crate::schema::{Locator, PageLocation};

/// Decompressed pages that another walk may need as well.
///
/// Whoever begins inside of a page gives it, and whoever ends there takes it: of threads that read parts of one cluster,
/// the first is nearly always the one that comes earlier.
#[derive(Default)]
pub(crate) struct SharedPages {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    /// The oldest first.
    pages: VecDeque<(Key, Block)>,
    bytes: usize,
}

/// The number of the file's first entry, and the offset in the file.
type Key = (u64, u64);

impl SharedPages {
    /// A walk begins with one page of each column. What takes more than this was most likely not needed by any other.
    const MOST_BYTES: usize = 16 << 20;

    /// Keeps a page; returns memory that is not needed any more.
    fn give(&self, key: Key, page: Block) -> Vec<u8> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes += page.len();
        kept.pages.push_back((key, page));
        let mut spare = Vec::new();
        while kept.bytes > Self::MOST_BYTES
            && let Some((_, page)) = kept.pages.pop_front()
        {
            kept.bytes -= page.len();
            spare = page.into_copy().unwrap_or_default();
        }
        spare
    }

    fn take(&self, key: Key) -> Option<Block> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let position = kept.pages.iter().position(|(other, _)| *other == key)?;
        let (_, page) = kept.pages.remove(position)?;
        kept.bytes -= page.len();
        Some(page)
    }

    /// How many are kept.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.kept.lock().unwrap().pages.len()
    }
}

impl fmt::Debug for SharedPages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedPages").finish_non_exhaustive()
    }
}

/// What one walk has to do with pages of a file that are shared.
#[derive(Clone, Debug)]
pub(crate) struct Sharing {
    pub(crate) pages: Arc<SharedPages>,
    /// The number of the file's first entry.
    pub(crate) file: u64,
    /// Whether the walk begins in this cluster, after its first entry.
    pub(crate) begins_inside: bool,
}

impl Sharing {
    fn key(&self, page: &PageLocation) -> Option<Key> {
        match page.locator {
            Locator::File { offset, .. } => Some((self.file, offset)),
            Locator::Unknown { .. } => None,
        }
    }

    /// A decompressed page, if another walk gave it.
    pub(crate) fn take(&self, page: &PageLocation) -> Option<Block> {
        self.pages.take(self.key(page)?)
    }

    /// Gives a decompressed page to another walk; returns memory that is not needed any more.
    pub(crate) fn give(&self, page: &PageLocation, content: Block) -> Vec<u8> {
        self.key(page).map(|key| self.pages.give(key, content)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_taken_once_and_the_oldest_make_room() {
        let shared = SharedPages::default();
        let page = |byte| Block::from(vec![byte; SharedPages::MOST_BYTES / 2]);
        assert!(shared.give((0, 1), page(1)).is_empty());
        assert!(shared.give((0, 2), page(2)).is_empty());
        assert_eq!(shared.give((9, 1), page(3))[0], 1, "its memory is used again");
        assert!(shared.take((0, 1)).is_none());
        assert_eq!(shared.take((9, 1)).unwrap()[0], 3, "of another file");
        assert!(shared.take((9, 1)).is_none());
        assert!(shared.give((0, 3), page(4)).is_empty());
        assert_eq!(shared.count(), 2);
    }
}
