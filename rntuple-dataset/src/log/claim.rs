//! Files of a commit that no version names yet.
//!
//! A program writes its files, then its transaction, which names them, and looks after that whether a clean-up has announced
//! that it removes one of them, and whether they exist. A clean-up announces what it is about to remove, and reads young
//! transactions after that. So at least one of the two sees the other: the files stay, or the commit is refused.

use std::collections::HashSet;
use std::io;
use std::time::{Duration, SystemTime};

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use rntuple::RootFile;
use rntuple::storage::without_secrets;
use uuid::Uuid;

use super::Log;
use crate::bounds;
use crate::error::{Error, ErrorKind, Result};
use crate::format::names;
use crate::format::transaction::Operation;
use crate::format::{DataFile, DataFragment, IndexMetadata, Manifest, RowIds, Transaction};
use crate::location::{Found, is_absolute, statistics_of};
use crate::paths;

/// For how long a transaction keeps the files that it names, if no version has come of it.
pub(crate) const KEPT: Duration = Duration::from_secs(60 * 60);

/// How many files are looked for at once.
const AT_ONCE: usize = 16;

/// What a commit has written, and when it has said so.
pub(super) struct Claim {
    files: Vec<String>,
    /// Data files elsewhere that may be in the folder of the data set by another path or URL.
    adopted: Vec<String>,
    /// What they would be called there.
    elsewhere: Vec<String>,
    since: SystemTime,
    /// Whether all files were seen since then. A clean-up that had announced one by then has removed it, or its
    /// announcement is listed; a later one finds the transaction.
    is_seen: bool,
}

impl Claim {
    fn new(since: SystemTime) -> Self {
        Self { files: Vec::new(), adopted: Vec::new(), elsewhere: Vec::new(), since, is_seen: false }
    }

    /// Whether a clean-up may soon pay no regard to the transaction any more.
    pub(super) fn is_old(&self) -> bool {
        self.since.elapsed().map_or(true, |age| age > KEPT / 2)
    }
}

/// What an operation brings with it.
struct Brought<'a> {
    fragments: Vec<&'a DataFragment>,
    /// Files of fragments that exist.
    files: Vec<&'a DataFile>,
    indices: &'a [IndexMetadata],
}

impl<'a> Brought<'a> {
    fn of(operation: &'a Operation) -> Self {
        let mut brought = Self { fragments: Vec::new(), files: Vec::new(), indices: &[] };
        match operation {
            Operation::Append(append) => brought.fragments.extend(&append.fragments),
            Operation::Overwrite(overwrite) => brought.fragments.extend(&overwrite.fragments),
            Operation::Merge(merge) => brought.fragments.extend(&merge.fragments),
            Operation::Delete(delete) => brought.fragments.extend(&delete.updated_fragments),
            Operation::Update(update) => {
                brought.fragments.extend(update.updated_fragments.iter().chain(&update.new_fragments));
            }
            Operation::Rewrite(rewrite) => {
                let groups = rewrite.groups.iter().flat_map(|group| &group.new_fragments);
                brought.fragments.extend(rewrite.new_fragments.iter().chain(groups));
            }
            Operation::DataReplacement(replacement) => {
                brought.files.extend(replacement.replacements.iter().filter_map(|it| it.new_file.as_ref()));
            }
            Operation::CreateIndex(create) => brought.indices = &create.new_indices,
            _ => {}
        }
        brought.files.extend(brought.fragments.iter().flat_map(|fragment| &fragment.files));
        brought
    }

    fn deletions(&self) -> impl Iterator<Item = Result<String>> {
        self.fragments.iter().filter_map(|fragment| deletions_of(fragment).transpose())
    }
}

/// The name of the deletion file of a fragment.
fn deletions_of(fragment: &DataFragment) -> Result<Option<String>> {
    fragment.deletion_file.as_ref().map(|file| names::deletion_file(fragment.id, file)).transpose()
}

/// What is left alone of a data file and of its statistics, below the folder of the data set.
fn names_of_file(file: &DataFile) -> impl Iterator<Item = String> {
    let statistics = statistics_of(&file.path);
    let decoded = paths::decoded(&statistics);
    paths::names_of(&file.path, is_absolute(&file.path)).into_iter().chain([statistics, decoded])
}

