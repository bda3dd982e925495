//! Reading bytes before they are asked for, within bounds.

use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, PoisonError, Weak};

use super::batch::Batch;
use super::reads::Reads;
use super::room::Room;
use super::span::{Begun, InFlight, SpanState};
use crate::pool::{Pool, Task};

/// Bytes that are asked for at once of storage that is far away: so a round trip is little next to what it brings.
pub(super) const BATCH: u64 = 8 << 20;
/// By how much each of the [first batches](STAGGERED) of a walk is longer than the one before. Batches of one length that begin
/// together end together as well, where they share a network: then all those after them begin together again, and for a
/// round trip nothing comes.
const STAGGER: u64 = 7 << 18;
/// As many batches as are under way at first.
const STAGGERED: u64 = 5;
/// Pieces of a file that are asked for at once, each [apart](APART) from the others: where they are small, several batches
/// are quicker.
const MOST_PIECES: usize = 128;
/// Bytes between two reads that are likely to be requests of their own.
const APART: u64 = 64 << 10;
/// Batches that are under way at once.
const MOST_BATCHES: u64 = 8;

/// Begins the reads of clusters before their pages are requested, in the order of the file, up to a number of bytes.
pub(crate) struct ReadAhead {
    workers: Workers,
    /// The most bytes that may have been read, or be on their way, before they are requested; what a walk is about to
    /// need of storage that is far away is read in any case.
    limit: u64,
    room: Option<Arc<Room>>,
    in_flight: Arc<AtomicU64>,
    /// Batches under way, where each has a thread of its own.
    running: Arc<AtomicU64>,
    /// Batches that were begun.
    begun: AtomicU64,
    /// More clusters will be added to the queue: small batches may wait for them.
    expects_more: AtomicBool,
    /// The reads that come next.
    queue: Mutex<VecDeque<Next>>,
}

/// What makes the reads.
enum Workers {
    /// The storage is near: each read is one task.
    Near(Pool),
    /// The storage is far away: many reads are one request, and each request has a thread, which waits.
    Far,
}

/// A read that comes next.
struct Next {
    reads: Weak<Reads>,
    /// The number of the read.
    number: usize,
    /// It is needed now.
    is_urgent: bool,
}

impl ReadAhead {
    /// Reads on `pool`, at most `limit` bytes ahead, as far as there is room.
    pub(crate) fn new(pool: &Pool, limit: u64, room: Option<Arc<Room>>) -> Arc<Self> {
        Self::with(Workers::Near(pool.clone()), limit, room)
    }

    /// Reads from storage that is far away.
    pub(crate) fn far(limit: u64, room: Option<Arc<Room>>) -> Arc<Self> {
        Self::with(Workers::Far, limit, room)
    }

    fn with(workers: Workers, limit: u64, room: Option<Arc<Room>>) -> Arc<Self> {
        let expects_more = AtomicBool::new(false);
        let (in_flight, running, queue) = (Arc::default(), Arc::default(), Mutex::default());
        let begun = AtomicU64::new(0);
        Arc::new(Self { workers, limit, room, in_flight, running, begun, expects_more, queue })
    }

    /// Whether the storage is far away.
    pub(crate) fn is_far(&self) -> bool {
        matches!(self.workers, Workers::Far)
    }

