//! Entries for several threads at once.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use rayon::iter::plumbing::UnindexedConsumer;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::cursors::Cursors;
use super::entry_list::EntryList;
use super::sequence::Sequence;
use super::{Entries, ReadOptions};
use crate::error::Result;
use crate::field::ReadField;

/// Pieces for each thread: one that is done early takes another.
const PIECES: usize = 4;

/// All entries, for several threads: [`Reader::par_entries`](super::Reader::par_entries).
#[must_use = "iterators read nothing unless they are asked"]
pub struct ParEntries<T> {
    files: Arc<Sequence>,
    options: ReadOptions,
    item: PhantomData<fn() -> T>,
}

/// Neighbouring pieces, which one thread reads one after the other.
struct Piece<T: ReadField> {
    cursors: Arc<Cursors<T>>,
    ranges: Vec<Range<u64>>,
}

impl<T: ReadField> Piece<T> {
    fn into_entries(self) -> impl Iterator<Item = Result<T>> {
        let Self { cursors, ranges } = self;
        ranges.into_iter().flat_map(move |range| Entries::new(&cursors, &EntryList::from(range)))
    }
}

impl<T: ReadField> ParEntries<T> {
    pub(super) fn new(files: Arc<Sequence>, options: ReadOptions) -> Self {
        Self { files, options, item: PhantomData }
    }

    /// The pieces, of which as many are read at once as the memory allows for.
    fn pieces(&self) -> Result<Vec<Piece<T>>> {
        let (files, mut options) = (&self.files, self.options.clone());
        let threads = rayon::current_num_threads().max(1);
        let ranges = files.partitions(threads.saturating_mul(PIECES))?;
        let mut at_once = ranges.len().min(threads).max(1);
        if at_once == threads {
            // Every thread has pieces of its own to decode.
            options.pool = None;
        }
        if let Some(budget) = options.memory_budget {
            while at_once > 1 && budget / (at_once as u64) < files.least_budget() {
                at_once /= 2;
            }
            options.memory_budget = Some(budget / at_once as u64);
        }
        // Where memory allows for fewer at once than there are threads, neighbours wait for each other.
        let neighbours = if at_once < threads { ranges.len().div_ceil(at_once) } else { 1 };
        // A thread that takes the next piece goes on with the pages that it has.
        let cursors = Arc::new(Cursors::new(files.clone(), options, at_once));
        let piece = |ranges: &[_]| Piece { cursors: cursors.clone(), ranges: ranges.to_vec() };
        Ok(ranges.chunks(neighbours.max(1)).map(piece).collect())
    }
}

impl<T: ReadField + Send> ParallelIterator for ParEntries<T> {
    type Item = Result<T>;

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        let pool = self.options.pool.clone();
        let drive = move || {
            let (pieces, fault) = match self.pieces() {
                Ok(pieces) => (pieces, None),
                Err(error) => (Vec::new(), Some(Err(error))),
            };
            let pieces = pieces.into_par_iter().with_max_len(1).flat_map_iter(Piece::into_entries);
            pieces.chain(fault).drive_unindexed(consumer)
        };
        match pool {
            Some(pool) => pool.as_rayon().install(drive),
            None => drive(),
        }
    }
}

impl<T> fmt::Debug for ParEntries<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParEntries").field("files", &self.files.names()).finish_non_exhaustive()
    }
}
