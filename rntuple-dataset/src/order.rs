//! The order of rows: the manifest declares it, and the statistics of each data file say whether it has it.

use std::sync::Arc;

use rntuple::statistics::{SortOrder, Statistics};
use rntuple::{Dataset, ErrorKind, RootFile};

use crate::bounds::{Bounds, Column, is_failure};
use crate::config;
use crate::error::{Error, Result};
use crate::format::{DataFile, DataFragment};
use crate::location::{Location, statistics_of};
use crate::schema::{self, Paths};
use crate::snapshot::Snapshot;

/// The bytes that the paths of an order may have together.
const LONGEST: usize = 1 << 16;

/// What is known of the order of a fragment.
pub(crate) enum Claim {
    /// Its rows may be in any order.
    None,
    /// It has no rows.
    Empty,
    Sorted(SortOrder),
}

impl Snapshot {
    /// Returns the paths of the fields that the rows of each fragment are sorted by, first the one that counts most; none if
    /// the data set declares no order: see [`Table::set_sort_order`](crate::Table::set_sort_order).
    ///
    /// A field that was dropped or replaced ends the list, and so does one whose path has over 4 KiB, or with which all
    /// paths have over 64 KiB.
    pub fn sort_order(&self) -> Vec<String> {
        let ids = config::sort_order(self.manifest());
        if ids.is_empty() {
            return Vec::new();
        }
        let Ok(paths) = Paths::new(self.fields()) else { return Vec::new() };
        paths_of(&paths, &ids)
    }

    /// Whether the rows of a fragment, by its position among [`fragments`](Self::fragments), are in the
    /// [order](Self::sort_order) that the data set declares; `false` if it declares none. The
    /// [index of bounds](crate::Table::index_bounds) says it, or else the statistics of its file: nothing else is read.
    ///
    /// Appended and compacted rows are in order; rows that an update has written need not be. The order is within a
    /// fragment: the keys of one may overlap with those of others.
    ///
    /// # Errors
    /// There is no such fragment, or its file cannot be opened.
    pub fn is_fragment_sorted(&self, position: usize) -> Result<bool> {
        if let Some(fragment) = self.fragments().get(position)
            && let Some(indexed) = Indexed::of(self, declared(self))?
            && indexed.is_sorted(fragment)
        {
            return Ok(true);
        }
        Ok(!matches!(claim(self, position)?, Claim::None))
    }

    /// Returns for each fragment whether the [index of bounds](crate::Table::index_bounds) says that its rows are in the
    /// [order](Self::sort_order) that the data set declares. Of the others, [`is_fragment_sorted`](Self::is_fragment_sorted)
    /// asks the file. Fragments without rows are in any order.
    ///
    /// ```
    /// # use rntuple::RNTuple;
    /// # use rntuple_dataset::{IndexOptions, Table};
    /// # #[derive(RNTuple)]
    /// # struct Event { run: u32, number: u64 }
    /// # fn main() -> rntuple_dataset::Result<()> {
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("events.rnds");
    /// # let table = Table::create::<Event>(path.to_str().unwrap(), "Events")?;
    /// table.set_sort_order(&["run", "number"])?;
    /// let snapshot = table.append::<Event>(|writer| (0..9).try_for_each(|number| writer.fill(&Event { run: 1, number })))?;
    /// assert_eq!(snapshot.sorted_in_index()?, [true, false]);
    /// assert_eq!(table.index_bounds(&IndexOptions::new())?.sorted_in_index()?, [true, true]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn sorted_in_index(&self) -> Result<Vec<bool>> {
        let ids = declared(self);
        if ids.is_empty() {
            return Ok(vec![false; self.fragments().len()]);
        }
        let indexed = Indexed::of(self, ids)?;
        let is_sorted = |fragment: &DataFragment| {
            fragment.physical_rows == 0 || indexed.as_ref().is_some_and(|indexed| indexed.is_sorted(fragment))
        };
        Ok(self.fragments().iter().map(is_sorted).collect())
    }
}

