//! The versions of a data set: found, read, and committed.

mod claim;
mod commit;
mod external;
mod probe;
#[cfg(feature = "redb")]
mod redb;
mod tags;

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

pub(crate) use claim::{Claimed, KEPT, files_of_fragment};
pub use external::ManifestStore;
#[cfg(feature = "redb")]
pub use redb::RedbManifestStore;
pub(crate) use tags::TAGS;

use crate::error::{Error, ErrorKind, Result};
use crate::format::names::{self, Listing, ManifestName, NamingScheme};
use crate::format::{ManifestFile, Timestamp, Transaction};
use crate::location::Location;

/// The versions of a data set, by number.
///
/// All methods are `async`, for engines that have a runtime, which is that of tokio; [`Table`](crate::Table) is the same for
/// programs that wait. What reads and writes data files waits for them, and is done [on a thread that
/// may](Self::with_table).
#[derive(Clone, Debug)]
pub struct Log {
    location: Location,
    external: Option<Arc<dyn ManifestStore>>,
    /// Whether the store was seen to refuse a second file of the same name.
    is_safe: Arc<AtomicBool>,
}

impl Log {
    /// Takes the versions that are in a folder.
    pub fn new(location: Location) -> Self {
        Self { location, external: None, is_safe: Arc::default() }
    }

    /// Has versions committed through a store of manifests, for folders whose storage cannot refuse a second file of the
    /// same name.
    ///
    /// All programs that write to the data set use the same store, and name the folder by the same path or URL. A version that a
    /// program commits without it is not overwritten. If another one has committed the same version through the store and died,
    /// there are two manifests of it, and readers get a [`Conflict`](ErrorKind::Conflict).
    #[must_use]
    pub fn with_manifest_store(mut self, store: Arc<dyn ManifestStore>) -> Self {
        self.external = Some(store);
        self
    }

    /// Returns the folder.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Returns the numbers of all versions, the oldest first.
    ///
    /// # Errors
    /// The folder cannot be listed; its manifests have names of two schemes.
    pub async fn versions(&self) -> Result<Vec<u64>> {
        Ok(self.versions_and_cleanups().await?.0)
    }

    /// Returns the numbers of all versions, the oldest first, and the names of the announcements of clean-ups.
    async fn versions_and_cleanups(&self) -> Result<(Vec<u64>, Vec<String>)> {
        let listing = self.listing().await?;
        let mut versions = listing.versions;
        let cleanups = listing.others.iter().filter(|name| names::is_cleanup(name));
        let cleanups = cleanups.map(|name| format!("{}/{name}", names::VERSIONS)).collect();
        if let Some(NamingScheme::V1) = listing.scheme {
            let message = "the manifests have names of the first scheme, which this crate does not write";
            return Err(Error::unsupported(message).in_file(self.location.root()));
        }
        if let Some(external) = &self.external
            && let Some((latest, path)) = external::latest(external, self.location.root()).await?
        {
            external::repair(external, &self.location, latest, &path).await?;
            if versions.last() != Some(&latest) {
                versions.push(latest);
                versions.sort_unstable();
                versions.dedup();
            }
        }
        Ok((versions, cleanups))
    }

    /// What is in the folder of manifests.
    async fn listing(&self) -> Result<Listing> {
        let found = self.location.list(names::VERSIONS).await?;
        Listing::from_names(found.iter().map(|file| &*file.name))
    }

    /// Marks a version as removed: it is no longer listed, and its number is not used again while the mark exists. The
    /// manifest must be removed after that, because the storage then accepts another manifest of this number.
    pub(crate) async fn mark(&self, version: u64, transaction: &str) -> Result<()> {
        self.location.put_passing(&names::removed(version, transaction), Vec::new()).await
    }

    /// Removes a version that is marked.
    pub(crate) async fn remove(&self, version: u64) -> Result<()> {
        self.location.delete(&NamingScheme::V2.manifest(version)).await
    }

    /// Takes back a mark, by its name.
    pub(crate) async fn unmark(&self, mark: &str) -> Result<()> {
        self.location.delete(&format!("{}/{mark}", names::VERSIONS)).await
    }

    /// The versions that are marked as removed and whose manifests exist, with the names of their marks.
    pub(crate) async fn hidden(&self) -> Result<Vec<(u64, String)>> {
        let found = self.location.list(names::VERSIONS).await?;
        let version = |name: &str| match ManifestName::parse(name) {
            ManifestName::Version(version, _) => Some(version),
            _ => None,
        };
        let manifests: HashSet<u64> = found.iter().filter_map(|file| version(&file.name)).collect();
        let hidden = |name: String| {
            let version = names::parse_removed(&name).filter(|version| manifests.contains(version))?;
            Some((version, name))
        };
        Ok(found.into_iter().filter_map(|file| hidden(file.name)).collect())
    }

    /// Checks that no clean-up has marked a version as removed: files of it may be missing.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound): one has.
    pub(crate) async fn check_unmarked(&self, version: u64) -> Result<()> {
        match self.listing().await?.removed.iter().any(|(removed, _)| *removed == version) {
            true => Err(self.no_version(version)),
            false => Ok(()),
        }
    }

    #[cold]
    fn no_version(&self, version: u64) -> Error {
        let message = format!("there is no version {version}, or it was cleaned up");
        Error::new(ErrorKind::NotFound, message).in_file(self.location.root())
    }

