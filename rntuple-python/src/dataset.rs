//! Data sets that are changed. Their versions are read as [sources](crate::source).

use std::time::{Duration, SystemTime};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use rntuple::predicate::Predicate;
use rntuple::schema::SchemaBuilder;
use rntuple::{ErrorKind, Value, Writer};
use rntuple_arrow::{ArrowOptions, from_arrow_schema, from_record_batch};
use rntuple_dataset::{Adopt, CleanupOptions, CompactOptions, Snapshot, Source, Table};

use crate::added;
use crate::errors::{exception, of_dataset};
use crate::nulls::ExactNulls;
use crate::source::{Source as Rows, at};
use crate::write::{self, Tables, interrupted, options};

/// A data set.
#[pyclass(frozen, module = "rntuple._rntuple", name = "Dataset")]
pub(crate) struct PyDataset(Table);

/// Number, time, operation, rows, fragments and tags of a version.
type Version = (u64, Option<SystemTime>, Option<&'static str>, u64, usize, Vec<String>);

#[pymethods]
impl PyDataset {
    #[new]
    fn new(py: Python<'_>, url: &str) -> PyResult<Self> {
        py.detach(|| Table::open(url)).map(Self).map_err(of_dataset)
    }

    /// A new data set, whose first version has the rows of streams of Arrow.
    #[staticmethod]
    #[pyo3(signature = (url, ntuple, streams, compression, exact_nulls, cluster_size=None))]
    fn create(
        py: Python<'_>,
        url: &str,
        ntuple: &str,
        streams: Py<PyIterator>,
        compression: &str,
        exact_nulls: ExactNulls,
        cluster_size: Option<u64>,
    ) -> PyResult<Self> {
        let options = options(compression, cluster_size)?.statistics(true);
        py.detach(|| {
            let tables = Tables::new(streams);
            let first = tables.first(&exact_nulls)?;
            let schema = from_arrow_schema(&first.schema, &ArrowOptions::new()).map_err(exception)?;
            let options = options.schema(schema.clone());
            filling(first, &tables, &schema, |fill| {
                Table::create_with::<Value>(url, ntuple, options, fill).map(Self)
            })
        })
    }

    /// A new data set with the fields of the first one of these files.
    #[staticmethod]
    fn create_from(
        py: Python<'_>,
        url: &str,
        ntuple: &str,
        files: Vec<String>,
        copy: bool,
    ) -> PyResult<Self> {
        let sources = sources(files, copy);
        let Some((first, others)) = sources.split_first() else {
            return Err(PyValueError::new_err("no file is given"));
        };
        let create = || {
            Source::check_distinct(&sources)?;
            let table = Table::create_from(url, ntuple, first)?;
            if !others.is_empty() {
                table.append_files(others)?;
            }
            Ok(Self(table))
        };
        py.detach(create).map_err(of_dataset)
    }

    /// The path or URL, absolute.
    #[getter]
    fn url(&self) -> &str {
        self.0.location().root()
    }

    /// The path of the ntuple in each data file.
    fn ntuple(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.0.snapshot()).map(|snapshot| snapshot.ntuple().to_owned()).map_err(of_dataset)
    }

    /// Appends the rows of streams of Arrow.
    #[pyo3(signature = (streams, compression, cluster_size=None))]
    fn append(
        &self,
        py: Python<'_>,
        streams: Py<PyIterator>,
        compression: &str,
        cluster_size: Option<u64>,
    ) -> PyResult<u64> {
        let options = options(compression, cluster_size)?.statistics(true);
        py.detach(|| {
            let tables = Tables::new(streams);
            let first = tables.first(&ExactNulls::AllOrNone(false))?;
            let snapshot = self.0.snapshot().map_err(of_dataset)?;
            let reader = snapshot.reader::<Value>().map_err(of_dataset)?;
            let schema = reader.selected_schema().map_err(exception)?;
            let options = options.schema(schema.clone());
            filling(first, &tables, &schema, |fill| self.0.append_with::<Value>(options, fill))
                .map(|snapshot| snapshot.version())
        })
    }

    fn append_files(&self, py: Python<'_>, files: Vec<String>, copy: bool) -> PyResult<u64> {
        self.change(py, |table| table.append_files(&sources(files, copy)))
    }

    fn delete(&self, py: Python<'_>, predicate: &str) -> PyResult<u64> {
        let predicate: Predicate = predicate.parse().map_err(exception)?;
        self.change(py, |table| table.delete_where(&predicate))
    }

    /// All rows of the newest version, those included that are deleted: each needs a value in a column that is added.
    fn all_rows(&self, py: Python<'_>) -> PyResult<Rows> {
        py.detach(|| Rows::of_all_rows(self.0.snapshot().map_err(of_dataset)?))
    }

    /// Adds columns that `compute` returns for `step` rows of [`all_rows`](Self::all_rows) or fewer, from one to another: an
    /// object that speaks Arrow.
    fn add_columns(
        &self,
        py: Python<'_>,
        rows: &Rows,
        compute: Py<PyAny>,
        step: u64,
        replace: bool,
        compression: &str,
    ) -> PyResult<u64> {
        let Some(snapshot) = rows.snapshot() else {
            return Err(PyValueError::new_err("the rows are not those of a data set"));
        };
        let options = options(compression, None)?.statistics(true);
        py.detach(|| added::add(&self.0, snapshot, compute, step, replace, options))
    }

    fn drop_columns(&self, py: Python<'_>, paths: Vec<String>) -> PyResult<u64> {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        self.change(py, |table| table.drop_columns(&paths))
    }

    fn rename_column(&self, py: Python<'_>, path: &str, name: &str) -> PyResult<u64> {
        self.change(py, |table| table.rename_column(path, name))
    }

    /// Makes a version the newest one, by its number or its tag.
    #[pyo3(signature = (version=None, tag=None))]
    fn restore(&self, py: Python<'_>, version: Option<u64>, tag: Option<String>) -> PyResult<u64> {
        self.change(py, |table| table.restore(table.at(at(version, tag, None))?.version()))
    }

    fn compact(&self, py: Python<'_>, target_size: u64, deleted: f64) -> PyResult<u64> {
        let options = CompactOptions::new().target_size(target_size).deleted(deleted);
        self.change(py, |table| table.compact(&options))
    }

    /// The versions and files that were removed, and the bytes of these.
    fn cleanup(
        &self,
        py: Python<'_>,
        older_than: Duration,
        unreferenced_after: Duration,
        dry_run: bool,
    ) -> PyResult<(Vec<u64>, Vec<String>, u64)> {
        let options = CleanupOptions::older_than(older_than);
        let options = options.unreferenced_after(unreferenced_after).dry_run(dry_run);
        let cleaned = py.detach(|| self.0.cleanup(&options)).map_err(of_dataset)?;
        Ok((cleaned.versions, cleaned.files, cleaned.bytes))
    }

    fn versions(&self, py: Python<'_>) -> PyResult<Vec<Version>> {
        let versions = py.detach(|| self.0.versions()).map_err(of_dataset)?;
        let version = versions
            .into_iter()
            .map(|it| (it.version, it.created, it.operation, it.rows, it.fragments, it.tags));
        Ok(version.collect())
    }

    /// The tags in their order, and the version that each names.
    fn tags(&self, py: Python<'_>) -> PyResult<Vec<(String, u64)>> {
        let tags = py.detach(|| self.0.tags()).map_err(of_dataset)?;
        Ok(tags.into_iter().collect())
    }

    /// Names a version, the newest one without a number.
    fn tag(&self, py: Python<'_>, tag: &str, version: Option<u64>, force: bool) -> PyResult<()> {
        let name = || {
            let version = match version {
                Some(version) => version,
                None => self.0.snapshot()?.version(),
            };
            if force { self.0.move_tag(tag, version) } else { self.0.tag(tag, version) }
        };
        py.detach(name).map_err(of_dataset)
    }

    fn untag(&self, py: Python<'_>, tag: &str) -> PyResult<()> {
        py.detach(|| self.0.untag(tag)).map_err(of_dataset)
    }
}