/// The file with the row ids of a fragment; `None`: they are in the manifest.
fn row_ids_of(fragment: &DataFragment) -> Option<&str> {
    match &fragment.row_id_sequence {
        Some(RowIds::External(file)) => Some(&file.path),
        _ => None,
    }
}

/// What a fragment needs, below the folder of the data set.
pub(crate) fn files_of_fragment(fragment: &DataFragment) -> Result<Vec<String>> {
    let own = fragment.files.iter().flat_map(names_of_file);
    let ids = row_ids_of(fragment).map(str::to_owned);
    Ok(own.chain(deletions_of(fragment)?).chain(ids).collect())
}

/// What a clean-up leaves alone because of a transaction of which no version has come yet.
#[derive(Default)]
pub(crate) struct Claimed {
    /// Files, and folders of indices, below the folder of the data set.
    pub(crate) names: HashSet<String>,
    /// Fragments that may get other deletion files than the transaction says: those of others are put to them.
    changed: HashSet<u64>,
}

impl Claimed {
    pub(crate) fn add(&mut self, transaction: &Transaction) -> Result<()> {
        let Some(operation) = &transaction.operation else { return Ok(()) };
        let brought = Brought::of(operation);
        for file in &brought.files {
            self.names.extend(names_of_file(file));
        }
        for fragment in &brought.fragments {
            self.names.extend(row_ids_of(fragment).map(str::to_owned));
            if let Some(deletions) = deletions_of(fragment)? {
                self.names.insert(deletions);
                self.changed.insert(fragment.id);
            }
        }
        self.names.extend(brought.indices.iter().filter_map(bounds::folder));
        Ok(())
    }

    /// Whether a file below the folder of the data set is needed.
    pub(crate) fn has(&self, name: &str) -> bool {
        let folder = name.rsplit_once('/').map(|(folder, _)| folder);
        let deletes_from = || {
            let file = name.strip_prefix(names::DELETIONS)?.strip_prefix('/')?;
            file.split_once('-')?.0.parse().ok()
        };
        self.names.contains(name)
            || folder.is_some_and(|folder| self.names.contains(folder))
            || deletes_from().is_some_and(|fragment| self.changed.contains(&fragment))
    }
}

impl Log {
    /// Writes the transaction, which names the files that it brings with it.
    pub(super) async fn claim(&self, transaction: &Transaction, base: Option<&Manifest>) -> Result<Claim> {
        let mut claim = Claim::new(SystemTime::now());
        if let Some(operation) = &transaction.operation {
            // All fragments may be new to the newest version, whatever the one had from which they were made.
            let base = base.filter(|_| !matches!(operation, Operation::Overwrite(_)));
            self.add_new_files(&mut claim, operation, base)?;
        }
        self.write_transaction(transaction).await?;
        Ok(claim)
    }

    /// Says again that the files are needed.
    pub(super) async fn renew(&self, claim: &mut Claim, transaction: &Transaction) -> Result<()> {
        // A clean-up may have paid no regard to the old one.
        claim.is_seen = false;
        claim.since = SystemTime::now();
        self.write_transaction(transaction).await
    }

    /// Checks that the files exist, and that none of the clean-ups that were `announced`, after the claim, removes one.
    /// Files that were seen are not looked for again: a commit may lose many races, and files may be far away.
    ///
    /// # Errors
    /// [`Conflict`](ErrorKind::Conflict): a file is missing, or will be.
    pub(super) async fn check_claim(&self, claim: &mut Claim, announced: &[String]) -> Result<()> {
        let lost = match self.removed(claim, announced).await? {
            None if !claim.is_seen => self.missing(claim).await?,
            removed => removed,
        };
        if let Some(file) = lost {
            return Err(self.cleaned_up(&file));
        }
        claim.is_seen = true;
        Ok(())
    }

    /// A file that does not exist, or that a clean-up removes by now.
    pub(super) async fn lost_by_now(&self, claim: &Claim) -> Result<Option<String>> {
        let (_, cleanups) = self.versions_and_cleanups().await?;
        match self.removed(claim, &cleanups).await? {
            None => self.missing(claim).await,
            removed => Ok(removed),
        }
    }

