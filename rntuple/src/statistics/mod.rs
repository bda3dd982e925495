//! What is known of the values of an ntuple without reading them: bounds and counts, by page, cluster and file.
//!
//! A writer keeps them while it seals pages, if [`WriteOptions::statistics`](crate::WriteOptions::statistics) asks for
//! it; or they are computed later, for a file of any writer, and added to the file or put next to it:
//!
//! ```
//! use rntuple::schema::ClusterId;
//! use rntuple::statistics::{Bounds, Statistics};
//! use rntuple::{Dataset, RNTuple, RootFile, WriteOptions, Writer, storage::Memory};
//!
//! #[derive(RNTuple)]
//! struct Muon { pt: f32 }
//!
//! #[derive(RNTuple)]
//! struct Event { run: u32, muons: Vec<Muon> }
//!
//! let options = WriteOptions::new().statistics(true);
//! let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options)?;
//! writer.fill(&Event { run: 7, muons: vec![Muon { pt: 31.0 }, Muon { pt: 12.5 }] })?;
//! writer.fill(&Event { run: 8, muons: vec![] })?;
//! let file = RootFile::from_storage(writer.finish_into()?.1)?;
//!
//! let dataset = Dataset::open(&file, "Events")?;
//! let statistics = Statistics::of(&dataset)?.ok_or("none")?;
//! let bounds = |path: &str| -> Result<Option<Bounds>, Box<dyn std::error::Error>> {
//!     let field = dataset.schema().find(path).ok_or("no field")?;
//!     Ok(statistics.field(field, 0)?.cluster(ClusterId(0)).map(|cluster| cluster.bounds))
//! };
//! assert_eq!(bounds("run")?, Some(Bounds::Unsigned { min: 7, max: 8 }));
//! // Of a collection, the sizes; of its items, those of all collections.
//! assert_eq!(bounds("muons")?, Some(Bounds::Unsigned { min: 0, max: 2 }));
//! assert_eq!(bounds("muons._0.pt")?, Some(Bounds::Real { min: 12.5, max: 31.0 }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What the bounds say
//!
//! [`ElementStatistics`] has the rules. No element is outside its [`Bounds`], as it will be read: where an encoding
//! rounds, they are those of the rounded values. They need not be tight, and nothing is said of what is not known: a
//! column of bytes, clusters from a writer that keeps no statistics, pages that have been replaced.
//!
//! # How they are stored
//!
//! In the file, statistics are an attribute set of the ntuple, called `rntuple_statistics`. Programs that do not know it
//! read the ntuple as before. Each attribute is about one column in one cluster:
//!
//! ```text
//! page_list | cluster | column | elements | nulls | nans | signed | unsigned | real | text
//! ```
//!
//! They are sorted by column, so that what is known of one column is read without all others. The lists have one element
//! for each page, or two (the least, the greatest); `text` has two for each 4096 strings of the cluster, of which an upper
//! bound of U+10FFFF 16 times means that there is none. `page_list` is a hash of where the page list of the cluster is, as
//! the footer says it: where that is another one, the statistics are those of other pages, and are ignored.
//!
//! The order of entries is the last attribute, if there is one: its column is 2^32 - 1, `text` has the paths of the fields,
//! `unsigned` the ranks of the first and the last keys, and `page_list` is a hash of all page lists. A file of its own has
//! the same fields in an ntuple, of the same path; its hash includes the identity (UUID) of the file that it is about.

mod ascent;
mod bounds;
mod compute;
mod facts;
mod kept;
mod keys;
mod mark;
mod order;
mod pages;
mod row;
mod verify;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) use ascent::{Ascent, Span};
pub use bounds::{Bounds, ElementStatistics, TextRange};
pub(crate) use facts::{Observations, is_whole};
pub(crate) use keys::{KeyField, key_fields};
pub(crate) use mark::{Owner, all_marks, marks_of};
pub use order::{SortKey, SortOrder};
pub(crate) use row::Row;
pub(crate) use verify::unsorted;

