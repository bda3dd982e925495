//! Columns that join an ntuple that is there, with a value for each of its entries.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use super::append::{Opened, edit};
use super::builder::ClusterState;
use super::cluster::{OpenCluster, Pages};
use super::destination::Destination;
use super::draft::Parts;
use super::fill::fill_methods;
use super::filler::Filler;
use super::grown::GrownClusters;
use super::known::{Clusters, Known};
use super::ntuple::{self, Ntuple};
use super::representations::Representations;
use super::shared_file::lock_file;
use super::{Summary, WriteOptions};
use crate::error::{Error, Result};
use crate::field::columnar::{Slice, SliceOf, WriteColumnar, cut};
use crate::field::{Entry, FieldWriter, Records, WriteField};
use crate::message::counted;
use crate::page::Sealer;
use crate::statistics;
use crate::storage::{Output, ReadAt, WriteAt};

/// Adds the members of `T` to the entries that an ntuple in a file has: one value for each, in their order.
///
/// ```
/// use rntuple::extend::ColumnAdder;
/// use rntuple::{RNTuple, Reader, WriteOptions, Writer};
///
/// #[derive(RNTuple)]
/// struct Event { energy: f64 }
///
/// #[derive(RNTuple)]
/// struct Calibrated { calibrated: f64 }
///
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("events.root");
/// # let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new())?;
/// # writer.fill_all(&[Event { energy: 10.0 }, Event { energy: 20.0 }])?;
/// # writer.finish()?;
/// let events = Reader::<Event>::open(&path, "Events")?;
/// let mut adder = ColumnAdder::<Calibrated>::append(&path, "Events", WriteOptions::new())?;
/// for event in events.entries() {
///     adder.fill(&Calibrated { calibrated: event?.energy * 1.02 })?;
/// }
/// adder.finish()?;
///
/// #[derive(RNTuple)]
/// struct Both { energy: f64, calibrated: f64 }
///
/// let both = Reader::<Both>::open(&path, "Events")?;
/// assert_eq!(both.entries().last().unwrap()?.calibrated, 20.4);
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// The file's pages stay where they are, and so do its clusters: only new pages are written, and page lists that name
/// both. Until [`finish`](Self::finish) has succeeded, readers find the file as it was.
#[must_use = "only `finish` makes the columns a part of the ntuple"]
pub struct ColumnAdder<T: WriteField + ?Sized, W: WriteAt = Output> {
    filler: Filler<T, Adding<W>>,
    /// Entries of the clusters after the open one.
    clusters: VecDeque<u64>,
    /// Entries of the clusters before it.
    before: u64,
    total: u64,
}

