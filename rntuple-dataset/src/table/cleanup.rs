//! Removing old versions, and files that no version needs.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use super::Table;
use crate::bounds;
use crate::error::{ErrorKind, Result};
use crate::format::ManifestFile;
use crate::format::names::{self, ManifestName, NamingScheme};
use crate::location::is_absolute;
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
    /// Removes versions that were made over `older_than` ago, but for the newest one and those that have tags. It must be
    /// longer than any commit takes: a program that has not seen a version could commit one of the same number once that is
    /// removed.
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
    let (versions, tags) = (log.versions().await?, log.tags().await?);
    let tagged: HashSet<u64> = tags.values().copied().collect();
    for version in versions.split_last().map(|(_, old)| old).unwrap_or_default() {
        if tagged.contains(version) {
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
        }
    }
    if !options.is_dry {
        for version in &cleaned.versions {
            log.location().delete(&NamingScheme::V2.manifest(*version)).await?;
        }
    }
    // What was committed meanwhile is seen from here on: files go only after this.
    let removed: HashSet<u64> = cleaned.versions.iter().copied().collect();
    let mut needed = HashSet::new();
    for version in log.versions().await? {
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
        for file in log.location().list(folder).await? {
            // Manifests that were staged by programs that died are no versions.
            if folder == names::VERSIONS && ManifestName::parse(&file.name) != ManifestName::Other {
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
        for file in fragment.files.iter().filter(|file| !is_absolute(&file.path)) {
            files.push(format!("{}/{}", names::DATA, file.path));
            files.push(names::statistics(&file.path));
        }
    }
    Ok(files)
}
