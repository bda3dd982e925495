//! How to read.

use std::collections::HashSet;
use std::sync::Arc;

use super::view::Selection;
use crate::error::Result;
use crate::limits::Limits;
use crate::pool::Pool;
use crate::root::RootFile;
use crate::schema::{FieldId, Schema};

/// How an ntuple is read; the defaults suit files on a local disk.
///
/// ```
/// let options = rntuple::ReadOptions::new().verify_checksums(false).merge_gap(64 << 10);
/// ```
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct ReadOptions {
    pub(crate) verify_checksums: bool,
    pub(crate) merge_gap: u64,
    pub(crate) read_size: Option<u64>,
    pub(crate) selection: Option<Arc<HashSet<FieldId>>>,
    /// The same for files of which each has ids of its own.
    pub(crate) fields: Option<Arc<[String]>>,
    pub(crate) open_files: usize,
    pub(crate) pool: Option<Pool>,
    pub(crate) read_ahead: Option<u64>,
    pub(crate) memory_budget: Option<u64>,
    pub(crate) limits: Option<Limits>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            verify_checksums: true,
            merge_gap: 16 << 10,
            read_size: None,
            selection: None,
            fields: None,
            open_files: 16,
            pool: None,
            read_ahead: None,
            memory_budget: None,
            limits: None,
        }
    }
}

impl ReadOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Default `true`: pages whose checksum differs are refused.
    pub fn verify_checksums(mut self, verify: bool) -> Self {
        self.verify_checksums = verify;
        self
    }

    /// Default 16 KiB: so many unwanted bytes between two pages are rather read than skipped. Larger values
    /// pay where every request is slow.
    pub fn merge_gap(mut self, bytes: u64) -> Self {
        self.merge_gap = bytes;
        self
    }

    /// Neighbouring pages are read at once up to this many bytes. A walk holds one such read for each place of the
    /// file where its columns stand, for each column at the most.
    ///
    /// By default reads are merged (up to 4 MiB) where a walk then holds no more than one stored page of each
    /// column, or 1 MiB in all; elsewhere pages are read one by one, which costs a local file nothing. Storage
    /// where every request is slow wants more: 4 MiB, say.
    pub fn read_size(mut self, bytes: u64) -> Self {
        self.read_size = Some(bytes);
        self
    }

    /// Default 32 MiB, of use only with a [`pool`](Self::pool): so many bytes are read before they are asked for,
    /// those of the cluster where a walk stands and of the next one.
    ///
    /// The reads are in the order of the file, as many at once as the pool has threads. Clusters of which a
    /// walk wants only a part are read as the pages are asked for, and what lies beyond a walk's end is not read.
    pub fn read_ahead(mut self, bytes: u64) -> Self {
        self.read_ahead = Some(bytes);
        self
    }

    pub(crate) fn read_ahead_limit(&self) -> u64 {
        self.read_ahead.unwrap_or(32 << 20)
    }

    /// Default 16, of use only with a [`Chain`](crate::Chain): so many of its files are kept open for the next walk
    /// that comes by, each with what describes it. The file in which a walk stands is open in any case.
    pub fn open_files(mut self, count: usize) -> Self {
        self.open_files = count;
        self
    }

    /// The fields that may be seen; `None`: all.
    pub(super) fn selection_in(&self, schema: &Schema) -> Result<Option<Arc<HashSet<FieldId>>>> {
        match &self.fields {
            Some(fields) => Ok(Some(Arc::new(Selection::of(schema, fields)?.into_fields()))),
            None => Ok(self.selection.clone()),
        }
    }

    /// For another type, to which nothing is hidden.
    pub(super) fn for_all_fields(&self) -> Self {
        Self { selection: None, fields: None, ..self.clone() }
    }

    /// Default none: the most memory that a walk through the entries may hold, for stored and decoded pages,
    /// reading ahead and decoding ahead. Parallel iteration as a whole stays within it.
    ///
    /// First nothing is decoded ahead, then less is read ahead and at once. A stored and a decoded page of every
    /// column must be held in any case: a budget that has no room for them is refused, with what they need
    /// ([`LimitExceeded`](crate::ErrorKind::LimitExceeded)). The contexts of codecs (zstd: 160 KiB for each thread)
    /// and the values that a walk gives away are not counted, nor what
    /// [`next_slice`](crate::BorrowedEntries::next_slice) copies to lend it.
    pub fn memory_budget(mut self, bytes: u64) -> Self {
        self.memory_budget = Some(bytes);
        self
    }

    /// Sets how much a file may take: its entries, its pages, what describes it. Default: the limits of the
    /// [file](RootFile::limits), which are those of [`Limits::new`] unless it was opened with others.
    ///
    /// ```
    /// use rntuple::{Limits, ReadOptions};
    /// let options = ReadOptions::new().limits(Limits::new().entry_length(4 << 30));
    /// ```
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// The limits for what is read from a file.
    pub(super) fn limits_of(&self, file: &RootFile) -> Limits {
        self.limits.unwrap_or(*file.limits())
    }

    /// A file that is open already, with the limits that are set here.
    pub(super) fn limit(&self, file: &RootFile) -> RootFile {
        file.clone().with_limits(self.limits_of(file))
    }

    /// Default none: the threads that read ahead and decode ahead for walks through the entries, and on which
    /// parallel iteration runs.
    ///
    /// While the values of one page are used, they decode the next page of each column. What is read is the
    /// same with a pool as without, errors included: damage in a page that is ahead is told when that page is
    /// reached. [`Reader::get`](crate::Reader::get) uses no pool, as nobody knows what it is asked for next.
    ///
    /// ```
    /// # fn main() -> rntuple::Result<()> {
    /// let pool = rntuple::Pool::new(2)?;
    /// let options = rntuple::ReadOptions::new().pool(&pool);
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "rayon")]
    pub fn pool(mut self, pool: &Pool) -> Self {
        self.pool = Some(pool.clone());
        self
    }
}
