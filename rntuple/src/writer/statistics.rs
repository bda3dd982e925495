//! Statistics of what is written: gathered cluster by cluster, and stored when the ntuple is finished.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use super::builder::ClusterState;
use super::draft::{Declared, Draft};
use super::filler::Filler;
use super::ntuple::Ntuple;
use super::sets::options_of_set;
use super::shared_file::SharedFile;
use super::{WriteOptions, Writer};
use crate::catalog::{Catalog, EnvelopeWriter};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::field::Attribute;
use crate::root::{FileOptions, FileWriter, RootFile, Update};
use crate::schema::{ClusterGroup, ColumnDescriptor, ColumnId, LinkedAttributeSet};
use crate::statistics::{NAME, Observations, Owner, Row, Statistics, marks_of};
use crate::storage::{ReadAt, WriteAt};
use crate::sync::Mutex;

/// The most memory that rows may take; statistics of later clusters are not kept.
const MOST: usize = 256 << 20;

/// Of a writer's memory budget, one part of so many is the most that rows may take.
const PART: usize = 16;

/// What is known of the clusters of an ntuple that is being written.
#[derive(Debug)]
pub(super) struct StatisticsRows {
    rows: Vec<Attribute<Row>>,
    length: usize,
    limit: usize,
}

impl StatisticsRows {
    /// Nothing is known yet but what the file says of earlier clusters; `None` if no statistics are asked for.
    pub(super) fn new(options: &WriteOptions, existing: Vec<Attribute<Row>>) -> Option<Self> {
        let limit = options.memory_budget.map_or(MOST, |budget| (budget / PART).min(MOST));
        let length = existing.iter().map(|row| footprint(&row.value)).sum();
        options.statistics.then_some(Self { rows: existing, length, limit })
    }

    /// Takes in what the pages of a column in a cluster say.
    pub(super) fn add(
        &mut self,
        id: ColumnId,
        column: &ColumnDescriptor,
        observations: Observations,
        page_count: usize,
        place: Place,
    ) {
        if self.length > self.limit {
            return;
        }
        let row = column.column_type().and_then(|found| observations.into_row(found, page_count));
        if let Some(row) = row {
            self.length += footprint(&row);
            let value = Row { cluster: place.cluster, column: id.0, ..row };
            self.rows.push(Attribute { range: place.first_entry..place.first_entry + place.entries, value });
        }
    }

    /// Whether anything is known.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// Where a cluster is among the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) cluster: u64,
    pub(super) first_entry: u64,
    pub(super) entries: u64,
}

/// Bytes of memory that a row takes.
fn footprint(row: &Row) -> usize {
    let lists = 4 * (row.elements.len() + row.nulls.len() + row.nans.len());
    let bounds = 8 * (row.signed.len() + row.unsigned.len() + row.real.len());
    let text: usize = row.text.iter().map(|text| text.len() + size_of::<String>()).sum();
    size_of::<Attribute<Row>>() + lists + bounds + text
}

/// What the rows of an ntuple recognise their pages by: for each cluster group, the first cluster after it and the mark.
pub(super) struct Marks(Vec<(u64, u64)>);

impl Marks {
    /// Those of rows in the file itself.
    pub(super) fn new(header_checksum: u64, groups: &[ClusterGroup]) -> Self {
        Self(marks_of(Owner::Itself, header_checksum, groups))
    }

    /// Writes what they recognise their pages by into the rows, and sorts them. Those of clusters that do not exist go.
    fn sign(&self, rows: &mut Vec<Attribute<Row>>) {
        rows.retain_mut(|Attribute { value: row, .. }| {
            let group = self.0.partition_point(|(end, _)| *end <= row.cluster);
            let Some((_, mark)) = self.0.get(group) else { return false };
            row.page_list = *mark;
            true
        });
        // By column, so that one is read without the others.
        rows.sort_by_key(|row| (row.value.column, row.value.cluster));
    }
}

impl<W: WriteAt> Ntuple<W> {
    /// Writes what is known of the clusters so far, whose page lists are written, and links it.
    pub(super) fn put_statistics(&mut self, gathered: StatisticsRows, marks: &Marks) -> Result<()> {
        let mut rows = gathered.rows;
        marks.sign(&mut rows);
        let options = options_of_set(self.options());
        if let Some(link) = put_set(self.file(), self.path(), options, &rows)? {
            self.link(link);
        }
        Ok(())
    }
}

