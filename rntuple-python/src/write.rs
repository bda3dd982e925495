//! Streams of Arrow that are written.

use arrow_array::RecordBatchReader;
use arrow_schema::ArrowError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use pyo3_arrow::input::AnyRecordBatch;
use rntuple::{Compression, WriteOptions};
use rntuple_arrow::{ArrowOptions, ArrowWriter};

use crate::errors::exception;
use crate::nulls::found_in;

/// A file that is written: it begins with the first table.
struct Output {
    file: String,
    ntuple: String,
    options: WriteOptions,
    /// A field becomes one of options only if it has a null in the first table, all of which is taken first.
    exact_nulls: bool,
    writer: Option<ArrowWriter>,
}

/// Writes all batches of streams to a new file; returns the number of entries.
#[pyfunction]
#[pyo3(signature = (file, ntuple, streams, compression, exact_nulls, cluster_size=None, description=""))]
#[expect(clippy::too_many_arguments, reason = "the package calls it, by name")]
pub(crate) fn write(
    py: Python<'_>,
    file: String,
    ntuple: String,
    streams: Bound<'_, PyIterator>,
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
    let mut output = Output { file, ntuple, options, exact_nulls, writer: None };
    for stream in streams {
        let batches = stream?.extract::<AnyRecordBatch>()?.into_reader()?;
        // The stream may be one of Python, which takes the lock itself when it needs it.
        py.detach(|| output.append(batches))?;
    }
    let Some(writer) = output.writer else {
        return Err(PyValueError::new_err("the iterator has no tables"));
    };
    py.detach(|| writer.finish()).map(|summary| summary.entries).map_err(exception)
}

impl Output {
    fn append(&mut self, batches: Box<dyn RecordBatchReader + Send>) -> PyResult<()> {
        let refused = |error: ArrowError| PyValueError::new_err(error.to_string());
        let mut schema = batches.schema().as_ref().clone();
        let mut batches: Box<dyn Iterator<Item = _> + Send> = Box::new(batches);
        if self.exact_nulls && self.writer.is_none() {
            let all = batches.collect::<Result<Vec<_>, _>>().map_err(refused)?;
            schema = found_in(&schema, &all);
            batches = Box::new(all.into_iter().map(Ok));
        }
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => {
                let (options, arrow) = (self.options.clone(), ArrowOptions::new());
                let writer = ArrowWriter::create(&self.file, &self.ntuple, &schema, options, &arrow);
                none.insert(writer.map_err(exception)?)
            }
        };
        for batch in batches {
            writer.write(&batch.map_err(refused)?).map_err(exception)?;
        }
        Ok(())
    }
}
