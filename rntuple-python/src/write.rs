//! Streams of Arrow that are written.

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use pyo3_arrow::input::AnyRecordBatch;
use rntuple::{Compression, WriteOptions};
use rntuple_arrow::{ArrowOptions, ArrowWriter};

use crate::errors::exception;
use crate::nulls::{ExactNulls, found_in};
use crate::stream::PyStream;

/// Tables of Python, each of which is taken when it is needed.
pub(crate) struct Tables(Py<PyIterator>);

/// The rows of a table.
pub(crate) struct Table {
    pub(crate) schema: Schema,
    batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>,
}

impl Tables {
    pub(crate) fn new(tables: Py<PyIterator>) -> Self {
        Self(tables)
    }

    /// The first one. For `exact_nulls` all of it is taken, and a field of these is nullable only if it has a null.
    pub(crate) fn first(&self, exact_nulls: &ExactNulls) -> PyResult<Table> {
        let table = self.next()?.ok_or_else(|| PyValueError::new_err("the iterator has no tables"))?;
        if exact_nulls.is_none() {
            return Ok(table);
        }
        let all = table.batches.collect::<Result<Vec<_>, _>>().map_err(refused)?;
        Ok(Table {
            schema: found_in(&table.schema, &all, exact_nulls),
            batches: Box::new(all.into_iter().map(Ok)),
        })
    }

    pub(crate) fn next(&self) -> PyResult<Option<Table>> {
        Python::attach(|py| {
            let mut tables = self.0.bind(py).clone();
            tables.next().map(|table| Table::of(&table?)).transpose()
        })
    }
}

impl Table {
    /// The rows of an object of Python that speaks Arrow.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        // A stream of ours is read as it is: through the interface of Arrow, its errors would be texts without a kind.
        let batches = match object.cast::<PyStream>() {
            Ok(stream) => stream.get().take()?,
            Err(_) => object.extract::<AnyRecordBatch>()?.into_reader()?,
        };
        Ok(Self { schema: batches.schema().as_ref().clone(), batches })
    }
}

impl Iterator for Table {
    type Item = PyResult<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.batches.next()?.map_err(refused))
    }
}

/// The error of a stream. If a file of ours is its source, that is the error of the file.
fn refused(error: ArrowError) -> PyErr {
    let error = match error {
        ArrowError::ExternalError(cause) => match cause.downcast::<rntuple::Error>() {
            Ok(cause) => return exception(*cause),
            Err(cause) => ArrowError::ExternalError(cause),
        },
        error => error,
    };
    PyValueError::new_err(error.to_string())
}

/// The exception of a signal that has come, such as Ctrl-C: Python sees to it only where it is asked.
pub(crate) fn interrupted() -> PyResult<()> {
    Python::attach(|py| py.check_signals())
}

/// What a file is written with.
pub(crate) fn options(compression: &str, cluster_size: Option<u64>) -> PyResult<WriteOptions> {
    let compression: Compression = compression.parse().map_err(exception)?;
    let options = WriteOptions::new().compression(compression);
    Ok(match cluster_size {
        Some(bytes) => options.cluster_size(bytes),
        None => options,
    })
}

/// Writes all batches of streams to a new file; returns the number of entries. A field of the columns of
/// `exact_nulls` becomes one of options only if it has a null in the first table.
#[pyfunction]
#[pyo3(signature = (file, ntuple, streams, compression, exact_nulls, cluster_size=None, description=""))]
#[expect(clippy::too_many_arguments, reason = "the package calls it, by name")]
pub(crate) fn write(
    py: Python<'_>,
    file: String,
    ntuple: String,
    streams: Py<PyIterator>,
    compression: &str,
    exact_nulls: ExactNulls,
    cluster_size: Option<u64>,
    description: &str,
) -> PyResult<u64> {
    let options = options(compression, cluster_size)?.description(description);
    let tables = Tables::new(streams);
    // A stream may be one of Python, which takes the lock itself when it needs it.
    py.detach(|| {
        let mut table = tables.first(&exact_nulls)?;
        let writer = ArrowWriter::create(&file, &ntuple, &table.schema, options, &ArrowOptions::new());
        let mut writer = writer.map_err(exception)?;
        loop {
            for batch in table {
                writer.write(&batch?).map_err(exception)?;
                interrupted()?;
            }
            match tables.next()? {
                Some(next) => table = next,
                None => break,
            }
        }
        writer.finish().map(|summary| summary.entries).map_err(exception)
    })
}
