//! Reading entries: the place where a type meets the clusters of files.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

mod attributes;
mod batches;
mod column;
mod connected;
mod cursor;
mod cursors;
mod elements;
mod entries;
mod entry_list;
mod epoch;
mod fault;
mod files;
mod items;
mod join;
mod known;
mod memory;
mod options;
mod overlay;
#[cfg(feature = "rayon")]
mod parallel;
mod partition;
mod prefetch;
mod route;
mod scan;
mod selected;
mod sequence;
mod shape;
mod sizes;
mod view;
mod walk;

use connected::Opened;
use cursors::Cursors;
use files::Place;
use sequence::{Sequence, SharedFiles};

use crate::dataset::Dataset;
use crate::error::Result;
use crate::field::{Entry, ReadField};
use crate::hidden::Hidden;
use crate::schema::{ColumnId, Schema};

pub use attributes::{AttributeEntries, AttributeReader, AttributesAt};
pub use batches::Batches;
pub use column::Column;
pub(crate) use cursor::Way;
pub use entries::Entries;
pub use entry_list::EntryList;
pub use epoch::{Epoch, EpochEntries, Window, Windows};
pub use files::Files;
pub use items::Items;
pub use join::{DuplicateKeys, InnerJoined, Join, JoinKey, Joined, Zip, ZipEntries};
pub use options::ReadOptions;
pub use overlay::Overlay;
#[cfg(feature = "rayon")]
pub use parallel::ParEntries;
pub(crate) use route::Finder;
pub(crate) use scan::{Course, FoundColumns, Scan};
pub use sizes::Sizes;

/// Reads an ntuple as values of type `T`, from one file or from many.
///
/// The type *is* the selection: a struct with fewer members than the file has fields reads only the
/// columns that it names. A [`Value`](crate::Value) has whatever the file has.
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
/// let reader = Reader::<Kinematics>::open(storage, "Events")?;
/// for event in reader.entries() {
///     assert_eq!(event?.muons[0].pt, 31.0);
/// }
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// A reader is shared by reference: any number of threads may walk through it or get single entries at the same time.
///
/// # Many files
/// The entries of many files are numbered through, from the first file to the last one. Where one file ends and the next
/// begins makes no difference to anything, batches included.
///
/// ```
/// # use rntuple::{RNTuple, WriteOptions, Writer};
/// use rntuple::{Files, Reader};
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
/// # std::env::set_current_dir(&directory)?;
/// let reader = Reader::<Event>::open(Files::glob("run*.root")?, "Events")?;
/// assert_eq!(reader.entry_count()?, 30);
/// for (number, event) in (0..).zip(reader.entries()) {
///     assert_eq!(event?.number, number);
/// }
///
/// // One entry, and where it comes from.
/// assert_eq!(reader.get(17)?.number, 17);
/// assert_eq!(reader.locate(17)?, Some((1, 7)));
/// assert_eq!(reader.files()[1], "run1.root");
/// # Ok(())
/// # }
/// ```
///
/// Every file is opened and matched with `T` before the first entry is read, so that none turns out to be the wrong one
/// hours later; with [`same_schema`](ReadOptions::same_schema) that happens as files are reached. The files may differ
/// as they may from `T`: some have more fields, some have `f32` where others have `f64`, some are from before a member
/// with a default came. With [`Value`](crate::Value) there is no type to which all of them could be read, so their fields
/// must have the same names and types. (Their order may differ: then so does the order of the values in a record.) Nor may
/// their descriptions state different units, or give the variants of an enum other integers. The same applies to what is
/// below a member that is a `Value`; the other members of its struct may differ as before. An
/// [`Overlay`](crate::join::Overlay::types) can show narrower types as those of the others.
///
/// Errors name the file, and the entry as the file counts it.
///
/// Files given by path are closed again. A [few](ReadOptions::open_files) stay open for the next walk; of the others
/// the reader keeps name, number of entries and checksums. A file that is opened again
/// must still be what it was: if the number of its entries or what describes them has changed, this is an error.
pub struct Reader<T: ReadField> {
    cursors: Arc<Cursors<T>>,
}

