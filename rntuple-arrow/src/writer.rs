//! Record batches as files.

use std::fmt;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use rntuple::schema::SchemaBuilder;
use rntuple::storage::{Output, WriteAt};
use rntuple::summary::Summary;
use rntuple::{Result, Value, WriteOptions, Writer};

use crate::from_array::from_record_batch;
use crate::from_schema::from_arrow_schema;
use crate::options::ArrowOptions;

/// Writes record batches to an ntuple.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Float32Array, RecordBatch};
/// use rntuple::WriteOptions;
/// use rntuple_arrow::{ArrowOptions, ArrowReader, ArrowWriter};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("events.root");
/// let met: ArrayRef = Arc::new(Float32Array::from(vec![20.0, 30.0]));
/// let batch = RecordBatch::try_from_iter([("met", met)])?;
/// let options = WriteOptions::new();
/// let mut writer = ArrowWriter::create(&path, "Events", &batch.schema(), options, &ArrowOptions::new())?;
/// writer.write(&batch)?;
/// writer.finish()?;
///
/// let read = ArrowReader::open(&path, "Events")?.next().unwrap()?;
/// assert_eq!(read.columns(), batch.columns());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Types are those of [`from_arrow_schema`]. For others, fill a [`Writer`] with what [`from_record_batch`] makes.
#[must_use = "only `finish` makes the file readable"]
pub struct ArrowWriter<W: WriteAt = Output> {
    writer: Writer<Value, W>,
    schema: SchemaBuilder,
}

impl ArrowWriter {
    /// Creates a file with one ntuple for rows of this schema, which takes its place when it is finished.
    ///
    /// # Errors
    /// Those of [`from_arrow_schema`] and [`Writer::create`], before there is a file.
    pub fn create(
        file: impl AsRef<Path>,
        name: &str,
        schema: &Schema,
        write: WriteOptions,
        arrow: &ArrowOptions,
    ) -> Result<Self> {
        let schema = from_arrow_schema(schema, arrow)?;
        Ok(Self { writer: Writer::create(file, name, write.schema(schema.clone()))?, schema })
    }
}

impl<W: WriteAt> ArrowWriter<W> {
    /// The same to any storage.
    ///
    /// # Errors
    /// As [`create`](ArrowWriter::create).
    pub fn new(
        storage: W,
        name: &str,
        schema: &Schema,
        write: WriteOptions,
        arrow: &ArrowOptions,
    ) -> Result<Self> {
        let schema = from_arrow_schema(schema, arrow)?;
        Ok(Self { writer: Writer::new(storage, name, write.schema(schema.clone()))?, schema })
    }

    /// Appends the rows of a batch, whose columns are found by name.
    ///
    /// # Errors
    /// Those of [`from_record_batch`], and then nothing is appended; those of [`Writer::fill_columns`].
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.writer.fill_columns(from_record_batch(batch, &self.schema)?.as_slice())
    }

    /// Returns the writer that is filled: to end clusters, to make checkpoints.
    pub fn writer(&mut self) -> &mut Writer<Value, W> {
        &mut self.writer
    }

    /// Writes what is left and makes the file readable.
    ///
    /// # Errors
    /// As [`Writer::finish`].
    pub fn finish(self) -> Result<Summary> {
        self.writer.finish()
    }

    /// The same; also gives the storage back.
    ///
    /// # Errors
    /// As [`Writer::finish_into`].
    pub fn finish_into(self) -> Result<(Summary, W)> {
        self.writer.finish_into()
    }
}

impl<W: WriteAt> fmt::Debug for ArrowWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrowWriter").field("writer", &self.writer).finish_non_exhaustive()
    }
}
