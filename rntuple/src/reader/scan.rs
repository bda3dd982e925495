//! What finding entries in the files of a reader needs, while they are read.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::Reader;
use super::batches::Batches;
use super::cursor::Way;
use super::cursors::Cursors;
use super::entries::Entries;
use super::entry_list::EntryList;
use super::options::ReadOptions;
#[cfg(feature = "rayon")]
use super::parallel::ParEntries;
use super::prefetch::Supply;
use super::route::{Finder, Route};
use super::sequence::SharedFiles;
use crate::dataset::Dataset;
use crate::error::Result;
use crate::field::columnar::ReadColumnar;
use crate::field::{ReadField, Value};
use crate::hidden::Hidden;
use crate::schema::FieldId;

/// The files of a reader, and how they are read.
pub(crate) struct Scan {
    files: SharedFiles,
    options: Hidden<ReadOptions>,
}

impl Scan {
    /// The position of the file that has an entry, which is one of those that a [`Course`] leads to.
    pub(crate) fn position(&self, entry: u64) -> Result<usize> {
        self.files.position(entry)?.ok_or_else(|| self.files.beyond())
    }

    /// The entries of a file that [`position`](Self::position) has found, as the reader counts them.
    pub(crate) fn entries(&self, index: usize) -> Range<u64> {
        self.files.entries_of(index).unwrap_or_default()
    }

    /// Whether all files are declared to have the schema of the first one.
    pub(crate) fn has_same_schema(&self) -> bool {
        self.options.same_schema
    }

    /// A file, and its entries as the reader counts them.
    pub(crate) fn file(&self, index: usize) -> Result<(Arc<Dataset>, Range<u64>)> {
        let dataset = self.files.dataset(index)?;
        Ok((dataset, self.entries(index)))
    }

    /// Some fields of one file, whose entries are then read in batches.
    pub(crate) fn columns(&self, fields: HashSet<FieldId>) -> FoundColumns {
        let options = self.options.for_fields(fields).hidden();
        FoundColumns(Arc::new(Cursors::new(self.files.clone(), options, 1)))
    }

    /// The way from the entries of a cluster, counted in the file, to the elements of the field at `path`.
    ///
    /// # Errors
    /// As [`Way::new`].
    pub(crate) fn way(&self, dataset: &Dataset, cluster: u64, path: &str, scalars: bool) -> Result<Way> {
        let is_far = dataset.file().is_remote() && self.options.read_ahead_limit_far() > 0;
        let supply = if is_far { Supply::far(&self.options, None) } else { Supply::default() };
        Way::new(dataset, cluster, path, scalars, &self.options, &supply, true)
    }

    /// The way through some entries.
    pub(crate) fn course(&self, entries: &EntryList) -> Course {
        Course(Route::new(self.files.clone(), entries))
    }
}

/// Some fields of one file.
pub(crate) struct FoundColumns(Arc<Cursors<Value>>);

impl FoundColumns {
    pub(crate) fn batches(&self, entries: &EntryList, count: usize) -> Batches<Value> {
        Batches::new(&self.0, entries, count)
    }
}

/// The way through some entries.
pub(crate) struct Course(Hidden<Route>);

impl Course {
    /// The next entries that follow each other; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Range<u64>>> {
        Ok(self.0.next()?.map(|(part, _)| part))
    }

    pub(crate) fn hull(&self) -> Range<u64> {
        self.0.hull()
    }

    pub(crate) fn most(&self) -> u64 {
        self.0.most()
    }

    pub(crate) fn end(&mut self) {
        self.0.end();
    }
}

impl<T: ReadField> Reader<T> {
    pub(crate) fn scan(&self) -> Scan {
        Scan { files: self.sequence().clone(), options: self.cursors.options().clone().hidden() }
    }

    /// The same reader.
    pub(crate) fn shared(&self) -> Self {
        Self { cursors: self.cursors.clone() }
    }

    fn route_found(&self, finder: Box<dyn Finder>) -> Hidden<Route> {
        Route::found(self.sequence().clone(), finder)
    }

    pub(crate) fn entries_found(&self, finder: Box<dyn Finder>) -> Entries<T> {
        Entries::on(&self.cursors, self.route_found(finder))
    }

    pub(crate) fn batches_found(&self, finder: Box<dyn Finder>, count: usize) -> Batches<T>
    where
        T: ReadColumnar,
    {
        Batches::on(&self.cursors, self.route_found(finder), count)
    }

    /// Reads entries that are found among `within` on several threads. Files that are excluded are not opened.
    #[cfg(feature = "rayon")]
    pub(crate) fn par_entries_found(
        &self,
        within: EntryList,
        excludes: impl Fn(usize) -> bool + Send + Sync + 'static,
        find: impl Fn(&EntryList) -> Box<dyn Finder> + Send + Sync + 'static,
    ) -> ParEntries<T>
    where
        T: Send,
    {
        ParEntries::found(self.sequence().clone(), self.cursors.options().clone(), within, excludes, find)
    }
}
