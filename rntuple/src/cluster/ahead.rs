//! Reading bytes before they are asked for, within bounds.

use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, PoisonError, Weak};

use super::reads::Reads;
use super::room::Room;
use super::span::{Begun, InFlight};
use crate::pool::{Pool, Task};

/// Begins the reads of clusters before their pages are requested, in the order of the file, up to a number of bytes.
pub(crate) struct ReadAhead {
    pool: Pool,
    /// The most bytes that may have been read, or be on their way, without anybody having asked.
    limit: u64,
    room: Option<Arc<Room>>,
    in_flight: Arc<AtomicU64>,
    /// The reads that come next: a cluster, and the number of the read.
    queue: Mutex<VecDeque<(Weak<Reads>, usize)>>,
}

impl ReadAhead {
    /// Reads on `pool`, at most `limit` bytes ahead, as far as there is room.
    pub(crate) fn new(pool: &Pool, limit: u64, room: Option<Arc<Room>>) -> Self {
        Self { pool: pool.clone(), limit, room, in_flight: Arc::default(), queue: Mutex::default() }
    }

    /// Bytes that were read, or are on their way, before a page of them was requested.
    #[cfg(all(test, rntuple_model))]
    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight.load(Relaxed)
    }

    /// Puts the reads of a cluster behind those that wait already.
    pub(super) fn add(&self, reads: &Arc<Reads>) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let weak = Arc::downgrade(reads);
        queue.extend((0..reads.spans.len()).map(|number| (weak.clone(), number)));
        drop(queue);
        self.pump();
    }

    /// Begins as many reads as fit. Nothing here waits for a read.
    pub(super) fn pump(&self) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((reads, number)) = queue.front() {
            let reads = reads.upgrade();
            let span = reads.as_ref().and_then(|reads| reads.spans.get(*number));
            let (Some(reads), Some(span)) = (&reads, span) else {
                queue.pop_front();
                continue;
            };
            let size = span.size();
            // Whoever holds the lock is reading it.
            let state = span.try_lock().filter(|state| state.is_untouched() && size <= self.limit);
            if let Some(mut state) = state {
                // Only this adds, under the lock of the queue.
                if self.in_flight.load(Relaxed).saturating_add(size) > self.limit {
                    return;
                }
                let lease = match &self.room {
                    None => None,
                    Some(room) => match room.take(size) {
                        None => return,
                        lease => lease,
                    },
                };
                let in_flight = InFlight::new(&self.in_flight, size);
                let (fetch, range) = (reads.fetch.clone(), span.range.clone());
                let task = Task::spawn(&self.pool, move || fetch.fetch(range));
                state.begun = Some(Begun { task, lease, in_flight });
            }
            queue.pop_front();
        }
    }
}

impl fmt::Debug for ReadAhead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadAhead")
            .field("limit", &self.limit)
            .field("in_flight", &self.in_flight)
            .finish_non_exhaustive()
    }
}
