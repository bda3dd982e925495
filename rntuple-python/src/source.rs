//! Files that are read.

use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::thread::{self, available_parallelism};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use pyo3_arrow::PyRecordBatchReader;
use rntuple::columns::AnyColumns;
use rntuple::schema::{Field, FieldId, Role, Schema, SchemaBuilder};
use rntuple::storage::Cache;
use rntuple::{EntryList, Files, Pool, ReadOptions, Reader, Result, RootFile, Value};
use rntuple_arrow::{ArrowOptions, ArrowReader, Variants};

use crate::buffers::Buffers;
use crate::errors::exception;
use crate::form;
use crate::groups::{groups, leaves};
use crate::remote;
use crate::room::Room;

/// What is shorter is read by one thread.
const SHORT: u64 = 1 << 20;

/// Files that stay open.
const MOST_OPENED: usize = 16;

/// Bytes in which a file says which it is.
const BEGIN: u64 = 512;

/// An ntuple of one file or of many, limited to some of its fields.
#[pyclass(frozen, module = "rntuple._rntuple")]
pub(crate) struct Source {
    place: Place,
    all: Part,
    /// The same, in groups of fields for as many threads.
    groups: OnceLock<Vec<Part>>,
}

/// Where to open it again.
#[derive(Clone)]
struct Place {
    files: Vec<String>,
    /// The files, where they are so few that they stay open.
    opened: Vec<RootFile>,
    ntuple: String,
    /// That of the whole; parts that are read at the same time have none.
    pool: Option<Pool>,
    memory_budget: Option<u64>,
    cache: Option<Cache>,
}

/// Some of the fields.
struct Part {
    reader: Arc<Reader<Value>>,
    fields: SchemaBuilder,
}

/// Entries as buffers: how many, and their columns with the fields that these have.
type Piece<'a> = (usize, Vec<(&'a [Field], AnyColumns)>);

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

impl Place {
    fn threads(&self) -> usize {
        self.pool.as_ref().map_or(1, Pool::threads)
    }

    /// Opens it for one of `parts` that are read at the same time.
    fn open(&self, fields: Option<Vec<String>>, pool: Option<Pool>, parts: u64) -> Result<Part> {
        let mut options = ReadOptions::new();
        if let Some(fields) = fields {
            options = options.fields(fields);
        }
        if let Some(bytes) = self.memory_budget {
            options = options.memory_budget(bytes / parts);
        }
        if let Some(pool) = pool {
            options = options.pool(&pool);
        }
        if let Some(cache) = &self.cache {
            options = options.cache(cache);
        }
        let files = match &*self.opened {
            [] => Files::from(self.files.clone()),
            opened => Files::from(opened),
        };
        let reader = Arc::new(Reader::open_with(files, &self.ntuple, options)?);
        let fields = reader.selected_schema()?;
        Ok(Part { reader, fields })
    }
}

impl Part {
    /// Reads entries into `columns`, in as few pieces as there may be.
    fn read(&self, entries: &EntryList, mut columns: AnyColumns) -> Result<Vec<AnyColumns>> {
        let count = usize::try_from(entries.entry_count()).unwrap_or(usize::MAX);
        let mut batches = self.reader.batches_in(entries, count);
        let mut pieces = Vec::new();
        while batches.read_into(&mut columns)? {
            pieces.push(std::mem::take(&mut columns));
        }
        Ok(pieces)
    }
}

