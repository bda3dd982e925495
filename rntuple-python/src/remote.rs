//! Files at URLs.

use std::path::Path;

use pyo3::exceptions::PyFileNotFoundError;
use pyo3::prelude::*;
use rntuple::ErrorKind;
use rntuple::storage::Cache;
use rntuple_object_store::Options;

use crate::errors::exception;

/// Memory of a cache that has a folder: its blocks are on disk, and mostly in the memory of the system.
const MEMORY: u64 = 64 << 20;

/// Says what opens URLs.
pub(crate) fn register() {
    rntuple_object_store::register_with(Options::new().bearer_token_from_env());
    rntuple_xrootd::register();
}

/// A cache in a folder.
pub(crate) fn cache(folder: &Path, bytes: u64) -> rntuple::Result<Cache> {
    Ok(Cache::new(MEMORY).on_disk(folder, bytes)?)
}

/// The files whose URLs match a pattern.
#[pyfunction]
pub(crate) fn find_files(py: Python<'_>, pattern: &str) -> PyResult<Vec<String>> {
    let found = py.detach(|| rntuple::storage::find_files(pattern)).map_err(|error| match error.kind() {
        // As for a pattern of local paths.
        ErrorKind::NotFound => PyFileNotFoundError::new_err(error.to_string()),
        _ => exception(error),
    })?;
    Ok(found.into_iter().map(|path| path.to_string_lossy().into_owned()).collect())
}

/// What messages call a file or a data set: its path, or its URL without what may be secret.
#[pyfunction]
pub(crate) fn without_secrets(text: &str) -> String {
    rntuple::storage::without_secrets(text)
}

/// Whether a URL is a pattern: a question mark alone makes none where it may begin a query.
#[pyfunction]
pub(crate) fn is_url_pattern(url: &str) -> bool {
    rntuple::storage::is_url_pattern(url)
}
