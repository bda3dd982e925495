//! The index of bounds: what is known of the values in all fragments, in one file.

use std::collections::{BTreeMap, HashSet};
use std::time::{SystemTime, UNIX_EPOCH};

use prost::Message as _;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use rntuple::schema::FieldId;
use rntuple::statistics::{ElementStatistics, Statistics};
use rntuple::storage::without_secrets;
use rntuple::{Dataset, Pool, RootFile, WriteOptions, Writer};
use roaring::RoaringBitmap;
use uuid::Uuid;

use super::Table;
use super::check::includes;
use super::pool::all_cores;
use crate::bounds::{self, Bounds, Column, Details, Record, identity, is_failure};
use crate::error::{Error, Result};
use crate::format::transaction::CreateIndex;
use crate::format::{Any, DataFile, DataFragment, IndexFile, IndexMetadata, IndexUuid, Transaction, names};
use crate::order::{self, Claim};
use crate::schema::Paths;
use crate::sides::Sides;
use crate::snapshot::Snapshot;
use crate::transactions::bitmap;

/// Fragments whose files are looked into before what they say is taken in.
const AT_ONCE: usize = 1024;

/// Files elsewhere that are looked into at once.
const MOST_WAITING: usize = 32;

/// Elements of lists after which a cluster ends: who needs one field does not read those of all others.
const CLUSTER: usize = 4096;

/// What is indexed.
#[derive(Clone, Debug, Default)]
#[must_use]
#[non_exhaustive]
pub struct IndexOptions {
    computes: bool,
}

impl IndexOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether files without statistics are read as a whole to find the bounds. Default: `false`; nothing is then
    /// known of such files.
    pub fn compute(mut self, computes: bool) -> Self {
        self.computes = computes;
        self
    }
}

/// What is known of the fields of a file, by their ids in the data set.
type Known = Vec<(i32, ElementStatistics)>;

impl Table {
    /// Collects the bounds of the values in all fragments in one file, an index of the data set. A predicate then
    /// decides with a few reads which fragments may have matches, and only their files are opened: see
    /// [`Snapshot::filter`].
    ///
    /// Bounds are taken from the statistics of the files, or [computed](IndexOptions::compute). What the index has is kept:
    /// called again after rows or columns came, this looks only into files that the index does not know. Where there are
    /// none, nothing is committed. [`compact`](Self::compact) does so on its own. Appending does not: the index is one file,
    /// which would be written again for each append, and rows that came later are found by the statistics of their files.
    ///
    /// The index is believed as long as a fragment has the same data files, by their paths and sizes.
    /// [`check`](Self::check) compares it with the files.
    ///
    /// ```
    /// use rntuple::RNTuple;
    /// use rntuple_dataset::IndexOptions;
    /// # use rntuple_dataset::Table;
    ///
    /// #[derive(RNTuple)]
    /// struct Event { run: u32, number: u64 }
    ///
    /// # fn main() -> rntuple_dataset::Result<()> {
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("events.rnds");
    /// let table = Table::create::<Event>(path.to_str().unwrap(), "Events")?;
    /// for run in 0..20 {
    ///     table.append::<Event>(|writer| (0..100).try_for_each(|number| writer.fill(&Event { run, number })))?;
    /// }
    /// let snapshot = table.index_bounds(&IndexOptions::new())?;
    /// let found = snapshot.filter::<Event>(&"run == 7 and number == 42".parse()?)?;
    /// assert_eq!(found.entries().count(), 1);
    /// assert_eq!(found.counters().files.read(), 1);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A data file or its statistics cannot be read, or the file has another number of rows than the data set says;
    /// [`Conflict`](crate::ErrorKind::Conflict): fragments of the index were written together meanwhile, or another program
    /// has indexed them: do it again.
    pub fn index_bounds(&self, options: &IndexOptions) -> Result<Snapshot> {
        let snapshot = self.snapshot()?;
        let found = collect(&snapshot, options)?;
        let old = bounds::find(snapshot.indices());
        if found.is_empty() || old.is_some() && !found.is_new {
            return Ok(snapshot);
        }
        let uuid = Uuid::new_v4();
        let folder = format!("{}/{uuid}", names::INDICES);
        self.location().prepare_folder(&folder)?;
        let path = format!("{}/{folder}/{}", self.location().root(), bounds::FILE);
        let size_bytes = write(&path, &found.columns)?;
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let index = IndexMetadata {
            uuid: Some(IndexUuid { uuid: uuid.as_bytes().to_vec() }),
            fields: found.columns.keys().copied().collect(),
            name: bounds::NAME.to_owned(),
            dataset_version: snapshot.version(),
            fragment_bitmap: bitmap(&found.covered),
            index_details: Some(Any {
                type_url: bounds::KIND.to_owned(),
                value: found.details(order::declared(&snapshot)).encode_to_vec(),
            }),
            index_version: Some(bounds::VERSION),
            created_at: u64::try_from(since_1970.as_millis()).ok(),
            files: vec![IndexFile { path: bounds::FILE.to_owned(), size_bytes }],
            ..IndexMetadata::default()
        };
        let operation =
            CreateIndex { new_indices: vec![index], removed_indices: old.into_iter().cloned().collect() };
        self.commit(&snapshot, Transaction::new(snapshot.version(), operation))
    }
}

