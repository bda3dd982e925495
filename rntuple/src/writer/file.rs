//! A file of several ntuples, a new one or one that has others already.

#[cfg(feature = "internals")]
mod unknown;

use crate::sync::{Mutex, MutexGuard};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use super::shared_file::{SharedFile, lock_any};
use super::{ParallelWriter, WriteOptions, Writer, new_file};
use crate::error::{Error, Result};
use crate::field::{Entry, WriteField};
use crate::root::{Addition, FileOptions, FileWriter, RootFile};
use crate::storage::{Output, ReadAt, WriteAt};

/// A file that takes several ntuples, also into directories, also at the same time: a new one, or [one that
/// exists](RootFileWriter::append).
///
/// ```
/// use rntuple::{RNTuple, RootFile, RootFileWriter, WriteOptions};
/// # use rntuple::storage::Memory;
///
/// #[derive(RNTuple)]
/// struct Event { number: u64 }
///
/// #[derive(RNTuple)]
/// struct Run { seed: u32 }
///
/// let file = RootFileWriter::new(Memory::new(), Default::default())?;
/// let mut events = file.writer::<Event>("Events", WriteOptions::new())?;
/// let mut runs = file.writer::<Run>("conditions/Runs", WriteOptions::new())?;
/// runs.fill(&Run { seed: 42 })?;
/// events.fill(&Event { number: 1 })?;
/// events.finish()?;
/// runs.finish()?;
/// let storage = file.finish()?;
///
/// let paths: Vec<_> = RootFile::from_storage(storage)?.ntuples()?.iter().map(|key| key.path()).collect();
/// assert_eq!(paths, ["Events", "conditions/Runs"]);
/// # Ok::<(), rntuple::Error>(())
/// ```
#[must_use = "only `finish` makes the file readable"]
pub struct RootFileWriter<W: WriteAt = Output> {
    file: SharedFile<W>,
    name: String,
    /// Where a file that is created will be, and how.
    created: Option<(PathBuf, FileOptions)>,
}

impl RootFileWriter {
    /// Creates a file, which takes its place when it is [finished](Self::finish), as that of a
    /// [`Writer`](Writer::create) does.
    ///
    /// # Errors
    /// The file cannot be created: see [`Writer::create`].
    pub fn create(file: impl AsRef<Path>, options: FileOptions) -> Result<Self> {
        Self::create_as(file.as_ref(), false, options)
    }

    /// Creates a file where no file is.
    ///
    /// # Errors
    /// As [`create`](Self::create), and [`Io`](crate::ErrorKind::Io) if there is a file.
    pub fn create_new(file: impl AsRef<Path>, options: FileOptions) -> Result<Self> {
        Self::create_as(file.as_ref(), true, options)
    }

    fn create_as(path: &Path, is_new: bool, options: FileOptions) -> Result<Self> {
        let storage = options.create(path, is_new)?;
        let created = Some((FileOptions::lasting(path)?, options.clone()));
        Ok(Self { created, ..Self::new(storage, options)? })
    }

