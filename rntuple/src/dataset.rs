//! An opened ntuple: its schema and where its pages are, read from anchor, header, footer and page lists.

use std::collections::HashSet;
use std::sync::Arc;

use crate::bytes::Block;
use crate::compression::Decompressor;
use crate::envelope::{Dialect, Footer, Header, PageList, SchemaDescription};
use crate::error::{Error, ErrorKind, Result};
use crate::format_version::FormatVersion;
use crate::limits::{self, Limits};
use crate::message::{counted, list, nearest};
use crate::root::{Anchor, EnvelopeSpan, RootFile};
use crate::schema::{
    ClusterDescriptor, ClusterGroup, LinkedAttributeSet, Locator, Records, Role, Schema, is_known_column,
};

/// No envelope may claim to be longer than this when it is not compressed: ROOT's own limit, 1 GiB.
const MAX_ENVELOPE_LENGTH: u64 = 1 << 30;

/// Clusters whose entries no column counts (records without members, columns that came later) could claim any
/// number of them at no cost in bytes: all of them together may have so many.
const MOST_ENTRIES_WITHOUT_ELEMENTS: u64 = 1 << 24;

/// An opened ntuple: everything that a file says about it, but no data yet.
///
/// ```
/// # use rntuple::{Dataset, RNTuple, RootFile, WriteOptions, Writer, storage::Memory};
/// # #[derive(RNTuple)]
/// # struct Event { met: f32 }
/// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// # writer.fill(&Event { met: 1.0 })?;
/// # let storage = writer.finish_into()?.1;
/// let file = RootFile::from_storage(storage)?;
/// let dataset = Dataset::open(&file, "Events")?;
/// assert_eq!(dataset.entry_count(), 1);
/// assert!(dataset.schema().find("met").is_some());
/// # Ok::<(), rntuple::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dataset {
    file: RootFile,
    path: String,
    anchor: Anchor,
    name: String,
    description: String,
    writer: String,
    schema: Arc<Schema>,
    header_field_count: u32,
    header_checksum: u64,
    /// What came after the header.
    extension: SchemaDescription,
    groups: Vec<ClusterGroup>,
    clusters: Vec<Arc<ClusterDescriptor>>,
    attribute_sets: Vec<LinkedAttributeSet>,
    entry_count: u64,
    fingerprint: u64,
}

impl Dataset {
    /// Opens the ntuple at `path`: `Events`, or `directory/Events`.
    ///
    /// # Errors
    /// There is no such ntuple, its format is too old or too new, or what describes it is damaged or over one of the
    /// file's [limits](RootFile::limits).
    pub fn open(file: &RootFile, path: &str) -> Result<Self> {
        let (key, anchor) = file.anchor(path)?;
        let path = key.path();
        Self::read(file, &path, anchor).map_err(|error| error.in_ntuple(&path).in_file(file.name()))
    }

