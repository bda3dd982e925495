//! What a file will say about an ntuple that is being written: the counterpart of an opened [`Dataset`].

use std::borrow::Cow;
use std::ops::Range;

use crate::compression::{Compression, Compressor};
use crate::dataset::Dataset;
use crate::envelope::{Footer, Header, PageList, SchemaDescription};
use crate::error::{Error, ErrorKind, Result};
use crate::root::{Anchor, EnvelopeSpan, FileWriter};
use crate::schema::{
    ClusterDescriptor, ClusterGroup, ColumnRange, LinkedAttributeSet, Locator, PageLocation,
};
use crate::storage::WriteAt;

/// The program that writes, as readers show it.
const WRITER: &str = concat!("rntuple ", env!("CARGO_PKG_VERSION"));

/// The version of the format whose features every footer has.
const VERSION: [u16; 4] = [1, 0, 0, 1];
/// The first one whose footer links attribute sets (format, section 8).
const VERSION_WITH_ATTRIBUTES: [u16; 4] = [1, 0, 1, 0];

/// Clusters after which a cluster group ends: a reader holds the page list of a group. Few files have this many, because
/// JSROOT 7.11 reads only the first group.
const MOST_CLUSTERS: usize = 4096;

/// The records for a recovery take no more than one of so many bytes of the file.
const RECORD_PART: u64 = 256;
/// Bytes around the places of pages in a record: key, envelope, lists.
const RECORD_FRAME: u64 = 160;
/// Bytes that a column and a page take in a page list, and the ratio by which they can be compressed at best.
const COLUMN_PLACE: u64 = 40;
const PAGE_PLACE: u64 = 20;
const PLACE_RATIO: u64 = 8;

/// The file to which envelopes go, whatever its storage.
type File<'a> = FileWriter<dyn WriteAt + 'a>;

/// How envelopes are written.
#[derive(Debug)]
pub(crate) struct EnvelopeWriter {
    compression: Compression,
    max_key_size: u64,
    compressor: Compressor,
}

impl EnvelopeWriter {
    pub(crate) fn new(compression: Compression, max_key_size: u64) -> Self {
        Self { compression, max_key_size, compressor: Compressor::new() }
    }

    fn put(&mut self, file: &mut File<'_>, bytes: &[u8]) -> Result<EnvelopeSpan> {
        let sealed = self.seal(bytes)?;
        self.append(file, &sealed)
    }

    fn seal<'a>(&mut self, bytes: &'a [u8]) -> Result<Sealed<'a>> {
        let mut stored = Vec::new();
        let shrunk =
            !self.compression.is_none() && self.compressor.compress(self.compression, bytes, &mut stored)?;
        let stored = if shrunk { Cow::Owned(stored) } else { Cow::Borrowed(bytes) };
        Ok(Sealed { stored, length: bytes.len() as u64 })
    }

    fn append(&self, file: &mut File<'_>, sealed: &Sealed<'_>) -> Result<EnvelopeSpan> {
        let (size, length) = (sealed.stored.len() as u64, sealed.length);
        let offset = file.append_payload(&sealed.stored, length, self.max_key_size)?;
        Ok(EnvelopeSpan { offset, size, length })
    }
}

/// An envelope as it is stored.
struct Sealed<'a> {
    stored: Cow<'a, [u8]>,
    length: u64,
}

impl Recorded {
    fn add(&mut self, cluster: &ClusterDescriptor) {
        for page in cluster.columns.iter().flat_map(|column| &column.pages) {
            if let Locator::File { size, .. } = page.locator {
                self.page_size = self.page_size.saturating_add(size);
                self.place_size += PAGE_PLACE;
            }
        }
        self.place_size += COLUMN_PLACE * cluster.columns.len() as u64;
    }

    /// The clusters so far need no record.
    fn clear(&mut self) {
        *self = Self { extension: self.extension, ..Self::default() };
    }

    fn is_worth_trying(&self) -> bool {
        let least = RECORD_FRAME + self.place_size / PLACE_RATIO;
        self.page_size >= self.least && self.page_size / RECORD_PART >= least
    }

