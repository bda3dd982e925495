//! Columns that are added, in files next to those of the rows.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use rayon::iter::{IntoParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _};
use rntuple::field::{ReadField, WriteField};
use rntuple::{Dataset, Entry, ReadOptions, Reader, RootFile, WriteOptions, Writer};

use super::Table;
use super::append::new_file;
use super::pool::all_cores;
use crate::config;
use crate::error::{Error, Result};
use crate::format::transaction::Merge;
use crate::format::{DataFile, DataFragment, Field, TOMBSTONE, Transaction, names};
use crate::schema;
use crate::settings::with_own_clusters;
use crate::snapshot::Snapshot;

impl Table {
    /// Adds columns, or replaces those of the same names: the members of `S`, computed from the members of `I`.
    ///
    /// `compute` is called on all cores, for several files and clusters at once, with the rows of one cluster at a time, and
    /// returns a value for each of them, in their order. It gets rows that are deleted as well. The values go to a file next to
    /// each data file, which is not touched. A file of which all columns were replaced does not belong to the new version, and
    /// neither do its [attribute sets](rntuple::attributes).
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
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument): there are more or fewer values than rows, or a projected
    /// field shows the values of a column that would be replaced; [`Conflict`](crate::ErrorKind::Conflict): rows came
    /// meanwhile, which lack the columns: do it again. And as [`append`](Self::append).
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
        let (snapshot, pool) = (self.snapshot()?, all_cores()?);
        let fragments = snapshot.fragments().len();
        // Where there are many fragments, each thread has one; of the last ones, several clusters are computed at once.
        let left = AtomicUsize::new(fragments);
        let at_once = || pool.threads().div_ceil(left.load(Relaxed).max(1)).max(1);
        self.add(&snapshot, options, |sides| {
            let side = |position| {
                sides.write(position, |fragment, writer| {
                    let reader = snapshot.fragment_reader::<I>(position, ReadOptions::new())?;
                    let mut clusters = &*fragment.clusters;
                    while !clusters.is_empty() {
                        let (some, rest) = clusters.split_at(at_once().min(clusters.len()));
                        clusters = rest;
                        let values = some.par_iter().map(|it| computed(&reader, it.clone(), &compute));
                        for values in values.collect::<Result<Vec<_>>>()? {
                            writer.fill_all(&values)?;
                            writer.commit_cluster()?;
                        }
                    }
                    left.fetch_sub(1, Relaxed);
                    Ok(())
                })
            };
            pool.as_rayon().install(|| (0..fragments).into_par_iter().map(side).collect())
        })
    }

    /// Adds columns to a version, or replaces those of the same names: `fill` writes their values. It may do so in pieces,
    /// and their types may be known only at run time, as those of [`Value`](rntuple::Value) are.
    ///
    /// `fill` is called with the entries of one cluster at a time, as the version counts them, and writes a value for each
    /// of them, in their order. Entries that are deleted are among them:
    /// [`reader_with_deleted`](Snapshot::reader_with_deleted) reads these, too.
    ///
    /// ```
    /// use rntuple::schema::{Field, FieldType, SchemaBuilder};
    /// use rntuple::{RNTuple, ReadOptions, Value, WriteOptions};
    /// # use rntuple_dataset::Table;
    ///
    /// #[derive(RNTuple)]
    /// struct Event { energy: f32 }
    ///
    /// # fn main() -> rntuple_dataset::Result<()> {
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("events.rnds");
    /// # let table = Table::create::<Event>(path.to_str().unwrap(), "Events")?;
    /// # table.append::<Event>(|writer| writer.fill(&Event { energy: 10.0 }))?;
    /// let snapshot = table.snapshot()?;
    /// let rows = snapshot.reader_with_deleted::<Event>(ReadOptions::new())?;
    /// let schema = SchemaBuilder::new().field(Field::new("twice", FieldType::F32));
    /// let options = WriteOptions::new().schema(schema).statistics(true);
    /// let snapshot = table.add_columns_from::<Value>(&snapshot, options, |entries, writer| {
    ///     for event in rows.entries_in(entries) {
    ///         writer.fill(&Value::record([("twice", 2.0 * event?.energy)]))?;
    ///     }
    ///     Ok(())
    /// })?;
    /// assert_eq!(snapshot.reader::<Value>()?.get(0)?.get("twice"), Some(&20f32.into()));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// That of `fill`; it has written more or fewer values than there are entries; or as [`add_columns`](Self::add_columns).
    pub fn add_columns_from<S: Entry + WriteField>(
        &self,
        snapshot: &Snapshot,
        options: WriteOptions,
        mut fill: impl FnMut(Range<u64>, &mut Writer<S>) -> rntuple::Result<()>,
    ) -> Result<Snapshot> {
        let mut fill = |fragment: &Clusters, writer: &mut Writer<S>| {
            for cluster in &fragment.clusters {
                let before = writer.entry_count();
                fill(fragment.first + cluster.start..fragment.first + cluster.end, writer)?;
                same_count(writer.entry_count() - before, cluster.end - cluster.start)?;
                writer.commit_cluster()?;
            }
            Ok(())
        };
        self.add(snapshot, options, |sides| {
            (0..snapshot.fragments().len()).map(|position| sides.write(position, &mut fill)).collect()
        })
    }

    /// Has a file written for each fragment, in their order, and commits all of them.
    fn add(
        &self,
        snapshot: &Snapshot,
        options: WriteOptions,
        write: impl FnOnce(&Sides<'_>) -> Result<Vec<Side>>,
    ) -> Result<Snapshot> {
        // They end where those of the old columns do.
        let options = with_own_clusters(options);
        let sides = Sides { table: self, snapshot, options, written: Mutex::default() };
        let merged = write(&sides).and_then(|files| {
            let operation = merge(snapshot, files)?;
            self.check_projected(snapshot, &operation.schema)?;
            Ok(operation)
        });
        let operation = match merged {
            Ok(operation) => operation,
            Err(error) => {
                // No version will have them. One that stays is cleaned up later.
                for name in sides.written.into_inner().unwrap_or_else(PoisonError::into_inner) {
                    let (location, name) = (self.location().clone(), format!("{}/{name}", names::DATA));
                    let _ = rntuple_object_store::wait(async move { location.delete(&name).await });
                }
                return Err(error);
            }
        };
        self.commit(snapshot, Transaction::new(snapshot.version(), operation))
    }
}