    pub(crate) fn read(file: &RootFile, path: &str, anchor: Anchor) -> Result<Self> {
        let limits = *file.limits();
        let dialect = Dialect::of(anchor.format_version).within(&limits);
        let mut envelopes = Envelopes::new(file, anchor.max_key_size);
        let header_bytes = envelopes.load(anchor.header)?;
        let at = |offset: u64| move |error: Error| error.at_offset(offset);
        let (header, checksum) = Header::read(&header_bytes, dialect).map_err(at(anchor.header.offset))?;
        let header_field_count = u32::try_from(header.schema.fields.len())
            .map_err(|_| Error::limit("the header has over 2^32 fields"))?;
        let footer_bytes = envelopes.load(anchor.footer)?;
        let footer =
            Footer::read(&footer_bytes, dialect, header_field_count).map_err(at(anchor.footer.offset))?;
        if footer.header_checksum != checksum {
            return Err(
                Error::out_of_spec("the footer belongs to another header").at_offset(anchor.footer.offset)
            );
        }
        let extension = footer.extension.clone();
        let (schema, header_field_count) =
            build_schema(anchor.format_version, &limits, header.schema, footer.extension)?;

        let mut clusters = Vec::new();
        let mut seen = HashSet::new();
        let mut summaries = footer.summaries.into_iter();
        for group in &footer.cluster_groups {
            let Locator::File { offset, size } = group.page_list else {
                return Err(Error::unsupported("a page list is not in the file"));
            };
            // A few bytes could otherwise name one long list millions of times.
            if !seen.insert(offset) {
                return Err(Error::out_of_spec("two cluster groups share a page list").at_offset(offset));
            }
            let span = EnvelopeSpan { offset, size, length: group.page_list_length };
            let bytes = envelopes.load(span)?;
            let summaries = summaries.next().unwrap_or_default();
            let list = PageList::read(&bytes, dialect, summaries).map_err(at(offset))?;
            if dialect.page_lists_name_header() && list.header_checksum != checksum {
                return Err(Error::out_of_spec("the page list belongs to another header").at_offset(offset));
            }
            if list.clusters.len() as u64 != u64::from(group.cluster_count) {
                let (found, wanted) = (list.clusters.len(), group.cluster_count);
                let message =
                    format!("the page list has {}, its group {wanted}", counted(found as u64, "cluster"));
                return Err(Error::out_of_spec(message).at_offset(offset));
            }
            clusters.extend(list.clusters.into_iter().map(Arc::new));
        }
        let entry_count = count_entries(&schema, &clusters)?;
        let fingerprint = footer_bytes.last_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        Ok(Self {
            fingerprint,
            file: file.clone(),
            path: path.to_owned(),
            name: header.name,
            description: header.description,
            writer: header.writer,
            schema: Arc::new(schema),
            header_field_count,
            header_checksum: checksum,
            extension,
            groups: footer.cluster_groups,
            clusters,
            attribute_sets: footer.attribute_sets.unwrap_or_default(),
            entry_count,
            anchor,
        })
    }

    /// The file.
    pub fn file(&self) -> &RootFile {
        &self.file
    }

    /// Path in the file: `Events`, or `directory/Events`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Where header and footer are, and the format version.
    pub fn anchor(&self) -> &Anchor {
        &self.anchor
    }

    /// Name as the header has it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the writer's user said of it.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The program that wrote it: `ROOT v6.38.00`.
    pub fn writer(&self) -> &str {
        &self.writer
    }

    /// Fields and columns.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// How many of the fields stand in the header; the others were added while writing.
    pub fn header_field_count(&self) -> u32 {
        self.header_field_count
    }

    /// What header, footer and page lists are recognised by.
    pub(crate) fn header_checksum(&self) -> u64 {
        self.header_checksum
    }

    /// What the footer adds to the header's schema.
    pub(crate) fn extension(&self) -> &SchemaDescription {
        &self.extension
    }

    /// The cluster groups of the footer.
    pub fn cluster_groups(&self) -> &[ClusterGroup] {
        &self.groups
    }

    /// The clusters of all groups.
    pub fn clusters(&self) -> &[Arc<ClusterDescriptor>] {
        &self.clusters
    }

    /// The attribute sets that the footer links; a set itself has none.
    pub fn attribute_sets(&self) -> &[LinkedAttributeSet] {
        &self.attribute_sets
    }

    /// Opens an attribute set: an ntuple of its own, whose entries each say something about a range of entries of
    /// this one ([`AttributeReader`](crate::attributes::AttributeReader) reads them as values).
    ///
    /// ```
    /// # use rntuple::{Dataset, RNTuple, RootFile, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { met: f32 }
    /// # #[derive(RNTuple)]
    /// # struct Run { number: u32 }
    /// # let writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # writer.attributes("Runs")?.add(0..0, &Run { number: 1 })?;
    /// # let file = RootFile::from_storage(writer.finish_into()?.1)?;
    /// let runs = Dataset::open(&file, "Events")?.attribute_set("Runs")?;
    /// assert_eq!(runs.entry_count(), 1);
    /// assert!(runs.schema().find("_userData.number").is_some());
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such set, its version is not known, or what describes it is damaged.
    pub fn attribute_set(&self, name: &str) -> Result<Self> {
        let path = self.attribute_set_path(name);
        self.open_attribute_set(name, &path).map_err(|error| error.in_ntuple(&path).in_file(self.file.name()))
    }