    /// Whether a record of `size` bytes is small enough; if not, it is tried again after a quarter more of pages.
    fn allows(&mut self, size: u64) -> bool {
        self.least = self.page_size.saturating_add(self.page_size / 4);
        self.page_size / RECORD_PART >= size.saturating_add(RECORD_FRAME)
    }
}

/// The envelopes of one ntuple: those that are written, and what those to come will say.
///
/// ```text
/// create | resume    header
///   extend           fields and columns that came later      \
///   push             clusters, into the open group            |  the footer's, in memory until
///   end_group        page list; the next group is open        |  `finish`
///   link             attribute sets                          /
/// finish             last page list, footer -> anchor
/// ```
#[derive(Debug)]
pub(crate) struct Catalog {
    envelopes: EnvelopeWriter,
    header: EnvelopeSpan,
    header_checksum: u64,
    header_field_count: u32,
    /// What came after the header.
    extension: SchemaDescription,
    /// Columns of the extension that came just now, each with the number of entries then.
    joined: Vec<(Range<usize>, u64)>,
    groups: Vec<ClusterGroup>,
    /// The open group.
    clusters: Vec<ClusterDescriptor>,
    /// Clusters of the last group, if it can be opened again.
    last_clusters: Vec<ClusterDescriptor>,
    group_first_entry: u64,
    entries: u64,
    attribute_sets: Vec<LinkedAttributeSet>,
    /// The version of the ntuple that goes on, which may be newer than what we need.
    ///
    /// It may also be older. ROOT 6.34 wrote version 1.0.0.0 with some type names as they were spelled, and later ROOT
    /// normalises the names of this version alone. The header is not written again, so the version stays as well.
    least_version: [u16; 4],
    /// Whether there is anything that the file does not say yet.
    is_changed: bool,
    recorded: Recorded,
}

/// What a recovery would find of a file that is never finished.
#[derive(Clone, Copy, Debug, Default)]
struct Recorded {
    /// Clusters of the open group.
    clusters: usize,
    /// Fields and columns of the extension.
    extension: usize,
    /// Bytes of the pages of later clusters, and what the places of these pages take, not compressed.
    page_size: u64,
    place_size: u64,
    /// A record of fewer bytes of pages would take too many.
    least: u64,
}

/// What the header of a new ntuple says beside its schema.
#[derive(Debug, Default)]
pub(crate) struct Title {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) feature_flags: Vec<u64>,
}

impl Catalog {
    /// Begins an ntuple: writes its header.
    pub(crate) fn create(
        file: &mut File<'_>,
        mut envelopes: EnvelopeWriter,
        title: Title,
        schema: SchemaDescription,
    ) -> Result<Self> {
        let header_field_count = count_fields(&schema)?;
        let header = Header {
            feature_flags: title.feature_flags,
            name: title.name,
            description: title.description,
            writer: WRITER.to_owned(),
            schema,
        };
        let (bytes, header_checksum) = header.write()?;
        let header = envelopes.put(file, &bytes)?;
        Ok(Self {
            envelopes,
            header,
            header_checksum,
            header_field_count,
            extension: SchemaDescription::default(),
            joined: Vec::new(),
            groups: Vec::new(),
            clusters: Vec::new(),
            last_clusters: Vec::new(),
            group_first_entry: 0,
            entries: 0,
            attribute_sets: Vec::new(),
            least_version: VERSION,
            is_changed: true,
            recorded: Recorded::default(),
        })
    }

    /// Goes on with an ntuple that is there: its header and page lists stay where they are.
    pub(crate) fn resume(dataset: &Dataset, envelopes: EnvelopeWriter) -> Self {
        Self {
            envelopes,
            header: dataset.anchor().header,
            header_checksum: dataset.header_checksum(),
            header_field_count: dataset.header_field_count(),
            extension: dataset.extension().clone(),
            joined: Vec::new(),
            groups: dataset.cluster_groups().to_vec(),
            clusters: Vec::new(),
            last_clusters: Vec::new(),
            group_first_entry: dataset.entry_count(),
            entries: dataset.entry_count(),
            attribute_sets: dataset.attribute_sets().to_vec(),
            least_version: dataset.anchor().version,
            is_changed: false,
            recorded: Recorded::default(),
        }
    }