use facts::ClusterFacts;
use kept::Kept;
use mark::marks;

use crate::dataset::Dataset;
use crate::encoding::ColumnType;
use crate::error::{Error, Result};
use crate::field::Attribute;
use crate::root::RootFile;
use crate::schema::{ClusterId, ColumnId, FieldId, Schema};

/// The attribute set that has the statistics.
pub(crate) const NAME: &str = "rntuple_statistics";

/// What is known of the values of an ntuple without reading them.
///
/// What a file says of a column is read when the column is first asked for, and kept. A clone has what the other one has read,
/// then and later.
#[derive(Clone)]
pub struct Statistics {
    path: String,
    schema: Arc<Schema>,
    clusters: u64,
    entries: u64,
    source: Arc<Source>,
    /// What a file of its own recognises the pages by: the first cluster after each group, and the mark.
    marks: Vec<(u64, u64)>,
    /// The order that the entries are known to be in.
    order: Option<SortOrder>,
    columns: Arc<Mutex<BTreeMap<ColumnId, Arc<ColumnStatistics>>>>,
}

/// Where the rows are.
enum Source {
    Kept(Kept),
    /// By column, then by cluster.
    Computed(Vec<Attribute<Row>>),
    /// Of each file of an overlay; and by column of the overlay, in which of them it is, and under which number.
    Files {
        files: Vec<Option<Statistics>>,
        columns: BTreeMap<ColumnId, (usize, ColumnId)>,
    },
}

impl Statistics {
    /// Opens what is kept in the file of the ntuple; `None` if nothing is.
    ///
    /// # Errors
    /// It is damaged, or has the name of statistics and is something else.
    pub fn of(dataset: &Dataset) -> Result<Option<Self>> {
        if !dataset.layers().is_empty() {
            return Self::of_files(dataset, Self::of);
        }
        if !dataset.attribute_sets().iter().any(|set| set.name == NAME) {
            return Ok(None);
        }
        let set = Arc::new(dataset.attribute_set(NAME)?);
        Self::of_kept(dataset, Kept::open(set, dataset, Owner::Itself)?).map(Some)
    }

    /// Opens what `find` returns for the ntuple, or for the ntuple of each file where it is one of an
    /// [`Overlay`](crate::join::Overlay); `None` if nothing is known of any of them.
    ///
    /// # Errors
    /// The first that `find` returns.
    pub fn of_files(
        dataset: &Dataset,
        find: impl Fn(&Dataset) -> Result<Option<Self>>,
    ) -> Result<Option<Self>> {
        if dataset.layers().is_empty() {
            return find(dataset);
        }
        let files = dataset.layers().iter().map(|layer| find(layer)).collect::<Result<Vec<_>>>()?;
        if files.iter().all(Option::is_none) {
            return Ok(None);
        }
        let columns = dataset.schema().columns();
        let columns = columns.filter_map(|(id, _)| Some((id, dataset.source_of(id)?))).collect();
        let order = files.iter().enumerate().find_map(|(file, statistics)| {
            let statistics = statistics.as_ref()?;
            statistics.order_in(dataset, file)
        });
        Ok(Some(Self { order, ..Self::new(dataset, Source::Files { files, columns }) }))
    }

