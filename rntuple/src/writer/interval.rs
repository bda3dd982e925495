//! How often a writer makes checkpoints.

use std::time::{Duration, Instant};

/// How often a writer makes [checkpoints](crate::Writer::checkpoint).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Interval {
    /// After this many entries.
    Entries(u64),
    /// After this many bytes of the file.
    Bytes(u64),
    /// After this time.
    Time(Duration),
}

/// What has been written since the last checkpoint.
#[derive(Debug)]
pub(super) struct Since {
    entries: u64,
    file_end: u64,
    time: Instant,
}

impl Since {
    /// A checkpoint of this number of entries, in a file of this size.
    pub(super) fn now(entries: u64, file_end: u64) -> Self {
        Self { entries, file_end, time: Instant::now() }
    }

    /// Entries of the checkpoint.
    pub(super) fn entries(&self) -> u64 {
        self.entries
    }

    /// Whether the next checkpoint is due.
    pub(super) fn is_over(&self, interval: Interval, entries: u64, file_end: impl FnOnce() -> u64) -> bool {
        entries > self.entries
            && match interval {
                Interval::Entries(count) => entries - self.entries >= count,
                Interval::Bytes(count) => file_end().saturating_sub(self.file_end) >= count,
                Interval::Time(time) => self.time.elapsed() >= time,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_over_when_enough_has_come() {
        let since = Since::now(10, 1000);
        assert!(!since.is_over(Interval::Entries(5), 14, || 9000));
        assert!(since.is_over(Interval::Entries(5), 15, || 1000));
        assert!(!since.is_over(Interval::Bytes(500), 99, || 1499));
        assert!(since.is_over(Interval::Bytes(500), 99, || 1500));
        assert!(!since.is_over(Interval::Time(Duration::from_secs(3600)), 99, || 9000));
        assert!(since.is_over(Interval::Time(Duration::ZERO), 11, || 1000));
        // There is nothing new.
        assert!(!since.is_over(Interval::Time(Duration::ZERO), 10, || 1000));
    }
}
