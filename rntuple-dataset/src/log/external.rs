//! Versions that are committed through a store of keys and values.

use std::fmt;
use std::io;
use std::sync::Arc;

use rntuple::storage::without_secrets;
use uuid::Uuid;

use crate::error::{Error, ErrorKind, Result};
use crate::format::names::NamingScheme;
use crate::location::Location;

/// A store that decides which manifest is that of a version, for folders whose storage cannot refuse a second file of the
/// same name.
///
/// A commit has four steps, and is complete after the second one. Whoever reads the version, or commits the next one, makes
/// up for a writer that stopped after it, and gets an error if that is not possible:
///
/// ```text
/// 1  the manifest is staged        _versions/{name}.manifest-{uuid}
/// 2  put_new                       the version has this manifest, unless it has one
/// 3  the manifest is copied        _versions/{name}.manifest
/// 4  put                           the version has the copy
/// ```
///
/// Paths are below the folder of the data set, which is known by its path or URL. All programs that write use the same store, and
/// the same path or URL: a version that a program commits without the store is not overwritten, and a program that commits the
/// same version through the store takes the next number. Methods may block.
pub trait ManifestStore: fmt::Debug + Send + Sync {
    /// Returns the newest version, and the path of its manifest; `None`: there is none.
    ///
    /// # Errors
    /// The store cannot be reached.
    fn latest(&self, dataset: &str) -> io::Result<Option<(u64, String)>>;

    /// Returns the path of the manifest of a version; `None`: the store has no such version.
    ///
    /// # Errors
    /// The store cannot be reached.
    fn get(&self, dataset: &str, version: u64) -> io::Result<Option<String>>;

    /// Says that a version has the manifest at a path, unless it has one; `false`: it has.
    ///
    /// # Errors
    /// The store cannot be reached.
    fn put_new(&self, dataset: &str, version: u64, path: &str) -> io::Result<bool>;

    /// Says that a version has the manifest at a path.
    ///
    /// # Errors
    /// The store cannot be reached.
    fn put(&self, dataset: &str, version: u64, path: &str) -> io::Result<()>;
}

type Store = Arc<dyn ManifestStore>;

/// Calls the store on a thread that may be blocked.
async fn call<T: Send + 'static>(
    store: &Store,
    root: &str,
    work: impl FnOnce(&dyn ManifestStore, &str) -> io::Result<T> + Send + 'static,
) -> Result<T> {
    let (store, dataset) = (store.clone(), root.to_owned());
    let done = tokio::task::spawn_blocking(move || work(&*store, &dataset)).await;
    let done = done.unwrap_or_else(|error| Err(io::Error::other(error)));
    let place = || format!("the store of manifests of {}", without_secrets(root));
    done.map_err(|error| Error::from(error).in_file(place()))
}

pub(super) async fn latest(store: &Store, root: &str) -> Result<Option<(u64, String)>> {
    call(store, root, |store, dataset| store.latest(dataset)).await
}

pub(super) async fn get(store: &Store, root: &str, version: u64) -> Result<Option<String>> {
    call(store, root, move |store, dataset| store.get(dataset, version)).await
}

pub(super) async fn put_new(store: &Store, root: &str, version: u64, path: &str) -> Result<bool> {
    let path = path.to_owned();
    call(store, root, move |store, dataset| store.put_new(dataset, version, &path)).await
}

/// Makes up for a writer that stopped before the manifest was where readers look for it.
///
/// # Errors
/// [`Conflict`](ErrorKind::Conflict): the folder has another manifest of the version.
pub(super) async fn repair(store: &Store, location: &Location, version: u64, path: &str) -> Result<()> {
    if path == NamingScheme::V2.manifest(version) {
        return Ok(());
    }
    match location.get(path).await {
        Ok(bytes) => finish(store, location, version, path, bytes).await,
        // Another program has made up for it meanwhile.
        Err(error) if error.kind() == ErrorKind::NotFound => {
            match location.has(&NamingScheme::V2.manifest(version)).await? {
                true => Ok(()),
                false => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}

/// Puts the manifest of a version, which the store has by the path `staged`, where readers look for it: the third step, and the
/// fourth.
///
/// # Errors
/// [`Conflict`](ErrorKind::Conflict): there is another one, of a program that does not use the store. It stays.
pub(super) async fn finish(
    store: &Store,
    location: &Location,
    version: u64,
    staged: &str,
    bytes: Vec<u8>,
) -> Result<()> {
    let name = NamingScheme::V2.manifest(version);
    match location.find(&name).await? {
        Some(found) if found == bytes => {}
        // A program died while it wrote it.
        Some(found) if !bytes.starts_with(&found) => return Err(in_both(location, version)),
        _ => location.put(&name, bytes).await?,
    }
    settle(store, location, version, staged).await
}

/// Has the store name the manifest that is in the folder: the fourth step.
pub(super) async fn settle(store: &Store, location: &Location, version: u64, staged: &str) -> Result<()> {
    let name = NamingScheme::V2.manifest(version);
    call(store, location.root(), move |store, dataset| store.put(dataset, version, &name)).await?;
    location.delete(staged).await
}

#[cold]
fn in_both(location: &Location, version: u64) -> Error {
    let message = format!(
        "version {version} has one manifest in the folder and another one in the store of manifests: all programs that write \
         must use the same store, with the same path of the data set"
    );
    Error::new(ErrorKind::Conflict, message).in_file(location.root())
}

/// Writes a manifest under a name of its own; returns its path.
pub(super) async fn stage(location: &Location, version: u64, bytes: Vec<u8>) -> Result<String> {
    let staged = format!("{}-{}", NamingScheme::V2.manifest(version), Uuid::new_v4());
    location.put(&staged, bytes).await?;
    Ok(staged)
}
