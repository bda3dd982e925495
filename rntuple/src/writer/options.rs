//! How to write.

use std::sync::Arc;
use std::time::SystemTime;

use super::interval::Interval;
use crate::compression::{Algorithm, Compression};
use crate::encoding::ColumnEncoding;
use crate::error::{Error, Result};
use crate::hidden::{Hidden, discards};
use crate::limits::Limits;
use crate::pool::Pool;
use crate::root::{FileOptions, check_chunks};
use crate::schema::SchemaBuilder;

/// How an ntuple is written. Sizes are bytes on storage, lengths are bytes before compression.
///
/// The options are ROOT's, with ROOT's defaults, except where measurements of this crate show better ones: each says
/// its default, and ROOT's.
///
/// ```
/// use rntuple::{Compression, WriteOptions};
/// let options = WriteOptions::new().compression(Compression::zstd(5)).cluster_size(64 << 20);
/// ```
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct WriteOptions {
    pub(super) compression: Compression,
    pub(super) cluster_size: u64,
    pub(super) max_cluster_length: u64,
    pub(super) initial_page_length: usize,
    pub(super) max_page_length: Option<usize>,
    pub(super) page_budget: usize,
    pub(super) memory_budget: Option<usize>,
    pub(super) contexts: usize,
    pub(super) write_buffer_length: Option<u64>,
    pub(super) checksums: bool,
    pub(super) share_pages: bool,
    pub(super) statistics: bool,
    pub(super) max_key_size: u64,
    pub(super) file: FileOptions,
    pub(super) limits: Limits,
    pub(super) checkpoint_every: Option<Interval>,
    pub(super) owned: Hidden<Owned>,
}

/// The options that own memory, apart: one call drops them.
#[derive(Clone, Debug, Default)]
pub(super) struct Owned {
    pub(super) description: String,
    pub(super) schema: Option<Arc<SchemaBuilder>>,
    pub(super) pool: Option<Pool>,
    pub(super) sort_order: Vec<String>,
    pub(super) encodings: Vec<(String, Vec<ColumnEncoding>)>,
    pub(super) compressions: Vec<(String, Compression)>,
}

discards!(Owned);

impl Default for WriteOptions {
    #[inline(never)]
    fn default() -> Self {
        Self {
            compression: Compression::default(),
            cluster_size: 128 << 20,
            max_cluster_length: 1280 << 20,
            initial_page_length: 256,
            max_page_length: None,
            page_budget: 128 << 20,
            memory_budget: None,
            contexts: 8,
            write_buffer_length: None,
            checksums: true,
            share_pages: true,
            statistics: false,
            max_key_size: 1 << 30,
            file: FileOptions::default(),
            limits: Limits::new(),
            checkpoint_every: None,
            owned: Hidden::new(Owned::default()),
        }
    }
}

