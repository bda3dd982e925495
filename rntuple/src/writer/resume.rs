//! Writers that continue after the last checkpoint.

use std::path::Path;
use std::sync::Arc;

use super::append::Opened;
use super::builder::ClusterState;
use super::draft::Declared;
use super::filler::Filler;
use super::known::Clusters;
use super::{ParallelWriter, WriteOptions, Writer};
use crate::error::Result;
use crate::field::{Entry, WriteField};
use crate::hidden::Hidden;
use crate::storage::{Output, ReadAt, WriteAt};

impl<T: WriteField + ?Sized> Writer<T> {
    /// Continues what an earlier writer of `file` left after its last [checkpoint](Self::checkpoint), or creates the file
    /// where there is nothing to continue. The entries are those of the checkpoint; what came after it is lost.
    ///
    /// ```
    /// use rntuple::{RNTuple, Reader, WriteOptions, Writer};
    ///
    /// #[derive(RNTuple)]
    /// struct Event { number: u64 }
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("events.root");
    /// let write = |up_to| -> rntuple::Result<()> {
    ///     let mut writer = Writer::<Event>::resume(&path, "Events", WriteOptions::new())?;
    ///     for number in writer.entry_count()..100 {
    ///         writer.fill(&Event { number })?;
    ///         if number % 10 == 9 {
    ///             writer.checkpoint()?;
    ///         }
    ///         if number == up_to {
    ///             return Ok(());
    ///         }
    ///     }
    ///     writer.finish()?;
    ///     Ok(())
    /// };
    /// write(55)?;
    /// write(77)?;
    /// write(100)?;
    /// let reader = Reader::<Event>::open(&path, "Events")?;
    /// let numbers: Vec<u64> = reader.entries().map(|event| Ok(event?.number)).collect::<rntuple::Result<_>>()?;
    /// assert_eq!(numbers, (0..100).collect::<Vec<u64>>());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Columns are stored as they are in the file. The types must be those of the earlier writer.
    ///
    /// # Errors
    /// Those of [`append`](Self::append), for what is there, and of [`create`](Self::create).
    /// [`Unfinished`](crate::ErrorKind::Unfinished) if the earlier writer wrote [in place](WriteOptions::in_place), and
    /// stopped with pages in the file, but no checkpoint: entries may be recovered from it, so it is not created again.
    pub fn resume(file: impl AsRef<Path>, path: &str, options: WriteOptions) -> Result<Self>
    where
        T: Entry,
    {
        let file = file.as_ref();
        match options.left_over(file)? {
            Some(storage) => Self::resume_to(storage, path, options),
            None => Self::create(file, path, options),
        }
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> Writer<T, W> {
    /// As [`resume`](Writer::resume), for what an earlier writer left on any storage.
    ///
    /// # Errors
    /// Those of [`append_to`](Self::append_to).
    pub fn resume_to(storage: W, path: &str, options: WriteOptions) -> Result<Self>
    where
        T: Entry,
        W: ReadAt + 'static,
    {
        let opened = Opened::to_resume(storage, path, options)?;
        let Declared { columns, mut schema } = opened.declare::<T>(1)?;
        let draft = opened.draft.clone();
        let (ntuple, sets) = opened.resume(&mut schema);
        Ok(Self { filler: Filler::new(ntuple, ClusterState::of(&draft, schema), columns), sets })
    }
}

impl<T: WriteField + ?Sized> ParallelWriter<T> {
    /// As [`Writer::resume`], for an ntuple that many threads fill.
    ///
    /// # Errors
    /// As [`Writer::resume`].
    pub fn resume(file: impl AsRef<Path>, path: &str, options: WriteOptions) -> Result<Self>
    where
        T: Entry,
    {
        let file = file.as_ref();
        match options.left_over(file)? {
            Some(storage) => Self::resume_to(storage, path, options),
            None => Self::create(file, path, options),
        }
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> ParallelWriter<T, W> {
    /// As [`Writer::resume_to`], for an ntuple that many threads fill.
    ///
    /// # Errors
    /// As [`Writer::resume_to`].
    pub fn resume_to(storage: W, path: &str, options: WriteOptions) -> Result<Self>
    where
        T: Entry,
        W: ReadAt + 'static,
    {
        let contexts = options.contexts;
        let opened = Opened::to_resume(storage, path, options)?;
        let Declared { mut schema, .. } = opened.declare::<T>(contexts)?;
        let draft = opened.draft.clone();
        let (ntuple, sets) = opened.resume(&mut schema);
        Ok(Self::from_ntuple(ntuple, sets, Hidden::new(draft)))
    }
}

impl WriteOptions {
    /// Opens what an earlier writer of the file left.
    pub(crate) fn left_over(&self, file: &Path) -> Result<Option<Output>> {
        self.file.resume(file)
    }
}

impl<W: ReadAt + WriteAt + 'static> Opened<W> {
    /// As if the clusters had been written just now: they belong to the open group.
    fn to_resume(storage: W, path: &str, options: WriteOptions) -> Result<Self> {
        let mut opened = Self::open(storage, path, options, Clusters::Grow)?;
        let known = &mut opened.known;
        known.catalog.restart();
        for cluster in std::mem::take(&mut known.clusters) {
            known.catalog.push(Arc::unwrap_or_clone(cluster))?;
        }
        Ok(opened)
    }
}
