//! Writing entries: values down into columns, clusters down into the file.

use crate::sync::Mutex;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

mod add;
mod append;
mod attributes;
mod builder;
mod checkpoint;
mod cluster;
mod columns;
mod contexts;
mod destination;
mod draft;
mod ending;
mod estimate;
mod extend;
mod file;
mod fill;
mod filler;
mod forecast;
mod grown;
mod guest;
mod interval;
mod known;
mod lanes;
mod lent;
mod loss;
mod ntuple;
mod observed;
mod open_set;
mod options;
mod order;
#[cfg(feature = "rayon")]
mod par_fill;
mod parallel;
mod presets;
mod representations;
mod resume;
mod saved;
mod schema;
mod seat;
mod series;
mod sets;
mod share;
mod shared_file;
mod sorted;
mod statistics;
mod summary;
mod team;

use self::builder::ClusterState;
use self::draft::{Declared, Draft};
use self::fill::fill_methods;
use self::filler::Filler;
use self::ntuple::Ntuple;
use self::sets::Sets;
use self::shared_file::SharedFile;
use crate::error::Result;
use crate::field::columnar::{Slice, SliceOf, WriteColumnar, cut};
use crate::field::{Entry, FieldWriter, WriteField};
use crate::hidden::Hidden;
use crate::root::{FileOptions, FileWriter};
use crate::storage::{Output, WriteAt};

pub use add::ColumnAdder;
pub use attributes::{AttributeWriter, RangeGuard};
pub use contexts::{FillContext, Transaction};
pub use extend::ExtendError;
pub use file::RootFileWriter;
pub use forecast::Forecast;
pub use interval::Interval;
pub use options::WriteOptions;
pub use order::Order;
pub use parallel::{FillScope, ParallelWriter};
pub(crate) use saved::STATE;
pub use series::SeriesWriter;
pub use summary::Summary;

/// Writes an ntuple whose entries are values of type `T`.
///
/// ```
/// use rntuple::{RNTuple, WriteOptions, Writer};
///
/// #[derive(RNTuple)]
/// struct Muon { pt: f32, eta: f32, phi: f32 }
///
/// #[derive(RNTuple)]
/// struct Event { number: u64, muons: Vec<Muon> }
///
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("events.root");
/// let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new())?;
/// for number in 0..100 {
///     writer.fill(&Event { number, muons: vec![Muon { pt: 27.5, eta: 0.3, phi: -1.2 }] })?;
/// }
/// let summary = writer.finish()?;
/// assert_eq!(summary.entries, 100);
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// Only [`finish`](Self::finish) makes the file: a writer that is dropped before leaves nothing at its path but what
/// was there.
#[must_use = "only `finish` makes the file readable"]
pub struct Writer<T: WriteField + ?Sized, W: WriteAt = Output> {
    filler: Filler<T, Ntuple<W>>,
    sets: Hidden<Sets>,
}

impl<T: WriteField + ?Sized> Writer<T> {
    /// Creates a file with one ntuple.
    ///
    /// The file takes its place when [`finish`](Self::finish) succeeds; an existing one is replaced then, and stays as
    /// it was if the writer is dropped or its process is killed. Until then the new file is next to it, as
    /// `.events.root.part`. [`WriteOptions::in_place`] writes without that file.
    ///
    /// # Errors
    /// The name or an option is not possible, or the file cannot be created: also because another writer has it, or
    /// because this process has it open for reading.
    pub fn create(file: impl AsRef<Path>, name: &str, options: WriteOptions) -> Result<Self>
    where
        T: Entry,
    {
        Self::declare(name, options, true, |options| create_file(file.as_ref(), options, false))
    }

