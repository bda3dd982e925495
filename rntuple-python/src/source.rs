//! Files, and versions of data sets, that are read.

use std::ops::Range;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::thread::{self, available_parallelism};
use std::time::{Duration, SystemTime};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rntuple::columns::AnyColumns;
use rntuple::schema::{Field, FieldId, Role, Schema, SchemaBuilder};
use rntuple::storage::{Cache, PerProcess};
use rntuple::{EntryList, Error, ErrorKind, Files, Pool, ReadOptions, Reader, Result, RootFile, Value};
use rntuple_arrow::{ArrowOptions, ArrowReader, Variants};
use rntuple_dataset::{At, Snapshot, Table};

use crate::buffers::Buffers;
use crate::errors::{exception, of_dataset};
use crate::form;
use crate::groups::{groups, leaves};
use crate::remote;
use crate::room::Room;
use crate::stream::PyStream;

/// What is shorter is read by one thread.
const SHORT: u64 = 1 << 20;

/// Files that stay open.
const MOST_OPENED: usize = 16;

/// Bytes in which a file says which it is.
const BEGIN: u64 = 512;

/// An ntuple of one file or of many, or a version of a data set, limited to some of its fields.
///
/// Ranges of entries that come from Python, and go there, are positions among the entries that are not deleted.
#[pyclass(frozen, module = "rntuple._rntuple")]
pub(crate) struct Source {
    place: Place,
    settings: Settings,
    /// Entries of the files that are not deleted; `None`: all.
    live: Option<EntryList>,
    all: Part,
    /// The same, in groups of fields for as many threads; none if the memory budget is too small for several readers.
    groups: OnceLock<Vec<Part>>,
}

/// Where to open it again.
#[derive(Clone)]
enum Place {
    Files {
        files: Vec<String>,
        /// The files, where they are so few that they stay open.
        opened: Vec<RootFile>,
        ntuple: String,
    },
    Snapshot(Snapshot),
    /// With the rows that are deleted.
    AllRows(Snapshot),
}

/// How to read it.
#[derive(Clone)]
struct Settings {
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

/// Fields, and their columns in pieces that follow each other.
type Group<'a> = (&'a [Field], Vec<AnyColumns>);

/// The same as buffers: the form of the fields, if there are pieces to be joined, and of each piece the number of entries
/// and the buffers by their keys.
type GroupOfBuffers<'py> = (Option<String>, Vec<(usize, Bound<'py, PyDict>)>);

/// Why an ntuple cannot be opened.
struct Refused {
    exception: PyErr,
    /// Whether it takes more than it may, as of a memory budget.
    is_limit: bool,
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self { is_limit: error.kind() == ErrorKind::LimitExceeded, exception: exception(error) }
    }
}

impl From<rntuple_dataset::Error> for Refused {
    fn from(error: rntuple_dataset::Error) -> Self {
        let is_limit = error.kind() == rntuple_dataset::ErrorKind::LimitExceeded;
        Self { is_limit, exception: of_dataset(error) }
    }
}

impl From<Refused> for PyErr {
    fn from(refused: Refused) -> Self {
        refused.exception
    }
}

