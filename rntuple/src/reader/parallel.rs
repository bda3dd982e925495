//! Entries for several threads at once.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use rayon::iter::plumbing::UnindexedConsumer;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::{Cursor, Entries, ReadOptions, partition};
use crate::dataset::Dataset;
use crate::error::Result;
use crate::field::ReadField;
use crate::schema::ColumnId;

/// Pieces for each thread: one that is done early takes another.
const PIECES: usize = 4;

/// All entries, for several threads: [`Reader::par_entries`](super::Reader::par_entries).
#[must_use = "iterators read nothing unless they are asked"]
pub struct ParEntries<T> {
    dataset: Arc<Dataset>,
    options: ReadOptions,
    selected: BTreeSet<ColumnId>,
    item: std::marker::PhantomData<fn() -> T>,
}

impl<T: ReadField> ParEntries<T> {
    pub(super) fn new(dataset: Arc<Dataset>, options: ReadOptions, selected: BTreeSet<ColumnId>) -> Self {
        Self { dataset, options, selected, item: std::marker::PhantomData }
    }

    /// The entries of a piece.
    fn entries(dataset: &Arc<Dataset>, options: &ReadOptions, range: Range<u64>) -> Entries<T> {
        Entries::new(Cursor::walk(dataset.clone(), options, range.clone()), range)
    }
}

impl<T: ReadField + Send> ParallelIterator for ParEntries<T> {
    type Item = Result<T>;

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        let Self { dataset, mut options, selected, .. } = self;
        let pool = options.pool.clone();
        let drive = move || {
            let threads = rayon::current_num_threads().max(1);
            let pieces = partition::partitions(&dataset, &selected, threads * PIECES);
            let at_once = pieces.len().min(threads).max(1);
            options.memory_budget = options.memory_budget.map(|budget| budget / at_once as u64);
            if at_once == threads {
                // Every thread has pieces of its own to decode.
                options.pool = None;
            }
            let entries = |range| Self::entries(&dataset, &options, range);
            pieces.into_par_iter().with_max_len(1).flat_map_iter(entries).drive_unindexed(consumer)
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