    /// What is known by now, to be written while more is added to this one.
    pub(crate) fn snapshot(&self) -> Self {
        let EnvelopeWriter { compression, max_key_size, .. } = self.envelopes;
        Self {
            envelopes: EnvelopeWriter::new(compression, max_key_size),
            extension: self.extension.clone(),
            joined: self.joined.clone(),
            groups: self.groups.clone(),
            clusters: self.clusters.clone(),
            last_clusters: Vec::new(),
            attribute_sets: self.attribute_sets.clone(),
            ..*self
        }
    }

    /// Whether there is anything that the file does not say yet.
    pub(crate) fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// Forgets all clusters: they are told anew, with more columns.
    pub(crate) fn restart(&mut self) {
        self.groups.clear();
        self.clusters.clear();
        self.recorded.clear();
        (self.group_first_entry, self.entries) = (0, 0);
    }

    /// Number of entries in all clusters so far.
    pub(crate) fn entry_count(&self) -> u64 {
        self.entries
    }

    /// Adds to the schema after this number of `entries`, those of the open cluster included. Ids continue where the
    /// existing ones end.
    pub(crate) fn extend(&mut self, more: SchemaDescription, entries: u64) {
        self.is_changed = true;
        let first = self.extension.columns.len();
        self.joined.push((first..first + more.columns.len(), entries));
        self.extension.fields.extend(more.fields);
        self.extension.columns.extend(more.columns);
        self.extension.alias_columns.extend(more.alias_columns);
        self.extension.extra_type_info.extend(more.extra_type_info);
    }

    /// Links a finished attribute set, in place of an earlier state of the same one.
    pub(crate) fn link(&mut self, set: LinkedAttributeSet) {
        self.is_changed = true;
        match self.attribute_sets.iter_mut().find(|known| known.name == set.name) {
            Some(known) => *known = set,
            None => self.attribute_sets.push(set),
        }
    }

    /// The links to attribute sets.
    pub(crate) fn attribute_sets(&self) -> &[LinkedAttributeSet] {
        &self.attribute_sets
    }

    /// Links these attribute sets, and no others.
    pub(crate) fn restore_attribute_sets(&mut self, sets: Vec<LinkedAttributeSet>) {
        self.attribute_sets = sets;
    }

    /// Unlinks the attribute set of this name.
    pub(crate) fn unlink(&mut self, name: &str) {
        let count = self.attribute_sets.len();
        self.attribute_sets.retain(|set| set.name != name);
        self.is_changed |= self.attribute_sets.len() < count;
    }

    /// Adds a cluster behind the others; its pages are on storage. Its first entry is the one behind theirs.
    pub(crate) fn push(&mut self, mut cluster: ClusterDescriptor) -> Result<()> {
        self.is_changed = true;
        cluster.first_entry = self.entries;
        let end = self.entries.checked_add(cluster.entry_count);
        self.entries = end.ok_or_else(|| Error::limit("the ntuple has over 2^64 entries"))?;
        self.recorded.add(&cluster);
        self.clusters.push(cluster);
        Ok(())
    }

    /// Writes where the pages of the last clusters are, if that is small next to the pages. Nothing leads to such a
    /// record: a recovery finds it, if the file is never finished or its page list is damaged.
    pub(crate) fn record(&mut self, file: &mut File<'_>) -> Result<()> {
        if !self.recorded.is_worth_trying() {
            return Ok(());
        }
        match self.put_record(file) {
            // It is too long for the file's records, and not needed.
            Err(error) if error.kind() == ErrorKind::LimitExceeded => Ok(()),
            put => put,
        }
    }