    /// A file that one of the clean-ups removes that were `announced`.
    async fn removed(&self, claim: &Claim, announced: &[String]) -> Result<Option<String>> {
        for announcement in announced {
            // It is over meanwhile: what it has removed does not exist.
            let Some(removed) = self.location.find(announcement).await? else { continue };
            let removed = String::from_utf8_lossy(&removed);
            let removed: HashSet<&str> = removed.lines().collect();
            let mut files = claim.files.iter().chain(&claim.elsewhere);
            if let Some(file) = files.find(|file| removed.contains(&***file)) {
                return Ok(Some(file.clone()));
            }
        }
        Ok(None)
    }

    /// A file that does not exist.
    async fn missing(&self, claim: &Claim) -> Result<Option<String>> {
        let find = |file: String| async move {
            let has = self.location.has(&file).await?;
            Ok::<_, Error>((!has).then_some(file))
        };
        let found = stream::iter(claim.files.clone()).map(find).buffered(AT_ONCE);
        let missing: Vec<String> = found.try_filter_map(|file| async { Ok(file) }).try_collect().await?;
        let elsewhere = stream::iter(claim.adopted.clone()).map(gone).buffered(AT_ONCE);
        let gone: Vec<String> = elsewhere.filter_map(|file| async { file }).collect().await;
        Ok(missing.into_iter().chain(gone).next())
    }

    #[cold]
    fn cleaned_up(&self, file: &str) -> Error {
        let message = format!("{file} was cleaned up before it was committed: write it again");
        Error::new(ErrorKind::Conflict, message).in_file(self.location.root())
    }

    /// Announces a clean-up that does not know yet what it removes; returns the name of the announcement, and the time by the
    /// clock of the storage.
    pub(crate) async fn announce(&self) -> Result<(String, SystemTime)> {
        let name = names::cleanup(Uuid::new_v4());
        self.location.put_passing(&name, Vec::new()).await?;
        let now = self.location.modified(&name).await?;
        Ok((name, now))
    }

    /// Checks that no other clean-up is at work, before a version that has a tag is listed again. Another one may have found it
    /// marked when it had no tag, and removes it; the program that tags it looks whether it is listed.
    ///
    /// # Errors
    /// [`Conflict`](ErrorKind::Conflict): there is one.
    pub(crate) async fn check_alone(&self, own: &str, now: SystemTime, version: u64) -> Result<()> {
        let others = self.location.list(names::VERSIONS).await?;
        let is_other = |file: &Found| {
            names::is_cleanup(&file.name)
                && !own.ends_with(&file.name)
                // The program of an older one has died.
                && now.duration_since(file.modified).map_or(true, |age| age < KEPT)
        };
        let Some(other) = others.iter().find(|file| is_other(file)) else { return Ok(()) };
        let message = format!(
            "version {version} was tagged while two clean-ups were at work: clean up again when the other one, {}, has ended, or in an \
             hour if it was killed",
            other.name
        );
        Err(Error::new(ErrorKind::Conflict, message).in_file(self.location.root()))
    }

    /// Says in an announcement which files the clean-up removes.
    pub(crate) async fn announce_files<'a>(
        &self,
        announcement: &str,
        files: impl Iterator<Item = &'a String>,
    ) -> Result<()> {
        let lines: String = files.flat_map(|file| [file, "\n"]).collect();
        self.location.put_passing(announcement, lines.into_bytes()).await
    }

    /// Adds the files that an operation brings with it: those that the version does not have from which it was made.
    fn add_new_files(&self, claim: &mut Claim, operation: &Operation, base: Option<&Manifest>) -> Result<()> {
        let brought = Brought::of(operation);
        let mut data: HashSet<&str> = brought.files.iter().map(|file| &*file.path).collect();
        let mut deletions = brought.deletions().collect::<Result<HashSet<_>>>()?;
        let mut ids: HashSet<&str> =
            brought.fragments.iter().filter_map(|fragment| row_ids_of(fragment)).collect();
        for fragment in base.iter().flat_map(|base| &base.fragments) {
            for file in &fragment.files {
                data.remove(&*file.path);
            }
            if let Some(old) = row_ids_of(fragment) {
                ids.remove(old);
            }
            if let Some(old) = deletions_of(fragment)?.filter(|_| !deletions.is_empty()) {
                deletions.remove(&old);
            }
        }
        let (elsewhere, data): (Vec<&str>, Vec<&str>) = data.into_iter().partition(|path| is_absolute(path));
        for path in elsewhere {
            let names = paths::names_of(path, true);
            if !names.is_empty() {
                claim.adopted.push(path.to_owned());
                claim.elsewhere.extend(names);
            }
        }
        let data = data.into_iter().map(|path| self.location.key(&format!("{}/{path}", names::DATA)));
        let indices = brought.indices.iter().filter_map(|index| Some((bounds::folder(index)?, &index.files)));
        let indices = indices.flat_map(|(folder, files)| {
            files.iter().map(move |file| format!("{folder}/{}", file.path)).collect::<Vec<_>>()
        });
        claim.files.extend(data.chain(deletions).chain(ids.into_iter().map(str::to_owned)).chain(indices));
        Ok(())
    }
}