/// What becomes the index.
#[derive(Default)]
struct Found {
    columns: BTreeMap<i32, Column>,
    covered: RoaringBitmap,
    /// The fragments that are in the order that the data set declares.
    sorted: RoaringBitmap,
    /// Whether any of it is not in the index that exists.
    is_new: bool,
}

impl Found {
    fn is_empty(&self) -> bool {
        self.covered.is_empty()
    }

    fn details(&self, declared: Vec<i32>) -> Details {
        if declared.is_empty() || self.sorted.is_empty() {
            return Details::default();
        }
        Details { sorted_by: declared, sorted: bitmap(&self.sorted) }
    }

    fn add(&mut self, fragment: u32, file: &DataFile, known: &Known) {
        for (field, known) in known {
            self.columns.entry(*field).or_default().push(*field, fragment, identity(file), known);
            self.covered.insert(fragment);
        }
    }
}

/// Takes what the index knows, and looks into the files that it does not know.
fn collect(snapshot: &Snapshot, options: &IndexOptions) -> Result<Found> {
    let fields: HashSet<i32> = snapshot.fields().iter().map(|field| field.id).collect();
    let old = Old::open(snapshot)?;
    let sides = Sides::new(snapshot.location());
    let pool = match snapshot.location().is_local() {
        true => all_cores()?,
        false => Pool::new(MOST_WAITING)?,
    };
    let find = |dataset: &Dataset| match sides.statistics(dataset)? {
        None if options.computes => Ok(Some(Statistics::compute(dataset)?)),
        known => Ok(known),
    };
    let ids = order::declared(snapshot);
    let sorted = snapshot.sorted_in_index()?;
    let with_rows = |(position, fragment): (usize, &'_ DataFragment)| {
        // In fragments without rows there is nothing to be found.
        (fragment.physical_rows > 0).then_some(position)
    };
    let positions: Vec<usize> = snapshot.fragments().iter().enumerate().filter_map(with_rows).collect();
    let mut found = Found::default();
    for positions in positions.chunks(AT_ONCE) {
        let fragments = positions.iter().filter_map(|at| Some((*at, snapshot.fragments().get(*at)?)));
        let files = fragments.flat_map(|(position, fragment)| {
            fragment.files.iter().map(move |file| (position, fragment, file))
        });
        let files: Vec<Listed<'_>> = files
            .map(|(position, fragment, file)| Listed {
                position,
                fragment,
                file,
                known: old.known(fragment.id, file, &fields),
                is_sorted: sorted.get(position) == Some(&true),
            })
            .collect();
        let look = |listed: &Listed<'_>| {
            let Listed { position, fragment, file, known, is_sorted } = listed;
            let mut looked = match known.is_empty() {
                true => look_into(snapshot, fragment, file, &fields, &ids, &find)?,
                false => Looked::default(),
            };
            // Statistics next to a file may have an order that its own lack.
            let has_keys = !ids.is_empty() && ids.iter().all(|id| file.fields.contains(id));
            if has_keys && !is_sorted && !looked.is_sorted {
                looked.is_sorted = matches!(order::claim(snapshot, *position)?, Claim::Sorted(_));
            }
            Ok(looked)
        };
        let looked: Vec<Looked> =
            pool.as_rayon().install(|| files.par_iter().map(look).collect::<Result<_>>())?;
        for (listed, looked) in files.iter().zip(&looked) {
            let id = u32::try_from(listed.fragment.id)
                .map_err(|_| Error::limit("the id of a fragment is over 2^32"))?;
            found.is_new |= !looked.known.is_empty() || looked.is_sorted;
            found.add(id, listed.file, &listed.known);
            found.add(id, listed.file, &looked.known);
            if listed.is_sorted || looked.is_sorted {
                found.sorted.insert(id);
            }
        }
    }
    Ok(found)
}

/// A file of a fragment, and what the index says of it.
struct Listed<'a> {
    position: usize,
    fragment: &'a DataFragment,
    file: &'a DataFile,
    known: Known,
    /// Whether the fragment is in the order that the data set declares.
    is_sorted: bool,
}

/// What a file says itself.
#[derive(Default)]
struct Looked {
    known: Known,
    is_sorted: bool,
}

/// The index that exists, as a whole.
#[derive(Default)]
struct Old {
    bounds: Option<std::sync::Arc<Bounds>>,
    columns: BTreeMap<i32, std::sync::Arc<Column>>,
}

impl Old {
    /// A damaged index is as good as none.
    fn open(snapshot: &Snapshot) -> Result<Self> {
        let Some(bounds) = snapshot.bounds()? else { return Ok(Self::default()) };
        let mut columns = BTreeMap::new();
        for field in bounds.fields() {
            match bounds.column(field) {
                Ok(column) => drop(columns.insert(field, column)),
                Err(error) if is_failure(&error) => return Err(error.into()),
                Err(_) => {}
            }
        }
        Ok(Self { bounds: Some(bounds), columns })
    }

