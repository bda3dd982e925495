//! What a writer does that does not depend on the type of its entries.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::cluster::{OpenCluster, put_pages};
use super::{Summary, WriteOptions};
use crate::cluster::Gathered;
use crate::column::{ColumnSink, PageLimits};
use crate::compression::{Compressor, Settings};
use crate::envelope::{Footer, Header, PageList, SchemaDescription};
use crate::error::{Error, Result};
use crate::field::{Plan, Records, WriteField};
use crate::page::Sealer;
use crate::root::{Anchor, EnvelopeSpan, FileOptions, FileWriter, check_path};
use crate::schema::{
    ClusterDescriptor, ClusterGroup, ColumnDescriptor, ColumnRange, FieldDescriptor, FieldId, Locator,
};
use crate::storage::WriteAt;

/// The version of the format that is written: the last one whose footer has no attribute sets.
const FORMAT_VERSION: [u16; 4] = [1, 0, 0, 1];

/// The program that writes, as readers show it.
const WRITER: &str = concat!("rntuple ", env!("CARGO_PKG_VERSION"));

/// Before the first pages are on storage: what compression may make of them.
const EXPECTED_RATIO: f64 = 2.0;

/// The file that several writers may share.
pub(super) type Shared<W> = Arc<Mutex<FileWriter<W>>>;

/// A writer without the columns.
pub(super) struct Core<W: WriteAt> {
    file: Shared<W>,
    /// The file ends with this ntuple.
    owns_file: bool,
    path: String,
    file_name: String,
    options: WriteOptions,
    sink: Arc<ColumnSink>,
    /// For envelopes.
    compressor: Compressor,
    header: EnvelopeSpan,
    header_checksum: u64,
    header_field_count: u32,
    /// By column: the path of its field, for errors.
    paths: Vec<String>,
    open: OpenCluster,
    /// By column: how its pages are compressed.
    compressions: Vec<Settings>,
    /// By column: elements in the clusters before.
    elements: Vec<u64>,
    /// Length of all entries in the clusters before, as columns count it.
    length: u64,
    /// Entries and clusters of the open group.
    group_first_entry: u64,
    clusters: Vec<ClusterDescriptor>,
    groups: Vec<ClusterGroup>,
    summary: Summary,
    /// What went wrong, and how many entries it cost.
    lost: Option<(String, u64)>,
}

/// A lock that survives a panic of another writer: each call leaves the file writer consistent.
fn lock<W>(file: &Shared<W>) -> MutexGuard<'_, FileWriter<W>> {
    file.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is decided before there is a file: a bad option or schema must not cost an existing one.
pub(super) struct Draft {
    path: String,
    options: WriteOptions,
    sink: Arc<ColumnSink>,
}

impl Draft {
    pub(super) fn new(path: &str, options: WriteOptions) -> Result<Self> {
        options.check()?;
        check_path(path)?;
        let limits = PageLimits {
            initial_length: options.initial_page_length,
            max_length: options.max_page_length,
            budget: options.page_budget,
            used: AtomicUsize::new(0),
        };
        let sealer = Mutex::new(Sealer::new(options.checksums));
        Ok(Self { path: path.to_owned(), options, sink: Arc::new(ColumnSink { sealer, limits }) })
    }

    /// The columns of a type, and the records of its schema.
    pub(super) fn declare<T: WriteField + ?Sized>(&self) -> Result<(T::Writer, Records)> {
        let WriteOptions { compression, encodings, compressions, .. } = &self.options;
        let mut plan = Plan::new(self.sink.clone(), *compression, encodings, compressions);
        let columns = T::declare(&mut plan.root());
        let records = plan.finish()?;
        Ok((columns, records))
    }

    pub(super) fn file_options(&self) -> FileOptions {
        self.options.file.clone()
    }
}