    fn open_attribute_set(&self, name: &str, path: &str) -> Result<Self> {
        let Some(link) = self.attribute_sets.iter().find(|set| set.name == name) else {
            let sets = &self.attribute_sets;
            let mut message = format!("no attribute set {name:?}; the ntuple has ");
            message += &match sets.len() {
                0 => "none".to_owned(),
                all => list(sets.iter().map(|set| format!("{:?}", set.name)), all),
            };
            if let Some(near) = nearest(name, sets.iter().map(|set| &*set.name)).filter(|_| sets.len() > 1) {
                message += &format!("; did you mean {near:?}?");
            }
            return Err(Error::new(ErrorKind::NotFound, message).in_ntuple(&self.path));
        };
        link.require_known_version()?;
        let Locator::File { offset, size } = link.anchor else {
            return Err(Error::unsupported("the anchor of the attribute set is not in the file"));
        };
        let anchor = self.file.anchor_at(offset, size, link.anchor_length.into())?;
        let mut set = Self::read(&self.file, path, anchor)?;
        // Sets have no sets: what says otherwise (this very ntuple, perhaps) leads nowhere.
        set.attribute_sets.clear();
        Ok(set)
    }

    /// What a set is called where ntuples have paths.
    fn attribute_set_path(&self, name: &str) -> String {
        format!("{}, attribute set {name}", self.path)
    }

    /// Number of entries.
    pub fn entry_count(&self) -> u64 {
        self.entry_count
    }

    /// The checksum of the footer, in which that of the header stands and where the page lists are: tells whether a
    /// file is still the one that it was.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The position in [`clusters`](Self::clusters) of the cluster that holds an entry.
    pub fn cluster_of(&self, entry: u64) -> Option<usize> {
        let index = self.clusters.partition_point(|cluster| cluster.first_entry <= entry).checked_sub(1)?;
        // Clusters without entries share their first entry with the next one, which stands behind them.
        let cluster = self.clusters.get(index)?;
        (entry - cluster.first_entry < cluster.entry_count).then_some(index)
    }
}

/// The schema that header and extension describe together, and the number of the header's fields in it.
///
/// # Errors
/// What the lists say cannot be, or is over a limit; or, before version 1, a type of columns is not known.
pub(crate) fn build_schema(
    format_version: FormatVersion,
    limits: &Limits,
    header: SchemaDescription,
    extension: SchemaDescription,
) -> Result<(Schema, u32)> {
    let mut records = Records {
        header_fields: header.fields.len(),
        fields: header.fields,
        columns: header.columns,
        alias_columns: header.alias_columns,
    };
    records.fields.extend(extension.fields);
    records.columns.extend(extension.columns);
    records.alias_columns.extend(extension.alias_columns);
    limits.check_fields(records.fields.len() as u64)?;
    limits.check_columns(records.columns.len() as u64, "columns")?;
    limits.check_columns(records.alias_columns.len() as u64, "alias columns")?;
    records.upgrade(format_version)?;
    let Records { fields, columns, alias_columns, header_fields } = records;
    let mut extra_type_info = header.extra_type_info;
    extra_type_info.extend(extension.extra_type_info);
    let schema =
        Schema::build_within(limits, fields, columns, alias_columns, extra_type_info, &is_known_column)?;
    // The schema has counted its fields.
    Ok((schema, u32::try_from(header_fields).unwrap_or(u32::MAX)))
}

/// Loads envelopes: bytes at a place, decompressed.
pub(crate) struct Envelopes<'a> {
    file: &'a RootFile,
    max_key_size: u64,
    decompressor: Decompressor,
    /// Bytes that may still be loaded.
    left: u64,
}

