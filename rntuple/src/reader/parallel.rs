//! Entries for several threads at once.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use rayon::iter::plumbing::UnindexedConsumer;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::source::Source;
use super::{Cursor, Entries, ReadOptions};
use crate::error::{ErrorKind, Result};
use crate::field::ReadField;
use crate::schema::ColumnId;

/// Pieces for each thread: one that is done early takes another.
const PIECES: usize = 4;

/// All entries, for several threads: [`Reader::par_entries`](super::Reader::par_entries).
#[must_use = "iterators read nothing unless they are asked"]
pub struct ParEntries<T> {
    source: Source,
    options: ReadOptions,
    selected: BTreeSet<ColumnId>,
    item: std::marker::PhantomData<fn() -> T>,
}

impl<T: ReadField> ParEntries<T> {
    pub(super) fn new(source: Source, options: ReadOptions, selected: BTreeSet<ColumnId>) -> Self {
        Self { source, options, selected, item: std::marker::PhantomData }
    }

    /// Whether the memory is not even enough for one walk.
    fn is_too_small(source: &Source, options: &ReadOptions) -> bool {
        if let Source::Many(files) = source {
            return options.memory_budget.is_some_and(|budget| budget < files.least_budget());
        }
        let walk = Cursor::<T>::walk(source.clone(), options, 0..source.len());
        walk.is_err_and(|error| error.kind() == ErrorKind::LimitExceeded)
    }

    /// The entries of a piece.
    fn entries(source: &Source, options: &ReadOptions, range: Range<u64>) -> Entries<T> {
        Entries::new(Cursor::walk(source.clone(), options, range.clone()), range)
    }
}

impl<T: ReadField + Send> ParallelIterator for ParEntries<T> {
    type Item = Result<T>;

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        let Self { source, mut options, selected, .. } = self;
        let pool = options.pool.clone();
        let drive = move || {
            let threads = rayon::current_num_threads().max(1);
            let pieces = source.partitions(&selected, threads.saturating_mul(PIECES));
            let mut at_once = pieces.len().min(threads).max(1);
            if at_once == threads {
                // Every thread has pieces of its own to decode.
                options.pool = None;
            }
            if let Some(budget) = options.memory_budget {
                let share = |at_once: usize| ReadOptions {
                    memory_budget: Some(budget / at_once as u64),
                    ..options.clone()
                };
                while at_once > 1 && Self::is_too_small(&source, &share(at_once)) {
                    at_once /= 2;
                }
                options = share(at_once);
            }
            // Where memory allows for fewer at once than there are threads, neighbours wait for each other.
            let neighbours = if at_once < threads { pieces.len().div_ceil(at_once) } else { 1 };
            let groups: Vec<Vec<Range<u64>>> = pieces.chunks(neighbours.max(1)).map(<[_]>::to_vec).collect();
            let (source, options) = (&source, &options);
            let entries = |group: Vec<Range<u64>>| {
                group.into_iter().flat_map(move |range| Self::entries(source, options, range))
            };
            groups.into_par_iter().with_max_len(1).flat_map_iter(entries).drive_unindexed(consumer)
        };
        match pool {
            Some(pool) => pool.as_rayon().install(drive),
            None => drive(),
        }
    }
}

impl<T> fmt::Debug for ParEntries<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParEntries").field("options", &self.options).finish_non_exhaustive()
    }
}
