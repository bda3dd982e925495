//! Many files as if they were one.

mod columns;
mod files;
mod numbered;
#[cfg(feature = "glob")]
mod pattern;
mod shape;

use std::any::TypeId;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::cursor::Cursor;
use super::source::Source;
use super::{Batches, BorrowedEntries, Entries, ReadOptions, Reader};
use crate::error::{Error, Result};
use crate::field::batch::{Batched, ReadBatch};
use crate::field::{Borrowed, Entry, ReadField, Value};
use crate::root::RootFile;
use crate::schema::Schema;

pub(super) use files::Files;
use files::Origin;

/// Reads the ntuples of many files, one behind the other, as one of type `T`.
///
/// Entries are numbered through, from the first file to the last. What a [`Reader`] does with one file a chain does
/// with all of them, and where one file ends and the next begins matters to nothing, batches included.
///
/// Every file is opened and matched with `T` before the first entry is read, so that hours later none can turn out to
/// be the wrong one. The files may differ as they may from `T`: some have more fields, some have `f32` where others
/// have `f64`, some are from before a member with a default came. With [`Value`] there is no type to which all of
/// them could be read, so their fields must have the same names and types. (Their order may differ: then that of the
/// values in a record does.)
///
/// Files without entries are no trouble; a file that is listed twice is read twice.
///
/// Errors name the file, and the entry as the file counts it.
///
/// # Open files
/// Files given by path are closed again. A [few](ReadOptions::open_files) stay open for the next walk; of the others
/// the chain keeps name, number of entries, a few numbers for each cluster, and checksums. A file is opened again
/// when a walk comes to it, and must still be the one that it was: if the number of its entries or what describes
/// them has changed, this is an error. Every walk, also each of the several of parallel iteration, has the file open
/// where it stands. [`RootFile`]s are open already, and stay so.
///
/// ```
/// # use rntuple::{RNTuple, WriteOptions, Writer};
/// use rntuple::Chain;
///
/// #[derive(RNTuple)]
/// struct Event { number: u64, met: f32 }
///
/// # fn main() -> rntuple::Result<()> {
/// # let directory = tempfile::tempdir()?;
/// # let path = |run: u64| directory.path().join(format!("run{run}.root"));
/// # for run in 0..3 {
/// #     let mut writer = Writer::create(path(run), "Events", WriteOptions::new())?;
/// #     (0..10).try_for_each(|i| writer.fill(&Event { number: 10 * run + i, met: 20.0 }))?;
/// #     writer.finish()?;
/// # }
/// # let (first, second, third) = (path(0), path(1), path(2));
/// let mut chain = Chain::<Event>::open([first, second, third], "Events")?;
/// assert_eq!(chain.len(), 30);
/// for (number, event) in (0..).zip(chain.entries()) {
///     assert_eq!(event?.number, number);
/// }
///
/// // One entry, and where it comes from.
/// assert_eq!(chain.get(17)?.number, 17);
/// let (file, entry) = chain.locate(17).unwrap();
/// assert!(file.name.ends_with("run1.root"));
/// assert_eq!((file.entries, entry), (10..20, 7));
/// # Ok(())
/// # }
/// ```
pub struct Chain<T: ReadField> {
    files: Arc<Files>,
    options: ReadOptions,
    /// For [`get`](Self::get) and [`read_into`](Self::read_into).
    cursor: Cursor<T>,
}

/// A file of a [`Chain`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChainFile<'a> {
    /// Its position among the files.
    pub index: usize,
    /// Its path, or what its storage is called.
    pub name: &'a str,
    /// The entries of the chain that it has.
    pub entries: Range<u64>,
}

impl<T: ReadField> Chain<T> {
    /// Opens the ntuple at `path` (`Events`, or `directory/Events`) of each file.
    ///
    /// # Errors
    /// There are no files, or one of them cannot be read, has no such ntuple, or does not hold what `T` asks for.
    pub fn open<I>(files: I, path: &str) -> Result<Self>
    where
        I: IntoIterator,
        I::Item: AsRef<Path>,
        T: Entry + 'static,
    {
        Self::open_with(files, path, ReadOptions::new())
    }

