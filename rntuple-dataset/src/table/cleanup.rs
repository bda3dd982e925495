//! Removing old versions, and files that no version needs.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use super::Table;
use crate::bounds;
use crate::error::{ErrorKind, Result};
use crate::format::ManifestFile;
use crate::format::names::{self, ManifestName, NamingScheme};
use crate::location::{is_absolute, statistics_of};
use crate::log::Log;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What is cleaned up.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct CleanupOptions {
    older_than: Duration,
    unreferenced_after: Duration,
    is_dry: bool,
}

impl CleanupOptions {
    /// Removes versions that were made over `older_than` ago, but for the newest one and those that have tags. A program
    /// that has stalled since before such a version gets a [`Conflict`](ErrorKind::Conflict) when it commits.
    pub fn older_than(older_than: Duration) -> Self {
        Self { older_than, unreferenced_after: 7 * DAY, is_dry: false }
    }

    /// Sets for how long a file is kept that no version names: a program may be writing it, and commit it later. Default: 7
    /// days. It must be longer than any program takes from the first byte of a file to its commit.
    pub fn unreferenced_after(mut self, time: Duration) -> Self {
        self.unreferenced_after = time;
        self
    }

    /// Sets whether it is only said what would be removed. Default: `false`.
    pub fn dry_run(mut self, is_dry: bool) -> Self {
        self.is_dry = is_dry;
        self
    }
}

/// What was cleaned up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cleaned {
    /// Versions that were removed, the oldest first.
    pub versions: Vec<u64>,
    /// Files that were removed, below the folder of the data set.
    pub files: Vec<String>,
    /// Their size, in bytes.
    pub bytes: u64,
}

impl Table {
    /// Removes old versions, and the files that no version needs any more. Adopted files are never removed.
    ///
    /// Readers that still work on a version that is removed will miss files.
    ///
    /// A program that is writing at the same time is protected by the age of its files, and by nothing else: a clean-up does
    /// not know which programs run. A file that no version names is removed once it is
    /// [older](CleanupOptions::unreferenced_after) than 7 days. A program that commits it after that makes a version that lacks
    /// the file. Where programs write for longer than that before they commit, the time must be set accordingly; where it is
    /// set to less, no program may be writing.
    ///
    /// # Errors
    /// Versions cannot be read, or files cannot be removed; what was removed before stays so, and no version that is left
    /// lacks anything.
    pub fn cleanup(&self, options: &CleanupOptions) -> Result<Cleaned> {
        let (log, options) = (self.log.clone(), options.clone());
        rntuple_object_store::wait(async move { cleanup(&log, &options).await })
    }
}

async fn cleanup(log: &Log, options: &CleanupOptions) -> Result<Cleaned> {
    let now = SystemTime::now();
    let mut cleaned = Cleaned::default();
    let mut made_by = Vec::new();
    let kept = tagged(log).await?;
    if !options.is_dry {
        log.unmark_named(&kept).await?;
    }
    let versions = log.versions().await?;
    for version in versions.split_last().map(|(_, old)| old).unwrap_or_default() {
        if kept.contains(version) {
            continue;
        }
        let file = match log.load(*version).await {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let made = file.manifest.timestamp.and_then(crate::format::Timestamp::to_system_time);
        if made.is_some_and(|made| is_before(made, now, options.older_than)) {
            cleaned.versions.push(*version);
            made_by.push((*version, file.manifest.transaction_file));
        }
    }
    if !options.is_dry {
        for (version, transaction) in &made_by {
            log.mark(*version, transaction).await?;
        }
        // Versions may have been tagged since the tags were read: see `Log::tag`.
        let named = tagged(log).await?;
        for (version, transaction) in &made_by {
            match named.contains(version) {
                true => log.unmark(*version, transaction).await?,
                false => log.remove(*version).await?,
            }
        }
        cleaned.versions.retain(|version| !named.contains(version));
    }
    // What was committed meanwhile is seen from here on: files go only after this.
    let removed: HashSet<u64> = cleaned.versions.iter().copied().collect();
    let mut needed = HashSet::new();
    let left = log.versions().await?;
    for version in left.iter().copied() {
        if !removed.contains(&version) {
            needed.extend(files_of(log, version).await?);
        }
    }
    let mut dead = HashSet::new();
    for folder in [
        names::DATA,
        names::DELETIONS,
        names::INDICES,
        names::TRANSACTIONS,
        names::STATISTICS,
        names::VERSIONS,
    ] {
        let listed = log.location().list(folder).await?;
        let names: HashSet<&str> = listed.iter().map(|file| &*file.name).collect();
        for file in &listed {
            // Manifests that were staged by programs that died are not versions, nor are marks of removed ones.
            if folder == names::VERSIONS && (is_version(&file.name, &left) || hides(&file.name, &names)) {
                continue;
            }
            let name = format!("{folder}/{}", file.name);
            if folder == names::INDICES && name.rsplit_once('/').is_some_and(|(of, _)| needed.contains(of)) {
                continue;
            }
            if !needed.contains(&name) && is_before(file.modified, now, options.unreferenced_after) {
                cleaned.bytes += file.size;
                dead.insert(name);
            }
        }
    }
    cleaned.files = dead.into_iter().collect();
    cleaned.files.sort_unstable();
    if !options.is_dry {
        for name in &cleaned.files {
            log.location().delete(name).await?;
            if let Some((folder, _)) = name.rsplit_once('/').filter(|(it, _)| it.starts_with(names::INDICES))
            {
                log.location().delete_folder(folder);
            }
        }
    }
    Ok(cleaned)
}

/// The versions that have tags.
async fn tagged(log: &Log) -> Result<HashSet<u64>> {
    Ok(log.tags().await?.into_values().collect())
}

/// Whether a file has the manifest of a version that is left, or of something that this crate does not know. A program that
/// died may have left the manifest of a version that is marked as removed.
fn is_version(name: &str, left: &[u64]) -> bool {
    match ManifestName::parse(name) {
        ManifestName::Version(version, _) => {
            left.binary_search(&version).is_ok() || left.last() < Some(&version)
        }
        ManifestName::Detached(_) => true,
        ManifestName::Other => false,
    }
}

/// Whether a file is the mark of a version whose manifest is still there.
fn hides(name: &str, names: &HashSet<&str>) -> bool {
    let manifest = names::parse_removed(name).map(|version| NamingScheme::V2.manifest(version));
    let manifest = manifest.as_deref().and_then(|path| path.rsplit('/').next());
    manifest.is_some_and(|manifest| names.contains(manifest))
}

fn is_before(time: SystemTime, now: SystemTime, age: Duration) -> bool {
    now.duration_since(time).is_ok_and(|found| found >= age)
}

/// The files that a version needs, below the folder of the data set, and the folders of its indices.
async fn files_of(log: &Log, version: u64) -> Result<Vec<String>> {
    let ManifestFile { manifest, indices, .. } = log.load(version).await?;
    let mut files: Vec<String> =
        indices.iter().flat_map(|it| &it.indices).filter_map(bounds::folder).collect();
    if !manifest.transaction_file.is_empty() {
        files.push(format!("{}/{}", names::TRANSACTIONS, manifest.transaction_file));
    }
    for fragment in &manifest.fragments {
        if let Some(deletions) = &fragment.deletion_file {
            files.push(names::deletion_file(fragment.id, deletions)?);
        }
        for file in &fragment.files {
            files.push(statistics_of(&file.path));
            if !is_absolute(&file.path) {
                files.push(format!("{}/{}", names::DATA, file.path));
            }
        }
    }
    Ok(files)
}