    /// What it says of the fields of a file.
    fn known(&self, fragment: u64, file: &DataFile, fields: &HashSet<i32>) -> Known {
        let Some(bounds) = &self.bounds else { return Known::new() };
        let fields = file.fields.iter().filter(|field| fields.contains(field));
        let known =
            fields.filter_map(|field| Some((*field, bounds.get(self.columns.get(field)?, fragment, file)?)));
        known.collect()
    }
}

/// What the statistics of a file say of its fields, and of the order that fields declare.
fn look_into(
    snapshot: &Snapshot,
    fragment: &DataFragment,
    file: &DataFile,
    fields: &HashSet<i32>,
    order: &[i32],
    find: &dyn Fn(&Dataset) -> Result<Option<Statistics>>,
) -> Result<Looked> {
    let dataset = Dataset::open(&RootFile::open(snapshot.file(file))?, snapshot.ntuple())?;
    let (rows, wanted) = (dataset.entry_count(), fragment.physical_rows);
    if rows != wanted {
        let message = format!("the file has {rows} entries, expected {wanted}, as the data set says");
        return Err(Error::out_of_spec(message).in_file(snapshot.file(file)));
    }
    let Some(statistics) = find(&dataset)? else { return Ok(Looked::default()) };
    let is_sorted = order::is_sorted(&dataset, file, order, &statistics);
    let mut known = Known::new();
    for (field, column) in file.fields.iter().zip(&file.column_indices) {
        let Some(column) = u32::try_from(*column).ok().filter(|_| fields.contains(field)) else { continue };
        match statistics.values(FieldId(column)) {
            Ok(values) => known.extend(values.map(|values| (*field, values))),
            Err(error) if is_failure(&error) => return Err(error.into()),
            Err(_) => {}
        }
    }
    Ok(Looked { known, is_sorted })
}

/// Writes the file of the index; returns its size.
fn write(path: &str, columns: &BTreeMap<i32, Column>) -> Result<u64> {
    let mut writer = Writer::<Record>::create_new(path, bounds::NTUPLE, WriteOptions::new())?;
    let mut open = 0;
    for record in columns.values().flat_map(Column::records) {
        writer.fill(record)?;
        open += record.len();
        if open >= CLUSTER {
            writer.commit_cluster()?;
            open = 0;
        }
    }
    Ok(writer.finish()?.file_size)
}

/// What is wrong with the index of bounds of a version: it excludes values that a file has. `seen` has the data files that
/// were compared, each with the index.
///
/// # Errors
/// The index cannot be read.
pub(super) fn check(
    snapshot: &Snapshot,
    pages: bool,
    seen: &mut HashSet<(Vec<u8>, u64, u64)>,
    found: &mut dyn FnMut(String),
) -> Result<()> {
    let Some(index) = bounds::find(snapshot.indices()) else { return Ok(()) };
    let opened = Bounds::open(snapshot.location(), index, snapshot.fields())?;
    let fields: HashSet<i32> = snapshot.fields().iter().map(|field| field.id).collect();
    let mut columns = BTreeMap::new();
    for field in opened.fields() {
        columns.insert(field, opened.column(field)?);
    }
    let old = Old { bounds: Some(std::sync::Arc::new(opened)), columns };
    let uuid = index.uuid.as_ref().map(|it| it.uuid.clone()).unwrap_or_default();
    let paths = Paths::new(snapshot.fields())?;
    let pool = all_cores()?;
    let sides = Sides::new(snapshot.location());
    let find = |dataset: &Dataset| match pages {
        true => Ok(Some(Statistics::compute_on(dataset, &pool)?)),
        false => Ok(sides.statistics(dataset)?),
    };
    let sorted = snapshot.sorted_in_index()?;
    for (position, fragment) in snapshot.fragments().iter().enumerate() {
        if sorted.get(position) == Some(&true) && matches!(order::claim(snapshot, position), Ok(Claim::None))
        {
            let what = "the index of bounds says that its rows are sorted, which the statistics of its file do not say";
            found(format!("fragment {}: {what}", fragment.id));
        }
        for file in &fragment.files {
            let claimed = old.known(fragment.id, file, &fields);
            if claimed.is_empty() || !seen.insert((uuid.clone(), fragment.id, identity(file))) {
                continue;
            }
            let values = match look_into(snapshot, fragment, file, &fields, &[], &find) {
                Ok(looked) => looked.known.into_iter().collect::<BTreeMap<_, _>>(),
                Err(error) => {
                    found(format!("fragment {}: {error}", fragment.id));
                    continue;
                }
            };
            for (field, claimed) in claimed {
                if values.get(&field).is_some_and(|values| !includes(&claimed, values)) {
                    let path = paths.path(field).unwrap_or_else(|| format!("with the id {field}"));
                    found(format!(
                        "fragment {}: the index of bounds excludes values that the field {path} has in {}",
                        fragment.id,
                        without_secrets(&snapshot.file(file))
                    ));
                }
            }
        }
    }
    Ok(())
}
