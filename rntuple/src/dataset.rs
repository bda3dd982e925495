//! An opened ntuple: its schema, read from anchor, header and footer, and where its pages are, read from page lists
//! when they are needed.

#[cfg(feature = "recover")]
mod assembled;
mod composed;
mod envelopes;
mod groups;
mod layers;
#[cfg(feature = "merge")]
mod part;
mod pinned;

use std::ops::Range;
use std::sync::Arc;

use groups::{Groups, Lead};
use layers::Layers;

#[cfg(feature = "recover")]
pub(crate) use assembled::Assembled;
pub(crate) use composed::Layer;
pub(crate) use envelopes::Envelopes;
pub(crate) use groups::Group;

use crate::envelope::{Dialect, Footer, Header, SchemaDescription};
use crate::error::{Error, ErrorKind, Result};
use crate::format_version::FormatVersion;
use crate::limits::Limits;
use crate::message::{list, nearest};
use crate::root::{Anchor, RootFile};
use crate::schema::{
    ClusterDescriptor, ClusterGroup, ColumnId, LinkedAttributeSet, Locator, Records, Schema, is_known_column,
};

/// An opened ntuple: what a file says about it, but no data yet.
///
/// Opening reads header and footer. Page lists, which say where the pages of the [clusters](Self::clusters) are, are read
/// when they are needed, one for each cluster group. Only the last ones are kept. So opening costs the same for ten
/// clusters and for a hundred thousand, and a walk holds no more than the page lists of a few groups.
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
    groups: Arc<Groups>,
    attribute_sets: Vec<LinkedAttributeSet>,
    fingerprint: u64,
    /// The ntuples of several files that this one was composed of.
    layers: Option<Arc<Layers<Self>>>,
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

        let lead = Lead {
            schema: &schema,
            dialect,
            header_checksum: checksum,
            max_key_size: anchor.max_key_size,
            groups: footer.cluster_groups,
            summaries: footer.summaries,
        };
        let groups = Arc::new(Groups::new(file, lead, &mut envelopes)?);
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
            groups,
            attribute_sets: footer.attribute_sets.unwrap_or_default(),
            anchor,
            layers: None,
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
        self.groups.described()
    }

    /// Number of clusters, as the footer says it.
    pub fn cluster_count(&self) -> u64 {
        self.groups.cluster_count()
    }

    /// Returns all clusters in order. The iterator ends after the first error.
    ///
    /// ```
    /// # use rntuple::{Dataset, RNTuple, RootFile, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { met: f32 }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # writer.fill(&Event { met: 1.0 })?;
    /// # let storage = writer.finish_into()?.1;
    /// # let file = RootFile::from_storage(storage)?;
    /// let dataset = Dataset::open(&file, "Events")?;
    /// let mut pages = 0;
    /// for cluster in dataset.clusters() {
    ///     pages += cluster?.columns.iter().map(|column| column.pages.len()).sum::<usize>();
    /// }
    /// assert_eq!(pages, 1);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`cluster`](Self::cluster).
    pub fn clusters(&self) -> impl Iterator<Item = Result<Arc<ClusterDescriptor>>> {
        self.clusters_where(|_, _| true)
    }

    /// Those clusters that have any of these entries, in order. The iterator ends after the first error.
    pub(crate) fn clusters_of(
        &self,
        entries: Range<u64>,
    ) -> impl Iterator<Item = Result<Arc<ClusterDescriptor>>> {
        self.clusters_where(move |first, count| {
            first < entries.end && entries.start < first.saturating_add(count)
        })
    }

    /// Those clusters whose first entry and number of entries fulfil a condition, as do those of their groups.
    fn clusters_where(
        &self,
        is_wanted: impl Fn(u64, u64) -> bool + Clone,
    ) -> impl Iterator<Item = Result<Arc<ClusterDescriptor>>> {
        let groups = self.cluster_groups().iter().enumerate();
        let is_in = is_wanted.clone();
        let groups = groups.filter(move |(_, group)| is_in(group.first_entry, group.entry_count));
        let clusters = groups.flat_map(move |(number, _)| {
            let (group, error) = match self.groups.load(number) {
                Ok(group) => (Some(group), None),
                Err(error) => (None, Some(Err(error))),
            };
            let is_wanted = is_wanted.clone();
            error
                .into_iter()
                .chain(group.into_iter().flat_map(move |group| group.clusters(is_wanted.clone())))
        });
        let clusters = clusters.map(|cluster| cluster.map(Arc::new).map_err(|error| self.place(error)));
        let mut is_over = false;
        clusters.take_while(move |cluster| !std::mem::replace(&mut is_over, cluster.is_err()))
    }

    /// Returns a cluster, by its number.
    ///
    /// # Errors
    /// There are fewer clusters; or the page list of its cluster group cannot be read, or is damaged.
    pub fn cluster(&self, id: u64) -> Result<Arc<ClusterDescriptor>> {
        let Some(number) = self.groups.with_cluster(id) else {
            return Err(self.place(Error::invalid_argument(format!("the ntuple has no cluster {id}"))));
        };
        self.group(number)?.cluster(id).map_err(|error| self.place(error))
    }

    /// Returns the number of the cluster that has an entry; `None` after the last entry.
    ///
    /// # Errors
    /// The page list of its cluster group cannot be read, or is damaged.
    pub fn cluster_of(&self, entry: u64) -> Result<Option<u64>> {
        Ok(self.group_of(entry)?.and_then(|group| group.with_entry(entry)))
    }

    /// The cluster group that has an entry, which is not read again while it is held.
    pub(crate) fn group_of(&self, entry: u64) -> Result<Option<Arc<Group>>> {
        let number = self.groups.with_entry(entry);
        number.map(|number| self.group(number)).transpose()
    }

    /// All cluster groups, in order.
    pub(crate) fn groups(&self) -> impl Iterator<Item = Result<Arc<Group>>> {
        (0..self.cluster_groups().len()).map(|number| self.group(number))
    }

    /// A cluster group.
    pub(crate) fn group(&self, number: usize) -> Result<Arc<Group>> {
        self.groups.load(number).map_err(|error| self.place(error))
    }

    #[cold]
    fn place(&self, error: Error) -> Error {
        error.in_ntuple(&self.path).in_file(self.file.name())
    }

    /// The ntuples of several files that are seen as this one; empty where it is that of one file.
    pub(crate) fn layers(&self) -> &[Arc<Self>] {
        self.layers.as_ref().map_or(&[], |layers| &layers.datasets)
    }

    /// Which of the [`layers`](Self::layers) has a column, and the number of the column there.
    pub(crate) fn source_of(&self, column: ColumnId) -> Option<(usize, ColumnId)> {
        self.layers.as_ref()?.source_of(column)
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
    /// # let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
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
        match self.attribute_sets.iter().find(|set| set.name == name) {
            Some(link) => self.linked_set(link, |_| Ok(())),
            None => {
                let error = self.no_attribute_set(name).in_ntuple(&self.path);
                Err(error.in_file(self.file.name()))
            }
        }
    }

    /// Opens one of the attribute sets, unless `check` refuses what its anchor leads to: nothing of that is read
    /// before.
    ///
    /// # Errors
    /// As [`attribute_set`](Self::attribute_set).
    pub(crate) fn linked_set(
        &self,
        link: &LinkedAttributeSet,
        check: impl FnOnce(&Anchor) -> Result<()>,
    ) -> Result<Self> {
        let path = self.attribute_set_path(&link.name);
        let open = || {
            link.require_known_version()?;
            let Locator::File { offset, size } = link.anchor else {
                return Err(Error::unsupported("the anchor of the attribute set is not in the file"));
            };
            let anchor = self.file.anchor_at(offset, size, link.anchor_length.into())?;
            check(&anchor)?;
            Self::read(&self.file, &path, anchor)
        };
        let mut set = open().map_err(|error| error.in_ntuple(&path).in_file(self.file.name()))?;
        // Sets have no sets: what says otherwise (this very ntuple, perhaps) is ignored.
        set.attribute_sets.clear();
        Ok(set)
    }

    #[cold]
    fn no_attribute_set(&self, name: &str) -> Error {
        let sets = &self.attribute_sets;
        let mut message = format!("no attribute set {name:?}; the ntuple has ");
        message += &match sets.len() {
            0 => "none".to_owned(),
            all => list(sets.iter().map(|set| format!("{:?}", set.name)), all),
        };
        if let Some(near) = nearest(name, sets.iter().map(|set| &*set.name)).filter(|_| sets.len() > 1) {
            message += &format!("; did you mean {near:?}?");
        }
        Error::new(ErrorKind::NotFound, message)
    }

    /// What a set is called where ntuples have paths.
    fn attribute_set_path(&self, name: &str) -> String {
        format!("{}, attribute set {name}", self.path)
    }

    /// Number of entries.
    pub fn entry_count(&self) -> u64 {
        self.groups.entry_count()
    }

    /// The checksum of the footer, which contains that of the header and where the page lists are: it says whether a
    /// file is still the one that it was.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.fingerprint
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
