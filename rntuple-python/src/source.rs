//! Files that are read.

use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyRecordBatchReader;
use rntuple::columns::AnyColumns;
use rntuple::schema::{FieldId, Role, Schema, SchemaBuilder};
use rntuple::{EntryList, Pool, ReadOptions, Reader, Result, RootFile, Value};
use rntuple_arrow::{ArrowOptions, ArrowReader, Variants};

use crate::buffers::Buffers;
use crate::errors::exception;
use crate::form;

/// An ntuple of one file or of many, limited to some of its fields.
#[pyclass(frozen, module = "rntuple._rntuple")]
pub(crate) struct Source {
    reader: Arc<Reader<Value>>,
    fields: SchemaBuilder,
}

/// The pool that decompresses, unless another number of threads is asked for.
fn pool(threads: Option<usize>) -> Result<Option<Pool>> {
    static SHARED: OnceLock<Option<Pool>> = OnceLock::new();
    match threads {
        Some(0 | 1) => Ok(None),
        Some(threads) => Pool::new(threads).map(Some),
        None => Ok(SHARED
            .get_or_init(|| {
                let threads = available_parallelism().map_or(1, usize::from);
                if threads > 1 { Pool::new(threads).ok() } else { None }
            })
            .clone()),
    }
}

#[pymethods]
impl Source {
    #[new]
    #[pyo3(signature = (files, ntuple, fields=None, threads=None, memory_budget=None))]
    fn new(
        py: Python<'_>,
        files: Vec<String>,
        ntuple: &str,
        fields: Option<Vec<String>>,
        threads: Option<usize>,
        memory_budget: Option<u64>,
    ) -> PyResult<Self> {
        let open = || {
            let mut options = ReadOptions::new();
            if let Some(fields) = fields {
                options = options.fields(fields);
            }
            if let Some(bytes) = memory_budget {
                options = options.memory_budget(bytes);
            }
            if let Some(pool) = pool(threads)? {
                options = options.pool(&pool);
            }
            let reader = Arc::new(Reader::open_with(files, ntuple, options)?);
            let fields = reader.selected_schema()?;
            Ok(Self { reader, fields })
        };
        py.detach(open).map_err(exception)
    }

    /// The number of entries.
    #[getter]
    fn num_entries(&self) -> PyResult<u64> {
        self.reader.entry_count().map_err(exception)
    }

    /// The names of the files.
    #[getter]
    fn files(&self) -> Vec<String> {
        self.reader.files().to_vec()
    }

