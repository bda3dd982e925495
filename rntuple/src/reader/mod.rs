//! Reading entries: the place where a type meets the clusters of a file.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

mod attributes;
mod batches;
mod borrowed;
mod chain;
mod collection;
mod column;
mod cursor;
mod entries;
mod join;
mod memory;
mod options;
#[cfg(feature = "rayon")]
mod parallel;
mod partition;
mod prefetch;
mod source;
mod view;
mod walk;

use cursor::Cursor;
use source::Source;

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::field::{Borrowed, Entry, ReadField, Value};
use crate::root::RootFile;
use crate::schema::{ColumnId, Schema};
use crate::storage::{FileSource, ReadAt};

pub use attributes::{AttributeReader, Covering};
pub use batches::Batches;
pub use borrowed::BorrowedEntries;
pub use chain::{Chain, ChainFile};
pub use collection::Collection;
pub use column::Column;
pub use entries::Entries;
pub use join::{Duplicates, EntrySource, InnerJoined, Join, JoinKey, Joined, Zip, ZipEntries};
pub use options::ReadOptions;
#[cfg(feature = "rayon")]
pub use parallel::ParEntries;

/// Reads an ntuple as values of type `T`.
///
/// The type *is* the selection: a struct with fewer members than the file has fields reads only the
/// columns that it names. [`Value`] stands for whatever the file has.
///
/// ```
/// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
/// #[derive(RNTuple)]
/// struct Muon { pt: f32, charge: i8 }
///
/// #[derive(RNTuple)]
/// struct Event { number: u64, met: f32, muons: Vec<Muon> }
///
/// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// # writer.fill(&Event { number: 7, met: 20.0, muons: vec![Muon { pt: 31.0, charge: -1 }] })?;
/// # let storage = writer.finish_into()?.1;
/// // What this analysis needs: neither `number`, nor `met`, nor the charges are read.
/// #[derive(RNTuple)]
/// struct Kinematics { muons: Vec<Pt> }
///
/// #[derive(RNTuple)]
/// struct Pt { pt: f32 }
///
/// let reader = Reader::<Kinematics>::from_storage(storage, "Events")?;
/// for event in reader.entries() {
///     assert_eq!(event?.muons[0].pt, 31.0);
/// }
/// # Ok::<(), rntuple::Error>(())
/// ```
pub struct Reader<T: ReadField> {
    dataset: Arc<Dataset>,
    options: ReadOptions,
    /// For [`get`](Self::get) and [`read_into`](Self::read_into).
    cursor: Cursor<T>,
}

impl<T: ReadField> Reader<T> {
    /// Opens the ntuple at `path` (`Events`, or `directory/Events`) of a file.
    ///
    /// # Errors
    /// The file cannot be read, has no such ntuple, or does not hold what `T` asks for: then
    /// [`Error::mismatches`] lists every difference.
    pub fn open(file: impl AsRef<Path>, path: &str) -> Result<Self>
    where
        T: Entry,
    {
        Self::open_with(file, path, ReadOptions::new())
    }

    /// As [`open`](Self::open), with options.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(file: impl AsRef<Path>, path: &str, options: ReadOptions) -> Result<Self>
    where
        T: Entry,
    {
        Self::from_file(&open_file(file.as_ref(), &options)?, path, options)
    }

    /// Opens an ntuple of a file that is in memory, or in any other storage.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_storage(storage: impl ReadAt + 'static, path: &str) -> Result<Self>
    where
        T: Entry,
    {
        Self::from_file(&RootFile::from_storage(storage)?, path, ReadOptions::new())
    }

    /// Opens an ntuple of a file that is open already.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_file(file: &RootFile, path: &str, options: ReadOptions) -> Result<Self>
    where
        T: Entry,
    {
        Self::from_dataset(Arc::new(Dataset::open(&options.limit(file), path)?), options)
    }

    /// Reads an ntuple that is open already.
    ///
    /// # Errors
    /// [`SchemaMismatch`](crate::ErrorKind::SchemaMismatch) if it does not hold what `T` asks for.
    pub fn from_dataset(dataset: Arc<Dataset>, options: ReadOptions) -> Result<Self>
    where
        T: Entry,
    {
        let cursor = Cursor::connect(Source::One(dataset.clone()), &options)?;
        Ok(Self { dataset, options, cursor })
    }

