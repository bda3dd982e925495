//! Errors as exceptions.

use std::io;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyOSError, PyValueError};
use pyo3::prelude::*;
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
    let kind = match error.kind() {
        ErrorKind::Io => Kind::Io,
        ErrorKind::InvalidArgument => Kind::InvalidArgument,
        _ => Kind::Other,
    };
    of_kind(kind, error.io_error(), error.to_string())
}

/// The exception for an error of a data set.
pub(crate) fn of_dataset(error: rntuple_dataset::Error) -> PyErr {
    use rntuple_dataset::ErrorKind;

    let kind = match error.kind() {
        ErrorKind::Io => Kind::Io,
        ErrorKind::InvalidArgument => Kind::InvalidArgument,
        // Without a conflict, too many races were lost.
        ErrorKind::Conflict if error.conflict().is_none_or(Conflict::is_retryable) => {
            return ConflictError::new_err(error.to_string());
        }
        _ => Kind::Other,
    };
    of_kind(kind, error.io_error(), error.to_string())
}

/// The kinds of errors for which Python has exceptions.
enum Kind {
    Io,
    InvalidArgument,
    Other,
}

fn of_kind(kind: Kind, io: Option<&io::Error>, message: String) -> PyErr {
    match (kind, io) {
        (Kind::Io, Some(io)) => of_io(io, message),
        (_, Some(io)) if matches!(io.kind(), io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists) => {
            of_io(io, message)
        }
        (Kind::Io, None) => PyOSError::new_err(message),
        (Kind::InvalidArgument, _) => PyValueError::new_err(message),
        (Kind::Other, _) => RNTupleError::new_err(message),
    }
}

/// The `OSError` of its kind: `FileNotFoundError`, `PermissionError`, `TimeoutError`, .., with its number.
fn of_io(io: &io::Error, message: String) -> PyErr {
    let error = PyErr::from(io::Error::new(io.kind(), message));
    if let Some(number) = io.raw_os_error().filter(|_| cfg!(unix)) {
        // As an argument of the exception, the number would be in its text. What has no place for it is raised without.
        let _ = Python::attach(|py| error.value(py).setattr("errno", number));
    }
    error
}
