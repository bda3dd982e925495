//! A file of several ntuples.

#[cfg(feature = "internals")]
mod unknown;

use std::fmt;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use super::shared_file::SharedFile;
use super::{ParallelWriter, WriteOptions, Writer, new_file};
use crate::error::{Error, Result};
use crate::field::{Entry, WriteField};
use crate::root::FileOptions;
use crate::storage::{LocalFile, WriteAt};

/// A file that takes several ntuples, also into directories, also at the same time.
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
pub struct RootFileWriter<W: WriteAt = LocalFile> {
    file: SharedFile<W>,
    name: String,
}

impl RootFileWriter {
    /// Creates a file, which takes its place when it is [finished](Self::finish), as that of a
    /// [`Writer`](Writer::create) does.
    ///
    /// # Errors
    /// The file cannot be created: see [`Writer::create`].
    pub fn create(file: impl AsRef<Path>, options: FileOptions) -> Result<Self> {
        Self::new(options.create(file.as_ref(), false)?, options)
    }

    /// Creates a file where no file is.
    ///
    /// # Errors
    /// As [`create`](Self::create), and [`Io`](crate::ErrorKind::Io) if there is a file.
    pub fn create_new(file: impl AsRef<Path>, options: FileOptions) -> Result<Self> {
        Self::new(options.create(file.as_ref(), true)?, options)
    }
}

impl<W: WriteAt> RootFileWriter<W> {
    /// Writes to any storage.
    ///
    /// # Errors
    /// The storage fails.
    pub fn new(storage: W, options: FileOptions) -> Result<Self> {
        let name = storage.name().to_owned();
        Ok(Self { file: new_file(storage, options)?, name })
    }

    /// Adds an ntuple at `path`: `Events`, or `directory/Events`.
    ///
    /// # Errors
    /// The storage fails, the path is taken, or a name or an option is not possible.
    pub fn writer<T: Entry + WriteField + ?Sized>(
        &self,
        path: &str,
        options: WriteOptions,
    ) -> Result<Writer<T, W>> {
        Writer::declare(path, options, false, |_| Ok(self.file.clone()))
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
        ParallelWriter::declare(path, options, false, |_| Ok(self.file.clone()))
    }

    /// Makes the file readable, and gives the storage back.
    ///
    /// # Errors
    /// The storage fails, or a writer of one of the ntuples is neither finished nor dropped.
    pub fn finish(self) -> Result<W> {
        let place = |error: Error| error.in_file(&self.name);
        let open = || place(Error::invalid_argument("an ntuple of the file is still being written"));
        let file = Arc::into_inner(self.file).ok_or_else(open)?;
        let mut file = file.into_inner().unwrap_or_else(PoisonError::into_inner);
        file.any().finish().map_err(place)?;
        Ok(file.into_inner())
    }
}

impl<W: WriteAt> fmt::Debug for RootFileWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RootFileWriter").field("name", &self.name).finish_non_exhaustive()
    }
}
