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
    match (kind, io.map(io::Error::kind)) {
        (_, Some(io::ErrorKind::NotFound)) => PyFileNotFoundError::new_err(message),
        (_, Some(io::ErrorKind::AlreadyExists)) => PyFileExistsError::new_err(message),
        (Kind::Io, _) => PyOSError::new_err(message),
        (Kind::InvalidArgument, _) => PyValueError::new_err(message),
        (Kind::Other, _) => RNTupleError::new_err(message),
    }
}
