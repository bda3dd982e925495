//! Removing old versions, and files that no version needs.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, SystemTime};

use super::Table;
use crate::bounds;
use crate::error::{ErrorKind, Result};
use crate::format::names::{self, ManifestName, NamingScheme};
use crate::format::{ManifestFile, Transaction};
use crate::log::{Claimed, KEPT, Log, TAGS, files_of_fragment, of_newest};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The folders of files that versions need, and that of the versions.
const FOLDERS: [&str; 7] = [
    names::DATA,
    names::DELETIONS,
    names::INDICES,
    names::ROW_IDS,
    names::TRANSACTIONS,
    names::STATISTICS,
    names::VERSIONS,
];

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
    /// days. It should be longer than any program takes from the first byte of a file to its commit, which fails otherwise.
    /// What a clean-up notes of versions that it has removed is kept for an hour at least.
    pub fn unreferenced_after(mut self, time: Duration) -> Self {
        self.unreferenced_after = time;
        self
    }

    /// Sets whether it is only said what would be removed, by the clock of this machine: that of the storage is known to
    /// those who write there. Default: `false`.
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
    /// Removes old versions, and the files that no version needs any more. Files that were adopted where they are, outside
    /// the folder of the data set, are never removed. Neither is a file below its folder of data files while an adopted file has
    /// a path or URL that ends with `/data/` and its name, nor what links of a file system lead to, nor these links.
    ///
    /// Readers that still work on a version that is removed will miss files.
    ///
    /// Programs may write at the same time. A file that no version names is removed once it is
    /// [older](CleanupOptions::unreferenced_after) than 7 days, and no program has begun to commit it within the last hour. A
    /// program that wants to commit it after that gets a [`Conflict`](ErrorKind::Conflict), and commits nothing.
    ///
    /// # Errors
    /// Versions cannot be read, or files cannot be removed; what was removed before stays so, and no version that is left
    /// lacks anything. A damaged version is an error while it is the newest one, has a tag, or has a file that is not old enough:
    /// which files it needs is not known. [`Conflict`](ErrorKind::Conflict): a version was tagged while another clean-up was at
    /// work too.
    pub fn cleanup(&self, options: &CleanupOptions) -> Result<Cleaned> {
        let (log, options) = (self.log.clone(), options.clone());
        rntuple_object_store::wait(async move { cleanup(&log, &options).await })
    }
}

async fn cleanup(log: &Log, options: &CleanupOptions) -> Result<Cleaned> {
    if options.is_dry {
        return clean(log, options, SystemTime::now(), None).await;
    }
    let (announcement, now) = log.announce().await?;
    let cleaned = clean(log, options, now, Some(&announcement)).await;
    let ended = log.location().delete(&announcement).await;
    let cleaned = cleaned?;
    ended.map(|()| cleaned)
}

/// `now` is the time by the clock of the storage, which says how old files are. Without an `announcement` nothing is removed.
async fn clean(
    log: &Log,
    options: &CleanupOptions,
    now: SystemTime,
    announcement: Option<&str>,
) -> Result<Cleaned> {
    let mut cleaned = Cleaned::default();
    let mut made_by = Vec::new();
    let kept = tagged(log).await?;
    let versions = log.versions().await?;
    if let Some(newest) = versions.last() {
        check_newest(log, *newest, options.is_dry).await?;
    }
    for version in versions.split_last().map(|(_, old)| old).unwrap_or_default() {
        if kept.contains(version) {
            continue;
        }
        let file = match log.load(*version).await {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            // A damaged one does not say when it was made, or by what.
            Err(error) if error.kind() == ErrorKind::OutOfSpec => {
                let written = log.location().modified(&NamingScheme::V2.manifest(*version)).await?;
                if is_before(written, now, options.older_than) {
                    cleaned.versions.push(*version);
                    made_by.push((*version, String::new()));
                }
                continue;
            }
            Err(error) => return Err(error),
        };
        let made = file.manifest.timestamp.and_then(crate::format::Timestamp::to_system_time);
        // The clocks of its writer, of the storage and of this machine may differ.
        if made.is_some_and(|made| is_before(made, now.min(SystemTime::now()), options.older_than)) {
            cleaned.versions.push(*version);
            made_by.push((*version, file.manifest.transaction_file));
        }
    }
    if !options.is_dry {
        for (version, transaction) in &made_by {
            log.mark(*version, transaction).await?;
        }
    }
    // A program that marked others may have died before it removed them.
    let hidden = log.hidden().await?;
    // Versions may have been tagged since the tags were read: see `Log::tag`.
    let named = tagged(log).await?;
    cleaned.versions.retain(|version| !named.contains(version));
    let (back, gone): (Vec<_>, Vec<_>) = hidden.into_iter().partition(|(version, _)| named.contains(version));
    if let Some(own) = announcement {
        for (version, mark) in &back {
            log.check_alone(own, now, *version).await?;
            log.unmark(mark).await?;
        }
        for (version, _) in &gone {
            log.remove(*version).await?;
        }
    }
    cleaned.versions.extend(gone.iter().map(|(version, _)| *version));
    cleaned.versions.sort_unstable();
    cleaned.versions.dedup();
    let removed: HashSet<u64> = cleaned.versions.iter().copied().collect();
    let mut needed = HashSet::new();
    let mut left = log.versions().await?;
    left.extend(back.iter().map(|(version, _)| *version));
    left.sort_unstable();
    left.dedup();
    for version in left.iter().filter(|version| !removed.contains(version)) {
        needed.extend(files_of(log, *version).await?);
    }
    let mut dead = HashMap::new();
    for folder in FOLDERS {
        let listed = log.location().list(folder).await?;
        let names: HashSet<&str> = listed.iter().map(|file| &*file.name).collect();
        for file in &listed {
            // Manifests of versions that are marked as removed are not versions, nor are the marks.
            if folder == names::VERSIONS && (is_version(&file.name, &left) || hides(&file.name, &names)) {
                continue;
            }
            // Another clean-up may be at work, or a program that commits: a store of manifests may come to name the manifest that
            // it has staged, and a program that has stalled must find the mark of a version.
            let kept = if folder == names::VERSIONS { KEPT } else { Duration::ZERO };
            let name = format!("{folder}/{}", file.name);
            if folder == names::INDICES && name.rsplit_once('/').is_some_and(|(of, _)| needed.contains(of)) {
                continue;
            }
            if !needed.contains(&name)
                && is_before(file.modified, now, options.unreferenced_after.max(kept))
                && log.location().is_inside(&name)
            {
                dead.insert(name, file.size);
            }
        }
    }
    let mut finished = log.finished().await?;
    finished.extend(made_by.into_iter().map(|(_, transaction)| transaction));
    let known = Known { versions: left, needed, finished, now };
    match announcement {
        None => spare(log, &mut dead, &known).await?,
        Some(_) if dead.is_empty() => {}
        Some(announcement) => {
            log.announce_files(announcement, dead.keys()).await?;
            remove(log, &mut dead, &known).await?;
        }
    }
    cleaned.bytes = dead.values().sum();
    cleaned.files = dead.into_keys().collect();
    for folder in FOLDERS.into_iter().chain([TAGS]) {
        for file in log.location().half_written(folder) {
            let name = format!("{folder}/{}", file.name);
            if is_before(file.modified, now, options.unreferenced_after.max(KEPT))
                && log.location().is_inside(&name)
            {
                if !options.is_dry {
                    log.location().delete_half_written(&name)?;
                }
                cleaned.bytes += file.size;
                cleaned.files.push(name);
            }
        }
    }
    cleaned.files.sort_unstable();
    Ok(cleaned)
}

