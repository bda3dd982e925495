//! Entries in one file after the other.

use std::fmt;
use std::path::PathBuf;

use super::{Summary, WriteOptions, Writer};
use crate::error::{Error, Result};
use crate::field::{Entry, WriteField};

/// Writes entries to a file, and to the next one when it has enough: [`Writer::series`].
///
/// Each file is whole, and takes its place when it is complete; [`Files::glob`](crate::Files::glob) reads them as one.
///
/// ```
/// use rntuple::{RNTuple, Reader, WriteOptions, Writer};
///
/// #[derive(RNTuple)]
/// struct Event { number: u64 }
///
/// # let directory = tempfile::tempdir()?;
/// # let folder = directory.path().to_owned();
/// let path = move |number| folder.join(format!("run_{number:03}.root"));
/// let mut writer = Writer::<Event>::series(path, "Events", WriteOptions::new())?.max_entries(400);
/// for number in 0..1000 {
///     writer.fill(&Event { number })?;
/// }
/// let files = writer.finish()?;
/// assert_eq!(files.iter().map(|(_, summary)| summary.entries).collect::<Vec<_>>(), [400, 400, 200]);
/// # let paths = files.into_iter().map(|(path, _)| path).collect::<Vec<_>>();
/// let reader = Reader::<Event>::open(paths, "Events")?;
/// assert_eq!(reader.get(999)?.number, 999);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SeriesWriter<T: WriteField> {
    path: Box<dyn FnMut(usize) -> PathBuf + Send>,
    ntuple: String,
    options: WriteOptions,
    max_entries: u64,
    max_size: u64,
    /// The file that is written; `None` where the next one could not be begun.
    current: Option<(PathBuf, Writer<T>)>,
    /// Entries in it.
    entries: u64,
    complete: Vec<(PathBuf, Summary)>,
}

impl<T: WriteField + Entry> Writer<T> {
    /// Begins a series of files, each with an ntuple of this name. `path` is called with the number of each file, from 0
    /// on. Without a limit, there is one file.
    ///
    /// # Errors
    /// As [`create`](Self::create), for the first file.
    pub fn series(
        path: impl FnMut(usize) -> PathBuf + Send + 'static,
        ntuple: &str,
        options: WriteOptions,
    ) -> Result<SeriesWriter<T>> {
        let mut series = SeriesWriter {
            path: Box::new(path),
            ntuple: ntuple.to_owned(),
            options,
            max_entries: u64::MAX,
            max_size: u64::MAX,
            current: None,
            entries: 0,
            complete: Vec::new(),
        };
        series.begin()?;
        Ok(series)
    }
}

impl<T: WriteField + Entry> SeriesWriter<T> {
    /// Sets how many entries a file has, at least 1. Default: no limit.
    #[must_use]
    pub fn max_entries(mut self, count: u64) -> Self {
        self.max_entries = count.max(1);
        self
    }

    /// Ends a file with the cluster that makes it this long, in bytes: so it may be longer by a cluster. Default: no
    /// limit.
    #[must_use]
    pub fn max_size(mut self, bytes: u64) -> Self {
        self.max_size = bytes;
        self
    }

    /// Appends one entry.
    ///
    /// # Errors
    /// As [`Writer::fill`]; or a file cannot be finished, or the next one not be created. Files that are complete stay.
    pub fn fill(&mut self, entry: &T) -> Result<()> {
        let Some((_, writer)) = &mut self.current else { return Err(ended()) };
        writer.fill(entry)?;
        self.entries += 1;
        // A cluster ended with this entry, which is when the size is known.
        let is_long = self.max_size < u64::MAX
            && writer.filler.open.entries == 0
            && writer.ntuple().file_end() >= self.max_size;
        if is_long || self.entries >= self.max_entries {
            self.end()?;
            self.begin()?;
        }
        Ok(())
    }

    /// Appends entries in order.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn fill_all(&mut self, entries: &[T]) -> Result<()> {
        entries.iter().try_for_each(|entry| self.fill(entry))
    }

    /// Returns the files that are complete, with what is in them.
    pub fn files(&self) -> &[(PathBuf, Summary)] {
        &self.complete
    }

    /// Finishes the last file, and returns all of them. The last one is left out where it would have no entries, unless
    /// it is the only one.
    ///
    /// # Errors
    /// As [`Writer::finish`], for the last file. Or the series has ended with an error before; [`files`](Self::files)
    /// says which files are complete.
    pub fn finish(mut self) -> Result<Vec<(PathBuf, Summary)>> {
        if self.current.is_none() {
            return Err(ended());
        }
        if self.entries > 0 || self.complete.is_empty() {
            self.end()?;
        }
        Ok(self.complete)
    }

    fn begin(&mut self) -> Result<()> {
        let path = (self.path)(self.complete.len());
        let writer = Writer::create(&path, &self.ntuple, self.options.clone())?;
        (self.current, self.entries) = (Some((path, writer)), 0);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        if let Some((path, writer)) = self.current.take() {
            self.complete.push((path, writer.finish()?));
        }
        Ok(())
    }
}

#[cold]
fn ended() -> Error {
    Error::invalid_argument("the series ended with a file that could not be written")
}

impl<T: WriteField> fmt::Debug for SeriesWriter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeriesWriter")
            .field("ntuple", &self.ntuple)
            .field("entries", &self.entries)
            .field("complete", &self.complete)
            .finish_non_exhaustive()
    }
}