impl<W: WriteAt> Core<W> {
    /// Adds an ntuple to a file and writes its header; the file ends with the ntuple if it owns it.
    pub(super) fn start(file: Shared<W>, owns_file: bool, draft: Draft, records: Records) -> Result<Self> {
        let Draft { path, options, sink } = draft;
        let Records { fields, columns, compressions } = records;
        let file_name = lock(&file).any().name().to_owned();
        let header_field_count =
            u32::try_from(fields.len()).map_err(|_| Error::limit("a schema of over 2^32 fields"))?;
        let mut core = Self {
            file,
            owns_file,
            path,
            file_name,
            sink,
            compressor: Compressor::new(),
            header: EnvelopeSpan::default(),
            header_checksum: 0,
            header_field_count,
            paths: columns.iter().map(|column| path_of(&fields, column.field)).collect(),
            open: OpenCluster::default(),
            compressions,
            elements: vec![0; columns.len()],
            length: 0,
            group_first_entry: 0,
            clusters: Vec::new(),
            groups: Vec::new(),
            summary: Summary::default(),
            lost: None,
            options,
        };
        core.write_header(fields, columns).map_err(|error| core.place(error))?;
        Ok(core)
    }

    /// Whether any page is.
    fn is_compressed(&self) -> bool {
        self.compressions.iter().any(|settings| !settings.is_none())
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn entry_count(&self) -> u64 {
        self.summary.entries
    }

    pub(super) fn place(&self, error: Error) -> Error {
        let column = error.location().column.and_then(|id| usize::try_from(id).ok());
        let error = match column.and_then(|id| self.paths.get(id)) {
            Some(path) => error.in_field(&**path),
            None => error,
        };
        error.in_ntuple(&self.path).in_file(&self.file_name)
    }

    fn write_header(&mut self, fields: Vec<FieldDescriptor>, columns: Vec<ColumnDescriptor>) -> Result<()> {
        lock(&self.file).any().reserve(&self.path)?;
        self.open = self.new_cluster();
        let name = self.path.rsplit_once('/').map_or(&*self.path, |(_, name)| name);
        let header = Header {
            feature_flags: Vec::new(),
            name: name.to_owned(),
            description: self.options.description.clone(),
            writer: WRITER.to_owned(),
            schema: SchemaDescription { fields, columns, ..SchemaDescription::default() },
        };
        let (bytes, checksum) = header.write()?;
        self.header_checksum = checksum;
        self.header = self.put_envelope(&bytes)?;
        Ok(())
    }

    fn new_cluster(&self) -> OpenCluster {
        let columns = self.elements.iter().zip(&self.compressions);
        let columns = columns.map(|(&first, settings)| ColumnRange::new(first, settings.code(), Vec::new()));
        OpenCluster { columns: columns.collect(), size: 0, length: 0 }
    }

    fn put_envelope(&mut self, bytes: &[u8]) -> Result<EnvelopeSpan> {
        let mut stored = Vec::new();
        let compression = self.options.compression;
        let shrunk = !compression.is_none() && self.compressor.compress(compression, bytes, &mut stored)?;
        let stored = if shrunk { &stored } else { bytes };
        let (size, length) = (stored.len() as u64, bytes.len() as u64);
        let offset = lock(&self.file).any().append_payload(stored, length, self.options.max_key_size)?;
        Ok(EnvelopeSpan { offset, size, length })
    }

    /// Puts pages of the open cluster on storage.
    pub(super) fn put_pages(&mut self, pages: Gathered) -> Result<()> {
        let pages = pages.into_pages();
        let (share, limit) = (self.options.share_pages, self.options.max_key_size);
        let file = &self.file;
        put_pages(&mut self.open, &mut self.summary, &pages, share, limit, |parts, length| {
            lock(file).any().append_blob(parts, length)
        })?;
        let mut sealer = self.sink.sealer.lock().unwrap_or_else(PoisonError::into_inner);
        pages.into_iter().for_each(|(_, page)| sealer.recycle(page));
        Ok(())
    }

    /// Length per byte on storage, so far.
    fn ratio(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        match (self.is_compressed(), self.summary.page_size) {
            (false, 0) => 1.0,
            (true, 0) => EXPECTED_RATIO,
            (_, size) => (self.length + self.open.length) as f64 / size as f64,
        }
    }

    /// The length of the open cluster at which to look again.
    pub(super) fn next_stop(&self, length: u64) -> u64 {
        let left = self.options.cluster_size.saturating_sub(self.estimated_size(length));
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an estimate, of which too much is cut"
        )]
        let left = (left as f64 * self.ratio()) as u64;
        let step = left.clamp(1, self.options.write_buffer_length.max(1));
        length.saturating_add(step).min(self.options.max_cluster_length)
    }

    /// What the open cluster will take on storage: what is there, and what is still in columns.
    fn estimated_size(&self, length: u64) -> u64 {
        let waiting = length.saturating_sub(self.open.length);
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an estimate"
        )]
        let waiting = (waiting as f64 / self.ratio()) as u64;
        self.open.size + waiting
    }

    pub(super) fn is_cluster_full(&self, length: u64) -> bool {
        length >= self.options.max_cluster_length || self.estimated_size(length) >= self.options.cluster_size
    }

    /// Ends the open cluster with these last pages.
    pub(super) fn commit_cluster(&mut self, pages: Gathered, entries: u64) -> Result<()> {
        self.put_pages(pages)?;
        let columns = std::mem::take(&mut self.open.columns);
        for (elements, column) in self.elements.iter_mut().zip(&columns) {
            *elements += column.stored_count();
        }
        self.length += self.open.length;
        self.clusters.push(ClusterDescriptor::new(self.summary.entries, entries, columns));
        self.summary.entries += entries;
        self.summary.clusters += 1;
        self.open = self.new_cluster();
        Ok(())
    }

    /// Ends the open cluster group: writes its page list.
    pub(super) fn commit_cluster_group(&mut self) -> Result<()> {
        if self.clusters.is_empty() {
            return Ok(());
        }
        let cluster_count =
            u32::try_from(self.clusters.len()).map_err(|_| Error::limit("a group of over 2^32 clusters"))?;
        let list =
            PageList { header_checksum: self.header_checksum, clusters: std::mem::take(&mut self.clusters) };
        let span = list.write().and_then(|bytes| self.put_envelope(&bytes));
        let span = match span {
            Ok(span) => span,
            Err(error) => {
                // The clusters are on storage and belong to the next attempt.
                self.clusters = list.clusters;
                return Err(self.place(error));
            }
        };
        let locator = Locator::File { offset: span.offset, size: span.size };
        let (first, last) = (self.group_first_entry, self.summary.entries);
        self.groups.push(ClusterGroup::new(first, last - first, cluster_count, span.length, locator));
        self.group_first_entry = last;
        Ok(())
    }

    /// Writes page list, footer and anchor, and ends the file if it is ours.
    pub(super) fn finish(&mut self) -> Result<Summary> {
        self.write_end().map_err(|error| self.place(error))?;
        Ok(self.summary)
    }

    fn write_end(&mut self) -> Result<()> {
        self.commit_cluster_group()?;
        let footer = Footer {
            feature_flags: Vec::new(),
            header_checksum: self.header_checksum,
            extension: SchemaDescription::default(),
            cluster_groups: std::mem::take(&mut self.groups),
            attribute_sets: None,
        };
        let bytes = footer.write(self.header_field_count)?;
        let footer = self.put_envelope(&bytes)?;
        let mut anchor = Anchor::new(FORMAT_VERSION, self.header, footer);
        anchor.max_key_size = self.options.max_key_size;
        let mut guard = lock(&self.file);
        let file = guard.any();
        file.put_anchor(&self.path, &anchor)?;
        if self.owns_file {
            file.finish()?;
        }
        self.summary.file_size = file.end();
        Ok(())
    }

    /// Notes that the entries of the open cluster are lost.
    #[cold]
    pub(super) fn lose(&mut self, error: Error, entries: u64) -> Error {
        let error = self.place(error);
        self.open = self.new_cluster();
        self.lost.get_or_insert((error.to_string(), entries));
        error
    }

    /// # Errors
    /// Entries were lost before.
    #[inline]
    pub(super) fn check(&self) -> Result<()> {
        match &self.lost {
            None => Ok(()),
            Some((reason, entries)) => Err(self.place(Error::invalid_argument(format!(
                "{entries} entries of an unfinished cluster were lost: {reason}"
            )))),
        }
    }

    /// Gives the storage back.
    pub(super) fn into_storage(self) -> Result<W> {
        let error = || Error::invalid_argument("the storage belongs to the file, not to one of its ntuples");
        if !self.owns_file {
            return Err(error());
        }
        let file = Arc::into_inner(self.file).ok_or_else(error)?;
        Ok(file.into_inner().unwrap_or_else(PoisonError::into_inner).into_inner())
    }
}

/// The field's path, dots between the parts.
fn path_of(fields: &[FieldDescriptor], field: FieldId) -> String {
    let mut parts = Vec::new();
    let mut at = fields.get(field.index());
    while let Some(field) = at {
        parts.push(&*field.name);
        at = field.parent.and_then(|parent| fields.get(parent.index()));
    }
    parts.reverse();
    parts.join(".")
}