    /// The names of the transactions that made versions which are marked as removed.
    pub(crate) async fn finished(&self) -> Result<HashSet<String>> {
        let removed = self.listing().await?.removed;
        Ok(removed.iter().filter_map(|(_, mark)| names::removed_transaction(mark)).collect())
    }

    /// Whether another version had this number, before one that this transaction has just made.
    async fn is_used(&self, version: u64, transaction: &str) -> Result<bool> {
        let mut removed = self.listing().await?.removed.into_iter().filter(|(number, _)| *number == version);
        Ok(removed.any(|(_, mark)| !names::is_mark_of(&mark, version, transaction)))
    }

    /// Returns the number of the newest version.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound): there is no data set.
    pub async fn latest(&self) -> Result<u64> {
        self.newest(&self.versions().await?)
    }

    /// The last one of the versions.
    fn newest(&self, versions: &[u64]) -> Result<u64> {
        versions.last().copied().ok_or_else(|| {
            let message = "there is no data set: the folder has no versions";
            Error::from(io::Error::new(io::ErrorKind::NotFound, message)).in_file(self.location.root())
        })
    }

    /// Reads a version.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound): there is no such version, or it was cleaned up;
    /// [`Unsupported`](ErrorKind::Unsupported): it needs what this crate does not have, or is a data set of Lance.
    pub async fn load(&self, version: u64) -> Result<ManifestFile> {
        if let Some(external) = &self.external
            && let Some(path) = external::get(external, self.location.root(), version).await?
        {
            external::repair(external, &self.location, version, &path).await?;
        }
        let name = NamingScheme::V2.manifest(version);
        let bytes = match self.location.find(&name).await? {
            Some(bytes) => bytes,
            None => return Err(self.no_version(version)),
        };
        let place = |error: Error| error.in_file(format!("{}/{name}", self.location.root()));
        let file = ManifestFile::read(&bytes).map_err(place)?;
        file.manifest.check_readable().map_err(place)?;
        if file.manifest.version != version {
            let message = format!("the manifest is that of version {}", file.manifest.version);
            return Err(place(Error::out_of_spec(message)));
        }
        Ok(file)
    }

    /// Reads the newest version.
    ///
    /// # Errors
    /// [`OutOfSpec`](ErrorKind::OutOfSpec): it is damaged; or as [`load`](Self::load).
    pub(crate) async fn load_latest(&self) -> Result<ManifestFile> {
        self.load(self.latest().await?).await.map_err(of_newest)
    }

    /// Reads the newest version that is not damaged.
    ///
    /// # Errors
    /// As [`load`](Self::load); or all versions are damaged.
    pub(crate) async fn load_sound(&self) -> Result<ManifestFile> {
        let newest = self.load_latest().await;
        if !newest.as_ref().is_err_and(|error| error.kind() == ErrorKind::OutOfSpec) {
            return newest;
        }
        for version in self.versions().await?.into_iter().rev() {
            match self.load(version).await {
                Err(error) if matches!(error.kind(), ErrorKind::OutOfSpec | ErrorKind::NotFound) => {}
                found => return found,
            }
        }
        newest
    }

    /// Reads the transaction that made a version; `None`: it is missing.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn transaction(&self, file: &ManifestFile) -> Result<Option<Transaction>> {
        if let Some(transaction) = &file.transaction {
            return Ok(Some(transaction.clone()));
        }
        if file.manifest.transaction_file.is_empty() {
            return Ok(None);
        }
        let name = format!("{}/{}", names::TRANSACTIONS, file.manifest.transaction_file);
        let bytes = self.location.find(&name).await?;
        bytes.map(|bytes| Transaction::read(&bytes).map_err(|error| error.in_file(name))).transpose()
    }

    /// Returns the newest version that existed at a time.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound): the first version is newer.
    pub async fn at(&self, time: SystemTime) -> Result<ManifestFile> {
        let mut versions = self.versions().await?;
        let (mut low, mut high) = (0, versions.len());
        let mut found = None;
        while low < high {
            let middle = low + (high - low) / 2;
            let Some(version) = versions.get(middle) else { break };
            let file = match self.load(*version).await {
                Ok(file) => file,
                // When it was made is not known.
                Err(error) if error.kind() == ErrorKind::OutOfSpec => {
                    versions.remove(middle);
                    high -= 1;
                    continue;
                }
                Err(error) => return Err(error),
            };
            let made = file.manifest.timestamp.and_then(Timestamp::to_system_time);
            if made.is_some_and(|made| made <= time) {
                (found, low) = (Some(file), middle + 1);
            } else {
                high = middle;
            }
        }
        found.ok_or_else(|| {
            let message = "the data set did not exist then, or its versions of that time were cleaned up";
            Error::new(ErrorKind::NotFound, message).in_file(self.location.root())
        })
    }
}

/// Says what helps against damage to the newest version, as a loss of power may leave it.
pub(crate) fn of_newest(error: Error) -> Error {
    match error.kind() {
        ErrorKind::OutOfSpec => error.with_message(|text| {
            format!(
                "{text}; it is the newest version: restore an earlier one, which becomes the next version"
            )
        }),
        _ => error,
    }
}