    /// Creates a file with one ntuple where no file is.
    ///
    /// # Errors
    /// Those of [`create`](Self::create), and [`Io`](crate::ErrorKind::Io) if there is a file, now or when the new one
    /// is complete.
    pub fn create_new(file: impl AsRef<Path>, name: &str, options: WriteOptions) -> Result<Self>
    where
        T: Entry,
    {
        Self::declare(name, options, true, |options| create_file(file.as_ref(), options, true))
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> Writer<T, W> {
    /// Writes a file with one ntuple to any storage.
    ///
    /// # Errors
    /// The storage fails, or the name or an option is not possible.
    pub fn new(storage: W, name: &str, options: WriteOptions) -> Result<Self>
    where
        T: Entry,
    {
        Self::declare(name, options, true, |file_options| new_file(storage, file_options))
    }

    /// Decides everything, and only then opens the file.
    fn declare(
        path: &str,
        options: WriteOptions,
        owns_file: bool,
        open: impl FnOnce(FileOptions) -> Result<SharedFile<W>>,
    ) -> Result<Self> {
        let draft = Draft::new(path, options)?;
        let Declared { columns, mut schema } = draft.declare::<T>(1)?;
        let file = open(draft.file_options())?;
        let ntuple = Ntuple::create(file, owns_file, &draft, &mut schema)?;
        Ok(Self { filler: Filler::new(ntuple, ClusterState::of(&draft, schema), columns), sets: Sets::new() })
    }

    /// The ntuple that is filled.
    fn ntuple(&self) -> &Ntuple<W> {
        &self.filler.builder.destination
    }

    /// What is filled.
    #[inline]
    fn filler(&mut self) -> Result<&mut Filler<T, Ntuple<W>>> {
        Ok(&mut self.filler)
    }

    /// From the next cluster on, the field at `path` is stored as the `number`-th of its
    /// [representations](WriteOptions::representations), counted from 0. Nothing ends here; while the open cluster
    /// is empty, it counts as the next one. What is below `path` and has several follows, and `muons.pt` stands
    /// for `muons._0.pt`.
    ///
    /// ```
    /// use rntuple::encoding::{ColumnType, ColumnEncoding};
    /// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    ///
    /// #[derive(RNTuple, Debug, PartialEq)]
    /// struct Event { met: f32 }
    ///
    /// let packings = [ColumnType::SplitReal32, ColumnType::Real16].map(ColumnEncoding::of);
    /// let options = WriteOptions::new().representations("met", packings);
    /// let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options)?;
    /// writer.fill(&Event { met: 1.0001 })?;
    /// writer.commit_cluster()?;
    /// writer.use_representation("met", 1)?;
    /// writer.fill(&Event { met: 1.0001 })?;
    /// let reader = Reader::<Event>::open(writer.finish_into()?.1, "Events")?;
    /// let events: Vec<Event> = reader.entries().collect::<Result<_, _>>()?;
    /// assert_eq!(events, [Event { met: 1.0001 }, Event { met: 1.0 }]);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// No field at `path` has several representations, or one has fewer.
    pub fn use_representation(&mut self, path: &str, number: usize) -> Result<()> {
        self.filler.use_representation(path, number)
    }

    /// Ends the open cluster here. An empty cluster is not written.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn commit_cluster(&mut self) -> Result<()> {
        self.filler.commit_cluster()
    }

    /// Ends the open cluster and its cluster group here. ROOT and uproot read any number of groups;
    /// JSROOT 7.11 reads only the first, so that files have one unless this is called, or there are over 4096 clusters.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn commit_cluster_group(&mut self) -> Result<()> {
        self.commit_cluster()?;
        self.filler.builder.destination.commit_cluster_group()
    }

    /// Number of entries so far.
    pub fn entry_count(&self) -> u64 {
        self.ntuple().entry_count() + self.filler.open.entries
    }

    /// Writes what is left and makes the file readable.
    ///
    /// # Errors
    /// The storage fails. Or entries were lost by an error of [`fill`](Self::fill): the file is then closed with
    /// all entries of the clusters before, and this repeats what went wrong and says how many entries can be read. On a
    /// storage that is full, the end of the file may have to overwrite attribute sets and the last clusters, which this
    /// reports as well. Over `root://`, what is on a full disk is not made readable, and the error says where it is.
    pub fn finish(self) -> Result<Summary> {
        self.close().map(|(summary, _)| summary)
    }

    /// As [`finish`](Self::finish); also gives the storage back.
    ///
    /// # Errors
    /// As [`finish`](Self::finish); the writer of a [`RootFileWriter`] does not own the storage.
    pub fn finish_into(self) -> Result<(Summary, W)> {
        let (summary, ntuple) = self.close()?;
        Ok((summary, ntuple.into_storage()?))
    }

    fn close(mut self) -> Result<(Summary, Ntuple<W>)> {
        // What is lost is reported when the rest is safe.
        self.filler.finish();
        let mut ntuple = self.filler.builder.destination;
        let (state, file) = ntuple.parts();
        self.sets.close(state, file);
        let summary = ntuple.finish()?;
        Ok((summary, ntuple))
    }
}

fill_methods!([T: WriteField + ?Sized, W: WriteAt] Writer<T, W>);

/// Creates a file for writers, which must be new if `is_new`.
fn create_file(path: &Path, options: FileOptions, is_new: bool) -> Result<SharedFile<Output>> {
    new_file(options.create(path, is_new)?, options)
}

fn new_file<W: WriteAt>(storage: W, options: FileOptions) -> Result<SharedFile<W>> {
    let name = storage.name().to_owned();
    let file = FileWriter::create(storage, options).map_err(|error| error.in_file(&name))?;
    Ok(Arc::new(Mutex::new(file)))
}

impl<T: WriteField + ?Sized, W: WriteAt> fmt::Debug for Writer<T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("ntuple", &self.ntuple().path())
            .field("open entries", &self.filler.open.entries)
            .field("open length", &self.filler.open.length)
            .finish_non_exhaustive()
    }
}