    /// The names of the top-level fields that are read.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.fields.fields().iter().map(|field| field.name().to_owned()).collect()
    }

    /// All fields of the file: path, type in C++, description, whether it is a view, whether it has parts.
    fn fields(&self) -> Vec<(String, String, String, bool, bool)> {
        let schema = self.reader.schema();
        let mut found = Vec::new();
        schema.top_level().iter().for_each(|id| describe(schema, *id, String::new(), &mut found));
        found
    }

    /// The form of the entries, as JSON.
    fn form(&self) -> String {
        form::of_entries(self.fields.fields()).to_string()
    }

    /// Entries as buffers, in as few pieces as there may be: the number of entries of each, and its buffers by their keys.
    fn buffers<'py>(
        &self,
        py: Python<'py>,
        start: u64,
        stop: u64,
    ) -> PyResult<Vec<(usize, Bound<'py, PyDict>)>> {
        let count = usize::try_from(stop.saturating_sub(start)).unwrap_or(usize::MAX);
        if count == 0 {
            return Ok(Vec::new());
        }
        let read = || self.reader.batches_in(start..stop, count).collect::<Result<Vec<AnyColumns>>>();
        let pieces = py.detach(read).map_err(exception)?;
        let pieces = pieces.into_iter().map(|columns| {
            let count = columns.len();
            Ok((count, Buffers::of_entries(py, columns, self.fields.fields())?))
        });
        pieces.collect()
    }

    /// Entries as a stream of Arrow. `ranges` are `(start, stop)`.
    #[pyo3(signature = (ranges, batch_size, union_as_struct=false, views=false))]
    fn stream(
        &self,
        ranges: Vec<(u64, u64)>,
        batch_size: usize,
        union_as_struct: bool,
        views: bool,
    ) -> PyResult<PyRecordBatchReader> {
        let variants = if union_as_struct { Variants::Struct } else { Variants::Union };
        let options = ArrowOptions::new().variants(variants).views(views);
        let reader = ArrowReader::new(self.reader.clone(), &options).map_err(exception)?;
        let entries: EntryList = ranges.into_iter().map(|(start, stop)| start..stop).collect();
        Ok(PyRecordBatchReader::new(Box::new(reader.entries(entries).batch_size(batch_size))))
    }

    /// Ranges of entries that cover all of them, about `count`, which begin and end with clusters where they can.
    fn partitions(&self, count: usize) -> PyResult<Vec<(u64, u64)>> {
        let ranges = self.reader.partitions(count).map_err(exception)?;
        Ok(ranges.into_iter().map(|range| (range.start, range.end)).collect())
    }

    /// Bytes that an entry takes in memory, on average in the first file.
    fn entry_length(&self) -> PyResult<f64> {
        self.mean_length().map_err(exception)
    }

    /// What tells this file from another one at the same place: identity, entries, size of the page lists.
    fn fingerprint(&self) -> PyResult<String> {
        let fingerprint = || {
            let mut parts = Vec::new();
            for file in 0..self.reader.files().len() {
                let dataset = self.reader.dataset(file)?;
                let anchor = dataset.anchor();
                parts.push(format!("{}:{anchor:?}", dataset.entry_count()));
            }
            Ok(parts.join(";"))
        };
        fingerprint().map_err(exception)
    }
}

impl Source {
    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    fn mean_length(&self) -> Result<f64> {
        if self.reader.files().is_empty() {
            return Ok(1.0);
        }
        let dataset = self.reader.dataset(0)?;
        let (mut bits, mut entries) = (0.0, 0u64);
        for cluster in dataset.clusters().take(4) {
            let cluster = cluster?;
            entries += cluster.entry_count;
            for id in self.reader.selected_columns() {
                let Some(column) = dataset.schema().column(*id) else { continue };
                let pages = cluster.columns.get(id.index()).map_or(&[][..], |range| &range.pages);
                let elements: u64 = pages.iter().map(|page| u64::from(page.count)).sum();
                // Flags are bytes in memory.
                bits += elements as f64 * f64::from(column.bits.max(8));
            }
        }
        Ok(if entries == 0 { 1.0 } else { bits / 8.0 / entries as f64 })
    }
}

/// A field and those below it. What is in a collection has the path of the collection.
fn describe(
    schema: &Schema,
    id: FieldId,
    above: String,
    found: &mut Vec<(String, String, String, bool, bool)>,
) {
    let Some(field) = schema.field(id) else { return };
    let path = if above.is_empty() { field.name.clone() } else { format!("{above}.{}", field.name) };
    // The members of records in collections are parts of these.
    let mut at = id;
    while let (Some(Role::Collection | Role::Plain), &[item]) =
        (schema.field(at).map(|field| field.role), schema.children(at))
    {
        at = item;
    }
    let is_record = schema.field(at).is_some_and(|field| field.role == Role::Record);
    let parts = if is_record { schema.children(at) } else { &[] };
    let type_name = match &*field.type_name {
        "" => field.role.name().to_owned(),
        name => name.to_owned(),
    };
    let is_view = field.projection_source.is_some();
    found.push((path.clone(), type_name, field.description.clone(), is_view, !parts.is_empty()));
    parts.iter().for_each(|part| describe(schema, *part, path.clone(), found));
}

/// The paths of the ntuples in a file.
#[pyfunction]
pub(crate) fn ntuples(py: Python<'_>, file: &str) -> PyResult<Vec<String>> {
    let keys = || RootFile::open(file)?.ntuples();
    let keys = py.detach(keys).map_err(exception)?;
    Ok(keys.iter().map(|key| key.path()).collect())
}