/// The pool that decompresses, unless another number of threads is asked for.
fn pool(threads: Option<usize>) -> Result<Option<Pool>> {
    // A process that was forked does not have the threads of its parent.
    static SHARED: PerProcess<Option<Pool>> = PerProcess::new();
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

/// The version that is asked for, by one of these: the newest one without them.
pub(crate) fn at(version: Option<u64>, tag: Option<String>, time: Option<SystemTime>) -> At {
    // Times of Python have microseconds: that of a version must find the version.
    let end = |time: SystemTime| time.checked_add(Duration::from_nanos(999)).unwrap_or(time);
    match (version, tag, time) {
        (Some(version), _, _) => At::Version(version),
        (_, Some(tag), _) => At::Tag(tag),
        (_, _, Some(time)) => At::Time(end(time)),
        _ => At::Latest,
    }
}

impl Place {
    fn open(&self, options: ReadOptions) -> Result<Part, Refused> {
        let reader = match self {
            Self::Files { files, opened, ntuple } => {
                let files = match &**opened {
                    [] => Files::from(files.clone()),
                    opened => Files::from(opened),
                };
                Reader::open_with(files, ntuple, options)?
            }
            Self::Snapshot(snapshot) => snapshot.reader_with(options)?,
            Self::AllRows(snapshot) => snapshot.reader_with_deleted(options)?,
        };
        let fields = reader.selected_schema()?;
        Ok(Part { reader: Arc::new(reader), fields })
    }

    /// Opens it again, with the files that it had when a part of it was opened. Those of a version never change.
    fn open_as(&self, before: &Part, options: ReadOptions) -> Result<Part, Refused> {
        let part = self.open(options)?;
        if let Self::Files { .. } = self {
            part.reader.check_unchanged(&before.reader)?;
        }
        Ok(part)
    }

    fn snapshot(&self) -> Option<&Snapshot> {
        match self {
            Self::Files { .. } => None,
            Self::Snapshot(snapshot) | Self::AllRows(snapshot) => Some(snapshot),
        }
    }
}

impl Settings {
    fn new(
        threads: Option<usize>,
        memory_budget: Option<u64>,
        cache: Option<PathBuf>,
        cache_size: u64,
    ) -> Result<Self> {
        let pool = pool(threads)?;
        let cache = cache.map(|folder| remote::cache(&folder, cache_size)).transpose()?;
        Ok(Self { pool, memory_budget, cache })
    }

    fn threads(&self) -> usize {
        self.pool.as_ref().map_or(1, Pool::threads)
    }

    /// Those of the whole.
    fn options(&self, fields: Option<Vec<String>>) -> ReadOptions {
        let options = self.of_part(fields, 1);
        match &self.pool {
            Some(pool) => options.pool(pool),
            None => options,
        }
    }

    /// Those of one of `parts` that are read at the same time.
    fn of_part(&self, fields: Option<Vec<String>>, parts: u64) -> ReadOptions {
        let mut options = ReadOptions::new();
        if let Some(fields) = fields {
            options = options.fields(fields);
        }
        if let Some(bytes) = self.memory_budget {
            options = options.memory_budget(bytes / parts);
        }
        if let Some(cache) = &self.cache {
            options = options.cache(cache);
        }
        options
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
            let settings = Settings::new(threads, memory_budget, cache, cache_size).map_err(exception)?;
            let mut place = Place::Files { files, opened: Vec::new(), ntuple };
            let all = place.open(settings.options(fields))?;
            if let Place::Files { files, opened, .. } = &mut place
                && files.len() <= MOST_OPENED
            {
                let file = |file| Ok(all.reader.dataset(file)?.file().clone());
                *opened = (0..files.len()).map(file).collect::<Result<_>>().map_err(exception)?;
            }
            Ok(Self { place, settings, live: None, all, groups: OnceLock::new() })
        };
        py.detach(open)
    }

    /// A version of a data set: that of a number, of a tag or of a time, or the newest one.
    #[staticmethod]
    #[pyo3(signature = (url, version=None, tag=None, time=None, threads=None, memory_budget=None, cache=None, cache_size=0))]
    #[expect(clippy::too_many_arguments, reason = "the package calls it, by name")]
    fn of_dataset(
        py: Python<'_>,
        url: &str,
        version: Option<u64>,
        tag: Option<String>,
        time: Option<SystemTime>,
        threads: Option<usize>,
        memory_budget: Option<u64>,
        cache: Option<PathBuf>,
        cache_size: u64,
    ) -> PyResult<Self> {
        let at = at(version, tag, time);
        let open = || {
            let settings = Settings::new(threads, memory_budget, cache, cache_size).map_err(exception)?;
            let snapshot = Table::open(url).and_then(|table| table.at(at)).map_err(of_dataset)?;
            let is_whole = snapshot.len() == snapshot.entry_count();
            let live = (!is_whole).then(|| snapshot.live()).transpose().map_err(of_dataset)?;
            let place = Place::Snapshot(snapshot);
            let all = place.open(settings.options(None))?;
            Ok(Self { place, settings, live, all, groups: OnceLock::new() })
        };
        py.detach(open)
    }

    /// The same entries, limited to other fields.
    #[pyo3(signature = (fields))]
    fn with_fields(&self, py: Python<'_>, fields: Option<Vec<String>>) -> PyResult<Self> {
        let open = || {
            let (place, settings, live) = (self.place.clone(), self.settings.clone(), self.live.clone());
            let all = place.open_as(&self.all, settings.options(fields))?;
            Ok(Self { place, settings, live, all, groups: OnceLock::new() })
        };
        py.detach(open)
    }

    /// The path of the ntuple in its file.
    #[getter]
    fn ntuple(&self) -> &str {
        match &self.place {
            Place::Files { ntuple, .. } => ntuple,
            Place::Snapshot(snapshot) | Place::AllRows(snapshot) => snapshot.ntuple(),
        }
    }

    /// The number of the version of a data set.
    #[getter]
    fn version(&self) -> Option<u64> {
        self.place.snapshot().map(Snapshot::version)
    }

    /// The number of entries.
    #[getter]
    fn num_entries(&self, py: Python<'_>) -> PyResult<u64> {
        match &self.live {
            Some(live) => Ok(live.entry_count()),
            None => py.detach(|| self.all.reader.entry_count()).map_err(exception),
        }
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

    /// Entries as buffers: of each group of fields that are read together, in as few pieces as there may be. `ranges` are
    /// `(start, stop)`.
    fn buffers<'py>(&self, py: Python<'py>, ranges: Vec<(u64, u64)>) -> PyResult<Vec<GroupOfBuffers<'py>>> {
        let entries = self.entries(ranges);
        if entries.ranges().is_empty() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for (fields, pieces) in py.detach(|| self.read(&entries))? {
            let form = (pieces.len() > 1).then(|| form::of_entries(fields).to_string());
            let pieces = pieces.into_iter().map(|columns| {
                let (count, buffers) = (columns.len(), Buffers::new(py));
                buffers.add_entries(columns, fields)?;
                Ok((count, buffers.found()))
            });
            found.push((form, pieces.collect::<PyResult<_>>()?));
        }
        Ok(found)
    }

    /// Entries as a stream of Arrow. `ranges` are `(start, stop)`.
    #[pyo3(signature = (ranges, batch_size, union_as_struct=false))]
    fn stream(
        &self,
        py: Python<'_>,
        ranges: Vec<(u64, u64)>,
        batch_size: usize,
        union_as_struct: bool,
    ) -> PyResult<PyStream> {
        let variants = if union_as_struct { Variants::Struct } else { Variants::Union };
        let options = ArrowOptions::new().variants(variants).views(true);
        let reader = py.detach(|| ArrowReader::new(self.all.reader.clone(), &options)).map_err(exception)?;
        let entries = self.entries(ranges);
        Ok(PyStream::new(Box::new(reader.entries(entries).batch_size(batch_size))))
    }

    /// Ranges of entries that cover all of them, about `count`, which begin and end with clusters where they can.
    fn partitions(&self, py: Python<'_>, count: usize) -> PyResult<Vec<(u64, u64)>> {
        let mut ranges = py.detach(|| self.all.reader.partitions(count)).map_err(exception)?;
        if let Some(live) = &self.live {
            ranges = positions(live, &ranges);
        }
        Ok(ranges.into_iter().map(|range| (range.start, range.end)).collect())
    }

    /// Bytes that an entry takes in memory, on average in the first file that has any.
    fn entry_length(&self, py: Python<'_>) -> PyResult<f64> {
        py.detach(|| self.mean_length()).map_err(exception)
    }

    /// Identifies these files among others at the same places: where their envelopes are, and how they begin, which is
    /// with their UUIDs. A version of a data set has the name of its transaction, which has a UUID as well.
    fn fingerprint<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let fingerprint = || {
            let mut found = Vec::new();
            if let Some(snapshot) = self.place.snapshot() {
                let manifest = snapshot.manifest();
                found.extend(format!("{}:{}", manifest.version, manifest.transaction_file).bytes());
                return Ok(found);
            }
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
        py.detach(fingerprint).map(|found| PyBytes::new(py, &found)).map_err(exception)
    }
}

