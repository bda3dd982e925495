//! Storage that is far away.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rntuple::storage::{Block, Memory, ReadAt, block_by_blocks, read_by_blocks};

/// A file in memory that is read as if it were far away, and what was asked of it.
#[derive(Clone, Debug)]
pub struct Far(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    file: Memory,
    round_trip: Duration,
    /// The calls that fail, by number, counted from 0.
    failing: Range<usize>,
    calls: Mutex<Vec<Vec<Range<u64>>>>,
    under_way: AtomicUsize,
    most: AtomicUsize,
}

impl Far {
    /// Each call takes this long.
    pub fn new(file: Memory, round_trip: Duration) -> Self {
        Self::failing(file, round_trip, 0..0)
    }

    /// As [`new`](Self::new); some calls fail, counted from 0.
    pub fn failing(file: Memory, round_trip: Duration, failing: Range<usize>) -> Self {
        let (calls, under_way, most) = (Mutex::default(), AtomicUsize::new(0), AtomicUsize::new(0));
        Self(Arc::new(Inner { file, round_trip, failing, calls, under_way, most }))
    }

    /// The ranges of each call since the last time.
    ///
    /// # Panics
    /// If a reader panicked.
    #[expect(clippy::unwrap_used, reason = "the documented panic")]
    pub fn take_calls(&self) -> Vec<Vec<Range<u64>>> {
        std::mem::take(&mut *self.0.calls.lock().unwrap())
    }

    /// The most calls that were under way at once.
    pub fn most_at_once(&self) -> usize {
        self.0.most.load(Ordering::SeqCst)
    }
}

impl ReadAt for Far {
    fn size(&self) -> u64 {
        self.0.file.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        read_by_blocks(self, offset, buffer)
    }

    fn block(&self, range: Range<u64>) -> io::Result<Block> {
        block_by_blocks(self, range)
    }

    fn blocks(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Block>> {
        let inner = &*self.0;
        let number = {
            let mut calls = inner.calls.lock().map_err(|_| io::Error::other("a reader panicked"))?;
            calls.push(ranges.to_vec());
            calls.len() - 1
        };
        let under_way = inner.under_way.fetch_add(1, Ordering::SeqCst) + 1;
        inner.most.fetch_max(under_way, Ordering::SeqCst);
        std::thread::sleep(inner.round_trip);
        inner.under_way.fetch_sub(1, Ordering::SeqCst);
        if inner.failing.contains(&number) {
            return Err(io::Error::new(io::ErrorKind::ConnectionReset, "the connection was cut"));
        }
        // Copies, as what comes over a network is.
        ranges.iter().map(|range| Ok(Block::from(inner.file.block(range.clone())?.to_vec()))).collect()
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn name(&self) -> &str {
        "far://away/events.root"
    }
}

/// The requests of calls, where a protocol merges what is at most 1 MiB apart.
#[must_use]
pub fn requests(calls: &[Vec<Range<u64>>]) -> usize {
    let requests = |ranges: &Vec<Range<u64>>| {
        let (mut count, mut end) = (0, None);
        let mut ranges = ranges.clone();
        ranges.sort_by_key(|range| range.start);
        for range in ranges {
            count += usize::from(end.is_none_or(|end| range.start > end + (1 << 20)));
            end = Some(range.end);
        }
        count
    };
    calls.iter().map(requests).sum()
}

/// The bytes of calls.
#[must_use]
pub fn bytes(calls: &[Vec<Range<u64>>]) -> u64 {
    calls.iter().flatten().map(|range| range.end - range.start).sum()
}

/// The bytes that calls asked for more than once.
#[must_use]
pub fn repeated(calls: &[Vec<Range<u64>>]) -> u64 {
    let mut ranges: Vec<_> = calls.iter().flatten().cloned().collect();
    ranges.sort_by_key(|range| range.start);
    let (mut end, mut repeated) = (0, 0);
    for range in ranges {
        repeated += range.end.min(end).saturating_sub(range.start);
        end = end.max(range.end);
    }
    repeated
}