    /// As [`open`](Self::open), with options. The threads of a [pool](ReadOptions::pool) open as many files at once.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with<I>(files: I, path: &str, options: ReadOptions) -> Result<Self>
    where
        I: IntoIterator,
        I::Item: AsRef<Path>,
        T: Entry + 'static,
    {
        let files = files.into_iter().map(|file| Origin::Path(file.as_ref().to_owned()));
        Self::connect(files.collect(), path, options)
    }

    /// Opens the ntuple at `path` of files that are open already: in memory, or in any other storage.
    ///
    /// Where storages are called the same, errors add the position: `memory (file 2)` is the third one.
    ///
    /// ```
    /// # use rntuple::{RNTuple, WriteOptions, Writer, storage::Memory};
    /// use rntuple::{Chain, ReadOptions, RootFile};
    ///
    /// #[derive(RNTuple)]
    /// struct Event { met: f32 }
    ///
    /// # fn main() -> rntuple::Result<()> {
    /// # let mut files = Vec::new();
    /// # for _ in 0..2 {
    /// #     let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// #     writer.fill(&Event { met: 20.0 })?;
    /// #     files.push(writer.finish_into()?.1);
    /// # }
    /// let files: Vec<RootFile> = files.into_iter().map(RootFile::from_storage).collect::<Result<_, _>>()?;
    /// let chain = Chain::<Event>::from_files(files, "Events", ReadOptions::new())?;
    /// assert_eq!(chain.len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_files(
        files: impl IntoIterator<Item = RootFile>,
        path: &str,
        options: ReadOptions,
    ) -> Result<Self>
    where
        T: Entry + 'static,
    {
        Self::connect(numbered::tell_apart(files)?, path, options)
    }

    fn connect(files: Vec<Origin>, path: &str, options: ReadOptions) -> Result<Self>
    where
        T: 'static,
    {
        let is_dynamic = TypeId::of::<T>() == TypeId::of::<Value>();
        let files = Arc::new(Files::open::<T>(files, path, &options, is_dynamic)?);
        let cursor = Cursor::connect(Source::Many(files.clone()), &options)?;
        Ok(Self { files, options, cursor })
    }

    /// Number of entries in all files.
    pub fn len(&self) -> u64 {
        self.files.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fields and columns of the first file.
    pub fn schema(&self) -> &Schema {
        self.files.schema()
    }

    /// The files in their order, each with the entries that it has.
    pub fn files(&self) -> impl ExactSizeIterator<Item = ChainFile<'_>> {
        (0..self.files.count()).map(|index| {
            let (name, entries) = self.files.get(index).unwrap_or_default();
            ChainFile { index, name, entries }
        })
    }

    /// The file that has an entry, and the number of the entry there; `None` beyond the last one.
    pub fn locate(&self, entry: u64) -> Option<(ChainFile<'_>, u64)> {
        let index = self.files.position(entry)?;
        let (name, entries) = self.files.get(index)?;
        let own = entry - entries.start;
        Some((ChainFile { index, name, entries }, own))
    }

    /// A reader of one file alone.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) beyond the last file; or the file cannot be opened, or
    /// was changed.
    pub fn reader(&self, file: usize) -> Result<Reader<T>>
    where
        T: Entry,
    {
        let dataset = self.files.dataset(file)?;
        let mut options = self.options.clone();
        options.selection = options.selection_in(dataset.schema())?;
        options.fields = None;
        Reader::from_dataset(dataset, options)
    }

    /// All entries in order.
    ///
    /// Each call starts a walk of its own; several may go on at once. Damage ends it, wherever it is; the next file
    /// is then reached by [`entries_in`](Self::entries_in).
    pub fn entries(&self) -> Entries<T> {
        self.entries_in(0..self.len())
    }

    /// The entries of a range in order; what lies beyond the last entry is left out.
    pub fn entries_in(&self, range: Range<u64>) -> Entries<T> {
        let range = self.source().clamp(range);
        Entries::new(Cursor::walk(self.source(), &self.options, range.clone()), range)
    }

    /// All entries in order, borrowed from the decoded pages: nothing is allocated or copied for each.
    ///
    /// Each call starts a walk of its own; several may go on at once.
    pub fn borrowed(&self) -> BorrowedEntries<T>
    where
        T: Borrowed,
    {
        self.borrowed_in(0..self.len())
    }

    /// As [`borrowed`](Self::borrowed), for the entries of a range; what lies beyond the last entry is left out.
    pub fn borrowed_in(&self, range: Range<u64>) -> BorrowedEntries<T>
    where
        T: Borrowed,
    {
        let range = self.source().clamp(range);
        BorrowedEntries::new(Cursor::walk(self.source(), &self.options, range.clone()), range)
    }

    /// All entries in order, in batches of `count`; only the last one may be smaller. The end of a file is none of a
    /// batch.
    ///
    /// All else is as with [`Reader::batches`].
    pub fn batches(&self, count: usize) -> Batches<T>
    where
        T: Batched,
        T::Reader: ReadBatch<T::Batch>,
    {
        self.batches_in(0..self.len(), count)
    }

    /// The entries of a range in batches; what lies beyond the last entry is left out.
    pub fn batches_in(&self, range: Range<u64>, count: usize) -> Batches<T>
    where
        T: Batched,
        T::Reader: ReadBatch<T::Batch>,
    {
        Batches::new(self.source(), &self.options, range, count)
    }

    /// All entries, read by several threads, as by [`Reader::par_entries`]: several files at once, and several
    /// clusters of one.
    #[cfg(feature = "rayon")]
    pub fn par_entries(&self) -> super::ParEntries<T>
    where
        T: Send,
    {
        super::ParEntries::new(self.source(), self.options.clone(), self.cursor.selected().clone())
    }

    /// Ranges of entries, about `target` of them, for threads or processes that each read one with
    /// [`entries_in`](Self::entries_in). Together they are all entries, in order.
    ///
    /// They begin and end where clusters do, and may have several files; a cluster is cut inside only where it is worth
    /// it.
    pub fn partitions(&self, target: usize) -> Vec<Range<u64>> {
        self.source().partitions(self.cursor.selected(), target)
    }

    /// Entry `index`.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) beyond the last entry; or its file was changed, or its
    /// pages are damaged.
    pub fn get(&mut self, index: u64) -> Result<T> {
        self.check(index)?;
        self.cursor.get(index)
    }

    /// Entry `index`, in place of `slot`, whose allocations are reused.
    ///
    /// # Errors
    /// As [`get`](Self::get); what `slot` holds is then unspecified.
    pub fn read_into(&mut self, index: u64, slot: &mut T) -> Result<()> {
        self.check(index)?;
        self.cursor.read_into(index, slot)
    }

    fn check(&self, index: u64) -> Result<()> {
        if index < self.len() { Ok(()) } else { Err(self.beyond(index)) }
    }

    #[cold]
    fn beyond(&self, index: u64) -> Error {
        let source = self.source();
        source.place(source.beyond().at_entry(index))
    }

    pub(super) fn source(&self) -> Source {
        Source::Many(self.files.clone())
    }

    pub(super) fn options(&self) -> &ReadOptions {
        &self.options
    }
}

