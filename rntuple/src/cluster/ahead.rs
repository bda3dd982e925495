//! Reading bytes before they are asked for, within bounds.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::room::Room;
use super::span::Begun;
use super::{Cluster, Inner};
use crate::pool::{Pool, Task};

/// Begins the reads of clusters before anybody asks, in the order of the file, so many bytes at once.
pub(crate) struct ReadAhead {
    pool: Pool,
    /// The most bytes that may have been read, or be on their way, without anybody having asked.
    limit: u64,
    room: Option<Arc<Room>>,
    in_flight: Arc<AtomicU64>,
    /// The reads that come next: a cluster, and the number of the read.
    queue: Mutex<VecDeque<(Weak<Inner>, usize)>>,
}

/// Bytes that were read, or are on their way, and that nobody has asked for.
pub(super) struct InFlight {
    count: Arc<AtomicU64>,
    bytes: u64,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.count.fetch_sub(self.bytes, Relaxed);
    }
}

impl ReadAhead {
    /// Reads on `pool`, at most `limit` bytes ahead, as far as there is room.
    pub(crate) fn new(pool: &Pool, limit: u64, room: Option<Arc<Room>>) -> Self {
        Self { pool: pool.clone(), limit, room, in_flight: Arc::default(), queue: Mutex::default() }
    }

    /// Puts the reads of a cluster behind those that wait already.
    pub(crate) fn add(&self, cluster: &Cluster) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let inner = Arc::downgrade(&cluster.0);
        queue.extend((0..cluster.0.spans.len()).map(|number| (inner.clone(), number)));
        drop(queue);
        self.pump();
    }

    /// Begins as many reads as fit. Nothing here waits for a read.
    pub(super) fn pump(&self) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((inner, number)) = queue.front() {
            let inner = inner.upgrade();
            let span = inner.as_ref().and_then(|inner| inner.spans.get(*number));
            let (Some(inner), Some(span)) = (&inner, span) else {
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
                self.in_flight.fetch_add(size, Relaxed);
                let in_flight = InFlight { count: self.in_flight.clone(), bytes: size };
                let (fetch, range) = (inner.fetch.clone(), span.range.clone());
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
