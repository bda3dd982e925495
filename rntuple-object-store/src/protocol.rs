//! URLs wherever a path is taken.

use std::io;
use std::sync::Arc;

use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore};
use rntuple::storage::{self, Listed, Protocol, ReadAt, WriteAt};

use crate::error::io_error;
use crate::file::ObjectFile;
use crate::locate::{Stores, locate};
use crate::options::Options;
use crate::runtime::{wait, within};
use crate::writer::ObjectWriter;

const SCHEMES: &[&str] = &["s3", "s3a", "http", "https", "gs", "az", "adl", "azure", "abfs", "abfss"];

/// Registers the URLs of all stores with `rntuple`, with the default [`Options`].
///
/// ```
/// rntuple_object_store::register();
/// ```
pub fn register() {
    register_with(Options::new());
}

/// Registers the URLs of all stores with `rntuple`, in place of what was registered for them before.
pub fn register_with(options: Options) {
    let protocol = Arc::new(ObjectProtocol(Stores::new(options)));
    for scheme in SCHEMES {
        storage::register(scheme, protocol.clone());
    }
}

/// Returns the store of a URL, and the path in it: for what is not an RNTuple file.
///
/// # Errors
/// The URL is of no store that is known, or has a [path](crate#paths) that cannot be asked for, or the store's
/// configuration is incomplete.
pub fn store(url: &str, options: &Options) -> io::Result<(Arc<dyn ObjectStore>, Path)> {
    locate(url, options).map(|at| (at.store, at.path))
}

struct ObjectProtocol(Stores);

/// A name as it is in a URL. What has no other meaning there stays, so that patterns of plain text match it.
fn escaped(name: &str) -> String {
    name.replace('%', "%25").replace('#', "%23").replace('?', "%3F")
}

impl Protocol for ObjectProtocol {
    fn open(&self, url: &str) -> io::Result<Arc<dyn ReadAt>> {
        Ok(Arc::new(ObjectFile::at(self.0.locate(url)?.object()?, None, &self.0.options)?))
    }

    fn open_sized(&self, url: &str, size: u64) -> io::Result<Arc<dyn ReadAt>> {
        Ok(Arc::new(ObjectFile::at(self.0.locate(url)?.object()?, Some(size), &self.0.options)?))
    }

    fn create(&self, url: &str, is_new: bool) -> io::Result<Box<dyn WriteAt>> {
        let at = self.0.locate(url)?.object()?;
        Ok(Box::new(ObjectWriter::at(at, is_new, &self.0.options)?))
    }

    fn list(&self, url: &str) -> io::Result<Vec<Listed>> {
        let at = self.0.locate(url)?;
        let prefix = at.path.clone();
        let timeout = self.0.options.timeout;
        let listed = async move {
            let prefix = Some(&prefix).filter(|prefix| !prefix.as_ref().is_empty());
            let listed = at.store.list_with_delimiter(prefix).await.map_err(|error| {
                let error = io_error(&error, "LIST");
                let advice = "a server is asked for directories by WebDAV, which not all have; those of XRootD \
                              answer to root://";
                match at.parts {
                    None => io::Error::new(error.kind(), format!("{error}; {advice}")),
                    Some(_) => error,
                }
            })?;
            let name = |path: &Path| path.filename().map(escaped);
            let directory =
                |path: &Path| name(path).map(|name| Listed { name, is_directory: true, size: None });
            let file = |object: &ObjectMeta| {
                name(&object.location).map(|name| Listed {
                    name,
                    is_directory: false,
                    size: Some(object.size),
                })
            };
            let directories = listed.common_prefixes.iter().filter_map(directory);
            let objects = listed.objects.iter().filter_map(file);
            Ok(directories.chain(objects).collect())
        };
        wait(async move { within(timeout, "LIST", listed).await })
    }
}
