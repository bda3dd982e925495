//! More rows: written here, or in files that exist.

use std::collections::HashSet;

use rntuple::field::WriteField;
use rntuple::{Dataset, Entry, RootFile, WriteOptions, Writer};
use uuid::Uuid;

use super::Table;
use crate::durable;
use crate::error::{Error, Result};
use crate::format::transaction::Append;
use crate::format::{DataFile, DataFragment, Field, Transaction};
use crate::known::KnownFiles;
use crate::log::Log;
use crate::order;
use crate::paths;
use crate::schema;
use crate::snapshot::Snapshot;

/// What becomes of a file that exists when it becomes a data file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Adopt {
    /// It stays where it is; the data set has its absolute path or URL, and must not lose it. A file that is in the data
    /// set's own folder of data files becomes one of these, which a clean-up removes when no version needs it any more.
    #[default]
    InPlace,
    /// It is copied to the other data files.
    Copy,
}

/// A file that exists and becomes a data file.
#[derive(Clone, Debug)]
pub struct Source {
    path: String,
    adopt: Adopt,
}

impl Source {
    /// The file at a path or a URL.
    pub fn new(path: impl Into<String>, adopt: Adopt) -> Self {
        Self { path: path.into(), adopt }
    }

    /// Returns its path or URL.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Checks that no file is given twice, also by different paths, before anything is made of them.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument): one is.
    pub fn check_distinct(sources: &[Self]) -> Result<()> {
        let mut known = HashSet::new();
        for source in sources {
            if !known.insert(paths::real(&source.absolute()?)) {
                return Err(Error::invalid_argument("the file is given twice").in_file(&source.path));
            }
        }
        Ok(())
    }

    /// Its absolute path, also if it was given by a `file:` URL; or another URL.
    fn absolute(&self) -> Result<String> {
        match paths::local_file(&self.path) {
            Some(path) => Ok(std::path::absolute(path)?.display().to_string()),
            None => Ok(self.path.clone()),
        }
    }

    /// Makes it a data file: returns what the data set calls it, and where it is.
    pub(super) fn bring(&self, log: &Log) -> Result<(String, String)> {
        match self.adopt {
            Adopt::InPlace => {
                let path = self.absolute()?;
                // What the data set refers to is on the medium before it does.
                if let Some(local) = paths::local_file(&path) {
                    durable::sync_adopted(&local).map_err(|error| Error::from(error).in_file(&path))?;
                }
                let name = log.location().own_data_file(&path);
                Ok((name.unwrap_or_else(|| path.clone()), path))
            }
            Adopt::Copy => {
                let (name, path) = new_file(log)?;
                copy(&self.path, &path)?;
                Ok((name, path))
            }
        }
    }
}

/// Copies the bytes of a file.
fn copy(from: &str, to: &str) -> Result<()> {
    use rntuple::storage::WriteAt as _;
    use std::io::IoSlice;

    /// Bytes that are in memory at once.
    const PIECE: u64 = 8 << 20;

    let place = |error: std::io::Error| Error::from(error).in_file(to);
    let source = RootFile::open(from)?;
    let storage = source.storage();
    let mut output = rntuple::storage::Output::create(to, true).map_err(place)?;
    let (mut at, size) = (0, storage.size());
    while at < size {
        let end = size.min(at + PIECE);
        let block = storage.block(at..end).map_err(|error| Error::from(error).in_file(from))?;
        output.write_at(at, &[IoSlice::new(&block)]).map_err(place)?;
        at = end;
    }
    output.flush().and_then(|()| output.publish()).map_err(place)
}

/// A name for a data file, and where it will be.
///
/// # Errors
/// Versions cannot be committed there: it is said before a file is written.
pub(super) fn new_file(log: &Log) -> Result<(String, String)> {
    let of_check = log.clone();
    rntuple_object_store::wait(async move { of_check.check_storage().await })?;
    let name = format!("{}.root", Uuid::new_v4());
    let path = log.location().data_file(&name);
    Ok((name, path))
}

impl Table {
    /// Appends rows: `fill` writes them to a new data file, which has [statistics](WriteOptions::statistics).
    ///
    /// # Errors
    /// That of `fill`; the type lacks fields of the data set, or has them with another type; the rows are not in the
    /// [order](Self::set_sort_order) that the data set declares; or they cannot be written or committed. Nothing is
    /// appended then.
    pub fn append<T: Entry + WriteField>(
        &self,
        fill: impl FnOnce(&mut Writer<T>) -> rntuple::Result<()>,
    ) -> Result<Snapshot> {
        self.append_with(WriteOptions::new().statistics(true), fill)
    }

