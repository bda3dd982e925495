//! Work that waits for a server, and its errors.

use std::io;

use object_store::{Error, Result};

/// What errors call such a store.
pub(super) const NAME: &str = "XRootD";

/// Does what waits where it keeps no one else waiting.
pub(super) async fn run<T: Send + 'static>(
    path: &str,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Error::Generic { store: NAME, source: error.into() })?
        .map_err(|error| store_error(path, error))
}

/// The error of a store for one of a request.
pub(super) fn store_error(path: &str, error: io::Error) -> Error {
    let (path, kind, source) = (path.to_owned(), error.kind(), error.into());
    match kind {
        io::ErrorKind::NotFound => Error::NotFound { path, source },
        io::ErrorKind::AlreadyExists => Error::AlreadyExists { path, source },
        io::ErrorKind::PermissionDenied => Error::PermissionDenied { path, source },
        io::ErrorKind::StaleNetworkFileHandle => Error::Precondition { path, source },
        _ => Error::Generic { store: NAME, source },
    }
}
