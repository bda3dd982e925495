//! Errors of one side as those of the other.

use arrow_schema::ArrowError;
use rntuple::{Error, ErrorKind};

/// What Arrow refused.
#[cold]
pub(crate) fn from_arrow(error: ArrowError) -> Error {
    Error::new(ErrorKind::InvalidArgument, error.to_string())
}

/// What a reader of record batches has to call it.
#[cold]
pub(crate) fn to_arrow(error: Error) -> ArrowError {
    ArrowError::ExternalError(Box::new(error))
}

/// The error of a field that is a part of the one of this name.
#[cold]
pub(crate) fn below(name: &str, error: &Error) -> Error {
    let path = match &error.location().field {
        Some(path) => format!("{name}.{path}"),
        None => name.to_owned(),
    };
    Error::new(error.kind(), error.message().to_owned()).in_field(path)
}
