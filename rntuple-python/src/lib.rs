//! The part of the Python package `rntuple` that is written in Rust: files as buffers and as streams of Arrow, and back.

mod added;
mod buffers;
mod dataset;
mod errors;
mod form;
mod from_awkward;
mod groups;
mod nulls;
mod remote;
mod room;
mod source;
mod stream;
mod training;
mod write;

use pyo3::prelude::*;

#[pymodule]
fn _rntuple(module: &Bound<'_, PyModule>) -> PyResult<()> {
    remote::register();
    module.add_class::<dataset::PyDataset>()?;
    module.add_class::<source::Source>()?;
    module.add_class::<stream::PyStream>()?;
    module.add_class::<training::PyWindows>()?;
    module.add_function(wrap_pyfunction!(remote::find_files, module)?)?;
    module.add_function(wrap_pyfunction!(remote::is_url_pattern, module)?)?;
    module.add_function(wrap_pyfunction!(remote::without_secrets, module)?)?;
    module.add_function(wrap_pyfunction!(source::ntuples, module)?)?;
    module.add_function(wrap_pyfunction!(from_awkward::record_batch, module)?)?;
    module.add_function(wrap_pyfunction!(write::write, module)?)?;
    module.add("ConflictError", module.py().get_type::<errors::ConflictError>())?;
    module.add("RNTupleError", module.py().get_type::<errors::RNTupleError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
