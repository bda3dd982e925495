//! How to read.

use std::collections::HashSet;
use std::sync::Arc;

use super::entry_list::EntryList;
use super::view::{Selection, Test, Wanted};
use crate::error::{Error, Result};
use crate::hidden::{Hidden, discards};
use crate::limits::Limits;
use crate::pool::Pool;
use crate::root::RootFile;
use crate::schema::{FieldDescriptor, FieldId, Schema};
use crate::storage::Cache;

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
    /// The fields that may be seen; `None`: all.
    pub(super) fields: Option<Wanted>,
    pub(crate) same_schema: bool,
    pub(crate) open_files: usize,
    pub(crate) pool: Option<Pool>,
    pub(crate) read_ahead: Option<u64>,
    pub(crate) memory_budget: Option<u64>,
    pub(crate) limits: Option<Limits>,
    /// Of files that are given by URL.
    pub(super) cache: Option<Cache>,
    /// The entries that there are; `None`: all.
    pub(super) only: Option<EntryList>,
}

discards!(ReadOptions);

impl Default for ReadOptions {
    #[inline(never)]
    fn default() -> Self {
        Self {
            verify_checksums: true,
            merge_gap: 16 << 10,
            read_size: None,
            fields: None,
            same_schema: false,
            open_files: 16,
            pool: None,
            read_ahead: None,
            memory_budget: None,
            limits: None,
            cache: None,
            only: None,
        }
    }
}

impl ReadOptions {
    /// The same, where readers keep them.
    pub(super) fn hidden(self) -> Hidden<Self> {
        Hidden::new(self)
    }

    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the entries that there are for the reader: whatever walks, selects or joins passes over the others, as if they
    /// had been deleted. Default: all. Entries keep their numbers, and [`entry_count`](crate::Reader::entry_count) is still
    /// that of the files. Columns that are read by themselves ([`Reader::column`](crate::Reader::column),
    /// [`sizes`](crate::Reader::sizes), [`items`](crate::Reader::items)) have the values of these entries; to find them, the
    /// offsets of the collections around the field are read too. Of entries that were set before, those are left that are
    /// in both lists.
    ///
    /// ```
    /// # use rntuple::{RNTuple, ReadOptions, Reader, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { number: u64 }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # (0..10).try_for_each(|number| writer.fill(&Event { number }))?;
    /// # let storage = writer.finish_into()?.1;
    /// let options = ReadOptions::new().only([2..4, 8..9].into_iter().collect::<rntuple::EntryList>());
    /// let reader = Reader::<Event>::open_with(storage, "Events", options)?;
    /// let numbers: Vec<u64> = reader.entries().map(|event| event.map(|event| event.number)).collect::<Result<_, _>>()?;
    /// assert_eq!(numbers, [2, 3, 8]);
    /// assert!(reader.get(5).is_err());
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    pub fn only(mut self, entries: impl Into<EntryList>) -> Self {
        let entries = self.among(&entries.into());
        self.only = Some(entries);
        self
    }

    /// What is left of a list of entries.
    pub(super) fn among(&self, list: &EntryList) -> EntryList {
        match &self.only {
            Some(only) => only.intersection(list),
            None => list.clone(),
        }
    }

    /// # Errors
    /// The entry is not among those that there are.
    pub(super) fn check_entry(&self, entry: u64) -> Result<()> {
        match &self.only {
            Some(only) if !only.contains(entry) => {
                let message = format!(
                    "entry {entry} is not among those that the reader was given (`ReadOptions::only`)"
                );
                Err(Error::invalid_argument(message))
            }
            _ => Ok(()),
        }
    }

    /// Sets whether pages whose checksum differs are refused. Default: `true`. LZ4 has checksums of its own, which are
    /// compared where that of the page is not.
    pub fn verify_checksums(mut self, verify: bool) -> Self {
        self.verify_checksums = verify;
        self
    }

    /// Sets how many unwanted bytes between two pages are read along, rather than split into two requests. Default:
    /// 16 KiB. Larger values pay where every request is slow.
    pub fn merge_gap(mut self, bytes: u64) -> Self {
        self.merge_gap = bytes;
        self
    }

