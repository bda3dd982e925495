//! URLs in place of paths.

use std::path::{Path, PathBuf};

use rntuple::storage::{find_files, is_url_pattern};
use rntuple::{Error, ErrorKind};

/// Says what opens URLs.
#[cfg(feature = "remote")]
pub(crate) fn register() {
    rntuple_object_store::register_with(rntuple_object_store::Options::new().bearer_token_from_env());
    rntuple_xrootd::register();
}

#[cfg(not(feature = "remote"))]
pub(crate) fn register() {
    use std::io;
    use std::sync::Arc;

    use rntuple::storage::{Protocol, ReadAt};

    /// What this program was built without.
    struct Missing;

    impl Protocol for Missing {
        fn open(&self, _: &str) -> io::Result<Arc<dyn ReadAt>> {
            let message =
                "this program was built without remote storage: install it with `--features remote`";
            Err(io::Error::new(io::ErrorKind::Unsupported, message))
        }
    }

    for scheme in
        ["http", "https", "s3", "s3a", "gs", "az", "abfs", "abfss", "root", "roots", "xroot", "xroots"]
    {
        rntuple::storage::register(scheme, Arc::new(Missing));
    }
}

/// The files that arguments name. Patterns of paths are the shell's affair; those of URLs are not known to it.
pub(crate) fn expanded(arguments: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    found(arguments).into_iter().map(|(file, error)| error.map_or(Ok(file), Err)).collect()
}

/// The same for commands that continue after an error: a pattern without files is in its place among them.
pub(crate) fn found(arguments: &[PathBuf]) -> Vec<(PathBuf, Option<Error>)> {
    let mut files = Vec::new();
    for argument in arguments {
        match pattern(argument).map(find_files) {
            None => files.push((argument.clone(), None)),
            Some(Ok(found)) => files.extend(found.into_iter().map(|file| (file, None))),
            Some(Err(error)) => files.push((argument.clone(), Some(missing(error)))),
        }
    }
    files
}

/// A pattern without files is like a file that is missing, not like a name that a file does not have.
fn missing(error: Error) -> Error {
    match error.kind() {
        ErrorKind::NotFound => Error::new(ErrorKind::Io, error.to_string()),
        _ => error,
    }
}

/// What was said to DataFusion of stores: the query of the URL by which each was opened.
#[cfg(feature = "sql")]
pub(crate) type Stores = std::collections::HashMap<String, String>;

/// Says to DataFusion what opens the URLs among files.
#[cfg(all(feature = "sql", feature = "remote"))]
pub(crate) fn register_stores(
    context: &datafusion::prelude::SessionContext,
    files: &[String],
    known: &mut Stores,
) -> Result<(), crate::failure::Failure> {
    use std::sync::Arc;

    use datafusion::datasource::listing::ListingTableUrl;
    use object_store::ObjectStore;
    use rntuple::storage::without_secrets;
    use rntuple_datafusion::listing_url;

    use crate::failure::{Failure, Status};

    for file in files.iter().filter(|file| is_url(Path::new(file))) {
        let wrong =
            |error: String| Failure::Message(Status::Usage, format!("{}: {error}", without_secrets(file)));
        let url = ListingTableUrl::parse(&*listing_url(file));
        let url = url.map_err(|error| wrong(error.strip_backtrace()))?.object_store();
        // Requests of a store have one query, whichever file they are of.
        let query = file.split_once('?').map_or("", |(_, query)| query);
        match known.get(url.as_str()) {
            Some(other) if other == query => continue,
            Some(_) => {
                let message =
                    "the files of one server must have the same query, which is what follows the `?`";
                return Err(wrong(message.to_owned()));
            }
            None => {}
        }
        let store: Arc<dyn ObjectStore> = match file.split_once("://") {
            Some(("root" | "roots" | "xroot" | "xroots", _)) => {
                let options = rntuple_xrootd::Options::new();
                // The URL by which DataFusion finds the store ends before the path.
                let server = format!("{}?{query}", url.as_str());
                let store = rntuple_xrootd::object_store::XrootdStore::new(&server, &options);
                Arc::new(store.map_err(|error| wrong(error.to_string()))?)
            }
            _ => {
                let options = rntuple_object_store::Options::new().bearer_token_from_env();
                rntuple_object_store::store(file, &options).map_err(|error| wrong(error.to_string()))?.0
            }
        };
        context.register_object_store(url.as_ref(), store);
        known.insert(url.to_string(), query.to_owned());
    }
    Ok(())
}

#[cfg(all(feature = "sql", not(feature = "remote")))]
pub(crate) fn register_stores(
    _: &datafusion::prelude::SessionContext,
    files: &[String],
    _: &mut Stores,
) -> Result<(), crate::failure::Failure> {
    use rntuple::storage::without_secrets;

    use crate::failure::{Failure, Status};

    match files.iter().find(|file| is_url(Path::new(file))) {
        None => Ok(()),
        Some(file) => {
            let message =
                "this program was built without remote storage: install it with `--features remote`";
            Err(Failure::Message(Status::Unreadable, format!("{}: {message}", without_secrets(file))))
        }
    }
}

/// The pattern of a URL.
pub(crate) fn pattern(argument: &Path) -> Option<&str> {
    argument.to_str().filter(|text| is_url_pattern(text))
}

/// A URL that a pattern has found, spelled so that SQL does not take its name for a pattern.
#[cfg(feature = "sql")]
pub(crate) fn literal(url: &str) -> String {
    // Brackets before the path are those of an IPv6 address.
    let start = url.find("://").map_or(0, |at| at + 3);
    let path = url.get(start..).and_then(|rest| rest.find('/')).map_or(url.len(), |at| start + at);
    let (server, path) = url.split_at(path);
    let (path, query) = path.split_at(path.find('?').unwrap_or(path.len()));
    format!("{server}{}{query}", path.replace('*', "%2A").replace('[', "%5B"))
}

/// Whether a file is not in the file system.
pub(crate) fn is_url(file: &Path) -> bool {
    let scheme = file.to_str().and_then(|text| text.split_once("://")).map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| !scheme.contains('/') && !scheme.eq_ignore_ascii_case("file"))
}

/// What messages call a file: without secrets that a URL may have.
pub(crate) fn shown(file: &Path) -> String {
    rntuple::storage::without_secrets(&file.to_string_lossy())
}

#[cfg(all(test, feature = "sql"))]
mod tests {
    use super::*;

    #[test]
    fn names_that_were_found_are_not_patterns_again() {
        for (url, expected) in [
            ("s3://bucket/run1.root", "s3://bucket/run1.root"),
            ("s3://bucket/run[1]*.root", "s3://bucket/run%5B1]%2A.root"),
            ("root://[::1]:1094//a[1].root?x=[1]*", "root://[::1]:1094//a%5B1].root?x=[1]*"),
            ("s3://bucket", "s3://bucket"),
        ] {
            assert_eq!(literal(url), expected);
            assert!(!is_url_pattern(expected), "{expected}");
        }
    }
}