    /// Number of entries.
    pub fn len(&self) -> u64 {
        self.dataset.entry_count()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the file says about the ntuple.
    pub fn dataset(&self) -> &Arc<Dataset> {
        &self.dataset
    }

    /// Fields and columns of the file.
    pub fn schema(&self) -> &Schema {
        self.dataset.schema()
    }

    /// The columns that `T` reads.
    pub fn selected_columns(&self) -> &BTreeSet<ColumnId> {
        self.cursor.selected()
    }

    fn source(&self) -> Source {
        Source::One(self.dataset.clone())
    }

    /// All entries in order.
    ///
    /// Each call starts a walk of its own; several may go on at once.
    pub fn entries(&self) -> Entries<T> {
        self.entries_in(0..self.len())
    }

    /// The entries of a range in order; what lies beyond the last entry is left out.
    pub fn entries_in(&self, range: Range<u64>) -> Entries<T> {
        let end = range.end.min(self.len());
        let range = range.start.min(end)..end;
        Entries::new(Cursor::walk(self.source(), &self.options, range.clone()), range)
    }

    /// All entries, read by several threads: those of the [pool](ReadOptions::pool) that the reader was given, or
    /// else of the pool in which the iterator is driven, which is rayon's own for who chose no other.
    ///
    /// The entries are cut into [pieces](Self::partitions), each with a walk of its own; damage ends the piece that
    /// it is in, as it ends [`entries`](Self::entries), and no other. What keeps the order of an iterator, as
    /// `collect` does, gives the entries in their order.
    ///
    /// ```
    /// # use rntuple::{RNTuple, Pool, ReadOptions, Reader, RootFile, WriteOptions, Writer, storage::Memory};
    /// use rayon::prelude::*;
    ///
    /// #[derive(RNTuple)]
    /// struct Event { met: f32 }
    ///
    /// # fn main() -> rntuple::Result<()> {
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # (0..100).try_for_each(|i| writer.fill(&Event { met: i as f32 }))?;
    /// # let file = RootFile::from_storage(writer.finish_into()?.1)?;
    /// let options = ReadOptions::new().pool(&Pool::new(2)?);
    /// let reader = Reader::<Event>::from_file(&file, "Events", options)?;
    /// let sum: f32 = reader.par_entries().map(|event| event.map(|event| event.met)).try_reduce(|| 0.0, |a, b| Ok(a + b))?;
    /// assert_eq!(sum, 4950.0);
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_entries(&self) -> ParEntries<T>
    where
        T: Send,
    {
        ParEntries::new(self.source(), self.options.clone(), self.cursor.selected().clone())
    }

    /// Ranges of entries, about `target` of them, for threads or processes that each read one with
    /// [`entries_in`](Self::entries_in). Together they are all entries, in order.
    ///
    /// They begin and end where clusters do. A cluster is cut inside only where it is worth it: pages at a cut
    /// are decoded on both sides.
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple, Default)]
    /// # struct Event { hits: Vec<f32> }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # writer.fill(&Event { hits: vec![1.0, 2.0] })?;
    /// # let storage = writer.finish_into()?.1;
    /// let reader = Reader::<Event>::from_storage(storage, "Events")?;
    /// let count = |range| -> rntuple::Result<usize> {
    ///     let (mut event, mut hits) = (Event::default(), 0);
    ///     let mut entries = reader.entries_in(range);
    ///     // Each thread has one event, into which it reads all of its own.
    ///     while entries.read_into(&mut event)? {
    ///         hits += event.hits.len();
    ///     }
    ///     Ok(hits)
    /// };
    /// let hits: rntuple::Result<usize> = std::thread::scope(|scope| {
    ///     let ranges = reader.partitions(2).into_iter();
    ///     let threads: Vec<_> = ranges.map(|range| scope.spawn(|| count(range))).collect();
    ///     threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    /// });
    /// assert_eq!(hits?, 2);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    pub fn partitions(&self, target: usize) -> Vec<Range<u64>> {
        self.source().partitions(self.cursor.selected(), target)
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
        let end = range.end.min(self.len());
        let range = range.start.min(end)..end;
        BorrowedEntries::new(Cursor::walk(self.source(), &self.options, range.clone()), range)
    }

    /// Entry `index`.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) beyond the last entry; or its pages are damaged.
    pub fn get(&mut self, index: u64) -> Result<T> {
        self.cursor.get(index)
    }

    /// Entry `index`, in place of `slot`, whose allocations are reused.
    ///
    /// # Errors
    /// As [`get`](Self::get); what `slot` holds is then unspecified.
    pub fn read_into(&mut self, index: u64, slot: &mut T) -> Result<()> {
        self.cursor.read_into(index, slot)
    }
}

/// Opens a file as the options say.
fn open_file(file: &Path, options: &ReadOptions) -> Result<RootFile> {
    let storage = open_storage(file, options);
    let storage = storage.map_err(|error| Error::from(error).in_file(&file.display().to_string()))?;
    Ok(options.limit(&RootFile::from_arc(storage)?))
}

fn open_storage(file: &Path, options: &ReadOptions) -> std::io::Result<Arc<dyn ReadAt>> {
    let _ = options;
    Ok(Arc::new(FileSource::open(file)?))
}

/// All entries in order: `for event in &reader` is `for event in reader.entries()`.
///
/// ```
/// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
/// # #[derive(RNTuple)]
/// # struct Event { met: f32 }
/// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// # writer.fill(&Event { met: 20.0 })?;
/// # let storage = writer.finish_into()?.1;
/// let reader = Reader::<Event>::from_storage(storage, "Events")?;
/// for event in &reader {
///     assert_eq!(event?.met, 20.0);
/// }
/// # Ok::<(), rntuple::Error>(())
/// ```
impl<T: ReadField> IntoIterator for &Reader<T> {
    type Item = Result<T>;
    type IntoIter = Entries<T>;

    fn into_iter(self) -> Entries<T> {
        self.entries()
    }
}

impl<T: ReadField> fmt::Debug for Reader<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("ntuple", &self.dataset.path())
            .field("entries", &self.dataset.entry_count())
            .finish_non_exhaustive()
    }
}

impl Reader<Value> {
    /// As [`from_dataset`](Self::from_dataset), for the fields of these paths alone (`muons`, `muons.pt` or
    /// `muons._0.pt`), with everything below them.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) names a path that leads nowhere.
    pub fn with_fields(
        dataset: Arc<Dataset>,
        fields: &[impl AsRef<str>],
        mut options: ReadOptions,
    ) -> Result<Self> {
        let selection = view::Selection::of(dataset.schema(), fields)
            .map_err(|error| error.in_ntuple(dataset.path()).in_file(dataset.file().name()))?;
        options.selection = Some(Arc::new(selection.into_fields()));
        Self::from_dataset(dataset, options)
    }
}
