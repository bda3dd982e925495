//! Entries in one file after the other.

use std::fmt;
use std::path::{Path, PathBuf};

use super::fill::fill_methods;
use super::filler::Filler;
use super::ntuple::Ntuple;
use super::{Summary, WriteOptions, Writer};
use crate::error::{Error, Result};
use crate::field::columnar::{Slice, SliceOf, WriteColumnar, cut};
use crate::field::{Entry, FieldWriter, WriteField};
use crate::storage::{Identity, Output, shown};

/// Writes entries to a file, and to the next one when it has enough: [`Writer::series`].
///
/// Each file is whole, and takes its place when it is complete: when an entry comes for the next one, or at
/// [`finish`](Self::finish). [`Files::glob`](crate::Files::glob) reads them as one. What fills it fails as well if a file
/// cannot be finished, or the next one not be created. Files that are complete stay.
///
/// It has no [attribute sets](Writer::attributes), as one of them is about the entries of one ntuple, and ranges could
/// cross the end of a file. Nor is there one for many threads: which entry is the last of a file would depend on which thread
/// is faster. Give each file to a [`ParallelWriter`](crate::ParallelWriter) instead, and attribute sets to each of them.
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
    /// Entries in its clusters, when its size was last looked at.
    seen: u64,
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
            seen: 0,
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

    /// What is filled, with room for one more entry: in the next file if this one has enough.
    #[inline]
    fn filler(&mut self) -> Result<&mut Filler<T, Ntuple<Output>>> {
        if self.is_full() {
            self.end()?;
            self.begin()?;
        }
        let Some((_, writer)) = &mut self.current else { return Err(ended()) };
        let rest = self.max_entries.saturating_sub(writer.entry_count());
        writer.filler.open.limit = writer.filler.open.entries.saturating_add(rest);
        Ok(&mut writer.filler)
    }

    fn is_full(&mut self) -> bool {
        let Some((_, writer)) = &self.current else { return false };
        let ntuple = writer.ntuple();
        // A cluster has ended, which is when the size is known. No cluster ends between items and their entry.
        let is_news = std::mem::replace(&mut self.seen, ntuple.entry_count()) != ntuple.entry_count();
        writer.entry_count() >= self.max_entries
            || self.max_size < u64::MAX && is_news && ntuple.file_end() >= self.max_size
    }

    /// Returns the files that are complete, with what is in them.
    pub fn files(&self) -> &[(PathBuf, Summary)] {
        &self.complete
    }

    /// Finishes the last file, and returns all of them. The last one is left out if nothing was filled into it, unless
    /// it is the only one, or [in place](WriteOptions::in_place), where it exists already.
    ///
    /// # Errors
    /// As [`Writer::finish`], for the last file. Or the series has ended with an error before: ask for the
    /// [`files`](Self::files) that are complete then, in place of this.
    pub fn finish(mut self) -> Result<Vec<(PathBuf, Summary)>> {
        let Some((_, writer)) = &mut self.current else { return Err(ended()) };
        // A file in place is there, and would be one of the series that no reader opens.
        if self.complete.is_empty() || self.options.file.is_in_place() || !writer.filler.is_unused() {
            self.end()?;
        }
        Ok(self.complete)
    }

    fn begin(&mut self) -> Result<()> {
        let path = (self.path)(self.complete.len());
        let now = Identity::of_path(&path).ok();
        let is_this =
            |complete: &Path| complete == path || now.is_some() && now == Identity::of_path(complete).ok();
        if self.complete.iter().any(|(complete, _)| is_this(complete)) {
            let message =
                "the series has written this file already: each of its files needs a path of its own";
            return Err(Error::invalid_argument(message).in_file(&shown(&path)));
        }
        let writer = Writer::create(&path, &self.ntuple, self.options.clone())?;
        (self.current, self.seen) = (Some((path, writer)), 0);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        if let Some((path, writer)) = self.current.take() {
            self.complete.push((path, writer.finish()?));
        }
        Ok(())
    }
}

fill_methods!([T: WriteField + Entry] SeriesWriter<T>);

#[cold]
fn ended() -> Error {
    Error::invalid_argument("the series ended with a file that could not be written")
}

impl<T: WriteField> fmt::Debug for SeriesWriter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let current = self.current.as_ref().map(|(path, writer)| (shown(path), writer));
        let complete: Vec<_> = self.complete.iter().map(|(path, summary)| (shown(path), summary)).collect();
        f.debug_struct("SeriesWriter")
            .field("ntuple", &self.ntuple)
            .field("current", &current)
            .field("complete", &complete)
            .finish_non_exhaustive()
    }
}