#[pymethods]
impl Source {
    #[new]
    #[pyo3(signature = (files, ntuple, fields=None, threads=None, memory_budget=None, cache=None, cache_size=0))]
    #[expect(clippy::too_many_arguments, reason = "the package calls it, by name")]
    fn new(
        py: Python<'_>,
        files: Vec<String>,
        ntuple: String,
        fields: Option<Vec<String>>,
        threads: Option<usize>,
        memory_budget: Option<u64>,
        cache: Option<PathBuf>,
        cache_size: u64,
    ) -> PyResult<Self> {
        let open = || {
            let pool = pool(threads)?;
            let cache = cache.map(|folder| remote::cache(&folder, cache_size)).transpose()?;
            let mut place = Place { files, opened: Vec::new(), ntuple, pool, memory_budget, cache };
            let all = place.open(fields, place.pool.clone(), 1)?;
            if place.files.len() <= MOST_OPENED {
                let files = 0..place.files.len();
                place.opened =
                    files.map(|file| Ok(all.reader.dataset(file)?.file().clone())).collect::<Result<_>>()?;
            }
            Ok(Self { place, all, groups: OnceLock::new() })
        };
        py.detach(open).map_err(exception)
    }

    /// The same files, limited to other fields.
    #[pyo3(signature = (fields))]
    fn with_fields(&self, py: Python<'_>, fields: Option<Vec<String>>) -> PyResult<Self> {
        let open = || {
            let place = self.place.clone();
            let all = place.open(fields, place.pool.clone(), 1)?;
            Ok(Self { place, all, groups: OnceLock::new() })
        };
        py.detach(open).map_err(exception)
    }

    /// The number of entries.
    #[getter]
    fn num_entries(&self) -> PyResult<u64> {
        self.all.reader.entry_count().map_err(exception)
    }

    /// The names of the files.
    #[getter]
    fn files(&self) -> Vec<String> {
        self.all.reader.files().to_vec()
    }

    /// The names of the top-level fields that are read.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.all.fields.fields().iter().map(|field| field.name().to_owned()).collect()
    }

    /// All fields of the file: path, type in C++, description, whether it is a view, whether it has parts.
    fn fields(&self) -> Vec<(String, String, String, bool, bool)> {
        let schema = self.all.reader.schema();
        let mut found = Vec::new();
        schema.top_level().iter().for_each(|id| describe(schema, *id, String::new(), &mut found));
        found
    }

    /// The form of the entries, as JSON.
    fn form(&self) -> String {
        form::of_entries(self.all.fields.fields()).to_string()
    }

    /// Entries as buffers, in as few pieces as there may be: the number of entries of each, and its buffers by their keys.
    /// `ranges` are `(start, stop)`.
    fn buffers<'py>(
        &self,
        py: Python<'py>,
        ranges: Vec<(u64, u64)>,
    ) -> PyResult<Vec<(usize, Bound<'py, PyDict>)>> {
        let entries = list(ranges);
        if entries.ranges().is_empty() {
            return Ok(Vec::new());
        }
        let pieces = py.detach(|| self.pieces(&entries)).map_err(exception)?;
        let pieces = pieces.into_iter().map(|(count, parts)| {
            let buffers = Buffers::new(py);
            for (fields, columns) in parts {
                buffers.add_entries(columns, fields)?;
            }
            Ok((count, buffers.found()))
        });
        pieces.collect()
    }

    /// Entries as a stream of Arrow. `ranges` are `(start, stop)`.
    #[pyo3(signature = (ranges, batch_size, union_as_struct=false))]
    fn stream(
        &self,
        ranges: Vec<(u64, u64)>,
        batch_size: usize,
        union_as_struct: bool,
    ) -> PyResult<PyRecordBatchReader> {
        let variants = if union_as_struct { Variants::Struct } else { Variants::Union };
        let options = ArrowOptions::new().variants(variants).views(true);
        let reader = ArrowReader::new(self.all.reader.clone(), &options).map_err(exception)?;
        let entries = list(ranges);
        Ok(PyRecordBatchReader::new(Box::new(reader.entries(entries).batch_size(batch_size))))
    }

    /// Ranges of entries that cover all of them, about `count`, which begin and end with clusters where they can.
    fn partitions(&self, count: usize) -> PyResult<Vec<(u64, u64)>> {
        let ranges = self.all.reader.partitions(count).map_err(exception)?;
        Ok(ranges.into_iter().map(|range| (range.start, range.end)).collect())
    }

    /// Bytes that an entry takes in memory, on average in the first file.
    fn entry_length(&self) -> PyResult<f64> {
        self.mean_length().map_err(exception)
    }

    /// Identifies these files among others at the same places: where their envelopes are, and how they begin, which is
    /// with their UUIDs.
    fn fingerprint<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let fingerprint = || {
            let mut found = Vec::new();
            for file in 0..self.all.reader.files().len() {
                let dataset = self.all.reader.dataset(file)?;
                let storage = dataset.file().storage();
                let begin = storage.block(0..storage.size().min(BEGIN))?;
                found.extend(
                    format!("{}:{}:{:?}:", storage.size(), dataset.entry_count(), dataset.anchor()).bytes(),
                );
                found.extend_from_slice(&begin);
            }
            Ok(found)
        };
        fingerprint().map(|found| PyBytes::new(py, &found)).map_err(exception)
    }
}

