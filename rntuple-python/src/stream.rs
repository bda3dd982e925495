//! Entries as a stream of Arrow.

use std::sync::{Mutex, PoisonError};

use arrow_array::RecordBatchReader;
use arrow_schema::SchemaRef;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3_arrow::{PyRecordBatchReader, PySchema};

/// A stream of Arrow, which can be taken once.
#[pyclass(frozen, module = "rntuple._rntuple", name = "Stream")]
pub(crate) struct PyStream {
    schema: SchemaRef,
    batches: Mutex<Option<Batches>>,
}

type Batches = Box<dyn RecordBatchReader + Send>;

impl PyStream {
    pub(crate) fn new(batches: Batches) -> Self {
        Self { schema: batches.schema(), batches: Mutex::new(Some(batches)) }
    }

    /// The batches, which are taken. Their errors are those of the file.
    pub(crate) fn take(&self) -> PyResult<Batches> {
        let batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner).take();
        batches.ok_or_else(|| PyOSError::new_err("the stream was taken before, which can be done once"))
    }
}

#[pymethods]
impl PyStream {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let reader = Bound::new(py, PyRecordBatchReader::new(self.take()?))?;
        reader.as_any().call_method1("__arrow_c_stream__", (requested_schema,))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let schema = Bound::new(py, PySchema::new(self.schema.clone()))?;
        schema.as_any().call_method0("__arrow_c_schema__")
    }
}