impl PyDataset {
    /// Changes it; returns the number of the newest version.
    fn change(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&Table) -> rntuple_dataset::Result<Snapshot> + Send,
    ) -> PyResult<u64> {
        let changed = py.detach(|| change(&self.0)).map_err(of_dataset)?;
        Ok(changed.version())
    }
}

fn sources(files: Vec<String>, copy: bool) -> Vec<Source> {
    let adopt = if copy { Adopt::Copy } else { Adopt::InPlace };
    files.into_iter().map(|file| Source::new(file, adopt)).collect()
}

/// Does what takes a function that fills a data file, with one that writes all tables to it.
fn filling<T>(
    first: write::Table,
    tables: &Tables,
    schema: &SchemaBuilder,
    commit: impl FnOnce(&mut dyn FnMut(&mut Writer<Value>) -> rntuple::Result<()>) -> rntuple_dataset::Result<T>,
) -> PyResult<T> {
    let (mut first, mut failed) = (Some(first), None);
    let mut write = |writer: &mut Writer<Value>| {
        let filled = first.take().map_or(Ok(()), |first| fill(writer, first, tables, schema));
        // The exception is raised as it is: it may be one of an iterator of Python.
        filled.map_err(|error| {
            failed = Some(error);
            rntuple::Error::new(ErrorKind::InvalidArgument, "the rows cannot be written")
        })
    };
    let done = commit(&mut write);
    match failed {
        Some(error) => Err(error),
        None => done.map_err(of_dataset),
    }
}

fn fill(
    writer: &mut Writer<Value>,
    first: write::Table,
    tables: &Tables,
    schema: &SchemaBuilder,
) -> PyResult<()> {
    let mut next = Some(first);
    while let Some(table) = next {
        let is_known = |name: &str| schema.fields().iter().any(|field| field.name() == name);
        if let Some(unknown) = table.schema.fields().iter().find(|field| !is_known(field.name())) {
            let message = format!("{}: the data set has no such field", unknown.name());
            return Err(PyValueError::new_err(message));
        }
        for batch in table {
            let columns = from_record_batch(&batch?, schema).map_err(exception)?;
            writer.fill_columns(columns.as_slice()).map_err(exception)?;
            interrupted()?;
        }
        next = tables.next()?;
    }
    Ok(())
}
