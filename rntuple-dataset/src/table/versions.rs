//! The versions of a data set, and their names.

use std::collections::BTreeMap;
use std::time::SystemTime;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{At, Table};
use crate::error::{ErrorKind, Result};
use crate::format::Transaction;
use crate::format::transaction::Restore;
use crate::log::Log;
use crate::snapshot::Snapshot;

/// Versions that are read at once.
const AT_ONCE: usize = 16;

/// What is known of a version.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct VersionInfo {
    /// Its number.
    pub version: u64,
    /// When it was committed, as the clock of its writer said.
    pub created: Option<SystemTime>,
    /// What made it: `Append`, `Delete`, ..; `None`: that is not known.
    pub operation: Option<&'static str>,
    /// Number of rows that are not deleted.
    pub rows: u64,
    /// Number of fragments.
    pub fragments: usize,
    /// The tags that name it.
    pub tags: Vec<String>,
}

impl Log {
    /// Returns what is known of all versions, the oldest first. Those that are damaged are not among them; tags that are damaged
    /// name none.
    ///
    /// # Errors
    /// A version cannot be read.
    pub async fn history(&self) -> Result<Vec<VersionInfo>> {
        let mut tags: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for (tag, version) in self.read_tags().await? {
            if let Ok(version) = version {
                tags.entry(version).or_default().push(tag);
            }
        }
        let read = |version: u64| {
            let log = self.clone();
            async move {
                let file = match log.load(version).await {
                    Err(error) if error.kind() == ErrorKind::OutOfSpec => return Ok(None),
                    file => file?,
                };
                let operation = log.transaction(&file).await.ok().flatten().and_then(|it| it.operation);
                Ok::<_, crate::Error>(Some(VersionInfo {
                    version,
                    created: file.manifest.timestamp.and_then(crate::format::Timestamp::to_system_time),
                    operation: operation.map(|operation| operation.name()),
                    rows: file.manifest.rows(),
                    fragments: file.manifest.fragments.len(),
                    tags: Vec::new(),
                }))
            }
        };
        let versions = stream::iter(self.versions().await?).map(read);
        let sound = versions.buffered(AT_ONCE).try_filter_map(|version| async { Ok(version) });
        let mut versions: Vec<VersionInfo> = sound.try_collect().await?;
        for version in &mut versions {
            version.tags = tags.remove(&version.version).unwrap_or_default();
        }
        Ok(versions)
    }

    /// Reads a version for the rows in it.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub async fn snapshot(&self, at: &At) -> Result<Snapshot> {
        let file = match at {
            At::Latest => self.load_latest().await?,
            At::Version(version) => {
                self.check_unmarked(*version).await?;
                self.load(*version).await?
            }
            At::Tag(tag) => self.load(self.tagged(tag).await?).await?,
            At::Time(time) => self.at(*time).await?,
        };
        Snapshot::new(self.location().clone(), file)
    }
}

impl Table {
    /// Returns what is known of all versions, the oldest first. Those that are damaged are not among them; tags that are damaged
    /// name none.
    ///
    /// # Errors
    /// A version cannot be read.
    pub fn versions(&self) -> Result<Vec<VersionInfo>> {
        let log = self.log.clone();
        rntuple_object_store::wait(async move { log.history().await })
    }

    /// Returns the tags, and the version that each names.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn tags(&self) -> Result<BTreeMap<String, u64>> {
        let log = self.log.clone();
        rntuple_object_store::wait(async move { log.tags().await })
    }

    /// Returns the version that a tag names.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound): there is no such tag.
    pub fn tagged(&self, tag: &str) -> Result<u64> {
        let (log, tag) = (self.log.clone(), tag.to_owned());
        rntuple_object_store::wait(async move { log.tagged(&tag).await })
    }

    /// Names a version, which is then not cleaned up. The name must be new.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound): there is no such version;
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument): the name is in use, or not possible.
    pub fn tag(&self, tag: &str, version: u64) -> Result<()> {
        let (log, tag) = (self.log.clone(), tag.to_owned());
        rntuple_object_store::wait(async move { log.tag(&tag, version, false).await })
    }

    /// Names a version, whatever the tag named before.
    ///
    /// # Errors
    /// As [`tag`](Self::tag), but for names in use.
    pub fn move_tag(&self, tag: &str, version: u64) -> Result<()> {
        let (log, tag) = (self.log.clone(), tag.to_owned());
        rntuple_object_store::wait(async move { log.tag(&tag, version, true).await })
    }

    /// Removes a tag; the version stays until it is cleaned up.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound): there is no such tag.
    pub fn untag(&self, tag: &str) -> Result<()> {
        let (log, tag) = (self.log.clone(), tag.to_owned());
        rntuple_object_store::wait(async move { log.untag(&tag).await })
    }

    /// Makes an old version the newest one, by a commit. Later versions stay readable under their numbers, including those
    /// that other programs commit at the same time; the new version does not have their rows.
    ///
    /// This also gets past a newest version whose manifest is damaged, as a loss of power may leave it: the number of that version
    /// is not used again.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound): there is no such version.
    pub fn restore(&self, version: u64) -> Result<Snapshot> {
        let log = self.log.clone();
        let newest = rntuple_object_store::wait(async move { log.load_sound().await })?;
        let snapshot = Snapshot::new(self.location().clone(), newest)?;
        // It must be there.
        self.at(version)?;
        self.commit(&snapshot, Transaction::new(snapshot.version(), Restore { version }))
    }
}
