//! Files as record batches.

use std::fmt;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use rntuple::columns::{AnyColumns, Batches};
use rntuple::schema::{Field, SchemaBuilder};
use rntuple::{EntryList, Error, ErrorKind, Files, ReadOptions, Reader, Result, Value};

use crate::error::{from_arrow, to_arrow};
use crate::options::ArrowOptions;
use crate::to_array::arrays;
use crate::to_schema::to_arrow_schema;

/// The entries that a batch has, if nothing else is asked for.
const BATCH: usize = 65_536;

/// The entries of a file, or of many, as record batches.
///
/// ```
/// # use rntuple::{RNTuple, WriteOptions, Writer, storage::Memory};
/// use arrow_array::cast::AsArray;
/// use arrow_array::types::Float32Type;
/// use rntuple::ReadOptions;
/// use rntuple_arrow::{ArrowOptions, ArrowReader};
/// # #[derive(RNTuple)]
/// # struct Muon { pt: f32, eta: f32 }
/// # #[derive(RNTuple)]
/// # struct Event { met: f32, muons: Vec<Muon> }
/// # let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
/// # writer.fill(&Event { met: 20.0, muons: vec![Muon { pt: 5.0, eta: 0.1 }] })?;
/// # let file = writer.finish_into()?.1;
///
/// let fields = ReadOptions::new().fields(["met", "muons.pt"]);
/// for batch in ArrowReader::open_with(file, "Events", fields, ArrowOptions::new())? {
///     let batch = batch?;
///     let met = batch.column_by_name("met").unwrap().as_primitive::<Float32Type>();
///     assert_eq!(met.values()[..], [20.0]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// What is read, and with how many threads and how much memory, is a matter of [`ReadOptions`]; of which entries,
/// that of [`entries`](Self::entries). A batch has 65536 entries, or [as many as are asked for](Self::batch_size), and
/// fewer at the end.
///
/// Numbers, offsets and the bytes of strings are decoded into the memory that the arrays have; bits are packed, and
/// values that may be null take their places among the nulls.
#[must_use = "nothing is read before it is asked for"]
pub struct ArrowReader {
    reader: Arc<Reader<Value>>,
    schema: SchemaRef,
    fields: SchemaBuilder,
    entries: EntryList,
    size: usize,
    batches: Option<Batches<Value>>,
}

impl ArrowReader {
    /// Opens the ntuple at `path` of one file or of many, with the defaults.
    ///
    /// # Errors
    /// Those of [`Reader::open`] and [`to_arrow_schema`].
    pub fn open(files: impl Into<Files>, path: &str) -> Result<Self> {
        Self::open_with(files, path, ReadOptions::new(), ArrowOptions::new())
    }

    /// The same, with options.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(
        files: impl Into<Files>,
        path: &str,
        read: ReadOptions,
        arrow: ArrowOptions,
    ) -> Result<Self> {
        Self::new(Arc::new(Reader::open_with(files, path, read)?), &arrow)
    }

    /// The entries of a reader, which several threads may share.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn new(reader: Arc<Reader<Value>>, options: &ArrowOptions) -> Result<Self> {
        let fields = reader.selected_schema()?;
        let schema = Arc::new(to_arrow_schema(&fields, options)?);
        let entries = (0..reader.entry_count()?).into();
        Ok(Self { reader, schema, fields, entries, size: BATCH, batches: None })
    }

    /// Limits it to these entries: a range, or a list of ranges.
    pub fn entries(mut self, entries: impl Into<EntryList>) -> Self {
        self.entries = entries.into();
        self
    }

    /// Sets how many entries a batch has.
    pub fn batch_size(mut self, entries: usize) -> Self {
        self.size = entries;
        self
    }

    /// Returns what the fields are in the file.
    pub fn fields(&self) -> &[Field] {
        self.fields.fields()
    }

    /// All entries as one batch.
    pub(crate) fn one(mut self, count: usize) -> Result<RecordBatch> {
        self.size = count;
        self.next_batch().unwrap_or_else(|| Ok(RecordBatch::new_empty(self.schema.clone())))
    }

    fn next_batch(&mut self) -> Option<Result<RecordBatch>> {
        let batches =
            self.batches.get_or_insert_with(|| self.reader.batches_in(self.entries.clone(), self.size));
        let columns = match batches.next()? {
            Ok(columns) => columns,
            Err(error) => return Some(Err(error)),
        };
        Some(batch(columns, self.fields.fields(), &self.schema))
    }
}

fn batch(columns: AnyColumns, fields: &[Field], schema: &SchemaRef) -> Result<RecordBatch> {
    let count = columns.len();
    let AnyColumns::Record(records) = columns else {
        return Err(Error::new(ErrorKind::SchemaMismatch, "entries are records"));
    };
    let arrays = arrays(records, fields, schema.fields())?;
    let options = RecordBatchOptions::new().with_row_count(Some(count));
    RecordBatch::try_new_with_options(schema.clone(), arrays, &options).map_err(from_arrow)
}

impl Iterator for ArrowReader {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().map(|batch| batch.map_err(to_arrow))
    }
}

impl RecordBatchReader for ArrowReader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl fmt::Debug for ArrowReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrowReader")
            .field("reader", &self.reader)
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}