/// The paths of the fields of an order, up to one that does not exist or is too long: a long name of a record is in the
/// paths of all its members.
pub(crate) fn paths_of(paths: &Paths<'_>, ids: &[i32]) -> Vec<String> {
    let mut left = LONGEST;
    let path_of = |id: &i32| {
        let path = paths.path(*id)?;
        left = left.checked_sub(path.len() + 1)?;
        Some(path)
    };
    ids.iter().map_while(path_of).collect()
}

/// What the index of bounds says of the order that the data set declares.
struct Indexed {
    bounds: Arc<Bounds>,
    /// The fields of the order, and what is known of each.
    columns: Vec<(i32, Arc<Column>)>,
}

impl Indexed {
    /// `None`: there is no index that knows it.
    fn of(snapshot: &Snapshot, ids: Vec<i32>) -> Result<Option<Self>> {
        let Some(bounds) = snapshot.bounds()?.filter(|_| !ids.is_empty()) else { return Ok(None) };
        let mut columns = Vec::with_capacity(ids.len());
        for id in ids {
            match bounds.column(id) {
                Ok(column) => columns.push((id, column)),
                Err(error) if is_failure(&error) => return Err(error.into()),
                Err(_) => return Ok(None),
            }
        }
        Ok(Some(Self { bounds, columns }))
    }

    /// What it says is believed as long as all fields of the order are in the files that they were in.
    fn is_sorted(&self, fragment: &DataFragment) -> bool {
        let ids: Vec<i32> = self.columns.iter().map(|(id, _)| *id).collect();
        let is_same = |(id, column): &(i32, Arc<Column>)| {
            let file = fragment.file_of(*id);
            file.is_some_and(|file| self.bounds.get(column, fragment.id, file).is_some())
        };
        self.bounds.is_sorted(fragment.id, &ids) && self.columns.iter().all(is_same)
    }
}

/// What the statistics of a fragment say of the order that the data set declares.
pub(crate) fn claim(snapshot: &Snapshot, position: usize) -> Result<Claim> {
    let fragment = snapshot.fragments().get(position).ok_or_else(|| {
        let message = format!("there is no fragment at position {position}");
        Error::invalid_argument(message).in_file(snapshot.location().root())
    })?;
    let ids = declared(snapshot);
    if ids.is_empty() {
        return Ok(Claim::None);
    }
    if fragment.physical_rows == 0 {
        return Ok(Claim::Empty);
    }
    let Some(keys) = KeyFile::of(snapshot, fragment, &ids)? else { return Ok(Claim::None) };
    let known = keys.statistics(snapshot.location())?;
    Ok(known.and_then(|known| keys.order_in(&known)).map_or(Claim::None, Claim::Sorted))
}

/// The ids of the fields that are declared, and exist.
pub(crate) fn declared(snapshot: &Snapshot) -> Vec<i32> {
    let mut ids = config::sort_order(snapshot.manifest());
    ids.truncate(snapshot.sort_order().len());
    ids
}

/// Has a fragment say that its rows are sorted by fields: its statistics do already, or its keys are read and found to be
/// sorted, and statistics are written to the data set.
///
/// # Errors
/// The rows are not sorted, or the fields are not in one file; or files cannot be read or written.
pub(crate) fn verify(snapshot: &Snapshot, fragment: &DataFragment, ids: &[i32]) -> Result<()> {
    if ids.is_empty() || fragment.physical_rows == 0 {
        return Ok(());
    }
    let location = snapshot.location();
    let keys = KeyFile::of(snapshot, fragment, ids)?.ok_or_else(|| {
        let message = "the fields that rows are sorted by are in different files of a fragment";
        Error::invalid_argument(message).in_file(location.root())
    })?;
    let known = keys.statistics(location)?;
    if known.as_ref().is_some_and(|known| keys.order_in(known).is_some()) {
        return Ok(());
    }
    // Before all else is read.
    SortOrder::verify(&keys.dataset, &keys.paths)?;
    let mut statistics = match known {
        Some(known) => known,
        None => Statistics::compute_on(&keys.dataset, &crate::table::all_cores()?)?,
    };
    statistics.verify_order(&keys.dataset, keys.paths)?;
    let name = statistics_of(&keys.path);
    location.prepare_for(&name)?;
    let side = format!("{}/{name}", location.root());
    Ok(statistics.save(&side, rntuple::WriteOptions::new())?)
}

