//! What a cache consists of, and the blocks that it keeps.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::super::Block;
use super::disk::Folder;
use super::memory::Shelf;
use crate::sync::PerProcess;

/// Memory, and a folder if there is one.
pub(super) struct Parts {
    memory: u64,
    /// A process that was forked has its own: a thread of its parent may have locked that of the parent.
    shelf: PerProcess<Mutex<Shelf>>,
    pub(super) folder: Option<Arc<Folder>>,
}

impl Parts {
    pub(super) fn new(memory: u64, folder: Option<Arc<Folder>>) -> Self {
        Self { memory, shelf: PerProcess::new(), folder }
    }

    /// The most bytes in memory.
    pub(super) fn memory(&self) -> u64 {
        self.memory
    }

    pub(super) fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf
            .get_or_init(|| Mutex::new(Shelf::new(self.memory)))
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Copies a part of `block`, so that it does not keep the whole of it in memory.
pub(super) fn copy_of(block: &Block, range: std::ops::Range<usize>) -> Option<Block> {
    block.get(range).map(|bytes| Block::from(bytes.to_vec()))
}
