//! A new data set.

use std::collections::BTreeMap;

use rntuple::field::WriteField;
use rntuple::{Dataset, Entry, RootFile, WriteOptions, Writer};

use super::Table;
use super::append::{Source, fragment_with, new_file};
use crate::config;
use crate::error::Result;
use crate::format::Transaction;
use crate::format::transaction::Overwrite;
use crate::location::Location;
use crate::log::Log;
use crate::schema;

impl Table {
    /// Creates a data set for the entries of a type, at a path or URL where there is none. `ntuple` is the path of the
    /// ntuple in each data file.
    ///
    /// # Errors
    /// There is one; the type cannot be written; or the storage cannot be reached, or
    /// [would lose commits](crate::ErrorKind::Unsupported).
    pub fn create<T: Entry + WriteField>(url: &str, ntuple: &str) -> Result<Self> {
        Self::create_in::<T>(Log::new(Location::new(url)?), ntuple)
    }

    /// Creates a data set as [`create`](Self::create) does, with a log of your own.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_in<T: Entry + WriteField>(log: Log, ntuple: &str) -> Result<Self> {
        // A file without entries: a data set has its schema in a file from the first version on.
        Self::create_filled::<T>(log, ntuple, WriteOptions::new(), |_| Ok(()))
    }

    /// Creates a data set as [`create`](Self::create) does, whose first version has rows: `fill` writes them to a data file
    /// with these options.
    ///
    /// # Errors
    /// As [`create`](Self::create); or that of `fill`, and then there is no data set.
    pub fn create_with<T: Entry + WriteField>(
        url: &str,
        ntuple: &str,
        options: WriteOptions,
        fill: impl FnOnce(&mut Writer<T>) -> rntuple::Result<()>,
    ) -> Result<Self> {
        Self::create_filled(Log::new(Location::new(url)?), ntuple, options, fill)
    }

    fn create_filled<T: Entry + WriteField>(
        log: Log,
        ntuple: &str,
        options: WriteOptions,
        fill: impl FnOnce(&mut Writer<T>) -> rntuple::Result<()>,
    ) -> Result<Self> {
        log.location().prepare()?;
        let (name, path) = new_file(&log)?;
        // Before rows are written for nothing.
        let of_check = log.clone();
        rntuple_object_store::wait(async move { of_check.check_new().await })?;
        let mut writer = Writer::<T>::create_new(&path, ntuple, options)?;
        fill(&mut writer)?;
        writer.finish()?;
        Self::begin(log, ntuple, &path, name)
    }

    /// Creates a data set with the schema of a file, which becomes its first one.
    ///
    /// # Errors
    /// As [`create`](Self::create); or the file cannot be read.
    pub fn create_from(url: &str, ntuple: &str, file: &Source) -> Result<Self> {
        let log = Log::new(Location::new(url)?);
        log.location().prepare()?;
        let (name, path) = file.bring(&log)?;
        Self::begin(log, ntuple, &path, name)
    }

    fn begin(log: Log, ntuple: &str, path: &str, name: String) -> Result<Self> {
        let dataset = Dataset::open(&RootFile::open(path)?, ntuple)?;
        let schema = schema::fields_of(dataset.schema(), 0)?;
        let fragment = fragment_with(&schema, &dataset, name)?;
        let mut schema_metadata = BTreeMap::new();
        if let Some(last) = schema.iter().map(|field| field.id).max() {
            config::set_last_field(&mut schema_metadata, last);
        }
        let operation = Overwrite {
            fragments: vec![fragment],
            schema,
            schema_metadata,
            config_upsert_values: BTreeMap::from([(config::NTUPLE.to_owned(), ntuple.to_owned())]),
            ..Overwrite::default()
        };
        let (table, transaction) = (Self { log: log.clone() }, Transaction::new(0, operation));
        rntuple_object_store::wait(async move { log.begin(transaction).await })?;
        Ok(table)
    }
}