impl<T: ReadField> Reader<T> {
    /// Opens the ntuple at `path` (`Events`, or `directory/Events`) of a file, or of each of several files.
    ///
    /// `files` is a path, a storage, an open file, or a list of these: see [`Files`].
    ///
    /// ```
    /// # use rntuple::{RNTuple, WriteOptions, Writer, storage::Memory};
    /// use rntuple::Reader;
    ///
    /// #[derive(RNTuple)]
    /// struct Event { met: f32 }
    ///
    /// # fn main() -> rntuple::Result<()> {
    /// # let directory = tempfile::tempdir()?;
    /// # let (run1, run2) = (directory.path().join("run1.root"), directory.path().join("run2.root"));
    /// # for path in [&run1, &run2] {
    /// #     let mut writer = Writer::create(path, "Events", WriteOptions::new())?;
    /// #     writer.fill(&Event { met: 20.0 })?;
    /// #     writer.finish()?;
    /// # }
    /// let one = Reader::<Event>::open(&run1, "Events")?;
    /// let both = Reader::<Event>::open([run1, run2], "Events")?;
    /// assert_eq!((one.entry_count()?, both.entry_count()?), (1, 2));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A file cannot be read, has no such ntuple, or does not hold what `T` asks for: then
    /// [`Error::mismatches`](crate::Error::mismatches) lists every difference. Or there are no files.
    pub fn open(files: impl Into<Files>, path: &str) -> Result<Self>
    where
        T: Entry,
    {
        Self::open_with(files, path, ReadOptions::new())
    }

    /// Opens an ntuple as [`open`](Self::open) does, with options.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(files: impl Into<Files>, path: &str, options: ReadOptions) -> Result<Self>
    where
        T: Entry,
    {
        let options = options.hidden();
        Self::of(Sequence::open::<T>(files.into(), path, &options)?, options)
    }

    /// Reads an ntuple that is open already.
    ///
    /// # Errors
    /// [`SchemaMismatch`](crate::ErrorKind::SchemaMismatch) if it does not hold what `T` asks for.
    pub fn from_dataset(dataset: Arc<Dataset>, options: ReadOptions) -> Result<Self>
    where
        T: Entry,
    {
        let path = dataset.path().to_owned();
        Self::open_with(Files::from(files::Origin::from(Place::Dataset(dataset))), &path, options)
    }

    fn of(opened: (SharedFiles, Opened<T::Reader>), options: Hidden<ReadOptions>) -> Result<Self> {
        let (files, opened) = opened;
        Ok(Self { cursors: Arc::new(Cursors::with(files, options, opened)?) })
    }

    fn sequence(&self) -> &SharedFiles {
        self.cursors.files()
    }

    /// Returns the number of entries.
    ///
    /// # Errors
    /// Only with [`same_schema`](ReadOptions::same_schema): a file that was not reached yet cannot be opened, or does not
    /// fit.
    pub fn entry_count(&self) -> Result<u64> {
        self.sequence().entry_count()
    }

    /// Looks for entries that came to the last file since it was opened: that of a job that is still at work, after its
    /// next [checkpoint](crate::Writer::checkpoint). Returns the number of entries.
    ///
    /// The file is found wherever it was moved since. Walks that have begun see what there was when they did. They
    /// should not last longer than two checkpoints: what leads to the entries is then written over.
    ///
    /// # Errors
    /// As [`open`](Self::open); and [`Io`](crate::ErrorKind::Io) if the file has fewer entries, or another one was written
    /// over it. The reader stays as it was.
    pub fn refresh(&mut self) -> Result<u64>
    where
        T: Entry,
    {
        if let Some(opened) = self.sequence().refreshed::<T>()? {
            let options = Hidden::new(self.sequence().options().clone());
            *self = Self::of(opened, options)?;
        }
        self.entry_count()
    }