    fn put_record(&mut self, file: &mut File<'_>) -> Result<()> {
        let clusters = self.clusters.split_off(self.recorded.clusters.min(self.clusters.len()));
        let mut list = PageList { header_checksum: self.header_checksum, clusters };
        let written = list.write();
        self.clusters.append(&mut list.clusters);
        let bytes = written?;
        let sealed = self.envelopes.seal(&bytes)?;
        if !self.recorded.allows(sealed.stored.len() as u64) {
            return Ok(());
        }
        // Pages of columns that came later are of no use without these.
        let extension = self.extension.fields.len() + self.extension.columns.len();
        if extension > self.recorded.extension {
            let footer = Footer {
                header_checksum: self.header_checksum,
                extension: self.extension.clone(),
                ..Footer::default()
            };
            self.envelopes.put(file, &footer.write(self.header_field_count)?)?;
        }
        self.envelopes.append(file, &sealed)?;
        file.set_recoverable();
        self.recorded.clear();
        (self.recorded.clusters, self.recorded.extension) = (self.clusters.len(), extension);
        Ok(())
    }

    /// Columns that came after the header was written.
    pub(crate) fn later_column_count(&self) -> usize {
        self.extension.columns.len()
    }

    /// Ends the open cluster group, if it has clusters: writes its page list.
    pub(crate) fn end_group(&mut self, file: &mut File<'_>) -> Result<()> {
        if let Some(group) = self.put_open_group(file)? {
            self.close_group(group);
        }
        Ok(())
    }

    /// The page list of the open group is written. Returns its clusters; the next group is open.
    fn close_group(&mut self, group: ClusterGroup) -> Vec<ClusterDescriptor> {
        self.groups.push(group);
        self.group_first_entry = self.entries;
        self.recorded.clear();
        std::mem::take(&mut self.clusters)
    }

    /// As [`end_group`](Self::end_group), for a group that is the last one unless it is
    /// [opened again](Self::reopen_last_group).
    pub(crate) fn end_last_group(&mut self, file: &mut File<'_>) -> Result<()> {
        if let Some(group) = self.put_open_group(file)? {
            self.last_clusters = self.close_group(group);
        }
        Ok(())
    }

    /// Opens the last group again, whose page list is then written once more.
    pub(crate) fn reopen_last_group(&mut self) {
        let clusters = std::mem::take(&mut self.last_clusters);
        if clusters.is_empty() {
            return;
        }
        if let Some(group) = self.groups.pop() {
            self.group_first_entry = group.first_entry;
            self.clusters = clusters;
        }
    }

    /// Writes the page list of the open group, which stays open: if anything fails, its clusters belong to the next
    /// attempt.
    fn put_open_group(&mut self, file: &mut File<'_>) -> Result<Option<ClusterGroup>> {
        if self.clusters.is_empty() {
            return Ok(None);
        }
        let clusters = std::mem::take(&mut self.clusters);
        let list = PageList { header_checksum: self.header_checksum, clusters };
        let bytes = list.write();
        // They are here again before the storage is asked, which may panic.
        self.clusters = list.clusters;
        self.put_group(file, &bytes?).map(Some)
    }

    /// Whether the open group should end.
    pub(crate) fn is_group_full(&self) -> bool {
        self.clusters.len() >= MOST_CLUSTERS
    }

    /// Number of clusters so far.
    pub(crate) fn cluster_count(&self) -> u64 {
        let ended: u64 = self.groups.iter().map(|group| u64::from(group.cluster_count)).sum();
        ended + self.clusters.len() as u64
    }

    /// The groups whose page lists are written.
    pub(crate) fn groups(&self) -> &[ClusterGroup] {
        &self.groups
    }

    /// What header, footer and page lists are recognised by.
    pub(crate) fn header_checksum(&self) -> u64 {
        self.header_checksum
    }

    /// Memory that the clusters of the open group take.
    pub(crate) fn open_memory(&self) -> usize {
        let columns = self.clusters.iter().flat_map(|cluster| &cluster.columns);
        let columns = columns.map(|column| size_of::<ColumnRange>() + size_of_val(&*column.pages));
        size_of_val(&*self.clusters) + columns.sum::<usize>()
    }