    /// Sets up to how many bytes neighbouring pages are read at once. A walk holds at most one such read per column.
    ///
    /// By default reads are merged up to 4 MiB where a walk then holds no more than one stored page of each
    /// column, or 1 MiB in all. Elsewhere pages are read one by one, which costs a local file nothing. Storage
    /// where every request is slow needs more: 4 MiB, for example.
    pub fn read_size(mut self, bytes: u64) -> Self {
        self.read_size = Some(bytes);
        self
    }

    /// Sets how many bytes are read before they are asked for, of the cluster that a walk is in and of the next one.
    /// Default: 32 MiB. Without a [`pool`](Self::pool) nothing is read ahead of local files.
    ///
    /// The reads are in the order of the file, and as many at once as the pool has threads. Clusters of which a
    /// walk needs only a part are read as the pages are asked for, and nothing after a walk's end is read.
    ///
    /// From [remote](crate::storage::ReadAt::is_remote) storage, walks read ahead in any case, with threads that wait for
    /// up to 8 requests of about 8 MiB (the first ones of up to 15, so that they do not all end at one time): all pages of
    /// the cluster that they are in, whatever these take, and this many bytes (default: 64 MiB) of the clusters after it.
    /// With 0, each read is made when it is needed.
    pub fn read_ahead(mut self, bytes: u64) -> Self {
        self.read_ahead = Some(bytes);
        self
    }

    pub(crate) fn read_ahead_limit(&self) -> u64 {
        self.read_ahead.unwrap_or(32 << 20)
    }

    /// The same, from storage that is far away.
    pub(super) fn read_ahead_limit_far(&self) -> u64 {
        self.read_ahead.unwrap_or(64 << 20)
    }

    /// Sets how many files stay open for the next walk, of those that were given by path. Default: 16. In addition, the
    /// file that a walk is in is open, and those from which single entries were read last: one for each thread that does
    /// so at the same time, at most 64; and the last file, once it was reached, which
    /// [`Reader::refresh`](super::Reader::refresh) follows.
    pub fn open_files(mut self, count: usize) -> Self {
        self.open_files = count;
        self
    }

    /// Declares that all files have the schema of the first one. Default: `false`.
    ///
    /// Only the first file is then opened with the reader, and each of the others when it is reached: by a walk, or by
    /// whatever has to know where its entries are. What does not fit is an error there, instead of before the first entry.
    pub fn same_schema(mut self, same: bool) -> Self {
        self.same_schema = same;
        self
    }

