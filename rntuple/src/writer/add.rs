//! Columns that join an ntuple that is there, with a value for each of its entries.

use std::collections::VecDeque;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::append::{Beside, Clusters, GoingOn, Known, Opened, edit};
use super::context::{Context, Shared};
use super::core::{Core, lock_file};
use super::filler::Filler;
use super::representations::Representations;
use super::{Summary, WriteOptions};
use crate::error::{Error, Result};
use crate::field::{Entry, FieldWriter, Records, WriteField};
use crate::message::counted;
use crate::storage::{LocalFile, ReadAt, WriteAt};

/// Adds the members of `X` to the entries that an ntuple in a file has: one value for each, in their order.
///
/// ```
/// use rntuple::{ColumnAdder, RNTuple, Reader, WriteOptions, Writer};
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
/// let mut adder = ColumnAdder::<Calibrated>::open(&path, "Events", WriteOptions::new())?;
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
pub struct ColumnAdder<X: WriteField + ?Sized, W: WriteAt = LocalFile> {
    filler: Filler<X, W>,
    /// Entries of the clusters behind the open one.
    clusters: VecDeque<u64>,
    /// Entries of the open cluster that have no value yet.
    left: u64,
    filled: u64,
    total: u64,
}

impl<X: Entry + WriteField + ?Sized> ColumnAdder<X> {
    /// Opens an ntuple in a file, ours or ROOT's.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument), before anything is written, if the ntuple has a field of
    /// one of the names, or a type cannot be stored; and those of
    /// [`Writer::append`](crate::Writer::append).
    pub fn open(file: impl AsRef<Path>, path: &str, options: WriteOptions) -> Result<Self> {
        Self::new(edit(file.as_ref())?, path, options)
    }
}

impl<X: WriteField + ?Sized, W: WriteAt> ColumnAdder<X, W> {
    /// As [`open`](ColumnAdder::open), for a file on any storage.
    ///
    /// # Errors
    /// As [`open`](ColumnAdder::open).
    pub fn new(storage: W, path: &str, mut options: WriteOptions) -> Result<Self>
    where
        X: Entry,
        W: ReadAt + 'static,
    {
        // Clusters end where those of the file do.
        (options.cluster_size, options.max_cluster_length) = (u64::MAX, u64::MAX);
        let wishes = options.clone();
        let Opened { file, draft, known } = Opened::open(storage, path, options, Clusters::Grow)?;
        let name = lock_file(&file).any().name().to_owned();
        let beside = Beside::new(&known).map_err(|error| error.in_ntuple(draft.path()).in_file(&name))?;
        let mut clusters = beside.entry_counts();
        let Known { mut catalog, schema, elements, .. } = known;
        let total = catalog.entry_count();
        catalog.restart();
        // Nothing fills the columns that are there.
        let records = Records {
            fields: schema.fields().map(|(_, field)| field.clone()).collect(),
            columns: schema.columns().map(|(_, column)| column.clone()).collect(),
            ..Records::default()
        };
        let going_on =
            GoingOn { catalog, records, elements, beside: Some(beside), max_locations: usize::MAX };
        let mut core = Core::resume(file, &draft, going_on);
        let sink = draft.sink();
        // None of the entries is without a value: these are no deferred columns.
        let (columns, extension) = core.declare_extension::<X>(&sink, 0, &wishes)?;
        let mut share = extension.share;
        share.cluster_pages = u64::MAX;
        core.extend(extension);
        share.limit(&sink, wishes.initial_page_length, core.lane_count());
        let context = Context::new(Shared::new(core), sink, share, Representations::new(Vec::new()));
        let left = clusters.pop_front().unwrap_or_default();
        Ok(Self { filler: Filler::new(context, Box::new(columns)), clusters, left, filled: 0, total })
    }

    /// The value of the next entry.
    ///
    /// # Errors
    /// All entries have one. Or a page has to be written and cannot be: nothing more is taken then, and the file stays
    /// as it was.
    #[inline]
    pub fn fill(&mut self, value: &X) -> Result<()> {
        self.fill_as(value)
    }

    /// As [`fill`](Self::fill), for values of a type that fills the same columns.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    #[inline]
    pub fn fill_as<E: ?Sized>(&mut self, value: &E) -> Result<()>
    where
        X::Writer: FieldWriter<E>,
    {
        if self.left == 0 {
            return Err(self.refuse(format!(
                "the ntuple has {}, and each has a value already",
                counted(self.total, "entry")
            )));
        }
        self.filler.fill(value)?;
        self.filled += 1;
        self.left -= 1;
        if self.left == 0 { self.end_cluster() } else { Ok(()) }
    }

    /// Number of entries that have a value by now.
    pub fn filled(&self) -> u64 {
        self.filled
    }

    /// Number of entries of the ntuple: so many values are needed.
    pub fn entry_count(&self) -> u64 {
        self.total
    }

    #[cold]
    #[inline(never)]
    fn end_cluster(&mut self) -> Result<()> {
        self.filler.commit_cluster()?;
        self.left = self.clusters.pop_front().unwrap_or_default();
        Ok(())
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
        let (summary, core) = self.close()?;
        Ok((summary, core.into_storage()?))
    }

    fn close(self) -> Result<(Summary, Core<W>)> {
        self.filler.context.check()?;
        if self.filled != self.total {
            return Err(self.refuse(format!(
                "the ntuple has {}, but only {} have a value",
                counted(self.total, "entry"),
                self.filled
            )));
        }
        let Context { shared, .. } = self.filler.context;
        let core = Arc::into_inner(shared);
        let core = core.ok_or_else(|| Error::invalid_argument("the writer is still being used"))?;
        let mut core = core.into_core();
        let summary = core.finish()?;
        Ok((summary, core))
    }

    #[cold]
    fn refuse(&self, message: String) -> Error {
        self.filler.context.shared.lock().place(Error::invalid_argument(message))
    }
}

impl<X: WriteField + ?Sized, W: WriteAt> fmt::Debug for ColumnAdder<X, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ColumnAdder")
            .field("ntuple", &self.filler.context.shared.lock().path())
            .field("filled", &self.filled)
            .field("entries", &self.total)
            .finish_non_exhaustive()
    }
}