    /// Opens what a file next to that of the ntuple has: see [`save`](Self::save).
    ///
    /// ```
    /// # use rntuple::statistics::Statistics;
    /// # use rntuple::{Dataset, RNTuple, RootFile, WriteOptions, Writer};
    /// # #[derive(RNTuple)]
    /// # struct Event { met: f32 }
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let (path, side) = (directory.path().join("events.root"), directory.path().join("statistics.root"));
    /// # let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new())?;
    /// # writer.fill(&Event { met: 20.0 })?;
    /// # writer.finish()?;
    /// let dataset = Dataset::open(&RootFile::open(&path)?, "Events")?;
    /// Statistics::compute(&dataset)?.save(&side, WriteOptions::new())?;
    ///
    /// let statistics = Statistics::open(&RootFile::open(&side)?, &dataset)?;
    /// let met = statistics.field(dataset.schema().find("met").ok_or("no field")?, 0)?;
    /// assert_eq!(met.file().ok_or("not known")?.elements, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the statistics are about another file, or about another
    /// state of this one; they are damaged, or something else.
    pub fn open(side: &RootFile, dataset: &Dataset) -> Result<Self> {
        let kept = Arc::new(Dataset::open(side, dataset.path())?);
        let kept = Kept::open(kept, dataset, Owner::of(dataset.file()))?;
        if dataset.cluster_count() > 0 && !kept.is_about(dataset)? {
            let message = format!(
                "the statistics in {} are about another file, or about another state of this one",
                side.name()
            );
            return Err(Error::invalid_argument(message)
                .in_ntuple(dataset.path())
                .in_file(dataset.file().name()));
        }
        Self::of_kept(dataset, kept)
    }

    fn of_kept(dataset: &Dataset, kept: Kept) -> Result<Self> {
        let order = kept.order(dataset)?;
        Ok(Self { order, ..Self::new(dataset, Source::Kept(kept)) })
    }

    fn new(dataset: &Dataset, source: Source) -> Self {
        Self {
            path: dataset.path().to_owned(),
            schema: dataset.schema().clone(),
            clusters: dataset.cluster_count(),
            entries: dataset.entry_count(),
            source: Arc::new(source),
            marks: marks(dataset, Owner::of(dataset.file())),
            order: None,
            columns: Arc::default(),
        }
    }

    /// Returns the order that the entries are in; `None` if that is not known.
    ///
    /// A writer keeps it if [`WriteOptions::sorted_by`](crate::WriteOptions::sorted_by) asks for it, and
    /// [`verify_order`](Self::verify_order) finds it in the file of any writer. It is about all entries: where entries were
    /// added without it, it is not known any more.
    pub fn sort_order(&self) -> Option<&SortOrder> {
        self.order.as_ref()
    }