impl<T: Entry + WriteField + ?Sized> ColumnAdder<T> {
    /// Adds to an ntuple in a file, ours or ROOT's.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument), before anything is written, if the ntuple has a field of
    /// one of the names, or a type cannot be stored; and those of
    /// [`Writer::append`](crate::Writer::append).
    pub fn append(file: impl AsRef<Path>, path: &str, options: WriteOptions) -> Result<Self> {
        Self::append_to(edit(file.as_ref())?, path, options)
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> ColumnAdder<T, W> {
    /// As [`append`](ColumnAdder::append), for a file on any storage.
    ///
    /// # Errors
    /// As [`append`](ColumnAdder::append).
    pub fn append_to(storage: W, path: &str, mut options: WriteOptions) -> Result<Self>
    where
        T: Entry,
        W: ReadAt + 'static,
    {
        // Clusters end where those of the file do.
        (options.cluster_size, options.max_cluster_length) = (u64::MAX, u64::MAX);
        // The page lists of the others will be written again, and so their statistics are about others.
        options.statistics = false;
        if !options.owned.sort_order.is_empty() {
            return Err(Error::invalid_argument("columns that join entries do not change their order"));
        }
        let wishes = options.clone();
        let Opened { file, draft, known, .. } = Opened::open(storage, path, options, Clusters::Grow)?;
        let name = lock_file(&file).any().name().to_owned();
        let clusters = GrownClusters::new(&known);
        let clusters = clusters.map_err(|error| error.in_ntuple(draft.path()).in_file(&name))?;
        let mut counts = clusters.entry_counts();
        let Known { mut catalog, schema, elements, .. } = known;
        let total = catalog.entry_count();
        catalog.restart();
        catalog.unlink(statistics::NAME);
        // Nothing fills the columns that are there.
        let records = Records {
            fields: schema.fields().map(|(_, field)| field.clone()).collect(),
            columns: schema.columns().map(|(_, column)| column.clone()).collect(),
            ..Records::default()
        };
        let mut ntuple = Ntuple::resume(file, &draft, catalog, records, &elements, usize::MAX);
        let sink = draft.sink();
        // None of the entries is without a value: these are no deferred columns.
        let (columns, extension) = ntuple.declare_extension::<T>(&sink, 0, &wishes, false)?;
        let mut share = extension.share;
        share.cluster_pages = u64::MAX;
        ntuple.extend(extension);
        let lanes = ntuple.lane_count();
        share.limit(&sink, wishes.initial_page_length, lanes);
        let (is_compressed, representations) = (ntuple.is_compressed(), Representations::new(Vec::new()));
        let parts = Parts { sink, share, representations, lanes, is_compressed };
        let mut filler = Filler::new(
            Adding { ntuple, clusters, rest: total },
            ClusterState::new(parts, &draft.options),
            columns,
        );
        filler.open.limit = counts.pop_front().unwrap_or_default();
        Ok(Self { filler, clusters: counts, before: 0, total })
    }

    /// What is filled, with room for the value of one more entry.
    #[inline]
    fn filler(&mut self) -> Result<&mut Filler<T, Adding<W>>> {
        if self.filler.open.entries == self.filler.open.limit {
            self.next_cluster()?;
        }
        Ok(&mut self.filler)
    }

    #[cold]
    #[inline(never)]
    fn next_cluster(&mut self) -> Result<()> {
        let Some(&entries) = self.clusters.front() else {
            return Err(self.refuse(format!(
                "the ntuple has {}, and each has a value already",
                counted(self.total, "entry")
            )));
        };
        self.filler.commit_cluster()?;
        self.before += self.filler.open.limit;
        self.filler.open.limit = entries;
        self.filler.builder.destination.rest = self.total - self.before;
        self.clusters.pop_front();
        Ok(())
    }

    /// Number of entries that have a value by now.
    pub fn filled(&self) -> u64 {
        self.before + self.filler.open.entries
    }

    /// Number of entries of the ntuple, each of which needs a value.
    pub fn entry_count(&self) -> u64 {
        self.total
    }

    /// Makes the columns a part of the ntuple.
    ///
    /// # Errors
    /// Entries without a value are left, or a call of [`fill`](Self::fill) failed, or the storage fails: the file stays
    /// as it was.
    pub fn finish(self) -> Result<Summary> {
        self.close().map(|(summary, _)| summary)
    }

    /// As [`finish`](Self::finish); also gives the storage back.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn finish_into(self) -> Result<(Summary, W)> {
        let (summary, ntuple) = self.close()?;
        Ok((summary, ntuple.into_storage()?))
    }

    fn close(mut self) -> Result<(Summary, Ntuple<W>)> {
        self.filler.builder.destination.ntuple.check()?;
        if self.filled() != self.total {
            return Err(self.refuse(format!(
                "the ntuple has {}, but only {} have a value",
                counted(self.total, "entry"),
                self.filled()
            )));
        }
        self.filler.commit_cluster()?;
        let Adding { mut ntuple, mut clusters, .. } = self.filler.builder.destination;
        let finished = ntuple.publish_with(|catalog, file| clusters.finish(catalog, file));
        finished.map_err(|error| ntuple.place(error))?;
        let summary = ntuple.finish()?;
        Ok((summary, ntuple))
    }

    #[cold]
    fn refuse(&self, message: String) -> Error {
        self.filler.builder.destination.ntuple.place(Error::invalid_argument(message))
    }
}

fill_methods!([T: WriteField + ?Sized, W: WriteAt] ColumnAdder<T, W>);

/// An ntuple whose clusters get more columns.
struct Adding<W: WriteAt> {
    ntuple: Ntuple<W>,
    clusters: GrownClusters,
    /// How many entries the open cluster and those after it have.
    rest: u64,
}

impl<W: WriteAt> Destination for Adding<W> {
    fn put(&mut self, open: &mut OpenCluster, pages: &mut Pages, sealer: &Sealer) -> Result<()> {
        Destination::put(&mut self.ntuple, open, pages, sealer)
    }

    fn end_cluster(
        &mut self,
        open: &mut OpenCluster,
        entries: u64,
        representations: &Arc<[u16]>,
    ) -> Result<()> {
        let Self { ntuple, clusters, .. } = self;
        let cluster = ntuple.describe(open.end(entries, representations.clone()));
        ntuple.publish_with(|catalog, file| clusters.put(entries, cluster.columns, catalog, file))
    }

    fn ntuple(&self) -> Box<dyn Deref<Target = ntuple::State> + '_> {
        Box::new(&*self.ntuple)
    }

    fn lose(&mut self, error: Error, entries: u64) -> Error {
        self.ntuple.lose(error, entries)
    }

    fn room(&self) -> u64 {
        self.rest
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> fmt::Debug for ColumnAdder<T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ColumnAdder")
            .field("ntuple", &self.filler.builder.destination.ntuple.path())
            .field("filled", &self.filled())
            .field("entries", &self.total)
            .finish_non_exhaustive()
    }
}