    /// Opens an existing ROOT file, ours or ROOT's, to add ntuples.
    ///
    /// ```
    /// use rntuple::root::FileOptions;
    /// use rntuple::{RNTuple, RootFile, RootFileWriter, WriteOptions, Writer};
    ///
    /// #[derive(RNTuple)]
    /// struct Event { number: u64 }
    ///
    /// #[derive(RNTuple)]
    /// struct Run { seed: u32 }
    ///
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let path = directory.path().join("events.root");
    /// # Writer::<Event>::create(&path, "Events", WriteOptions::new())?.finish()?;
    /// // A file that has an ntuple `Events`.
    /// let file = RootFileWriter::append(&path, FileOptions::new())?;
    /// let mut runs = file.writer::<Run>("conditions/Runs", WriteOptions::new())?;
    /// runs.fill(&Run { seed: 42 })?;
    /// runs.finish()?;
    /// file.finish()?;
    ///
    /// let paths: Vec<_> = RootFile::open(&path)?.ntuples()?.iter().map(|key| key.path()).collect();
    /// assert_eq!(paths, ["Events", "conditions/Runs"]);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// Everything in the file stays: trees, histograms, other ntuples, directories. Until [`finish`](Self::finish)
    /// writes its last bytes, readers that open the file find it as it was, also when the writer is dropped, the process
    /// is killed or the machine is switched off. If one existing directory gets all new ntuples, be it in new
    /// directories, they are there all at once; if several do, what interrupts `finish` may leave some of the new
    /// ntuples, each of them whole. A reader that opened the file before should open it again: the space of lists
    /// that were replaced is free.
    ///
    /// A name that the directory lists already is refused, of whatever class the object is: a second object of
    /// that name would be legal, but would hide the first. To add entries to an ntuple, see [`Writer::append`].
    ///
    /// Of the options, the [timestamp](FileOptions::timestamp) and [`durable`](FileOptions::durable) apply; name and
    /// identity stay the file's.
    ///
    /// # Errors
    /// Before anything is written: [`Io`](crate::ErrorKind::Io) if the file does not exist, cannot be written, or
    /// another writer has it; [`OutOfSpec`](crate::ErrorKind::OutOfSpec) if it is not a ROOT file, or its
    /// directories or lists are damaged; [`Unfinished`](crate::ErrorKind::Unfinished) if its writer stopped;
    /// [`Unsupported`](crate::ErrorKind::Unsupported) or [`FeatureDisabled`](crate::ErrorKind::FeatureDisabled) if the
    /// class of an ntuple cannot be added to its streamer info.
    pub fn append(file: impl AsRef<Path>, options: FileOptions) -> Result<Self> {
        Self::append_to(options.edit(file.as_ref())?, options)
    }
}

impl<W: WriteAt> RootFileWriter<W> {
    /// Writes to any storage.
    ///
    /// # Errors
    /// The storage fails.
    pub fn new(storage: W, options: FileOptions) -> Result<Self> {
        let name = storage.name().to_owned();
        Ok(Self { file: new_file(storage, options)?, name, created: None })
    }

    /// As [`append`](RootFileWriter::append), for a file on any storage.
    ///
    /// The result is as safe as the storage's [`write_at`](WriteAt::write_at) and [`flush`](WriteAt::flush) are; no
    /// other program may write to it meanwhile.
    ///
    /// # Errors
    /// As [`append`](RootFileWriter::append).
    pub fn append_to(storage: W, options: FileOptions) -> Result<Self>
    where
        W: ReadAt + 'static,
    {
        let name = WriteAt::name(&storage).to_owned();
        Ok(Self { file: existing_file(storage, &options)?, name, created: None })
    }

    /// Adds an ntuple at `path`: `Events`, or `directory/Events`.
    ///
    /// # Errors
    /// The storage fails, the path is taken, or a name or an option is not possible: an ntuple in a file that exists has no
    /// checkpoints, for example.
    pub fn writer<T: Entry + WriteField + ?Sized>(
        &self,
        path: &str,
        options: WriteOptions,
    ) -> Result<Writer<T, W>> {
        Writer::declare(path, options, false, |options| self.open(&options))
    }

