//! Entries for several threads at once.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use rayon::iter::ParallelIterator;
use rayon::iter::plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed};

use super::cursors::Cursors;
use super::entry_list::EntryList;
use super::route::{Finder, Route};
use super::sequence::SharedFiles;
use super::{Entries, ReadOptions};
use crate::error::Result;
use crate::field::ReadField;

/// Pieces for each thread: one that is done early takes another.
const PIECES: usize = 4;

/// All entries, for several threads: [`Reader::par_entries`](super::Reader::par_entries).
#[must_use = "iterators read nothing unless they are asked"]
pub struct ParEntries<T> {
    files: SharedFiles,
    options: ReadOptions,
    filter: Option<Filter>,
    item: PhantomData<fn() -> T>,
}

/// Which of the entries are read.
#[derive(Clone)]
struct Filter {
    find: Arc<FindIn>,
    excludes: Arc<Excludes>,
    within: EntryList,
}

/// Finds entries among those of a list.
type FindIn = dyn Fn(&EntryList) -> Box<dyn Finder> + Send + Sync;

/// Says of a file, by its position, whether nothing is found in it: then it is not opened.
type Excludes = dyn Fn(usize) -> bool + Send + Sync;

/// Pieces in order. A thread that has several of them continues from each to the next with the pages that it has.
struct Pieces<T: ReadField> {
    /// As many as are used at the same time.
    cursors: Arc<Cursors<T>>,
    /// Those that must not be read at once are in one list.
    ranges: Vec<Vec<Range<u64>>>,
    filter: Option<Filter>,
}

impl<T: ReadField> Pieces<T> {
    fn into_entries(self) -> impl Iterator<Item = Result<T>> {
        let Self { cursors, ranges, filter } = self;
        ranges.into_iter().flatten().flat_map(move |range| {
            let list = EntryList::from(range);
            match &filter {
                None => Entries::new(&cursors, &list),
                Some(Filter { find, within, .. }) => {
                    let found = find(&within.intersection(&list));
                    Entries::on(&cursors, Route::found(cursors.files().clone(), found))
                }
            }
        })
    }
}

impl<T: ReadField<Reader: Send> + Send> UnindexedProducer for Pieces<T> {
    type Item = Result<T>;

    fn split(mut self) -> (Self, Option<Self>) {
        if self.ranges.len() < 2 {
            return (self, None);
        }
        let ranges = self.ranges.split_off(self.ranges.len() / 2);
        let other = Self { cursors: self.cursors.clone(), ranges, filter: self.filter.clone() };
        (self, Some(other))
    }

    fn fold_with<F: Folder<Self::Item>>(self, folder: F) -> F {
        folder.consume_iter(self.into_entries())
    }
}

impl<T: ReadField<Reader: Send> + Send> ParallelIterator for Pieces<T> {
    type Item = Result<T>;

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge_unindexed(self, consumer)
    }
}

impl<T: ReadField> ParEntries<T> {
    pub(super) fn new(files: SharedFiles, options: ReadOptions) -> Self {
        Self { files, options, filter: None, item: PhantomData }
    }

    /// Of the entries that are found in a list.
    pub(super) fn found(
        files: SharedFiles,
        options: ReadOptions,
        within: EntryList,
        excludes: impl Fn(usize) -> bool + Send + Sync + 'static,
        find: impl Fn(&EntryList) -> Box<dyn Finder> + Send + Sync + 'static,
    ) -> Self {
        let filter = Filter { find: Arc::new(find), excludes: Arc::new(excludes), within };
        Self { filter: Some(filter), ..Self::new(files, options) }
    }

    /// The pieces, of which as many are read at once as the memory allows for.
    fn pieces(&self) -> Result<Pieces<T>> {
        let (files, mut options) = (&self.files, self.options.clone());
        let threads = rayon::current_num_threads().max(1);
        let is_excluded = |file| self.filter.as_ref().is_some_and(|filter| (filter.excludes)(file));
        let ranges = files.partitions_without(threads.saturating_mul(PIECES), is_excluded)?;
        let mut at_once = ranges.len().min(threads).max(1);
        if at_once == threads {
            // Every thread has pieces of its own to decode.
            options.pool = None;
        }
        if let Some(budget) = options.memory_budget {
            let least = files.least_budget(is_excluded)?;
            while at_once > 1 && budget / (at_once as u64) < least {
                at_once /= 2;
            }
            options.memory_budget = Some(budget / at_once as u64);
        }
        // Where memory allows for fewer at once than there are threads, neighbours wait for each other.
        let neighbours = if at_once < threads { ranges.len().div_ceil(at_once) } else { 1 };
        let ranges = ranges.chunks(neighbours.max(1)).map(<[_]>::to_vec).collect();
        let cursors = Arc::new(Cursors::new(files.clone(), options.hidden(), at_once));
        Ok(Pieces { cursors, ranges, filter: self.filter.clone() })
    }
}

impl<T: ReadField<Reader: Send> + Send> ParallelIterator for ParEntries<T> {
    type Item = Result<T>;

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        let pool = self.options.pool.clone();
        let drive = move || match self.pieces() {
            Ok(pieces) => pieces.drive_unindexed(consumer),
            Err(error) => rayon::iter::once(Err(error)).drive_unindexed(consumer),
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