/// The files of new columns, next to those of the fragments.
struct Sides<'a> {
    table: &'a Table,
    snapshot: &'a Snapshot,
    options: WriteOptions,
    /// The names of those that were written.
    written: Mutex<Vec<String>>,
}

/// The file of the new columns of a fragment.
struct Side {
    name: String,
    dataset: Dataset,
}

impl Sides<'_> {
    /// Writes the file of a fragment.
    fn write<S: Entry + WriteField>(
        &self,
        position: usize,
        fill: impl FnOnce(&Clusters, &mut Writer<S>) -> Result<()>,
    ) -> Result<Side> {
        let (name, path) = new_file(self.table.log())?;
        let clusters = Clusters::of(self.snapshot, position)?;
        let mut writer = Writer::<S>::create_new(&path, self.snapshot.ntuple(), self.options.clone())?;
        fill(&clusters, &mut writer)?;
        writer.finish()?;
        self.written.lock().unwrap_or_else(PoisonError::into_inner).push(name.clone());
        let dataset = Dataset::open(&RootFile::open(&path)?, self.snapshot.ntuple())?;
        Ok(Side { name, dataset })
    }
}

/// The change that adds a file to each fragment.
fn merge(snapshot: &Snapshot, files: Vec<Side>) -> Result<Merge> {
    let mut fields = snapshot.fields().to_vec();
    let new_fields = match files.first() {
        Some(first) => replace_fields(&mut fields, next_field(snapshot)?, &first.dataset)?,
        None => Vec::new(),
    };
    let mut fragments = Vec::with_capacity(files.len());
    for (fragment, Side { name, dataset }) in snapshot.fragments().iter().zip(files) {
        let file = schema::match_file(&new_fields, dataset.schema(), name)?;
        let file = DataFile { file_size_bytes: dataset.file().end(), ..file };
        fragments.push(with_file(fragment, &fields, file));
    }
    let mut schema_metadata = snapshot.manifest().schema_metadata.clone();
    if let Some(last) = new_fields.iter().map(|field| field.id).max() {
        config::set_last_field(&mut schema_metadata, last);
    }
    Ok(Merge { fragments, schema: fields, schema_metadata, ..Merge::default() })
}

/// The clusters of a fragment.
struct Clusters {
    /// Its first entry in the version.
    first: u64,
    /// The entries of each, as the fragment counts them.
    clusters: Vec<Range<u64>>,
}

impl Clusters {
    fn of(snapshot: &Snapshot, position: usize) -> Result<Self> {
        let first = snapshot.starts().get(position).copied().unwrap_or_default();
        let entries = |cluster: rntuple::Result<std::sync::Arc<rntuple::schema::ClusterDescriptor>>| {
            cluster.map(|cluster| cluster.first_entry..cluster.first_entry + cluster.entry_count)
        };
        let clusters =
            snapshot.fragment(position)?.clusters().map(entries).collect::<rntuple::Result<_>>()?;
        Ok(Self { first, clusters })
    }
}

/// The new values of a cluster.
fn computed<I: Entry + ReadField, S>(
    reader: &Reader<I>,
    entries: Range<u64>,
    compute: &impl Fn(Vec<I>) -> Vec<S>,
) -> Result<Vec<S>> {
    let rows: Vec<I> = reader.entries_in(entries).collect::<rntuple::Result<_>>()?;
    let count = rows.len() as u64;
    let values = compute(rows);
    same_count(values.len() as u64, count)?;
    Ok(values)
}

fn same_count(values: u64, rows: u64) -> Result<()> {
    match values == rows {
        true => Ok(()),
        false => Err(Error::invalid_argument(format!("there are {values} values for {rows} rows"))),
    }
}

/// The first id that no field has, nor any that was dropped.
fn next_field(snapshot: &Snapshot) -> Result<i32> {
    let next = config::last_field(snapshot.manifest()).unwrap_or(-1).checked_add(1);
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
    // As `apply` does with every change.
    fragment.files.retain(|file| file.fields.is_empty() || file.fields.iter().any(|id| *id != TOMBSTONE));
    fragment.files.push(file);
    fragment
}