    /// Limits what is read to the fields at these paths (`muons`, `muons.pt` or `muons._0.pt`), with everything below
    /// them. In patterns (`Muon_*`, `*.pt`; feature `glob`), `*` stands for any text and `?` for any character. Default: all fields. For a [`Value`](crate::Value), which has all fields that it may see; a struct is a
    /// selection already.
    ///
    /// ```
    /// # use rntuple::{RNTuple, WriteOptions, Writer, storage::Memory};
    /// use rntuple::{ReadOptions, Reader, Value};
    /// # #[derive(RNTuple)]
    /// # struct Event { met: f32, number: u64 }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # writer.fill(&Event { met: 20.0, number: 1 })?;
    /// # let storage = writer.finish_into()?.1;
    /// let reader = Reader::<Value>::open_with(storage, "Events", ReadOptions::new().fields(["met"]))?;
    /// assert_eq!(reader.selected_columns().len(), 1);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// A path or pattern without a field is an [`InvalidArgument`](crate::ErrorKind::InvalidArgument) error when a file is
    /// opened.
    pub fn fields<P: Into<String>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.fields = Some(Wanted::Paths(paths.into_iter().map(Into::into).collect()));
        self
    }

    /// As [`fields`](Self::fields), for those of which `test` is true, asked of the path and what the file says of the
    /// field. In paths the `_0` of collections is left out: `muons.pt`. Below a field that is wanted, everything is.
    ///
    /// ```
    /// # use rntuple::{RNTuple, WriteOptions, Writer, storage::Memory};
    /// use rntuple::{ReadOptions, Reader, Value};
    /// # #[derive(RNTuple)]
    /// # struct Event { met: f32, hits: Vec<f32>, number: u64 }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # writer.fill(&Event { met: 20.0, hits: vec![1.0], number: 1 })?;
    /// # let storage = writer.finish_into()?.1;
    /// let options = ReadOptions::new().fields_where(|path, field| path == "met" || field.type_name == "std::uint64_t");
    /// let reader = Reader::<Value>::open_with(storage, "Events", options)?;
    /// assert_eq!(reader.selected_columns().len(), 2);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// If it is true of no field, that is an [`InvalidArgument`](crate::ErrorKind::InvalidArgument) error when a file is
    /// opened.
    pub fn fields_where(
        mut self,
        test: impl Fn(&str, &FieldDescriptor) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.fields = Some(Wanted::Where(Test(Arc::new(test))));
        self
    }

    /// The fields that may be seen; `None`: all.
    pub(super) fn selection_in(&self, schema: &Schema) -> Result<Option<HashSet<FieldId>>> {
        self.fields.as_ref().map(|fields| Ok(Selection::of(schema, fields)?.into_fields())).transpose()
    }

    /// For some fields of one file, which need not have all that is below them.
    pub(super) fn for_fields(&self, fields: HashSet<FieldId>) -> Self {
        Self { fields: Some(Wanted::Exactly(Arc::new(fields))), ..self.clone() }
    }

    /// For another type, to which nothing is hidden.
    pub(super) fn for_all_fields(&self) -> Self {
        Self { fields: None, ..self.clone() }
    }

    /// For what is counted otherwise than the entries.
    pub(super) fn for_all_entries(&self) -> Self {
        Self { only: None, ..self.clone() }
    }

    /// Sets the most memory, in bytes, that a walk through the entries may hold: for stored and decoded pages, for
    /// reading ahead and for decoding ahead. Default: none. Parallel iteration as a whole stays within it.
    ///
    /// First nothing is decoded ahead, then less is read ahead and at once. A stored and a decoded page of every
    /// column must be held in any case: a budget that has no room for them is refused with
    /// [`LimitExceeded`](crate::ErrorKind::LimitExceeded), which says what they need. To find that out, opening reads all
    /// page lists. Not counted are page lists, the contexts of codecs (zstd: 160 KiB for each thread), the values that a
    /// walk returns, and what [`Batches::lend`](crate::columns::Batches::lend) copies to lend it.
    pub fn memory_budget(mut self, bytes: u64) -> Self {
        self.memory_budget = Some(bytes);
        self
    }

    /// Sets how much a file may take: its entries, its pages, what describes it. Default: the
    /// [limits of the file](RootFile::limits), which are those of [`Limits::new`] unless it was opened with others.
    ///
    /// ```
    /// use rntuple::{Limits, ReadOptions};
    /// let options = ReadOptions::new().limits(Limits::new().entry_length(4 << 30));
    /// ```
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Sets where bytes of files that are given by URL are kept for the next time. Default: they are not.
    /// [`Cache::wrap`] does the same for a storage.
    ///
    /// ```
    /// use rntuple::{ReadOptions, storage::Cache};
    /// let options = ReadOptions::new().cache(&Cache::new(256 << 20));
    /// ```
    pub fn cache(mut self, cache: &Cache) -> Self {
        self.cache = Some(cache.clone());
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

    /// Sets the threads that read ahead and decode ahead for walks through the entries, that open several files at
    /// once, and on which parallel iteration runs. Default: none.
    ///
    /// While the values of one page are used, they decode the next page of each column, if the walk comes to an entry of it.
    /// Of items in collections that is guessed: one page that is not needed may be decoded. The values are the
    /// same with a pool as without, errors included: damage in a page that is ahead is reported when that page is
    /// reached. [`Reader::get`](crate::Reader::get) uses no pool, as what it will be asked for next is not known.
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
