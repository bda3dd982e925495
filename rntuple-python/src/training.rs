//! Entries in shuffled order.

use numpy::PyArray1;
use pyo3::prelude::*;
use rntuple::training::{Epoch, Windows};

use crate::errors::exception;

/// What is read and mixed at a time: ranges of entries, and their positions in these in the order in which they are used.
#[pyclass(module = "rntuple._rntuple", name = "Windows")]
pub(crate) struct PyWindows(Windows);

#[pymethods]
impl PyWindows {
    /// Those of a pass over so many entries, in their own order without a `seed`.
    #[new]
    fn new(
        entry_count: u64,
        seed: Option<u64>,
        number: u64,
        buffer: u64,
        part: (f64, f64),
    ) -> PyResult<Self> {
        let epoch = seed.map_or_else(Epoch::in_order, Epoch::new).number(number).buffer(buffer);
        let epoch = epoch.part(part.0..part.1).map_err(exception)?;
        Ok(Self(epoch.windows(entry_count)))
    }

    /// How many of so many entries are in a part.
    #[staticmethod]
    fn entries_of(entry_count: u64, part: (f64, f64)) -> PyResult<u64> {
        let epoch = Epoch::in_order().part(part.0..part.1).map_err(exception)?;
        Ok(epoch.entry_count(entry_count))
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    #[expect(clippy::type_complexity, reason = "a tuple of Python")]
    fn __next__<'py>(&mut self, py: Python<'py>) -> Option<(Vec<(u64, u64)>, Bound<'py, PyArray1<i64>>)> {
        let window = self.0.next()?;
        let ranges = window.entries().ranges().iter().map(|range| (range.start, range.end)).collect();
        let order =
            window.order().iter().map(|position| i64::try_from(*position).unwrap_or(i64::MAX)).collect();
        Some((ranges, PyArray1::from_vec(py, order)))
    }
}