impl Source {
    /// All rows of a version, those included that are deleted.
    pub(crate) fn of_all_rows(snapshot: Snapshot) -> PyResult<Self> {
        let settings = Settings::new(None, None, None, 0).map_err(exception)?;
        let place = Place::AllRows(snapshot);
        let all = place.open(settings.options(None))?;
        Ok(Self { place, settings, live: None, all, groups: OnceLock::new() })
    }

    /// The version of a data set.
    pub(crate) fn snapshot(&self) -> Option<&Snapshot> {
        self.place.snapshot()
    }

    /// The entries at ranges of positions.
    fn entries(&self, ranges: Vec<(u64, u64)>) -> EntryList {
        let positions = ranges.into_iter().map(|(start, stop)| start..stop).collect();
        match &self.live {
            Some(live) => live.at(&positions),
            None => positions,
        }
    }

    /// Columns of entries. The pieces of a group end where too little is stored for what it becomes, which may be anywhere.
    fn read(&self, entries: &EntryList) -> PyResult<Vec<Group<'_>>> {
        let fields = self.all.fields.fields();
        let room = Room::new(&self.all.reader, fields, entries).map_err(exception)?;
        let leaves = leaves(fields, &room);
        let bytes = leaves.iter().map(|(_, bytes)| *bytes).fold(0, u64::saturating_add);
        if bytes > SHORT && self.settings.threads().min(leaves.len()) > 1 {
            let groups = self.groups(leaves)?;
            if !groups.is_empty() {
                return read_groups(groups, &room, entries);
            }
        }
        let pieces = self.all.read(entries, room.columns(fields)).map_err(exception)?;
        Ok(vec![(fields, pieces)])
    }

    /// Readers of groups of fields, which are distributed when they are asked for first; none if each would have less
    /// memory than it needs.
    fn groups(&self, leaves: Vec<(String, u64)>) -> PyResult<&[Part]> {
        if let Some(groups) = self.groups.get() {
            return Ok(groups);
        }
        let groups = groups(leaves, self.settings.threads());
        let count = groups.len() as u64;
        let open = |paths| self.place.open_as(&self.all, self.settings.of_part(Some(paths), count));
        let parts = match groups.into_iter().map(open).collect::<Result<Vec<_>, _>>() {
            Err(Refused { is_limit: true, .. }) => Vec::new(),
            parts => parts?,
        };
        Ok(self.groups.get_or_init(|| parts))
    }

    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    fn mean_length(&self) -> Result<f64> {
        let reader = &self.all.reader;
        if reader.files().is_empty() {
            return Ok(1.0);
        }
        // A data set may begin with a file without entries.
        let mut file = 0;
        while file + 1 < reader.files().len() && reader.entries_of_file(file)?.is_empty() {
            file += 1;
        }
        let dataset = reader.dataset(file)?;
        let (mut bits, mut entries) = (0.0, 0u64);
        for cluster in dataset.clusters().take(4) {
            let cluster = cluster?;
            entries += cluster.entry_count;
            for id in reader.selected_columns() {
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

/// Columns of entries, each group of fields by a thread of its own.
fn read_groups<'a>(groups: &'a [Part], room: &Room, entries: &EntryList) -> PyResult<Vec<Group<'a>>> {
    // Memory of this thread is used again after it was freed. What others allocate is given back to the system, and
    // costs more to get than what is read into it.
    let rooms: Vec<AnyColumns> =
        groups.iter().map(|part| room.clone().columns(part.fields.fields())).collect();
    let results = thread::scope(|scope| {
        let parts = groups.iter().zip(rooms);
        let threads: Vec<_> =
            parts.map(|(part, room)| scope.spawn(move || part.read(entries, room))).collect();
        let results =
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        results.collect::<Result<Vec<_>>>()
    });
    let results = results.map_err(exception)?;
    Ok(groups.iter().map(|part| part.fields.fields()).zip(results).collect())
}

/// The positions that ranges of entries have in a list; ranges without entries of the list are removed.
fn positions(list: &EntryList, ranges: &[Range<u64>]) -> Vec<Range<u64>> {
    let ends = list.ranges().iter().scan(0, |end, run| {
        *end += run.end - run.start;
        Some(*end)
    });
    let ends: Vec<u64> = ends.collect();
    let position = |entry: u64| {
        let run = list.ranges().partition_point(|run| run.end <= entry);
        let before = run.checked_sub(1).and_then(|last| ends.get(last)).copied().unwrap_or_default();
        before + list.ranges().get(run).map_or(0, |run| entry.saturating_sub(run.start))
    };
    let ranges = ranges.iter().map(|range| position(range.start)..position(range.end));
    ranges.filter(|range| !range.is_empty()).collect()
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