    /// Bytes that were read, or are on their way, before a page of them was requested.
    #[cfg(all(test, rntuple_model))]
    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight.load(Relaxed)
    }

    /// Whether more could be begun than waits already.
    pub(crate) fn has_room(&self) -> bool {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queued(&queue, self.limit).saturating_add(self.in_flight.load(Relaxed)) < self.limit
    }

    /// Says whether more clusters will be added before those that wait are all that is left, and begins what fits.
    pub(crate) fn expect_more(self: &Arc<Self>, expects_more: bool) {
        self.expects_more.store(expects_more, Relaxed);
        self.pump();
    }

    /// Puts reads of a cluster after those that wait already. From storage that is far away they are begun when it is
    /// known [what comes next](Self::expect_more).
    pub(super) fn add(self: &Arc<Self>, reads: &Arc<Reads>, numbers: impl Iterator<Item = usize>) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let next = |number| Next { reads: Arc::downgrade(reads), number, is_urgent: false };
        queue.extend(numbers.map(next));
        drop(queue);
        if !self.is_far() {
            self.pump();
        }
    }

    /// Puts reads of a cluster in front of those that wait, since they are needed now. Those that were begun are no longer
    /// ahead.
    pub(super) fn hurry(&self, reads: &Arc<Reads>, numbers: impl Iterator<Item = usize>) {
        let own = Arc::downgrade(reads);
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.retain(|next| !next.reads.ptr_eq(&own));
        let mut urgent = VecDeque::new();
        for number in numbers {
            let Some(mut state) = reads.spans.get(number).and_then(|span| span.try_lock()) else { continue };
            if let Some(begun) = &mut state.begun {
                begun.in_flight = None;
            } else if state.is_untouched() {
                urgent.push_back(Next { reads: own.clone(), number, is_urgent: true });
            }
        }
        urgent.append(&mut queue);
        *queue = urgent;
    }

    /// Begins as many reads as fit. Nothing here waits for a read.
    pub(super) fn pump(self: &Arc<Self>) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        while self.begin_next(&mut queue) {}
    }

    /// About how many bytes the next batch has.
    fn batch_size(&self) -> u64 {
        if !self.is_far() {
            return 1;
        }
        let begun = self.begun.load(Relaxed);
        let longer = if begun < STAGGERED { STAGGER * begun } else { 0 };
        let room = self.limit.saturating_sub(self.in_flight.load(Relaxed));
        (BATCH + longer).min(room).max(BATCH)
    }

    /// Begins the next batch; `false` if none may be begun now.
    fn begin_next(self: &Arc<Self>, queue: &mut VecDeque<Next>) -> bool {
        let batch_size = self.batch_size();
        if self.is_far() {
            if self.running.load(Relaxed) >= MOST_BATCHES {
                return false;
            }
            // A small batch now would make the next one small as well.
            let under_way = self.in_flight.load(Relaxed);
            let wanted = queued(queue, batch_size).min(self.limit);
            let is_urgent = queue.front().is_some_and(|next| next.is_urgent);
            let is_small = wanted < batch_size.min(self.limit) && self.expects_more.load(Relaxed);
            if !is_urgent && (is_small || under_way > 0 && under_way.saturating_add(wanted) > self.limit) {
                return false;
            }
        }
        let batch = Batch::new();
        let planning = batch.plan();
        let mut plan = Plan::new(&batch);
        let mut is_full = false;
        while let Some(next) = queue.front() {
            let reads = next.reads.upgrade();
            let span = reads.as_ref().and_then(|reads| reads.spans.get(next.number));
            let (Some(reads), Some(span)) = (&reads, span) else {
                queue.pop_front();
                continue;
            };
            let is_urgent = next.is_urgent;
            let (size, limit) = (span.size(), if is_urgent { u64::MAX } else { self.limit });
            // Another thread that holds the lock is reading it.
            let state = span.try_lock().filter(|state| state.is_untouched() && size <= limit);
            if let Some(mut state) = state {
                // Only this adds, under the lock of the queue.
                is_full = self.in_flight.load(Relaxed).saturating_add(size) > limit
                    || !plan.take(self, reads, span.range.clone(), &mut state, !is_urgent);
                if is_full {
                    break;
                }
            }
            queue.pop_front();
            if plan.size >= batch_size || plan.pieces >= MOST_PIECES {
                break;
            }
        }
        let Some(fetch) = plan.fetch else { return false };
        let ranges = plan.ranges;
        planning.begin(match &self.workers {
            Workers::Near(pool) => Task::spawn(pool, move || fetch.fetch_all(&ranges)),
            Workers::Far => {
                self.begun.fetch_add(1, Relaxed);
                let (ahead, running) = (Arc::downgrade(self), Running::new(&self.running));
                Task::spawn_waiting(move || {
                    let blocks = fetch.fetch_all(&ranges);
                    drop(running);
                    if let Some(ahead) = ahead.upgrade() {
                        ahead.pump();
                    }
                    blocks
                })
            }
        });
        !is_full
    }

    /// Of storage that is far away: begins a read that is needed now and was not begun, with up to `most` bytes of those
    /// after it. The thread that waits for it makes the request.
    pub(super) fn demand(&self, reads: &Arc<Reads>, number: usize, state: &mut SpanState, most: u64) {
        let batch = Batch::new();
        let planning = batch.plan();
        let mut plan = Plan::new(&batch);
        let mut spans = reads.spans.iter().skip(number);
        if let Some(span) = spans.next()
            && !plan.take(self, reads, span.range.clone(), state, false)
        {
            return;
        }
        for span in spans {
            if plan.size >= most {
                break;
            }
            if let Some(mut state) = span.try_lock().filter(|state| state.is_untouched())
                && !plan.take(self, reads, span.range.clone(), &mut state, false)
            {
                break;
            }
        }
        if let Some(fetch) = plan.fetch {
            let ranges = plan.ranges;
            planning.begin(Task::new(move || fetch.fetch_all(&ranges)));
        }
    }
}

/// A batch that is put together.
struct Plan<'a> {
    batch: &'a Arc<Batch>,
    fetch: Option<Arc<dyn super::fetch::Fetch>>,
    ranges: Vec<Range<u64>>,
    size: u64,
    pieces: usize,
}

impl<'a> Plan<'a> {
    fn new(batch: &'a Arc<Batch>) -> Self {
        Self { batch, fetch: None, ranges: Vec::new(), size: 0, pieces: 0 }
    }

    /// Adds a read, which counts as one ahead or not; `false` where there is no room for it.
    fn take(
        &mut self,
        ahead: &ReadAhead,
        reads: &Reads,
        range: Range<u64>,
        state: &mut SpanState,
        is_ahead: bool,
    ) -> bool {
        let size = range.end - range.start;
        let lease = match &ahead.room {
            None => None,
            Some(room) => match room.take(size) {
                None => return false,
                lease => lease,
            },
        };
        let in_flight = is_ahead.then(|| InFlight::new(&ahead.in_flight, size));
        let number = self.ranges.len();
        state.begun = Some(Begun { batch: self.batch.clone(), number, lease, in_flight });
        let is_near =
            self.ranges.last().is_some_and(|last| range.start >= last.end && range.start - last.end <= APART);
        self.pieces += usize::from(!is_near);
        self.ranges.push(range);
        self.size = self.size.saturating_add(size);
        self.fetch.get_or_insert_with(|| reads.fetch.clone());
        true
    }
}

/// Bytes of the reads that wait, counted up to about `most`.
fn queued(queue: &VecDeque<Next>, most: u64) -> u64 {
    let mut bytes = 0u64;
    for next in queue {
        if bytes >= most {
            break;
        }
        let reads = next.reads.upgrade();
        let span = reads.as_ref().and_then(|reads| reads.spans.get(next.number));
        bytes = bytes.saturating_add(span.map_or(0, |span| span.size()));
    }
    bytes
}

/// A batch under way, counted until it is dropped.
struct Running(Arc<AtomicU64>);

impl Running {
    fn new(count: &Arc<AtomicU64>) -> Self {
        count.fetch_add(1, Relaxed);
        Self(count.clone())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
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
