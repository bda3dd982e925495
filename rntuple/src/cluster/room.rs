//! A limit on memory, shared by all reads that take some.

use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

/// Memory that may still be taken.
#[derive(Debug)]
pub(crate) struct Room(AtomicU64);

/// Memory that was taken, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    room: Arc<Room>,
    bytes: u64,
}

impl Room {
    /// Room for `bytes`.
    pub(crate) fn new(bytes: u64) -> Self {
        Self(AtomicU64::new(bytes))
    }

    /// What is left.
    pub(crate) fn left(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// Takes `bytes`, or nothing where they are not left.
    pub(crate) fn take(self: &Arc<Self>, bytes: u64) -> Option<Lease> {
        // The number is all that is shared: no other memory is ordered by it.
        self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(bytes)).ok()?;
        Some(Lease { room: self.clone(), bytes })
    }

    /// A lease of nothing, which may [grow](Lease::grow).
    pub(crate) fn begin(self: &Arc<Self>) -> Lease {
        Lease { room: self.clone(), bytes: 0 }
    }
}

impl Lease {
    /// Takes more, so that it is of `bytes` in all; `false` where that is not left.
    #[must_use]
    pub(crate) fn grow(&mut self, bytes: u64) -> bool {
        let Some(more) = bytes.checked_sub(self.bytes).filter(|more| *more > 0) else { return true };
        let taken = self.room.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(more));
        if taken.is_ok() {
            self.bytes = bytes;
        }
        taken.is_ok()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.room.0.fetch_add(self.bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_can_be_taken_again() {
        let room = Arc::new(Room::new(10));
        let six = room.take(6).unwrap();
        assert!(room.take(5).is_none());
        let four = room.take(4).unwrap();
        assert_eq!(room.left(), 0);
        drop(six);
        assert_eq!(room.left(), 6);
        drop(four);
        let mut growing = room.begin();
        assert!(growing.grow(4) && growing.grow(3) && growing.grow(9));
        assert_eq!(room.left(), 1);
        assert!(!growing.grow(11));
        assert_eq!(room.left(), 1);
        drop(growing);
        assert!(room.take(11).is_none() && room.take(10).is_some());
        assert_eq!(room.left(), 10);
    }
}
