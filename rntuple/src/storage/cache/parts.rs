//! What a cache consists of, and the blocks that it keeps.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::super::Block;
use super::disk::Folder;
use super::memory::Shelf;

/// Memory, and a folder if there is one.
pub(super) struct Parts {
    shelf: Mutex<Shelf>,
    pub(super) folder: Option<Arc<Folder>>,
}

impl Parts {
    pub(super) fn new(memory: u64, folder: Option<Arc<Folder>>) -> Self {
        Self { shelf: Mutex::new(Shelf::new(memory)), folder }
    }

    pub(super) fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Copies a part of `block`, so that it does not keep the whole of it in memory.
pub(super) fn copy_of(block: &Block, range: std::ops::Range<usize>) -> Option<Block> {
    block.get(range).map(|bytes| Block::from(bytes.to_vec()))
}