    /// Whether the open group has clusters.
    pub(crate) fn has_open_group(&self) -> bool {
        !self.clusters.is_empty()
    }

    /// Where the last page of the open group ends, or beyond that; 0 if it has none.
    pub(crate) fn open_group_end(&self) -> u64 {
        let pages =
            self.clusters.iter().flat_map(|cluster| &cluster.columns).flat_map(|column| &column.pages);
        let ends = pages.map(|page| match page.locator {
            Locator::File { offset, size } => offset.saturating_add(size).saturating_add(checksum_size(page)),
            Locator::Unknown { .. } => 0,
        });
        ends.max().unwrap_or(0)
    }

    /// Removes the last group whose page list is written; the open one has no clusters.
    pub(crate) fn retract_group(&mut self) {
        if let Some(group) = self.groups.pop() {
            (self.entries, self.group_first_entry) = (group.first_entry, group.first_entry);
        }
    }

    /// Removes the last `count` clusters of the open group, or all if it has fewer.
    pub(crate) fn retract(&mut self, count: usize) {
        let kept = self.clusters.len().saturating_sub(count);
        let removed = self.clusters.split_off(kept);
        self.recorded.clusters = self.recorded.clusters.min(kept);
        self.entries -= removed.iter().map(|cluster| cluster.entry_count).sum::<u64>();
    }

    fn put_group(&mut self, file: &mut File<'_>, page_list: &[u8]) -> Result<ClusterGroup> {
        let count = u32::try_from(self.clusters.len())
            .map_err(|_| Error::limit("a cluster group has over 2^32 clusters"))?;
        let span = self.envelopes.put(file, page_list)?;
        let locator = Locator::File { offset: span.offset, size: span.size };
        let first = self.group_first_entry;
        Ok(ClusterGroup::new(first, self.entries - first, count, span.length, locator))
    }

    /// What came after the header. Entries before it may be lost since: a column that would begin beyond the last entry
    /// begins after that one.
    fn extension_of_entries(&self) -> SchemaDescription {
        let mut extension = self.extension.clone();
        for (columns, entries) in self.joined.iter().filter(|(_, entries)| self.entries < *entries) {
            for column in extension.columns.get_mut(columns.clone()).unwrap_or_default() {
                if let Some(first @ 1..) = column.first_element {
                    // It has as many elements for each entry.
                    let first = first.unsigned_abs() / *entries * self.entries;
                    column.first_element = i64::try_from(first).ok().filter(|first| *first > 0);
                }
            }
        }
        extension
    }

    /// Writes the last page list and the footer; returns the anchor of the whole. What fails can be tried again.
    pub(crate) fn finish(&mut self, file: &mut File<'_>) -> Result<Anchor> {
        let mut groups = self.groups.clone();
        groups.extend(self.put_open_group(file)?);
        let mut version = self.least_version;
        let mut has_sets = !self.attribute_sets.is_empty();
        if has_sets && version >= VERSION {
            version = version.max(VERSION_WITH_ATTRIBUTES);
        }
        has_sets |= version >= VERSION_WITH_ATTRIBUTES;
        let footer = Footer {
            feature_flags: Vec::new(),
            header_checksum: self.header_checksum,
            extension: self.extension_of_entries(),
            cluster_groups: groups,
            attribute_sets: has_sets.then(|| self.attribute_sets.clone()),
            summaries: Vec::new(),
        };
        let bytes = footer.write(self.header_field_count)?;
        let footer = self.envelopes.put(file, &bytes)?;
        let mut anchor = Anchor::new(version, self.header, footer);
        anchor.max_key_size = self.envelopes.max_key_size;
        Ok(anchor)
    }
}

fn checksum_size(page: &PageLocation) -> u64 {
    if page.has_checksum { 8 } else { 0 }
}

fn count_fields(schema: &SchemaDescription) -> Result<u32> {
    u32::try_from(schema.fields.len()).map_err(|_| Error::limit("the schema has over 2^32 fields"))
}
