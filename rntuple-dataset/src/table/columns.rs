//! Columns that come, go, or change their names, without the rows being written again.

use std::collections::HashSet;

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use rntuple::field::{ReadField, WriteField};
use rntuple::{Dataset, Entry, ReadOptions, RootFile, WriteOptions, Writer};

use super::Table;
use super::append::new_file;
use super::pool::all_cores;
use crate::error::{Error, ErrorKind, Result};
use crate::format::transaction::{Merge, Project};
use crate::format::{DataFile, DataFragment, Field, TOMBSTONE, Transaction};
use crate::schema::{self, Paths};
use crate::snapshot::Snapshot;

/// Clusters of the new columns end where those of the old ones do, and nowhere else.
const ENDLESS: u64 = 1 << 40;

impl Table {
    /// Adds columns, or replaces those of the same names: the members of `S`, computed from the members of `I`.
    ///
    /// `compute` is called on all cores, with the rows of one cluster at a time, and returns a value for each of them, in
    /// their order. It gets rows that are deleted as well. The values go to a file next to each data file, which is not
    /// touched.
    ///
    /// ```
    /// use rntuple::RNTuple;
    /// # use rntuple_dataset::Table;
    /// # #[derive(RNTuple)]
    /// # struct Event { energy: f32 }
    ///
    /// #[derive(RNTuple)]
    /// struct Raw { energy: f32 }
    ///
    /// #[derive(RNTuple)]
    /// struct Calibrated { calibrated: f32 }
    ///
    /// # fn main() -> rntuple_dataset::Result<()> {
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("events.rnds");
    /// # let table = Table::create::<Event>(path.to_str().unwrap(), "Events")?;
    /// # table.append::<Event>(|writer| writer.fill(&Event { energy: 10.0 }))?;
    /// let snapshot = table.add_columns(|rows: Vec<Raw>| {
    ///     rows.iter().map(|raw| Calibrated { calibrated: 1.02 * raw.energy }).collect()
    /// })?;
    /// assert_eq!(snapshot.reader::<Calibrated>()?.entries().count(), 1);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`InvalidArgument`](ErrorKind::InvalidArgument): there are more or fewer values than rows;
    /// [`Conflict`](ErrorKind::Conflict): rows came meanwhile, which lack the columns: do it again. And as
    /// [`append`](Self::append).
    pub fn add_columns<I, S>(&self, compute: impl Fn(Vec<I>) -> Vec<S> + Sync) -> Result<Snapshot>
    where
        I: Entry + ReadField<Reader: Send> + Send,
        S: Entry + WriteField + Send,
    {
        self.add_columns_with(WriteOptions::new().statistics(true), compute)
    }

    /// Adds columns as [`add_columns`](Self::add_columns) does, with options for their files.
    ///
    /// # Errors
    /// As [`add_columns`](Self::add_columns).
    pub fn add_columns_with<I, S>(
        &self,
        options: WriteOptions,
        compute: impl Fn(Vec<I>) -> Vec<S> + Sync,
    ) -> Result<Snapshot>
    where
        I: Entry + ReadField<Reader: Send> + Send,
        S: Entry + WriteField + Send,
    {
        let snapshot = self.snapshot()?;
        let options = options.cluster_size(ENDLESS).max_cluster_length(ENDLESS);
        let mut fields = snapshot.fields().to_vec();
        let mut fragments = Vec::with_capacity(snapshot.fragments().len());
        let mut new_fields: Vec<Field> = Vec::new();
        for (position, fragment) in snapshot.fragments().iter().enumerate() {
            let (name, path) = new_file(self.log())?;
            write_side(&snapshot, position, &path, options.clone(), &compute)?;
            let dataset = Dataset::open(&RootFile::open(&path)?, snapshot.ntuple())?;
            if new_fields.is_empty() {
                new_fields = replace_fields(&mut fields, next_field(&snapshot)?, &dataset)?;
            }
            let file = schema::match_file(&new_fields, dataset.schema(), name)?;
            let file = DataFile { file_size_bytes: dataset.file().end(), ..file };
            fragments.push(with_file(fragment, &fields, file));
        }
        let operation = Merge { fragments, schema: fields, ..Merge::default() };
        self.commit(&snapshot, Transaction::new(snapshot.version(), operation))
    }

    /// Removes columns: fields, or members of records, by their paths (`muons._0.charge`). Files stay as they are.
    ///
    /// # Errors
    /// There is no such field, or it is a part that its field cannot be without; or the commit fails.
    pub fn drop_columns(&self, paths: &[&str]) -> Result<Snapshot> {
        let snapshot = self.snapshot()?;
        let fields = snapshot.fields();
        let by_path = Paths::new(fields)?;
        let mut dropped = HashSet::new();
        for path in paths {
            let field = find(&snapshot, &by_path, path)?;
            let is_part =
                fields.iter().any(|parent| parent.id == field.parent_id && !schema::is_record(parent));
            if is_part {
                let message = format!("{path:?} is a part of its field: drop that instead");
                return Err(Error::invalid_argument(message).in_file(self.location().root()));
            }
            dropped.insert(field.id);
        }
        let mut kept = Vec::with_capacity(fields.len());
        for field in fields {
            // Parents come first.
            if dropped.contains(&field.id) || dropped.contains(&field.parent_id) {
                dropped.insert(field.id);
            } else {
                kept.push(field.clone());
            }
        }
        self.project(&snapshot, kept)
    }

