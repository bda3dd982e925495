//! Errors as exceptions.

use std::io;

use pyo3::exceptions::{PyException, PyFileExistsError, PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::{PyErr, create_exception};
use rntuple::{Error, ErrorKind};
use rntuple_dataset::transactions::Conflict;

create_exception!(
    rntuple,
    RNTupleError,
    PyException,
    "A file is damaged, or holds what is not supported or not what was asked for."
);

create_exception!(
    rntuple,
    ConflictError,
    RNTupleError,
    "Another program has changed the data set meanwhile, so that nothing was committed: the change can be tried again."
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

/// The exception for an error of a data set.
pub(crate) fn of_dataset(error: rntuple_dataset::Error) -> PyErr {
    use rntuple_dataset::ErrorKind;

    let message = error.to_string();
    match (error.kind(), error.io_error().map(io::Error::kind)) {
        (_, Some(io::ErrorKind::NotFound)) => PyFileNotFoundError::new_err(message),
        (_, Some(io::ErrorKind::AlreadyExists)) => PyFileExistsError::new_err(message),
        (ErrorKind::Io, _) => PyOSError::new_err(message),
        (ErrorKind::InvalidArgument, _) => PyValueError::new_err(message),
        // Without a conflict, too many races were lost.
        (ErrorKind::Conflict, _) if error.conflict().is_none_or(Conflict::is_retryable) => {
            ConflictError::new_err(message)
        }
        _ => RNTupleError::new_err(message),
    }
}