    /// Compares the files with what they were when another reader was opened on them: the number of entries, and what
    /// describes them, of each file that both readers have looked into. Nothing is read.
    ///
    /// What two readers read of the same entries then belongs together. One of them may have more files after those of
    /// the other.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io) names the first file that was changed.
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument): a file has another name than the one at its place in the
    /// other reader.
    pub fn check_unchanged<U: ReadField>(&self, before: &Reader<U>) -> Result<()> {
        self.sequence().check_unchanged(before.sequence())
    }

    /// Returns the fields and columns of the first file. To look at them, `rntuple dump` prints them.
    pub fn schema(&self) -> &Schema {
        self.sequence().schema()
    }

    /// Returns what the file at a position says about its ntuple: the only file has position 0. A file that was closed
    /// is opened again.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if there are fewer files; or the file cannot be opened, or
    /// was changed.
    pub fn dataset(&self, file: usize) -> Result<Arc<Dataset>> {
        self.sequence().dataset(file)
    }

    /// Returns the names of the files, in their order: their paths, or what their storages are called.
    ///
    /// Where storages are called the same, their position is added: `memory (file 2)` is the third file.
    pub fn files(&self) -> &[String] {
        self.sequence().names()
    }

    /// Returns the position of the file that has an entry, and the number of the entry there; `None` after the last
    /// entry.
    ///
    /// # Errors
    /// As [`entry_count`](Self::entry_count).
    pub fn locate(&self, entry: u64) -> Result<Option<(usize, u64)>> {
        let Some(file) = self.sequence().position(entry)? else { return Ok(None) };
        let start = self.sequence().entries_of(file).unwrap_or_default().start;
        Ok(Some((file, entry - start)))
    }

    /// Returns the entries that the file at a position has, counted as the reader does.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if there are fewer files; and as
    /// [`entry_count`](Self::entry_count).
    pub fn entries_of_file(&self, file: usize) -> Result<Range<u64>> {
        self.sequence().reach_file(file)?;
        self.sequence().entries_of(file).ok_or_else(|| self.sequence().no_file(file))
    }

    /// Returns the columns that `T` reads, by their numbers in the first file.
    pub fn selected_columns(&self) -> &BTreeSet<ColumnId> {
        self.sequence().selected()
    }

    /// Reads all entries in order.
    ///
    /// Each call starts a walk of its own; several may be in progress at the same time. Damage ends a walk, in
    /// whichever file it is; what comes after is then reached by [`entries_in`](Self::entries_in).
    pub fn entries(&self) -> Entries<T> {
        self.entries_in(..)
    }

    /// Reads some of the entries in order: those of a range, or of an [`EntryList`]. What is after the last entry is left
    /// out.
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { number: u64 }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # (0..10).try_for_each(|number| writer.fill(&Event { number }))?;
    /// # let storage = writer.finish_into()?.1;
    /// let reader = Reader::<Event>::open(storage, "Events")?;
    /// assert_eq!(reader.entries_in(2..5).count(), 3);
    /// assert_eq!(reader.entries_in(8..).count(), 2);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    pub fn entries_in(&self, entries: impl Into<EntryList>) -> Entries<T> {
        Entries::new(&self.cursors, &entries.into())
    }

    /// Reads all entries and returns the list of those that fulfil a condition.
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { met: f32 }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # (0..10u8).try_for_each(|i| writer.fill(&Event { met: i.into() }))?;
    /// # let storage = writer.finish_into()?.1;
    /// let reader = Reader::<Event>::open(storage, "Events")?;
    /// let high = reader.select(|event| event.met >= 8.0)?;
    /// assert_eq!(high.ranges(), [8..10]);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first that [`entries`](Self::entries) would return.
    pub fn select(&self, mut condition: impl FnMut(&T) -> bool) -> Result<EntryList> {
        let mut entries = self.entries();
        let mut numbers = std::iter::from_fn(|| {
            loop {
                match entries.next()? {
                    Ok(entry) if condition(&entry) => return entries.last_entry().map(Ok),
                    Ok(_) => {}
                    Err(error) => return Some(Err(error)),
                }
            }
        });
        numbers.by_ref().collect()
    }

    /// Reads all entries on several threads: those of the [pool](ReadOptions::pool) that the reader was given, or
    /// else of the pool in which the iterator is driven, by default rayon's own.
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
    /// let reader = Reader::<Event>::open_with(&file, "Events", options)?;
    /// let sum: f32 = reader.par_entries().map(|event| event.map(|event| event.met)).try_reduce(|| 0.0, |a, b| Ok(a + b))?;
    /// assert_eq!(sum, 4950.0);
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_entries(&self) -> ParEntries<T>
    where
        T: ReadField<Reader: Send> + Send,
    {
        ParEntries::new(self.sequence().clone(), self.cursors.options().clone())
    }

    /// Cuts the entries into about `target` ranges, for threads or processes that each read one with
    /// [`entries_in`](Self::entries_in). Together they are all entries, in order.
    ///
    /// They begin and end where clusters do, and may have several files. A cluster is cut inside only where it is worth
    /// it: values of pages at a cut are made on both sides, unless one thread reads both, one after the other. So a cut is
    /// where most pages end, as far as all entries have the same number of values: of flat entries hardly any page is at a
    /// cut. In collections each column has one: of 74 MB of nested events in one cluster, cut once, 6 % of the bytes.
    ///
    /// Such pages are read and decompressed once. Who begins inside of a page of this reader leaves it to who ends there:
    /// up to 16 MiB for all of them, and none with a [memory budget](ReadOptions::memory_budget).
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple, Default)]
    /// # struct Event { hits: Vec<f32> }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # writer.fill(&Event { hits: vec![1.0, 2.0] })?;
    /// # let storage = writer.finish_into()?.1;
    /// let reader = Reader::<Event>::open(storage, "Events")?;
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
    ///     let ranges = reader.partitions(2)?.into_iter();
    ///     let threads: Vec<_> = ranges.map(|range| scope.spawn(|| count(range))).collect();
    ///     threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    /// });
    /// assert_eq!(hits?, 2);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`entry_count`](Self::entry_count); a file that is opened again was changed; or the storage fails.
    pub fn partitions(&self, target: usize) -> Result<Vec<Range<u64>>> {
        self.sequence().partitions(target)
    }

    /// Reads entry `index`.
    ///
    /// For many entries, [`take`](Self::take) decodes each page once, whatever their order.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) after the last entry; or its pages are damaged, or its file
    /// was changed.
    pub fn get(&self, index: u64) -> Result<T> {
        self.check_entry(index)?;
        self.cursors.take(None).required()?.get(index)
    }

    fn check_entry(&self, index: u64) -> Result<()> {
        self.cursors.options().check_entry(index).map_err(|error| self.sequence().place(error))
    }

    /// Reads entry `index` into `slot`, whose allocations are reused.
    ///
    /// # Errors
    /// As [`get`](Self::get); what `slot` holds is then unspecified.
    pub fn read_into(&self, index: u64, slot: &mut T) -> Result<()> {
        self.check_entry(index)?;
        self.cursors.take(None).required()?.read_into(index, slot)
    }

    /// Reads the entries of a list of numbers, in its order; a number may be in it more than once.
    ///
    /// They are read in the order of the file, so that each page is read and decoded once, however many different entries it
    /// has. An entry that is listed again is read again: where a page ends inside it or just before it, the pages on both
    /// sides are decoded again.
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { number: u64 }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # (0..10).try_for_each(|number| writer.fill(&Event { number }))?;
    /// # let storage = writer.finish_into()?.1;
    /// let reader = Reader::<Event>::open(storage, "Events")?;
    /// let events = reader.take(&[7, 2, 7])?;
    /// assert_eq!(events.iter().map(|event| event.number).collect::<Vec<_>>(), [7, 2, 7]);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`get`](Self::get), for the entry of the lowest number that has one.
    pub fn take(&self, indices: &[u64]) -> Result<Vec<T>> {
        let mut order: Vec<usize> = (0..indices.len()).collect();
        order.sort_by_key(|&place| indices.get(place));
        let mut loan = self.cursors.take(None);
        let cursor = loan.required()?;
        let mut read: Vec<Option<T>> = Vec::new();
        read.resize_with(indices.len(), || None);
        for place in order {
            if let (Some(&index), Some(slot)) = (indices.get(place), read.get_mut(place)) {
                self.check_entry(index)?;
                *slot = Some(cursor.get(index)?);
            }
        }
        Ok(read.into_iter().flatten().collect())
    }
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
/// let reader = Reader::<Event>::open(storage, "Events")?;
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
            .field("ntuple", &self.sequence().path())
            .field("files", &self.files())
            .finish_non_exhaustive()
    }
}