/// Checks that the newest version can be read, and that it is there after a loss of power: it is all that is left of older
/// ones.
///
/// # Errors
/// It is damaged; or the storage fails.
async fn check_newest(log: &Log, version: u64, is_dry: bool) -> Result<()> {
    let checked = async {
        log.load(version).await.map_err(of_newest)?;
        match is_dry {
            true => Ok(()),
            false => log.location().sync(&NamingScheme::V2.manifest(version)).await,
        }
    };
    match checked.await {
        // It was cleaned up: there are newer ones.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        checked => checked,
    }
}

/// What a clean-up has seen.
struct Known {
    versions: Vec<u64>,
    /// Files that these versions need.
    needed: HashSet<String>,
    /// Transactions that made versions which are removed.
    finished: HashSet<String>,
    now: SystemTime,
}

/// Removes files, but those that others need by now.
async fn remove(log: &Log, dead: &mut HashMap<String, u64>, known: &Known) -> Result<()> {
    spare(log, dead, known).await?;
    for name in dead.keys() {
        log.location().delete(name).await?;
        if let Some((folder, _)) = name.rsplit_once('/').filter(|(it, _)| it.starts_with(names::INDICES)) {
            log.location().delete_folder(folder);
        }
    }
    Ok(())
}

/// Takes out what is needed by versions that were not known, or by young transactions of which versions may come.
async fn spare(log: &Log, dead: &mut HashMap<String, u64>, known: &Known) -> Result<()> {
    // Transactions first: those that finish meanwhile have made versions.
    let mut claimed = Claimed::default();
    for file in log.location().list(names::TRANSACTIONS).await? {
        let name = format!("{}/{}", names::TRANSACTIONS, file.name);
        let is_done = known.needed.contains(&name) || known.finished.contains(&file.name);
        if is_done || is_before(file.modified, known.now, KEPT) {
            continue;
        }
        // Of one that is damaged, or gone by now, no version comes.
        if let Some(bytes) = log.location().find(&name).await?
            && let Ok(transaction) = Transaction::read(&bytes)
        {
            claimed.add(&transaction)?;
            claimed.names.insert(name);
        }
    }
    for version in log.versions().await? {
        if known.versions.binary_search(&version).is_err() {
            claimed.names.extend(files_of(log, version).await?);
        }
    }
    dead.retain(|name, _| !claimed.has(name));
    Ok(())
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

/// The files that a version needs, below the folder of the data set, and the folders of its indices; none if another
/// clean-up has removed it.
async fn files_of(log: &Log, version: u64) -> Result<Vec<String>> {
    let loaded = log.load(version).await;
    if loaded.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        // It would have marked it before.
        match log.check_unmarked(version).await {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            checked => checked?,
        }
    }
    let file = loaded.map_err(|error| match error.kind() {
        ErrorKind::OutOfSpec => error.with_message(|text| {
            format!(
                "{text}; the files of version {version} are not known: remove its tag if it has one, and clean up with an age \
                 at which it is removed"
            )
        }),
        _ => error,
    });
    let ManifestFile { manifest, indices, .. } = file?;
    let mut files: Vec<String> =
        indices.iter().flat_map(|it| &it.indices).filter_map(bounds::folder).collect();
    if !manifest.transaction_file.is_empty() {
        files.push(format!("{}/{}", names::TRANSACTIONS, manifest.transaction_file));
    }
    for fragment in &manifest.fragments {
        files.extend(files_of_fragment(fragment)?);
    }
    Ok(files)
}