impl WriteOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Describes the ntuple in free text, which readers show. Default: none.
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.owned.description = text.into();
        self
    }

    /// Says the fields of entries of the type [`Value`](crate::Value), which do not say them themselves. Default: those
    /// of the ntuple that is continued; fields that join one have no default. See [`SchemaBuilder`] for an example.
    pub fn schema(mut self, schema: SchemaBuilder) -> Self {
        self.owned.schema = Some(Arc::new(schema));
        self
    }

    /// Sets how pages are compressed. Default: zstd level 1 (ROOT: zstd level 5, which takes more than twice the time
    /// for 1.6 % fewer bytes).
    ///
    /// Pages that do not shrink are stored as they are, whatever is chosen.
    pub fn compression(mut self, settings: Compression) -> Self {
        self.compression = settings;
        self
    }

    /// Sets the size of a cluster on storage, in bytes: it ends when its pages take about this much. Default: 128 MiB,
    /// as in ROOT.
    ///
    /// Clusters are what readers load and share among threads; their size does not change how fast one
    /// thread writes or reads.
    pub fn cluster_size(mut self, bytes: u64) -> Self {
        self.cluster_size = bytes;
        self
    }

    /// Sets the most bytes that the entries of a cluster take before compression. Default: 1280 MiB, as in ROOT.
    pub fn max_cluster_length(mut self, bytes: u64) -> Self {
        self.max_cluster_length = bytes;
        self
    }

    /// Sets how many bytes a column's first page has room for, which doubles while it fills. Default: 256, as in ROOT.
    pub fn initial_page_length(mut self, bytes: usize) -> Self {
        self.initial_page_length = bytes;
        self
    }

    /// Sets the length at which a page is sealed, in bytes before compression. Default: 64 KiB without compression and
    /// with lz4, else 256 KiB (ROOT: 1 MiB).
    ///
    /// The open pages of all columns are what a writer works on: small ones stay in the processor's cache, large
    /// ones compress better (by zstd, 256 KiB 3.5 % better than 64 KiB, and 1 MiB 3 % better than that). Readers of
    /// this crate refuse pages of over 128 MiB, unless their [limits](crate::Limits::page_length) are raised.
    pub fn max_page_length(mut self, bytes: usize) -> Self {
        self.max_page_length = Some(bytes);
        self
    }

    /// What was asked for, or what suits the codec.
    pub(super) fn page_length(&self) -> usize {
        self.max_page_length.unwrap_or(match self.compression.algorithm() {
            None | Some(Algorithm::Lz4) => 64 << 10,
            Some(_) => 256 << 10,
        })
    }

    /// Sets how many bytes the open pages of all columns may take together; beyond that, columns seal the pages that
    /// they have instead of growing them. Default: 128 MiB, as in ROOT for its default cluster size.
    pub fn page_budget(mut self, bytes: usize) -> Self {
        self.page_budget = bytes;
        self
    }

    /// Sets the most memory that a writer may take, in bytes: pages, buffers, codecs and what waits to be written; of a
    /// [`ParallelWriter`](crate::ParallelWriter), all its contexts together. Default: no limit.
    ///
    /// Pages become smaller than [`max_page_length`](Self::max_page_length) where they would not fit, page lists
    /// are written when they have become long (see
    /// [`Writer::commit_cluster_group`](crate::Writer::commit_cluster_group)), and transactions that come too early wait.
    /// What a single entry has beyond the budget comes on top, unless its items are appended in parts
    /// ([`Writer::append_items`](crate::Writer::append_items)).
    ///
    /// ```
    /// # use rntuple::{RNTuple, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { number: u64 }
    /// let options = WriteOptions::new().memory_budget(8 << 20);
    /// let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options)?;
    /// writer.fill(&Event { number: 1 })?;
    /// writer.finish()?;
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// Creating a writer fails with [`LimitExceeded`](crate::ErrorKind::LimitExceeded) if its columns do not fit.
    pub fn memory_budget(mut self, bytes: usize) -> Self {
        self.memory_budget = Some(bytes);
        self
    }

    /// Sets among how many fill contexts a [`ParallelWriter`](crate::ParallelWriter) splits its memory budget; no more
    /// can be open at once. Without a budget it has no meaning. Default: 8.
    ///
    /// The size of pages follows from it, so two files are only equal if it was.
    pub fn contexts(mut self, count: usize) -> Self {
        self.contexts = count.max(1);
        self
    }

    /// Lets the threads of a pool compress full pages while entries are filled. Default: none, the thread that fills
    /// also compresses.
    ///
    /// When the pool is busy, the thread that fills does its part. The bytes of the file are the same, unless
    /// there is a [`memory_budget`](Self::memory_budget): pages are then shorter, as more of them are in work.
    ///
    /// ```
    /// # use rntuple::{Pool, RNTuple, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { number: u64 }
    /// // Two threads in all: one fills and helps, one compresses.
    /// let options = WriteOptions::new().pool(&Pool::new(1)?);
    /// let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options)?;
    /// writer.fill(&Event { number: 1 })?;
    /// writer.finish()?;
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn pool(mut self, pool: &Pool) -> Self {
        self.owned.pool = Some(pool.clone());
        self
    }

    /// Threads beside the one that fills.
    pub(super) fn pool_threads(&self) -> usize {
        self.owned.pool.as_ref().map_or(0, Pool::threads)
    }

    /// Sets after how many bytes of entries, before compression, the full pages go to storage. Default: 4 MiB, as in
    /// ROOT; or 1 MiB without compression, as the pages are then taken from the processor's cache.
    pub fn write_buffer_length(mut self, bytes: u64) -> Self {
        self.write_buffer_length = Some(bytes);
        self
    }

    /// Returns what was requested, or what suits the codec.
    pub(super) fn write_buffer(&self) -> u64 {
        let default = if self.compression.is_none() { 1 << 20 } else { 4 << 20 };
        self.write_buffer_length.unwrap_or(default)
    }

    /// Sets how much a file may take that is opened for more entries or columns. Default: that of [`Limits::new`]. New
    /// files have no limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Says whether each page gets a checksum. Default: `true`, as in ROOT.
    pub fn checksums(mut self, checksums: bool) -> Self {
        self.checksums = checksums;
        self
    }

    /// Says whether identical pages are stored once. Default: `true`, as in ROOT.
    pub fn share_pages(mut self, share: bool) -> Self {
        self.share_pages = share;
        self
    }

    /// Says whether bounds and counts of values are kept, so that readers can skip what they do not look for: see
    /// [`statistics`](crate::statistics). Default: `false`, as ROOT keeps none.
    ///
    /// They are an attribute set, so that the file has version 1.0.1.0 of the format; other programs read it as before.
    /// They are written when the writer finishes, and take memory until then: at most 256 MiB, or a sixteenth of the
    /// [`memory_budget`](Self::memory_budget). There are none of clusters for which there is no room
    /// ([`Summary::statistics`](crate::summary::Summary::statistics)), and none of those before a writer resumed after a crash. An
    /// ntuple that is appended to keeps those that it has.
    pub fn statistics(mut self, statistics: bool) -> Self {
        self.statistics = statistics;
        self
    }

    /// Says that entries are in ascending order of these fields, and has that checked: by the first field, those that are
    /// equal by the second one, and so on. Default: nothing is said of the order.
    ///
    /// ```
    /// use rntuple::statistics::Statistics;
    /// use rntuple::{Dataset, RNTuple, RootFile, WriteOptions, Writer, storage::Memory};
    ///
    /// #[derive(RNTuple)]
    /// struct Event { run: u32, number: u64 }
    ///
    /// let options = WriteOptions::new().sorted_by(["run", "number"]);
    /// let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options)?;
    /// writer.fill(&Event { run: 1, number: 7 })?;
    /// writer.fill(&Event { run: 2, number: 3 })?;
    /// let file = RootFile::from_storage(writer.finish_into()?.1)?;
    ///
    /// let statistics = Statistics::of(&Dataset::open(&file, "Events")?)?.ok_or("none")?;
    /// assert_eq!(statistics.sort_order().ok_or("none")?.fields(), ["run", "number"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Each field is a number that an entry has once: a member, or a member of a record (`header.run`), and not of a
    /// collection. Entries may be equal. The two zeros are equal, and NaN is refused. Values are compared as they are
    /// stored; encodings that truncate or quantise them are refused.
    ///
    /// An entry that is not in order is an error when its cluster ends, which names the field and the entry. The cluster
    /// is lost then, as with every error of sealing, and those before it stay. A
    /// [`ParallelWriter`](crate::ParallelWriter) needs an [order of its transactions](crate::ParallelWriter::ordered).
    ///
    /// The order is kept with the [statistics](Self::statistics), which this turns on, and
    /// [`Statistics::sort_order`](crate::statistics::Statistics::sort_order) returns it. A writer that appends with this
    /// option, or resumes, continues the order; where the file does not say that its entries are sorted, these fields of
    /// them are read, and it is an error if they are not. A writer that appends without it drops the order, and so does
    /// a merge.
    pub fn sorted_by<P: Into<String>>(mut self, fields: impl IntoIterator<Item = P>) -> Self {
        self.owned.sort_order = fields.into_iter().map(Into::into).collect();
        self.statistics |= !self.owned.sort_order.is_empty();
        self
    }

    /// Sets the most bytes that one record of the file holds, at least 64. Default: 1 GiB, as in ROOT.
    ///
    /// A page, header or page list that is longer continues in other records, which uproot and JSROOT cannot follow. It
    /// cannot be longer than about an eighth of the square of this size, so that clusters and cluster groups end earlier
    /// in files with small records.
    pub fn max_key_size(mut self, bytes: u64) -> Self {
        self.max_key_size = bytes;
        self
    }

    /// Sets how the field at `path` (`muons._0.pt`), or whatever below it can be, is stored. Default: as the derive's
    /// attributes say, or else the type's own.
    ///
    /// ```
    /// use rntuple::encoding::{ColumnType, ColumnEncoding};
    /// let half = rntuple::WriteOptions::new().encoding("met", ColumnEncoding::of(ColumnType::Real16));
    /// ```
    pub fn encoding(self, path: impl Into<String>, packing: ColumnEncoding) -> Self {
        self.representations(path, [packing])
    }

    /// Sets the representations of the field at `path`, or of whatever below it can have them all. Default: one.
    ///
    /// Each cluster has one of them: the first, unless
    /// [`Writer::use_representation`](crate::Writer::use_representation) asks for another.
    ///
    /// uproot 5.7 reads such numbers, but not such offsets of collections and strings; JSROOT 7.11 fails where a
    /// cluster does not have the first representation.
    ///
    /// ```
    /// use rntuple::encoding::{ColumnType, ColumnEncoding};
    /// let coarse = ColumnEncoding::quantized(12, 0.0, 1000.0)?;
    /// let options = rntuple::WriteOptions::new()
    ///     .representations("muons._0.pt", [ColumnEncoding::of(ColumnType::SplitReal32), coarse]);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    pub fn representations(
        mut self,
        path: impl Into<String>,
        packings: impl IntoIterator<Item = ColumnEncoding>,
    ) -> Self {
        self.owned.encodings.push((path.into(), packings.into_iter().collect()));
        self
    }

    /// Sets how the field at `path` (`muons._0.pt`), and whatever below it has no such option, is compressed. Default: as
    /// the derive's attributes say, or else [`compression`](Self::compression).
    ///
    /// Pages of one ntuple may be compressed in different ways: every reader goes by the page. Where nothing is
    /// compressed, values are by default not split into bytes either.
    ///
    /// ```
    /// use rntuple::{RNTuple, Compression, WriteOptions, Writer, storage::Memory};
    ///
    /// #[derive(RNTuple)]
    /// struct Event { number: u64, waveform: Vec<u16> }
    ///
    /// let options = WriteOptions::new().compression_of("waveform._0", Compression::lz4(4));
    /// let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options)?;
    /// writer.fill(&Event { number: 1, waveform: vec![3, 1, 4, 1, 5] })?;
    /// writer.finish()?;
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    pub fn compression_of(mut self, path: impl Into<String>, settings: Compression) -> Self {
        self.owned.compressions.push((path.into(), settings));
        self
    }

    /// Sets when the file was written, for those who list it. Default: a fixed date, so that the same entries and
    /// options give the same bytes.
    pub fn timestamp(mut self, time: SystemTime) -> Self {
        self.file = self.file.timestamp(time);
        self
    }

    /// Sets the file's identity. Default: made from the content, so that the same entries and options give the same
    /// bytes.
    pub fn uuid(mut self, uuid: [u8; 16]) -> Self {
        self.file = self.file.uuid(uuid);
        self
    }

    /// Makes a [checkpoint](super::Writer::checkpoint) of its own accord, at the end of the cluster in which the
    /// interval ends. Default: none.
    ///
    /// The first one is waited for. Others are flushed to the medium while the next cluster is filled, and count when that
    /// ends. So at most the open cluster and the one before are lost when the job is stopped.
    ///
    /// ```
    /// use rntuple::WriteOptions;
    /// use rntuple::checkpoint::Interval;
    /// use std::time::Duration;
    ///
    /// let options = WriteOptions::new().checkpoint_every(Interval::Time(Duration::from_secs(600)));
    /// ```
    pub fn checkpoint_every(mut self, interval: Interval) -> Self {
        self.checkpoint_every = Some(interval);
        self.file = self.file.with_checkpoints();
        self
    }

    /// Sets whether a new file is written at its path from the first byte on: see [`FileOptions::in_place`].
    pub fn in_place(mut self, in_place: bool) -> Self {
        self.file = self.file.in_place(in_place);
        self
    }

    /// Sets whether finishing a new file waits until the medium has it: see [`FileOptions::durable`].
    pub fn durable(mut self, durable: bool) -> Self {
        self.file = self.file.durable(durable);
        self
    }

    /// Refuses what cannot be.
    pub(super) fn check(&self) -> Result<()> {
        self.compression.require()?;
        let wrong = |what: &str| Err(Error::invalid_argument(what.to_owned()));
        if self.page_length() == 0 || self.cluster_size == 0 || self.max_cluster_length == 0 {
            return wrong("pages and clusters cannot have size 0");
        }
        if self.page_length() > 1 << 30 {
            return wrong("pages cannot be longer than 1 GiB");
        }
        if !self.owned.sort_order.is_empty() && !self.statistics {
            return wrong("the order of entries is kept with statistics, which are turned off");
        }
        if self.max_key_size < 64 {
            return wrong("records cannot be smaller than 64 bytes");
        }
        if self.max_key_size > 1 << 30 {
            return wrong("records cannot be larger than 1 GiB");
        }
        // Incompressible bytes and their checksum must fit as well.
        check_chunks(self.page_length() as u64 + 8, self.max_key_size).map_err(|_| {
            Error::invalid_argument(format!(
                "pages of {} bytes (`max_page_length`) cannot be cut into records of {} bytes (`max_key_size`)",
                self.page_length(),
                self.max_key_size
            ))
        })
    }
}