/// Whether statistics of a data file say that its rows are sorted by some fields.
pub(crate) fn is_sorted(dataset: &Dataset, file: &DataFile, ids: &[i32], known: &Statistics) -> bool {
    let Some(paths) = paths_in(dataset, file, ids).filter(|paths| !paths.is_empty()) else { return false };
    known.sort_order().is_some_and(|order| order.fields().starts_with(&paths))
}

/// The paths of fields in a data file that has them.
fn paths_in(dataset: &Dataset, file: &DataFile, ids: &[i32]) -> Option<Vec<String>> {
    let path_of = |id: &i32| {
        let place = file.fields.iter().position(|field| field == id)?;
        let field = u32::try_from(*file.column_indices.get(place)?).ok()?;
        schema::path_in(dataset.schema(), rntuple::schema::FieldId(field))
    };
    ids.iter().map(path_of).collect()
}

/// Reads the keys of a fragment that is said to be sorted.
///
/// # Errors
/// It is not, or its keys cannot be read.
pub(crate) fn check(snapshot: &Snapshot, position: usize) -> Result<()> {
    if !matches!(claim(snapshot, position)?, Claim::Sorted(_)) {
        return Ok(());
    }
    let (fragment, ids) = (snapshot.fragments().get(position), declared(snapshot));
    let keys = fragment.map(|fragment| KeyFile::of(snapshot, fragment, &ids)).transpose()?.flatten();
    keys.map_or(Ok(()), |keys| Ok(SortOrder::verify(&keys.dataset, &keys.paths).map(drop)?))
}

/// The file of a fragment that has the fields that rows are sorted by.
struct KeyFile {
    /// As the manifest has it.
    path: String,
    dataset: Dataset,
    /// The paths of the fields in the file.
    paths: Vec<String>,
}

impl KeyFile {
    /// `None`: no file has all of them.
    fn of(snapshot: &Snapshot, fragment: &DataFragment, ids: &[i32]) -> Result<Option<Self>> {
        let has_all = |file: &&DataFile| ids.iter().all(|id| file.fields.contains(id));
        let Some(file) = fragment.files.iter().find(has_all) else { return Ok(None) };
        let dataset = Dataset::open(&RootFile::open(snapshot.file(file))?, snapshot.ntuple())?;
        let paths = paths_in(&dataset, file, ids).ok_or_else(|| {
            Error::out_of_spec("a field has no number, or a long path")
                .in_field("column_indices")
                .in_file(&file.path)
        })?;
        Ok(Some(Self { path: file.path.clone(), dataset, paths }))
    }

    /// What is known of the values of the file: by its statistics in the data set, which may have an order that those in the
    /// file lack, or by these. Damaged ones are as good as none.
    fn statistics(&self, location: &Location) -> Result<Option<Statistics>> {
        let side = statistics_of(&self.path);
        let path = format!("{}/{side}", location.root());
        let place = location.clone();
        let has_side = rntuple_object_store::wait(async move { place.has(&place.key(&side)).await })?;
        let in_dataset = || RootFile::open(path).and_then(|side| Statistics::open(&side, &self.dataset));
        let found = match has_side.then(in_dataset) {
            Some(Ok(found)) => return Ok(Some(found)),
            Some(Err(error)) if error.kind() == ErrorKind::Io => Err(error),
            _ => Statistics::of(&self.dataset),
        };
        match found {
            Err(error) if error.kind() == ErrorKind::Io => Err(error.into()),
            found => Ok(found.unwrap_or_default()),
        }
    }

    /// The order that statistics of the file have, if it is that of the fields.
    fn order_in(&self, statistics: &Statistics) -> Option<SortOrder> {
        statistics.sort_order().filter(|order| order.fields().starts_with(&self.paths)).cloned()
    }
}