    /// Gives a field, or a member of a record, another name: `rename_column("muons._0.pt", "momentum")`.
    ///
    /// # Errors
    /// There is no such field, another one has the name, or the name is not possible; or the commit fails.
    pub fn rename_column(&self, path: &str, name: &str) -> Result<Snapshot> {
        let snapshot = self.snapshot()?;
        let by_path = Paths::new(snapshot.fields())?;
        let field = find(&snapshot, &by_path, path)?;
        let place = |message: String| Error::invalid_argument(message).in_file(self.location().root());
        if name.is_empty() || name.contains(['.', '/', '\\', '\0']) {
            return Err(place(format!("{name:?} cannot be the name of a field")));
        }
        if snapshot.fields().iter().any(|parent| parent.id == field.parent_id && !schema::is_record(parent)) {
            return Err(place(format!("{path:?} is a part of its field, which has no other name")));
        }
        if snapshot.fields().iter().any(|other| other.parent_id == field.parent_id && other.name == name) {
            return Err(place(format!("there is a field {name:?} next to {path:?}")));
        }
        let mut fields = snapshot.fields().to_vec();
        for other in &mut fields {
            if other.id == field.id {
                name.clone_into(&mut other.name);
            }
        }
        self.project(&snapshot, fields)
    }

    fn project(&self, snapshot: &Snapshot, schema: Vec<Field>) -> Result<Snapshot> {
        // Rows that others append meanwhile are known by the ids of their fields.
        let operation = Project { schema, preserves_nullability: true };
        self.commit(snapshot, Transaction::new(snapshot.version(), operation))
    }
}

fn find<'a>(snapshot: &Snapshot, paths: &Paths<'a>, path: &str) -> Result<&'a Field> {
    paths.get(path).ok_or_else(|| {
        let message = format!("the data set has no field {path:?}");
        Error::new(ErrorKind::NotFound, message).in_file(snapshot.location().root())
    })
}

/// The first id that no field has, nor any that was dropped and is still in a file.
fn next_field(snapshot: &Snapshot) -> Result<i32> {
    let files = snapshot.fragments().iter().flat_map(|fragment| &fragment.files);
    let ids = snapshot.fields().iter().map(|field| field.id).chain(files.flat_map(|it| it.fields.clone()));
    let next = ids.max().unwrap_or(-1).checked_add(1);
    next.ok_or_else(|| Error::limit("a data set has over 2^31 fields"))
}

/// Adds the fields of a file to those of the data set, with ids from `first` on and in place of those of the same names;
/// returns the new ones.
fn replace_fields(fields: &mut Vec<Field>, first: i32, dataset: &Dataset) -> Result<Vec<Field>> {
    let new = schema::fields_of(dataset.schema(), first)?;
    let names: HashSet<&str> =
        new.iter().filter(|field| field.parent_id == -1).map(|field| &*field.name).collect();
    let mut replaced = HashSet::new();
    fields.retain(|field| {
        let goes =
            (field.parent_id == -1 && names.contains(&*field.name)) || replaced.contains(&field.parent_id);
        if goes {
            replaced.insert(field.id);
        }
        !goes
    });
    fields.extend(new.iter().cloned());
    Ok(new)
}

/// A fragment with one more file, of whose old files those fields are left that the data set still has.
fn with_file(fragment: &DataFragment, fields: &[Field], file: DataFile) -> DataFragment {
    let known: HashSet<i32> = fields.iter().map(|field| field.id).collect();
    let mut fragment = fragment.clone();
    for old in &mut fragment.files {
        for id in &mut old.fields {
            if !known.contains(id) {
                *id = TOMBSTONE;
            }
        }
    }
    // The first file says which clusters there are.
    let mut position = 0;
    fragment.files.retain(|file| {
        position += 1;
        position == 1 || file.fields.iter().any(|id| *id != TOMBSTONE)
    });
    fragment.files.push(file);
    fragment
}

/// Computes the new columns of a fragment, cluster by cluster.
fn write_side<I, S>(
    snapshot: &Snapshot,
    position: usize,
    path: &str,
    options: WriteOptions,
    compute: &(impl Fn(Vec<I>) -> Vec<S> + Sync),
) -> Result<()>
where
    I: Entry + ReadField<Reader: Send> + Send,
    S: Entry + WriteField + Send,
{
    let pool = all_cores()?;
    let reader = snapshot.fragment_reader::<I>(position, ReadOptions::new())?;
    let mut clusters = Vec::new();
    for cluster in reader.dataset(0)?.clusters() {
        let cluster = cluster?;
        clusters.push(cluster.first_entry..cluster.first_entry + cluster.entry_count);
    }
    let mut writer = Writer::<S>::create_new(path, snapshot.ntuple(), options)?;
    for some in clusters.chunks(pool.threads().max(1)) {
        let computed = pool.as_rayon().install(|| {
            let values = some.to_vec().into_par_iter().map(|entries| {
                let rows: Vec<I> = reader.entries_in(entries).collect::<rntuple::Result<_>>()?;
                let (count, values) = (rows.len(), compute(rows));
                match values.len() == count {
                    true => Ok(values),
                    false => {
                        let message = format!("there are {} values for {count} rows", values.len());
                        Err(Error::invalid_argument(message))
                    }
                }
            });
            values.collect::<Result<Vec<_>>>()
        })?;
        for values in computed {
            writer.fill_all(&values)?;
            writer.commit_cluster()?;
        }
    }
    writer.finish()?;
    Ok(())
}
