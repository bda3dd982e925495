//! Which entries a walk comes to.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// The entries of a file that a walk comes to, as far as that is known: what has none of them is not decoded ahead. The
/// walk may learn of others while its clusters are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// Runs in order, counted as the reader does.
    runs: Arc<Mutex<Arc<[Range<u64>]>>>,
    /// The number of the file's first entry.
    first: u64,
}

impl Wanted {
    /// None so far, of a file whose first entry has this number.
    pub(crate) fn in_file(first: u64) -> Self {
        Self { runs: Arc::default(), first }
    }

    /// Replaces what was known by these runs in order, counted as the reader does.
    pub(crate) fn set(&self, runs: Arc<[Range<u64>]>) {
        *self.runs.lock().unwrap_or_else(PoisonError::into_inner) = runs;
    }

    /// Whether any of some entries is among them, which are counted in the file.
    pub(super) fn has_any_of(&self, entries: Range<u64>) -> bool {
        let (start, end) = (self.first.saturating_add(entries.start), self.first.saturating_add(entries.end));
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let next = runs.partition_point(|run| run.end <= start);
        runs.get(next).is_some_and(|run| run.start < end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_wanted_where_a_run_has_one_of_them() {
        let wanted = Wanted::in_file(100);
        assert!(!wanted.has_any_of(0..1000));
        wanted.set([103..105, 120..130].into());
        let clone = wanted.clone();
        for (entries, is_wanted) in
            [(0..3, false), (0..4, true), (4..5, true), (5..20, false), (5..21, true), (30..u64::MAX, false)]
        {
            assert_eq!(clone.has_any_of(entries.clone()), is_wanted, "{entries:?}");
        }
        wanted.set(std::iter::once(0..u64::MAX).collect());
        assert!(clone.has_any_of(30..31));
    }
}