    /// Reads the fields at `paths` in all entries, whoever wrote them, and notes that the entries are sorted by them. What
    /// was known of another order is forgotten.
    ///
    /// ```
    /// # use rntuple::statistics::Statistics;
    /// # use rntuple::{Dataset, RNTuple, RootFile, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { run: u32, number: u64 }
    /// # let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # (0..10).try_for_each(|number| writer.fill(&Event { run: 7, number }))?;
    /// # let file = RootFile::from_storage(writer.finish_into()?.1)?;
    /// let dataset = Dataset::open(&file, "Events")?;
    /// let mut statistics = Statistics::compute(&dataset)?;
    /// statistics.verify_order(&dataset, ["run", "number"])?;
    /// assert_eq!(statistics.sort_order().ok_or("none")?.fields(), ["run", "number"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) with the first entry that is not in order, or a field that
    /// is not a number that each entry has once; or if the statistics are about another ntuple.
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for an overlay: each of its files has an order of its own. Or
    /// pages cannot be read.
    pub fn verify_order<P: Into<String>>(
        &mut self,
        dataset: &Dataset,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<()> {
        let place = |error: Error| error.in_ntuple(dataset.path()).in_file(dataset.file().name());
        if !self.is_about(dataset) {
            return Err(place(Error::invalid_argument("the statistics are about another ntuple")));
        }
        self.order = Some(SortOrder::verify(dataset, paths)?);
        Ok(())
    }

    /// The order of the entries of an overlay, of which this one's file is the `file`-th: the first fields that the overlay
    /// has from that file.
    fn order_in(&self, dataset: &Dataset, file: usize) -> Option<SortOrder> {
        let order = self.order.as_ref()?;
        let own = |path: &String| {
            let field = self.schema.find(path)?;
            let column = *self.schema.representations(field).first()?.first()?;
            let mut columns = dataset.schema().columns();
            let (found, _) = columns.find(|(id, _)| dataset.source_of(*id) == Some((file, column)))?;
            dataset.schema().field_of(found).map(|field| dataset.schema().path(field))
        };
        let names: Vec<String> = order.fields().iter().map_while(own).collect();
        (!names.is_empty()).then(|| order.renamed(names))
    }

    /// The row that keeps the order, with the mark of all page lists.
    pub(crate) fn order_row(&self, page_lists: u64) -> Option<Attribute<Row>> {
        Some(self.order.as_ref()?.to_row(page_lists, self.clusters, self.entries))
    }

    /// Returns what is known of a column. Nothing is known of a column that does not exist.
    ///
    /// # Errors
    /// What the file says is damaged.
    pub fn column(&self, column: ColumnId) -> Result<Arc<ColumnStatistics>> {
        if let Some(known) = self.columns.lock().unwrap_or_else(PoisonError::into_inner).get(&column) {
            return Ok(known.clone());
        }
        if let Source::Files { files, columns } = &*self.source
            && let Some((file, id)) = columns.get(&column)
            && let Some(file) = files.get(*file).and_then(Option::as_ref)
        {
            return file.column(*id);
        }
        let mut found = ColumnStatistics { clusters: BTreeMap::new(), cluster_count: self.clusters };
        let column_type = self.schema.column(column).and_then(|column| column.column_type());
        if let Some(column_type) = column_type {
            let mut note = |row: Row| {
                if row.cluster < self.clusters
                    && let Ok(cluster) = u32::try_from(row.cluster)
                    && let Some(facts) = ClusterFacts::of(row, column_type)
                {
                    found.clusters.entry(ClusterId(cluster)).or_insert(facts);
                }
            };
            match &*self.source {
                Source::Kept(kept) => kept.rows_of(column, &mut note)?,
                Source::Computed(rows) => {
                    let start = rows.partition_point(|row| row.value.column < column.0);
                    let rows = rows.iter().skip(start).take_while(|row| row.value.column == column.0);
                    rows.for_each(|row| note(row.value.clone()));
                }
                Source::Files { .. } => {}
            }
        }
        let found = Arc::new(found);
        let mut columns = self.columns.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(columns.entry(column).or_insert(found).clone())
    }

    /// Returns what is known of the `number`-th column of a field, counted from 0, whichever of the field's
    /// representations a cluster has. The first column of a string or a collection has its offsets: the bounds are those
    /// of the sizes, and [`text`](ElementStatistics::text) has those of strings.
    ///
    /// # Errors
    /// What the file says is damaged.
    pub fn field(&self, field: FieldId, number: usize) -> Result<Arc<ColumnStatistics>> {
        let mut columns = self.schema.representations(field).iter().filter_map(|columns| columns.get(number));
        let Some(first) = columns.next() else {
            return Ok(Arc::new(ColumnStatistics {
                clusters: BTreeMap::new(),
                cluster_count: self.clusters,
            }));
        };
        let mut all = self.column(*first)?;
        for other in columns {
            let other = self.column(*other)?;
            if !other.clusters.is_empty() {
                let merged = Arc::make_mut(&mut all);
                for (cluster, facts) in &other.clusters {
                    merged.clusters.entry(*cluster).or_insert_with(|| facts.clone());
                }
            }
        }
        Ok(all)
    }

    /// Returns what is known of all values of a field in the file, as they are read; of strings, the bounds are in
    /// [`text`](ElementStatistics::text). `None` if it is not known of all of them, or if the field has no column.
    ///
    /// ```
    /// # use rntuple::statistics::{Bounds, Statistics};
    /// # use rntuple::{Dataset, RNTuple, RootFile, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { run: u32 }
    /// # let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # writer.fill_all(&[Event { run: 8 }, Event { run: 7 }])?;
    /// # let dataset = Dataset::open(&RootFile::from_storage(writer.finish_into()?.1)?, "Events")?;
    /// let run = dataset.schema().find("run").ok_or("no field")?;
    /// let known = Statistics::compute(&dataset)?.values(run)?.ok_or("not known")?;
    /// assert_eq!(known.bounds, Bounds::Unsigned { min: 7, max: 8 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// What the file says is damaged.
    pub fn values(&self, field: FieldId) -> Result<Option<ElementStatistics>> {
        // Where there are other representations, or a column that came later, clusters may lack what the column has.
        let [columns] = self.schema.representations(field) else { return Ok(None) };
        let Some(first) = columns.first() else { return Ok(None) };
        let is_whole = self.schema.column(*first).is_some_and(|column| column.first_element.is_none());
        if !is_whole || is_rounded(&self.schema, field, *first) {
            return Ok(None);
        }
        Ok(self.column(*first)?.file())
    }

    /// What a file of its own recognises the pages by.
    pub(crate) fn marks(&self) -> Vec<(u64, u64)> {
        self.marks.clone()
    }

    /// Whether the ntuple is the one that they are about, in the same state.
    pub(crate) fn is_about(&self, dataset: &Dataset) -> bool {
        self.path == dataset.path() && self.marks == marks(dataset, Owner::of(dataset.file()))
    }

    /// The path of the ntuple in its file.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// All rows but that of the order, sorted by column and then by cluster.
    pub(crate) fn into_rows(mut self) -> Result<Vec<Attribute<Row>>> {
        // Without a clone, they need not be copied.
        if let Some(Source::Computed(rows)) = Arc::get_mut(&mut self.source) {
            return Ok(std::mem::take(rows));
        }
        match &*self.source {
            Source::Computed(rows) => Ok(rows.clone()),
            Source::Kept(kept) => kept.all_rows(),
            Source::Files { .. } => {
                let message = "the statistics of an overlay are kept with each of its files";
                Err(Error::unsupported(message).in_ntuple(&self.path))
            }
        }
    }
}

/// Whether values are rounded when they are read: they are others than those that were stored, of which the bounds are.
pub(crate) fn is_rounded(schema: &Schema, field: FieldId, column: ColumnId) -> bool {
    let column_type = schema.column(column).and_then(|column| column.column_type());
    matches!(column_type, Some(ColumnType::Real64 | ColumnType::SplitReal64))
        && schema.field(field).is_some_and(|field| field.type_name == "float")
}

impl fmt::Debug for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Statistics")
            .field("ntuple", &self.path)
            .field("clusters", &self.clusters)
            .finish_non_exhaustive()
    }
}

