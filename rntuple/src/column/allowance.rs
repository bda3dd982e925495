//! A limit for what costs no bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::error::{Error, Result};

/// How many items that are not on storage one entry may have.
///
/// Records without members, arrays of them, and the zeros of columns that came later take no bytes of the file,
/// so the file's size bounds neither their number nor the memory that they take here: a few bytes could claim
/// any number of them.
#[derive(Clone, Debug)]
pub(crate) struct Allowance(Arc<AtomicU64>);

impl Allowance {
    /// The number for one entry.
    pub(crate) const ITEMS: u64 = 1 << 20;

    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicU64::new(Self::ITEMS)))
    }

    /// Another entry begins.
    #[inline]
    pub(crate) fn renew(&self) {
        // One cursor's columns are read by one thread at a time: the atomic only makes it `Sync`.
        self.0.store(Self::ITEMS, Relaxed);
    }

    /// Entries begin that are read together, which may have `count` items.
    pub(crate) fn grant(&self, count: u64) {
        self.0.store(count, Relaxed);
    }

    /// The number of items that are left.
    pub(crate) fn left(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// Another `count` entries begin, of which something is read at once.
    #[inline]
    pub(crate) fn renew_for(&self, count: u64) {
        // What one entry may have, and some for each: a column of zeros has one or a few.
        self.0.store(Self::ITEMS.saturating_add(count.saturating_mul(64)), Relaxed);
    }

    /// Takes `count` items.
    ///
    /// # Errors
    /// The entry has had too many.
    pub(crate) fn take(&self, count: u64) -> Result<()> {
        let left = self.0.load(Relaxed).checked_sub(count).ok_or_else(|| {
            Error::limit(format!("an entry has over {} items that take no bytes in the file", Self::ITEMS))
        })?;
        self.0.store(left, Relaxed);
        Ok(())
    }
}