    /// As [`writer`](Self::writer), for an ntuple that many threads fill.
    ///
    /// ```
    /// # use rntuple::{RNTuple, RootFileWriter, WriteOptions, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { number: u64 }
    /// let file = RootFileWriter::new(Memory::new(), Default::default())?;
    /// let events = file.parallel_writer::<Event>("Events", WriteOptions::new())?;
    /// events.scope(|scope| scope.spawn(|context| context.fill(&Event { number: 1 })))?;
    /// assert_eq!(events.finish()?.entries, 1);
    /// file.finish()?;
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`writer`](Self::writer).
    pub fn parallel_writer<T: Entry + WriteField + ?Sized>(
        &self,
        path: &str,
        options: WriteOptions,
    ) -> Result<ParallelWriter<T, W>> {
        ParallelWriter::declare(path, options, false, |options| self.open(&options))
    }

    /// The file, for an ntuple with these options.
    fn open(&self, options: &FileOptions) -> Result<SharedFile<W>> {
        if options.has_checkpoints {
            let has_one = lock_any(&*self.file).check_checkpoints()?;
            // With its first checkpoint, the file itself has the name that is to be free.
            if let Some((path, created)) = self.created.as_ref().filter(|_| !has_one) {
                created.clone().with_checkpoints().check_checkpoints(path)?;
            }
        }
        Ok(self.file.clone())
    }

    /// Makes the file readable, and gives the storage back.
    ///
    /// If a writer of one of its ntuples has lost entries, or was dropped before it was finished, the file never takes the
    /// place of an existing one.
    ///
    /// # Errors
    /// The storage fails. Or the file lacks entries and is kept under another name, which this says. Or a writer of one of
    /// the ntuples is neither finished nor dropped: the file then has the ntuples that are finished, and nothing can be
    /// added to it.
    pub fn finish(self) -> Result<W> {
        let place = |error: Error| error.in_file(&self.name);
        let mut file = match Arc::try_unwrap(self.file) {
            Ok(file) => file.into_inner().unwrap_or_else(PoisonError::into_inner),
            Err(shared) => return Err(place(end_early(lock_any(&*shared), &self.name))),
        };
        if !file.any().lacks_entries() {
            file.any().finish().map_err(place)?;
            return Ok(file.into_inner());
        }
        file.any().finish_incomplete().map_err(place)?;
        match kept_elsewhere(file.any().name(), &self.name) {
            None => Ok(file.into_inner()),
            Some(kept) => {
                let message = format!("the file lacks entries of its ntuples, and is kept{kept}");
                Err(place(Error::invalid_argument(message)))
            }
        }
    }
}

/// Ends a file while an ntuple of it is still being written: those that are finished are not lost.
#[cold]
fn end_early(mut file: MutexGuard<'_, FileWriter<dyn WriteAt + '_>>, name: &str) -> Error {
    let ended = file.finish_incomplete();
    let rest = match ended {
        Ok(_) => {
            let kept = kept_elsewhere(file.name(), name).unwrap_or_default();
            format!("the ntuples that are finished can be read{kept}")
        }
        Err(error) => format!("what was written cannot be read: {}", error.message()),
    };
    Error::invalid_argument(format!("an ntuple of the file is still being written; {rest}"))
}

/// Says where a file is that did not get its `name`.
fn kept_elsewhere(now: &str, name: &str) -> Option<String> {
    (now != name).then(|| format!(" in {now}"))
}

impl<T: WriteField + ?Sized> Writer<T> {
    /// Adds an ntuple at `path` to an existing ROOT file, ours or ROOT's. For several ones, see
    /// [`RootFileWriter::append`], which also says what becomes of the file.
    ///
    /// ```
    /// use rntuple::{RNTuple, RootFile, WriteOptions, Writer};
    ///
    /// #[derive(RNTuple)]
    /// struct Event { number: u64 }
    ///
    /// #[derive(RNTuple)]
    /// struct Run { seed: u32 }
    ///
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let path = directory.path().join("events.root");
    /// # Writer::<Event>::create(&path, "Events", WriteOptions::new())?.finish()?;
    /// let mut runs = Writer::<Run>::create_in(&path, "Runs", WriteOptions::new())?;
    /// runs.fill(&Run { seed: 42 })?;
    /// runs.finish()?;
    /// assert_eq!(RootFile::open(&path)?.ntuples()?.len(), 2);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`RootFileWriter::append`] and [`RootFileWriter::writer`], before anything in the file changes.
    pub fn create_in(file: impl AsRef<Path>, path: &str, options: WriteOptions) -> Result<Self>
    where
        T: Entry,
    {
        Self::declare(path, options, true, |options| {
            RootFileWriter::append(file.as_ref(), options.clone())?.open(&options)
        })
    }
}

/// A file that gets more ntuples.
fn existing_file<W: WriteAt + ReadAt + 'static>(storage: W, options: &FileOptions) -> Result<SharedFile<W>> {
    let storage = Arc::new(storage);
    let addition = Addition::read(&RootFile::from_arc(storage.clone())?)?;
    // Whatever reads from the storage is gone by now, so that it can be written to.
    let shared = || Error::invalid_argument("the storage is still being read");
    let storage = Arc::into_inner(storage).ok_or_else(shared)?;
    Ok(Arc::new(Mutex::new(FileWriter::add(storage, addition, options))))
}

impl<W: WriteAt> fmt::Debug for RootFileWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RootFileWriter").field("name", &self.name).finish_non_exhaustive()
    }
}
