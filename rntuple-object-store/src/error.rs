//! Errors of stores, in the words of files.

use std::error::Error as _;
use std::io;

use object_store::Error;

/// The error of a store, with what was asked for.
///
/// The kind says what a caller can do; [`io::ErrorKind::StaleNetworkFileHandle`] is an object that has changed.
#[cold]
pub(crate) fn io_error(error: &Error, request: &str) -> io::Error {
    let kind = match error {
        Error::NotFound { .. } => io::ErrorKind::NotFound,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => io::ErrorKind::PermissionDenied,
        Error::AlreadyExists { .. } => io::ErrorKind::AlreadyExists,
        Error::Precondition { .. } => return changed(),
        Error::NotSupported { .. } | Error::NotImplemented { .. } => io::ErrorKind::Unsupported,
        Error::InvalidPath { .. } => io::ErrorKind::InvalidInput,
        _ => kind_of_cause(error).unwrap_or(io::ErrorKind::Other),
    };
    let (what, advice) = match error {
        Error::NotFound { .. } => ("there is no such object".to_owned(), ""),
        Error::PermissionDenied { .. } => {
            ("the server refuses access".to_owned(), "; are the credentials those of this store?")
        }
        Error::Unauthenticated { .. } => ("the server asks for credentials".to_owned(), ""),
        Error::NotSupported { .. } if request.starts_with("GET") => (
            "the server ignores requests for ranges of bytes".to_owned(),
            ": download the file, or ask for another door of the server",
        ),
        other => (advised(causes(other)), ""),
    };
    io::Error::new(kind, format!("{request}: {what}{advice}"))
}

/// Where no credentials are given, those of the machine in a cloud are asked for, which is of no use elsewhere.
fn advised(text: String) -> String {
    match text.contains("http://169.254.169.254/") {
        true => "there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SKIP_SIGNATURE=true for \
                 data that are open to all"
            .to_owned(),
        false => text,
    }
}

/// The object is not the one that was opened.
#[cold]
pub(crate) fn changed() -> io::Error {
    let message = "the object was replaced while it was read: open it again";
    io::Error::new(io::ErrorKind::StaleNetworkFileHandle, message)
}

/// The kind of the first error of the operating system among the causes.
fn kind_of_cause(error: &Error) -> Option<io::ErrorKind> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return Some(error.kind());
        }
        if let Some(error) = error.downcast_ref::<object_store::client::HttpError>()
            && error.kind() == object_store::client::HttpErrorKind::Timeout
        {
            return Some(io::ErrorKind::TimedOut);
        }
        cause = error.source();
    }
    None
}

/// An error and what caused it, each said once, without the query of a URL, which may have secrets.
fn causes(error: &Error) -> String {
    let mut text = without_queries(&error.to_string());
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = without_queries(&error.to_string());
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

/// The text without what follows a `?` in each of its URLs.
fn without_queries(text: &str) -> String {
    let strip = |word: &str| match word.split_once('?') {
        Some((start, _)) if start.contains("://") => format!("{start}?.."),
        _ => word.to_owned(),
    };
    text.split(' ').map(strip).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lack_of_credentials_is_said() {
        let source = "Error performing PUT http://169.254.169.254/latest/api/token in 2ms - refused".into();
        let text = io_error(&Error::Generic { store: "S3", source }, "GET").to_string();
        assert!(text.contains("AWS_ACCESS_KEY_ID") && !text.contains("169"), "{text}");
    }

    #[test]
    fn secrets_of_urls_are_not_shown() {
        let source = "Error performing GET https://host/a.root?authz=SECRET in 3ms - is it?".into();
        let error = Error::Generic { store: "HTTP", source };
        let text = io_error(&error, "GET").to_string();
        assert!(!text.contains("SECRET") && text.contains("is it?"), "{text}");
    }
}