impl Chain<Value> {
    /// As [`open_with`](Self::open_with), for the fields of these paths alone (`muons`, `muons.pt` or `muons._0.pt`),
    /// with everything below them. What else is in the files may differ.
    ///
    /// # Errors
    /// As [`open`](Self::open), and [`InvalidArgument`](crate::ErrorKind::InvalidArgument) names a path that leads
    /// nowhere.
    pub fn with_fields<I>(
        files: I,
        path: &str,
        fields: &[impl AsRef<str>],
        mut options: ReadOptions,
    ) -> Result<Self>
    where
        I: IntoIterator,
        I::Item: AsRef<Path>,
    {
        options.fields = Some(fields.iter().map(|field| field.as_ref().to_owned()).collect());
        Self::open_with(files, path, options)
    }
}

/// All entries in order, as [`Chain::entries`] gives them.
impl<T: ReadField> IntoIterator for &Chain<T> {
    type Item = Result<T>;
    type IntoIter = Entries<T>;

    fn into_iter(self) -> Entries<T> {
        self.entries()
    }
}

impl<T: ReadField> fmt::Debug for Chain<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain")
            .field("ntuple", &self.files.path())
            .field("files", &self.files.count())
            .field("entries", &self.len())
            .finish_non_exhaustive()
    }
}
