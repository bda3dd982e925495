//! Errors as exceptions.

use std::io;

use pyo3::exceptions::{PyException, PyFileExistsError, PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::{PyErr, create_exception};
use rntuple::{Error, ErrorKind};

create_exception!(
    rntuple,
    RNTupleError,
    PyException,
    "A file is damaged, or holds what is not supported or not what was asked for."
);

/// The exception for an error.
pub(crate) fn exception(error: Error) -> PyErr {
    let message = error.to_string();
    match (error.kind(), error.io_error().map(io::Error::kind)) {
        (_, Some(io::ErrorKind::NotFound)) => PyFileNotFoundError::new_err(message),
        (_, Some(io::ErrorKind::AlreadyExists)) => PyFileExistsError::new_err(message),
        (ErrorKind::Io, _) => PyOSError::new_err(message),
        (ErrorKind::InvalidArgument, _) => PyValueError::new_err(message),
        _ => RNTupleError::new_err(message),
    }
}