impl<'a> Envelopes<'a> {
    /// For those of one ntuple.
    pub(crate) fn new(file: &'a RootFile, max_key_size: u64) -> Self {
        let left = file.limits().envelopes_of(file.end());
        Self { file, max_key_size, decompressor: Decompressor::new(), left }
    }

    pub(crate) fn load(&mut self, span: EnvelopeSpan) -> Result<Block> {
        let EnvelopeSpan { offset, size, length } = span;
        if length > MAX_ENVELOPE_LENGTH {
            let message = format!(
                "the envelope has {length} bytes, expected at most {MAX_ENVELOPE_LENGTH}, as in ROOT"
            );
            return Err(Error::limit(message).at_offset(offset));
        }
        if size > length {
            let message = format!("{size} bytes are stored for {length} bytes of content");
            return Err(Error::out_of_spec(message).at_offset(offset));
        }
        self.left = self.left.checked_sub(length).ok_or_else(|| self.too_long(length).at_offset(offset))?;
        let stored = self.file.payload(offset, size, self.max_key_size)?;
        if size == length {
            return Ok(stored);
        }
        let mut bytes = Vec::new();
        self.decompressor.restore(&stored, length, &mut bytes).map_err(|error| error.at_offset(offset))?;
        Ok(Block::from(bytes))
    }

    #[cold]
    fn too_long(&self, length: u64) -> Error {
        let limit = self.file.limits().envelopes_of(self.file.end());
        let found = match limit - self.left {
            0 => format!("the envelope has {length} bytes"),
            before => format!("the envelope has {length} bytes, after {before} of others"),
        };
        limits::exceeded(
            format_args!("{found} in a file of {} bytes", self.file.end()),
            limit,
            "envelope_length",
        )
    }
}

/// The number of entries, if the clusters follow each other and none claims more than its pages hold.
fn count_entries(schema: &Schema, clusters: &[Arc<ClusterDescriptor>]) -> Result<u64> {
    // Columns with exactly one element per entry tell what a cluster really holds.
    let witnesses: Vec<_> = schema
        .top_level()
        .iter()
        .filter(|&&id| {
            let field = schema.field(id);
            field.is_some_and(|field| field.array_size.is_none() && field.role != Role::Record)
        })
        .flat_map(|&id| schema.representations(id))
        .filter_map(|columns| columns.first())
        .filter(|&&id| schema.column(id).is_some_and(|column| column.first_element.is_none()))
        .collect();
    let (mut entries, mut free) = (0u64, MOST_ENTRIES_WITHOUT_ELEMENTS);
    for (id, cluster) in clusters.iter().enumerate() {
        let fault = |message: String| Err(Error::out_of_spec(message).in_cluster(id as u64));
        if cluster.first_entry != entries {
            return fault(format!(
                "the cluster begins with entry {}, the one before ends with {entries}",
                cluster.first_entry
            ));
        }
        let witness = witnesses.iter().find_map(|id| {
            let column = cluster.columns.get(id.index())?;
            column.first_element.map(|_| column)
        });
        let held = match witness {
            Some(column) => {
                column.pages.iter().map(|page| u64::from(page.count)).fold(0, u64::saturating_add)
            }
            None => free.max(largest_column(cluster)),
        };
        if witness.is_none() {
            free = free.saturating_sub(cluster.entry_count);
        }
        if cluster.entry_count > held {
            return fault(format!(
                "the cluster has {}, its pages hold {held}",
                counted(cluster.entry_count, "entry")
            ));
        }
        entries = match entries.checked_add(cluster.entry_count) {
            Some(sum) => sum,
            None => return fault("over 2^64 entries".to_owned()),
        };
    }
    Ok(entries)
}

fn largest_column(cluster: &ClusterDescriptor) -> u64 {
    let count = |pages: &[crate::schema::PageLocation]| {
        pages.iter().map(|page| u64::from(page.count)).fold(0, u64::saturating_add)
    };
    cluster.columns.iter().map(|column| count(&column.pages)).max().unwrap_or_default()
}