/// What errors call a file elsewhere, if it is certain that there is none.
async fn gone(path: String) -> Option<String> {
    let look = move || {
        let error = RootFile::open(&path).err()?;
        let is_gone = error.io_error().map(io::Error::kind) == Some(io::ErrorKind::NotFound);
        is_gone.then(|| without_secrets(&path))
    };
    match tokio::runtime::Handle::try_current() {
        Ok(runtime) => runtime.spawn_blocking(look).await.unwrap_or_default(),
        Err(_) => look(),
    }
}

#[cfg(test)]
mod tests {
    use rntuple::RNTuple;

    use super::*;
    use crate::Table;
    use crate::format::transaction::Append;

    #[derive(RNTuple)]
    struct Event {
        number: u32,
    }

    /// The clean-up has read the transactions, and has not removed the file yet.
    #[test]
    fn a_version_is_taken_back_if_a_clean_up_has_announced_that_it_removes_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("events.rnds");
        let table = Table::create::<Event>(path.to_str().unwrap(), "Events").unwrap();
        let before = table.snapshot().unwrap();
        let made = table.append::<Event>(|writer| writer.fill(&Event { number: 1 })).unwrap();
        let file = format!("{}/{}", names::DATA, made.fragments()[1].files[0].path);
        let check = || {
            let (log, made, before) = (table.log().clone(), made.clone(), before.clone());
            let claim = Claim { files: vec![file.clone()], ..Claim::new(SystemTime::UNIX_EPOCH) };
            rntuple_object_store::wait(async move {
                log.check_stalled(&claim, made.manifest(), before.manifest()).await
            })
        };
        check().unwrap();
        std::fs::write(path.join(names::cleanup(Uuid::new_v4())), format!("{file}\n")).unwrap();
        let error = check().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        let newest = table.snapshot().unwrap();
        assert_eq!((newest.version(), newest.fragments()), (made.version() + 1, before.fragments()));
    }

    /// A commit that loses a race checks its claim again.
    #[test]
    fn files_are_looked_for_once_after_the_transaction_is_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("events.rnds");
        let table = Table::create::<Event>(path.to_str().unwrap(), "Events").unwrap();
        let own = format!("{}/own.root", names::DATA);
        let adopted = directory.path().join("adopted.root");
        for file in [&path.join(&own), &adopted] {
            std::fs::write(file, "rows").unwrap();
        }
        let mut claim = Claim {
            files: vec![own.clone()],
            adopted: vec![adopted.to_str().unwrap().to_owned()],
            ..Claim::new(SystemTime::now())
        };
        let (log, transaction) = (table.log().clone(), Transaction::new(1, Append::default()));
        let checked = async move {
            log.check_claim(&mut claim, &[]).await?;
            std::fs::remove_file(&adopted)?;
            std::fs::remove_file(path.join(&own))?;
            log.check_claim(&mut claim, &[]).await?;
            // Where it matters that they exist now, they are looked for.
            assert_eq!(log.lost_by_now(&claim).await?.as_ref(), Some(&own));
            // A clean-up that is announced is looked at each time.
            let cleanup = names::cleanup(Uuid::new_v4());
            std::fs::write(path.join(&cleanup), format!("{own}\n"))?;
            let error = log.check_claim(&mut claim, &[cleanup]).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
            log.renew(&mut claim, &transaction).await?;
            let error = log.check_claim(&mut claim, &[]).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
            Ok::<_, Error>(())
        };
        rntuple_object_store::wait(checked).unwrap();
    }
}
