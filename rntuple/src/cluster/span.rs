//! Merged reads: the bytes of neighbouring pages, and what came of reading them.

use crate::sync::{Mutex, MutexGuard};
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::{Arc, PoisonError, TryLockError};

use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::Relaxed;

use super::batch::Batch;
use super::fetch::Fetch;
use super::room::Lease;
use crate::bytes::Block;

/// One merged read.
pub(super) struct Span {
    pub(super) range: Range<u64>,
    state: Mutex<SpanState>,
}

/// What came of a merged read so far.
pub(super) struct SpanState {
    /// The bytes, from the first page that is asked for to the last.
    pub(super) block: Option<Block>,
    /// The memory that they take.
    pub(super) lease: Option<Arc<Lease>>,
    /// A read that was begun before it was requested.
    pub(super) begun: Option<Begun>,
    /// Pages that were not asked for yet.
    pub(super) waiting: u32,
}

/// A read that was begun before it was requested.
pub(super) struct Begun {
    pub(super) batch: Arc<Batch>,
    /// Its number in the batch.
    pub(super) number: usize,
    pub(super) lease: Option<Lease>,
    /// `None`: it is needed now.
    pub(super) in_flight: Option<InFlight>,
}

/// Bytes that were read, or are on their way, before a page of them was requested.
pub(super) struct InFlight {
    count: Arc<AtomicU64>,
    bytes: u64,
}

impl InFlight {
    /// Adds `bytes` to `count` until it is dropped.
    pub(super) fn new(count: &Arc<AtomicU64>, bytes: u64) -> Self {
        count.fetch_add(bytes, Relaxed);
        Self { count: count.clone(), bytes }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.count.fetch_sub(self.bytes, Relaxed);
    }
}

impl Span {
    /// A read of one page, so far.
    pub(super) fn new(range: Range<u64>) -> Self {
        let state = SpanState { block: None, lease: None, begun: None, waiting: 1 };
        Self { range, state: Mutex::new(state) }
    }

    pub(super) fn size(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// The state is whole even if another column's reader panicked while it held the lock.
    pub(super) fn lock(&self) -> MutexGuard<'_, SpanState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, unless another thread is reading just now.
    pub(super) fn try_lock(&self) -> Option<MutexGuard<'_, SpanState>> {
        match self.state.try_lock() {
            Ok(state) => Some(state),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Makes the read longer, so that it has one more page.
    pub(super) fn take_in(&mut self, range: &Range<u64>) {
        self.range.end = self.range.end.max(range.end);
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.waiting = state.waiting.saturating_add(1);
    }
}

impl SpanState {
    /// Whether no page of it was requested, and nothing was begun.
    pub(super) fn is_untouched(&self) -> bool {
        self.block.is_none() && self.begun.is_none() && self.waiting > 0
    }
}

/// The stored bytes of a page; where they are not used elsewhere, their memory serves the next read.
pub(crate) struct StoredPage {
    /// `None` only while it is dropped.
    block: Option<Block>,
    _lease: Option<Arc<Lease>>,
    fetch: Arc<dyn Fetch>,
    keeps_copies: bool,
}

impl StoredPage {
    /// With `keeps_copies`, its memory is not counted.
    pub(super) fn new(
        block: Block,
        lease: Option<Arc<Lease>>,
        fetch: &Arc<dyn Fetch>,
        keeps_copies: bool,
    ) -> Self {
        Self { block: Some(block), _lease: lease, fetch: fetch.clone(), keeps_copies }
    }

    /// The bytes, if they may stay as long as their values are in use: those that are where the file has them, and,
    /// where memory is not counted, copies of this page alone, which take as much as its values would.
    pub(crate) fn lendable(&self) -> Option<&Block> {
        let block = self.block.as_ref();
        block.filter(|block| block.is_shared() || self.keeps_copies && block.is_whole())
    }
}

impl Deref for StoredPage {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.block.as_deref().unwrap_or_default()
    }
}

impl Drop for StoredPage {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            self.fetch.recycle(block);
        }
    }
}

impl fmt::Debug for StoredPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoredPage({} bytes)", self.len())
    }
}