impl Source {
    fn pieces(&self, entries: &EntryList) -> Result<Vec<Piece<'_>>> {
        let fields = self.all.fields.fields();
        let room = Room::new(&self.all.reader, fields, entries)?;
        let leaves = leaves(fields, &room);
        let bytes = leaves.iter().map(|(_, bytes)| *bytes).fold(0, u64::saturating_add);
        if bytes > SHORT && self.place.threads().min(leaves.len()) > 1 {
            let mut columns = self.read_groups(leaves, entries)?;
            // Where too little is stored for what it becomes, there are several pieces, and they may end anywhere.
            if columns.iter().all(|(_, pieces)| pieces.len() == 1) {
                let parts = columns.iter_mut().filter_map(|(fields, pieces)| Some((*fields, pieces.pop()?)));
                let parts: Vec<_> = parts.collect();
                let count = parts.first().map_or(0, |(_, columns)| columns.len());
                return Ok(vec![(count, parts)]);
            }
        }
        let pieces = self.all.read(entries, room.columns(fields))?;
        Ok(pieces.into_iter().map(|columns| (columns.len(), vec![(fields, columns)])).collect())
    }

    /// Columns of entries, each group of fields by a thread of its own.
    fn read_groups(
        &self,
        leaves: Vec<(String, u64)>,
        entries: &EntryList,
    ) -> Result<Vec<(&[Field], Vec<AnyColumns>)>> {
        let groups = match self.groups.get() {
            Some(groups) => groups,
            None => {
                let groups = groups(leaves, self.place.threads());
                let count = groups.len() as u64;
                let parts = groups.into_iter().map(|paths| self.place.open(Some(paths), None, count));
                let parts = parts.collect::<Result<_>>()?;
                self.groups.get_or_init(|| parts)
            }
        };
        // Memory of this thread is used again after it was freed. What others allocate is given back to the system, and
        // costs more to get than what is read into it.
        let rooms = groups.iter().map(|part| {
            let fields = part.fields.fields();
            Ok(Room::new(&part.reader, fields, entries)?.columns(fields))
        });
        let rooms: Vec<AnyColumns> = rooms.collect::<Result<_>>()?;
        let results = thread::scope(|scope| {
            let parts = groups.iter().zip(rooms);
            let threads: Vec<_> =
                parts.map(|(part, room)| scope.spawn(move || part.read(entries, room))).collect();
            let results =
                threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            results.collect::<Result<Vec<_>>>()
        })?;
        Ok(groups.iter().map(|part| part.fields.fields()).zip(results).collect())
    }

    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    fn mean_length(&self) -> Result<f64> {
        if self.all.reader.files().is_empty() {
            return Ok(1.0);
        }
        let dataset = self.all.reader.dataset(0)?;
        let (mut bits, mut entries) = (0.0, 0u64);
        for cluster in dataset.clusters().take(4) {
            let cluster = cluster?;
            entries += cluster.entry_count;
            for id in self.all.reader.selected_columns() {
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

fn list(ranges: Vec<(u64, u64)>) -> EntryList {
    ranges.into_iter().map(|(start, stop)| start..stop).collect()
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