    /// Appends rows as [`append`](Self::append) does, with options for the data file. The
    /// [order](WriteOptions::sorted_by) is that of the data set, if it declares one.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_with<T: Entry + WriteField>(
        &self,
        options: WriteOptions,
        fill: impl FnOnce(&mut Writer<T>) -> rntuple::Result<()>,
    ) -> Result<Snapshot> {
        let snapshot = self.snapshot()?;
        let order = snapshot.sort_order();
        let options = if order.is_empty() { options } else { options.sorted_by(order) };
        let fragment = self.write(&snapshot, options, fill)?;
        self.commit(&snapshot, Transaction::new(snapshot.version(), Append { fragments: vec![fragment] }))
    }

    /// Writes rows to a new data file.
    pub(super) fn write<T: Entry + WriteField + ?Sized>(
        &self,
        snapshot: &Snapshot,
        options: WriteOptions,
        fill: impl FnOnce(&mut Writer<T>) -> rntuple::Result<()>,
    ) -> Result<DataFragment> {
        let (name, path) = new_file(self.log())?;
        // Of rows that do not fit, no file is left.
        check_type::<T>(snapshot, &options, &name)?;
        let mut writer = Writer::<T>::create_new(&path, snapshot.ntuple(), options)?;
        fill(&mut writer)?;
        writer.finish()?;
        fragment_of(snapshot, name, &path)
    }

    /// Appends the rows of files that exist, one commit for all of them. Fields that the data set does not have are not
    /// seen. Numbers may have narrower types, also in collections, whose values those of the data set
    /// [include](rntuple::schema::type_includes): all readers see the types of the data set.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument): a file is a data file of the data set already, or is given
    /// twice, by the same path or another one; a file cannot be read, lacks fields of the data set, or is not in the
    /// [order](Self::set_sort_order) that the data set declares; or the commit fails. Nothing is appended then.
    pub fn append_files(&self, files: &[Source]) -> Result<Snapshot> {
        let snapshot = self.snapshot()?;
        let ids = order::declared(&snapshot);
        let mut known = KnownFiles::of(self.location(), snapshot.fragments());
        let fragment = |file: &Source| {
            let (name, path) = file.bring(self.log())?;
            let fragment = fragment_of(&snapshot, name, &path)?;
            if fragment.files.iter().any(|file| known.has(file)) {
                let message = "the data set has the rows of this file already";
                return Err(Error::invalid_argument(message).in_file(path));
            }
            fragment.files.iter().for_each(|file| known.add(file));
            order::verify(&snapshot, &fragment, &ids)?;
            Ok(fragment)
        };
        let fragments = files.iter().map(fragment).collect::<Result<Vec<_>>>()?;
        self.commit(&snapshot, Transaction::new(snapshot.version(), Append { fragments }))
    }
}

/// Checks that rows of a type have all fields of the data set, without writing any.
///
/// # Errors
/// They lack a field, or have it with another type; or the type cannot be written.
pub(super) fn check_type<T: Entry + WriteField + ?Sized>(
    snapshot: &Snapshot,
    options: &WriteOptions,
    name: &str,
) -> Result<()> {
    let schema = rntuple::schema::Schema::of::<T>(options)?;
    schema::match_file(snapshot.fields(), &schema, name.to_owned()).map(drop)
}

/// The fragment of a data file that has all fields of the data set.
pub(super) fn fragment_of(snapshot: &Snapshot, name: String, path: &str) -> Result<DataFragment> {
    let dataset = Dataset::open(&RootFile::open(path)?, snapshot.ntuple())?;
    fragment_with(snapshot.fields(), &dataset, name)
}

/// The fragment of a data file that has these fields.
pub(super) fn fragment_with(fields: &[Field], dataset: &Dataset, name: String) -> Result<DataFragment> {
    let rows = dataset.entry_count();
    if rows > u64::from(u32::MAX) {
        let message = format!("there are {rows} entries, expected at most 2^32 - 1");
        return Err(Error::limit(message).in_file(dataset.file().name()));
    }
    let file = schema::match_file(fields, dataset.schema(), name)?;
    let file = DataFile { file_size_bytes: dataset.file().end(), ..file };
    Ok(DataFragment { files: vec![file], physical_rows: rows, ..DataFragment::default() })
}
