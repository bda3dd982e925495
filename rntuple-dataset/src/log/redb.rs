//! A store of manifests in one file.

use std::fmt;
use std::io;
use std::path::Path;

use redb::{Database, ReadOnlyTable, ReadableDatabase as _, ReadableTable as _, TableDefinition};

use super::ManifestStore;

/// A data set, and a version of it.
type Key = (&'static str, u64);

/// By data set and version: the path of the manifest.
const MANIFESTS: TableDefinition<'_, Key, &str> = TableDefinition::new("manifests");

/// A [`ManifestStore`] in a file of the database `redb`, for programs on one machine, and as a reference for others.
///
/// One process at a time may have the file open.
///
/// ```
/// use std::sync::Arc;
/// use rntuple_dataset::{Location, Log, RedbManifestStore, Table};
/// # use rntuple::RNTuple;
/// # #[derive(RNTuple)]
/// # struct Event { met: f32 }
///
/// # fn main() -> rntuple_dataset::Result<()> {
/// # let directory = tempfile::tempdir()?;
/// # let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
/// let store = Arc::new(RedbManifestStore::open(path("manifests.redb"))?);
/// let log = Log::new(Location::new(&path("events.rnds"))?).with_manifest_store(store);
/// let table = Table::create_in::<Event>(log, "Events")?;
/// assert_eq!(table.snapshot()?.version(), 1);
/// # Ok(())
/// # }
/// ```
pub struct RedbManifestStore(Database);

impl RedbManifestStore {
    /// Opens the file, or creates it.
    ///
    /// # Errors
    /// Another process has it open, or it is something else.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        Database::create(path).map(Self).map_err(io::Error::other)
    }

    /// Changes the manifest of a version, if `change` says so.
    fn change(
        &self,
        dataset: &str,
        version: u64,
        path: &str,
        is_wanted: impl FnOnce(bool) -> bool,
    ) -> Result<bool, redb::Error> {
        let transaction = self.0.begin_write()?;
        let changed = {
            let mut manifests = transaction.open_table(MANIFESTS)?;
            let exists = manifests.get((dataset, version))?.is_some();
            let changed = is_wanted(exists);
            if changed {
                manifests.insert((dataset, version), path)?;
            }
            changed
        };
        transaction.commit()?;
        Ok(changed)
    }

    /// The table as it is now; `None`: nothing was committed yet.
    fn manifests(&self) -> Result<Option<ReadOnlyTable<Key, &'static str>>, redb::Error> {
        match self.0.begin_read()?.open_table(MANIFESTS) {
            Ok(manifests) => Ok(Some(manifests)),
            Err(redb::TableError::TableDoesNotExist(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn find_latest(&self, dataset: &str) -> Result<Option<(u64, String)>, redb::Error> {
        let Some(manifests) = self.manifests()? else { return Ok(None) };
        let last = manifests.range((dataset, 0)..=(dataset, u64::MAX))?.next_back().transpose()?;
        Ok(last.map(|(key, path)| (key.value().1, path.value().to_owned())))
    }

    fn find(&self, dataset: &str, version: u64) -> Result<Option<String>, redb::Error> {
        let Some(manifests) = self.manifests()? else { return Ok(None) };
        Ok(manifests.get((dataset, version))?.map(|path| path.value().to_owned()))
    }
}

impl ManifestStore for RedbManifestStore {
    fn latest(&self, dataset: &str) -> io::Result<Option<(u64, String)>> {
        self.find_latest(dataset).map_err(io::Error::other)
    }

    fn get(&self, dataset: &str, version: u64) -> io::Result<Option<String>> {
        self.find(dataset, version).map_err(io::Error::other)
    }

    fn put_new(&self, dataset: &str, version: u64, path: &str) -> io::Result<bool> {
        self.change(dataset, version, path, |exists| !exists).map_err(io::Error::other)
    }

    fn put(&self, dataset: &str, version: u64, path: &str) -> io::Result<()> {
        self.change(dataset, version, path, |_| true).map(drop).map_err(io::Error::other)
    }
}

impl fmt::Debug for RedbManifestStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RedbManifestStore")
    }
}
