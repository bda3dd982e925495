//! Walking through the clusters of a file with a few columns, whatever the entries are.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::prefetch::Supply;
use super::source::Source;
use super::{ReadOptions, prefetch};
use crate::cluster::Cluster;
use crate::column::{Allowance, Grant, ItemLength};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::field::{Attach, Connection, Descent, FieldNode};
use crate::limits;
use crate::message::counted;
use crate::schema::ColumnId;

/// How the columns of a field are found.
pub(super) type Connect<R> = fn(FieldNode<'_>) -> Result<R>;

/// Columns, and the clusters that they were not attached to yet.
pub(super) struct Walk<R> {
    source: Source,
    options: ReadOptions,
    path: String,
    connect: Connect<R>,
    /// Where the columns stand: all there is, or one file of many.
    dataset: Arc<Dataset>,
    /// The number of its first entry.
    first: u64,
    pub(super) columns: R,
    selected: BTreeSet<ColumnId>,
    supply: Supply,
    allowance: Allowance,
    /// The cluster behind the attached one.
    next: usize,
    /// Whether the columns stand in a cluster.
    pub(super) is_attached: bool,
}

impl<R: Attach> Walk<R> {
    /// Finds the field at `path`, and its columns by `connect`.
    pub(super) fn connect(
        source: Source,
        options: &ReadOptions,
        path: &str,
        connect: Connect<R>,
    ) -> Result<Self> {
        let (dataset, first) = source.at(0)?;
        Self::in_dataset(source, options.clone(), path.to_owned(), connect, dataset, first)
    }

    fn in_dataset(
        source: Source,
        options: ReadOptions,
        path: String,
        connect: Connect<R>,
        dataset: Arc<Dataset>,
        first: u64,
    ) -> Result<Self> {
        let place = |error: Error| error.in_ntuple(dataset.path()).in_file(dataset.file().name());
        let limits = options.limits_of(dataset.file());
        let connection = Connection::new(dataset.schema().clone(), options.verify_checksums, &limits, None);
        let allowance = connection.allowance();
        let columns = connection.root().at(&path).and_then(connect);
        let selected = connection.finish().map_err(place)?;
        let columns = columns.map_err(place)?;
        Ok(Self {
            source,
            options,
            path,
            connect,
            dataset,
            first,
            columns,
            selected,
            supply: Supply::default(),
            allowance,
            next: 0,
            is_attached: false,
        })
    }

    /// Goes on in the file that has an entry.
    fn turn(&mut self, entry: u64) -> Result<()> {
        let (dataset, first) = self.source.at(entry)?;
        let (source, options, path) = (self.source.clone(), self.options.clone(), self.path.clone());
        let turned = Self::in_dataset(source, options, path, self.connect, dataset, first);
        let turned = turned.map_err(|error| error.at_entry(entry - first))?;
        self.allowance.hand_over(&turned.allowance, Grant { items: 0, ..turned.grant() });
        *self = turned;
        Ok(())
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn selected(&self) -> &BTreeSet<ColumnId> {
        &self.selected
    }

    /// Begins one call, in which the walk may advance any number of times: the files that it reads bound what it returns.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.allowance.renew_with(self.grant());
    }

    /// What one call may take of this file in addition to one entry.
    fn grant(&self) -> Grant {
        let limits = self.options.limits_of(self.dataset.file());
        Grant {
            bytes: limits::values_of(self.dataset.file().end()),
            items: limits.unstored_items.saturating_mul(3),
        }
    }

    /// Makes room in `out` for some of the next `wanted` values, which the call returns; returns for how many.
    pub(super) fn make_room<V>(&mut self, out: &mut Vec<V>, wanted: usize) -> Result<usize> {
        limits::make_room(out, wanted).map_err(|error| self.stumble(error))
    }

    /// Counts values that the call returns.
    pub(super) fn take_values<V>(&mut self, count: usize) -> Result<()> {
        self.allowance.take_values(count, ItemLength::of::<V>()).map_err(|error| self.stumble(error))
    }

    /// Goes on to the first cluster with an element that was not read; `false` behind the last one.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<bool> {
        if self.is_attached && self.columns.remaining() != Some(0) { Ok(true) } else { self.next_cluster() }
    }

    #[cold]
    fn next_cluster(&mut self) -> Result<bool> {
        loop {
            while self.next < self.dataset.clusters().len() {
                let index = self.next;
                self.attach(index)?;
                if self.columns.remaining() != Some(0) {
                    return Ok(true);
                }
            }
            self.is_attached = false;
            let end = self.first.saturating_add(self.dataset.entry_count());
            // Behind an error nothing is next, in no file.
            if self.next == usize::MAX || end >= self.source.len() {
                return Ok(false);
            }
            self.turn(end).map_err(|error| self.stumble(error))?;
        }
    }

    fn attach(&mut self, index: usize) -> Result<()> {
        let load = |selected| prefetch::load(&self.dataset, index, selected, &self.options, &self.supply);
        let attached = load(&self.selected).and_then(|cluster| self.columns.attach(&cluster));
        (self.is_attached, self.next) = (true, index + 1);
        attached.map_err(|error| self.stumble(error))
    }

    /// Nothing can be trusted before the next seek.
    #[cold]
    #[inline(never)]
    pub(super) fn stumble(&mut self, error: Error) -> Error {
        (self.is_attached, self.next) = (false, usize::MAX);
        error.in_ntuple(self.dataset.path()).in_file(self.dataset.file().name())
    }

    /// Goes to the first element of an entry; `scalars`: to that of the scalars inside the field.
    pub(super) fn seek_entry(&mut self, entry: u64, scalars: bool) -> Result<()> {
        if entry >= self.source.len() {
            (self.is_attached, self.next) = (false, usize::MAX);
            return Err(self.source.place(self.source.beyond().at_entry(entry)));
        }
        self.try_seek(entry, scalars)
            .map_err(|error| self.stumble(error.at_entry(entry.saturating_sub(self.first))))
    }

    fn try_seek(&mut self, entry: u64, scalars: bool) -> Result<()> {
        let is_here = entry.checked_sub(self.first).is_some_and(|own| own < self.dataset.entry_count());
        if !is_here {
            self.turn(entry)?;
        }
        let entry = entry - self.first;
        let Some(index) = self.dataset.cluster_of(entry) else {
            let count = self.dataset.entry_count();
            return Err(Error::invalid_argument(format!("the ntuple has only {}", counted(count, "entry"))));
        };
        // The offsets above the field are read here alone: a walk from the first element has no need of them.
        let limits = self.options.limits_of(self.dataset.file());
        let connection =
            Connection::new(self.dataset.schema().clone(), self.options.verify_checksums, &limits, None);
        let mut descent: Descent = connection.root().descent(&self.path, scalars)?;
        let selected = connection.finish()?;
        let above: Cluster = prefetch::load(&self.dataset, index, &selected, &self.options, &self.supply)?;
        descent.attach(&above)?;
        let first = descent.first_of(entry - above.descriptor().first_entry)?;
        self.attach(index)?;
        self.columns.seek(first)
    }
}