/// What is known of one column, by cluster and page: [`Statistics::column`].
#[derive(Clone, Debug)]
pub struct ColumnStatistics {
    clusters: BTreeMap<ClusterId, ClusterFacts>,
    cluster_count: u64,
}

impl ColumnStatistics {
    /// Returns the clusters of which anything is known, in order, and what is known of all elements in each.
    pub fn clusters(&self) -> impl Iterator<Item = (ClusterId, &ElementStatistics)> {
        self.clusters.iter().map(|(cluster, facts)| (*cluster, &facts.whole))
    }

    /// Returns what is known of all elements in a cluster; `None` if nothing is.
    pub fn cluster(&self, cluster: ClusterId) -> Option<&ElementStatistics> {
        self.clusters.get(&cluster).map(|facts| &facts.whole)
    }

    /// Returns what is known of each page in a cluster, in their order; `None` if nothing is. The page list of the
    /// cluster has as many, which is for the caller to check.
    pub fn pages(&self, cluster: ClusterId) -> Option<&[ElementStatistics]> {
        self.clusters.get(&cluster).map(|facts| &*facts.pages)
    }

    fn facts(&self, cluster: ClusterId) -> Option<&ClusterFacts> {
        self.clusters.get(&cluster)
    }

    /// Returns what is known of all elements in the file; `None` if there is a cluster of which nothing is known.
    pub fn file(&self) -> Option<ElementStatistics> {
        if self.clusters.len() as u64 != self.cluster_count {
            return None;
        }
        let mut clusters = self.clusters.values().map(|facts| &facts.whole);
        let mut all = clusters.next()?.clone();
        clusters.for_each(|cluster| all.fold(cluster));
        Some(all)
    }
}