/// Writes rows as an attribute set of the ntuple at `owner`; returns the link to it.
fn put_set<W: WriteAt>(
    file: &SharedFile<W>,
    owner: &str,
    options: WriteOptions,
    rows: &[Attribute<Row>],
) -> Result<Option<LinkedAttributeSet>> {
    let draft = Draft::of_set(owner, NAME, options)?;
    let Declared { columns, mut schema } = draft.declare::<Attribute<Row>>(1)?;
    let own = Ntuple::create(file.clone(), false, &draft, &mut schema)?;
    let mut filler = Filler::<Attribute<Row>, _>::new(own, ClusterState::of(&draft, schema), columns);
    rows.iter().try_for_each(|row| filler.fill(row))?;
    filler.commit_cluster()?;
    filler.builder.destination.finish_set(NAME)
}

impl Statistics {
    /// Writes the statistics into the file that they are about: those of a [computed](Self::compute) or another origin,
    /// in place of any that the file has.
    ///
    /// ```
    /// # use rntuple::statistics::Statistics;
    /// # use rntuple::{Dataset, RNTuple, RootFile, WriteOptions, Writer};
    /// # #[derive(RNTuple)]
    /// # struct Event { met: f32 }
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let path = directory.path().join("events.root");
    /// # let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new())?;
    /// # writer.fill(&Event { met: 20.0 })?;
    /// # writer.finish()?;
    /// let statistics = Statistics::compute(&Dataset::open(&RootFile::open(&path)?, "Events")?)?;
    /// statistics.add_to(&path, WriteOptions::new())?;
    /// assert!(Statistics::of(&Dataset::open(&RootFile::open(&path)?, "Events")?)?.is_some());
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// All that is in the file stays, and readers find it as it was until the last bytes are written, as with
    /// [`Writer::append`]. Of the options, compression, checksums and the [timestamp](WriteOptions::timestamp) apply.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument), before anything is written, if the file has another state
    /// of the ntuple than the statistics; [`Unsupported`](crate::ErrorKind::Unsupported) if its format is older or newer
    /// than what can be written; [`Io`](crate::ErrorKind::Io) if it cannot be written, or another program is appending
    /// to it.
    pub fn add_to(self, file: impl AsRef<Path>, options: WriteOptions) -> Result<()> {
        let storage = FileOptions::new().edit(file.as_ref())?;
        self.add_to_storage(storage, options).map(drop)
    }

    /// As [`add_to`](Self::add_to), for a file on any storage; gives the storage back.
    ///
    /// # Errors
    /// As [`add_to`](Self::add_to).
    pub fn add_to_storage<W: ReadAt + WriteAt + 'static>(
        self,
        storage: W,
        options: WriteOptions,
    ) -> Result<W> {
        options.check()?;
        let path = self.path().to_owned();
        let name = WriteAt::name(&storage).to_owned();
        let place = |error: Error| error.in_ntuple(&path).in_file(&name);
        let storage = Arc::new(storage);
        let file = RootFile::from_arc(storage.clone())?.with_limits(options.limits);
        let update = Update::read(&file, &path).map_err(|error| error.in_ntuple(&path))?;
        let dataset = Dataset::open(&file, &path)?;
        if !self.is_about(&dataset) {
            let message = "the file has another state of the ntuple than the statistics are about";
            return Err(place(Error::invalid_argument(message)));
        }
        let max_key_size = dataset.anchor().max_key_size;
        let mut catalog = Catalog::resume(&dataset, EnvelopeWriter::new(options.compression, max_key_size));
        let marks = Marks::new(dataset.header_checksum(), dataset.cluster_groups());
        let mut rows = self.into_rows()?;
        marks.sign(&mut rows);
        drop((dataset, file));
        // Whatever reads from the storage is gone by now, so that it can be written to.
        let shared = || place(Error::invalid_argument("the storage is still being read"));
        let storage = Arc::into_inner(storage).ok_or_else(shared)?;
        let file = Arc::new(Mutex::new(FileWriter::resume(storage, update, &options.file)));
        if let Some(link) = put_set(&file, &path, options_of_set(&options), &rows).map_err(place)? {
            catalog.link(link);
        }
        let file = Arc::into_inner(file).ok_or_else(shared)?;
        let mut file = file.into_inner().unwrap_or_else(PoisonError::into_inner);
        let anchor = catalog.finish(file.any()).map_err(place)?;
        file.any().put_anchor(&path, &anchor).map_err(place)?;
        file.any().finish().map_err(place)?;
        Ok(file.into_inner())
    }

    /// Writes the statistics into a file of their own, which [`open`](Self::open) reads: for files that cannot be
    /// changed, or are better not.
    ///
    /// # Errors
    /// The file cannot be created: see [`Writer::create`].
    pub fn save(self, file: impl AsRef<Path>, options: WriteOptions) -> Result<()> {
        let marks = self.marks();
        let mut writer = Writer::<Attribute<Row>>::create(file, self.path(), options)?;
        let mut rows = self.into_rows()?;
        Marks(marks).sign(&mut rows);
        rows.iter().try_for_each(|row| writer.fill(row))?;
        writer.finish().map(drop)
    }
}
