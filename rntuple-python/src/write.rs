//! Streams of Arrow that are written.

use arrow_array::RecordBatchReader;
use arrow_schema::ArrowError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;
use rntuple::{Compression, WriteOptions};
use rntuple_arrow::{ArrowOptions, ArrowWriter};

use crate::errors::exception;
use crate::nulls::found_in;

/// Writes all batches of a stream to a new file; returns the number of entries. With `exact_nulls`, they are all taken
/// first, and a field becomes one of options only if it has a null.
#[pyfunction]
#[pyo3(signature = (file, ntuple, stream, compression, exact_nulls, cluster_size=None, description=""))]
#[expect(clippy::too_many_arguments, reason = "the package calls it, by name")]
pub(crate) fn write(
    py: Python<'_>,
    file: &str,
    ntuple: &str,
    stream: AnyRecordBatch,
    compression: &str,
    exact_nulls: bool,
    cluster_size: Option<u64>,
    description: &str,
) -> PyResult<u64> {
    let compression: Compression = compression.parse().map_err(exception)?;
    let mut options = WriteOptions::new().compression(compression).description(description);
    if let Some(bytes) = cluster_size {
        options = options.cluster_size(bytes);
    }
    let batches = stream.into_reader()?;
    // The stream may be one of Python, which takes the lock itself when it needs it.
    py.detach(|| save(file, ntuple, batches, options, exact_nulls))
}

fn save(
    file: &str,
    ntuple: &str,
    batches: Box<dyn RecordBatchReader + Send>,
    options: WriteOptions,
    exact_nulls: bool,
) -> PyResult<u64> {
    let refused = |error: ArrowError| PyValueError::new_err(error.to_string());
    let schema = batches.schema();
    let arrow = ArrowOptions::new();
    let mut writer;
    if exact_nulls {
        let batches = batches.collect::<Result<Vec<_>, _>>().map_err(refused)?;
        let schema = found_in(&schema, &batches);
        writer = ArrowWriter::create(file, ntuple, &schema, options, &arrow).map_err(exception)?;
        for batch in &batches {
            writer.write(batch).map_err(exception)?;
        }
    } else {
        writer = ArrowWriter::create(file, ntuple, &schema, options, &arrow).map_err(exception)?;
        for batch in batches {
            writer.write(&batch.map_err(refused)?).map_err(exception)?;
        }
    }
    writer.finish().map(|summary| summary.entries).map_err(exception)
}
