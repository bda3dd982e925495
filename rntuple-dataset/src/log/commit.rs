//! Committing: the manifest of the next version is put where there is none.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use prost::Message as _;
use rntuple::storage::without_secrets;

use super::claim::Claim;
use super::{Log, ManifestStore, external, of_newest, probe};
use crate::error::{Error, ErrorKind, Result};
use crate::format::names::{self, NamingScheme};
use crate::format::transaction::{Operation, Restore};
use crate::format::{
    DataFragment, DeletionFile, IndexSection, Manifest, ManifestFile, Timestamp, Transaction, WriterVersion,
};
use crate::known::KnownFiles;
use crate::snapshot::deletions;
use crate::table::write_deletions;
use crate::transactions::{
    self, Clash, Committed, Conflict, DeletionMerge, NewDataset, apply, indices, pass_over_ids, rebase,
    restore,
};

/// How often a commit is tried again that loses races.
const MOST_ATTEMPTS: usize = 1000;

/// How often the storage is asked about a manifest that was put.
const TRIES: usize = 3;

impl Log {
    /// Commits the first version.
    ///
    /// # Errors
    /// There is a data set; or the storage would lose commits.
    pub async fn begin(&self, transaction: Transaction) -> Result<Manifest> {
        self.check_storage().await?;
        self.check_new().await?;
        let new = NewDataset::new().stable_row_ids(true);
        let manifest = transactions::create(&transaction, &new)?;
        self.check_writable(&manifest)?;
        let mut claim = self.claim(&transaction, None).await?;
        let (_, cleanups) = self.versions_and_cleanups().await?;
        self.check_claim(&mut claim, &cleanups).await?;
        let file = self.put(manifest, None, &transaction, None).await?.ok_or_else(|| self.exists())?;
        Ok(file.manifest)
    }

    /// # Errors
    /// There is a data set.
    pub(crate) async fn check_new(&self) -> Result<()> {
        if self.versions().await?.is_empty() { Ok(()) } else { Err(self.exists()) }
    }

    #[cold]
    fn exists(&self) -> Error {
        let error = io::Error::new(io::ErrorKind::AlreadyExists, "there is a data set already");
        Error::from(error).in_file(self.location().root())
    }

    /// Commits a transaction that was made from the version `base`: on top of what others have committed since, if these
    /// do not exclude it.
    ///
    /// # Errors
    /// [`Conflict`](ErrorKind::Conflict): a version that was committed meanwhile excludes it;
    /// [`LimitExceeded`](ErrorKind::LimitExceeded): the newest version has the last number that there is, 2^63 - 1; or
    /// the storage cannot be reached, or would lose commits. If the storage fails after the manifest was put, the error
    /// says that the version may be committed.
    pub async fn commit(&self, transaction: Transaction, base: &Manifest) -> Result<Manifest> {
        let indices = match base.index_section {
            Some(_) => self.load(base.version).await?.indices,
            None => None,
        };
        Ok(self.commit_with(transaction, base, indices.as_ref()).await?.manifest)
    }

    /// Commits as [`commit`](Self::commit) does, where the indices of the version `base` are at hand.
    pub(crate) async fn commit_with(
        &self,
        transaction: Transaction,
        base: &Manifest,
        indices_of_base: Option<&IndexSection>,
    ) -> Result<ManifestFile> {
        self.check_writable(base)?;
        // Before anything is written.
        self.check_number(base.version.saturating_add(1))?;
        self.check_storage().await?;
        let mut claim = self.claim(&transaction, Some(base)).await?;
        let committed = self.commit_claimed(&transaction, base, indices_of_base, &mut claim).await;
        if committed.as_ref().is_err_and(|error| error.kind() == ErrorKind::Conflict) {
            // Nothing will come of it. If it stays, a clean-up removes it later.
            let _ = self.location().delete(&transaction_path(&transaction)?).await;
        }
        committed
    }

    async fn commit_claimed(
        &self,
        transaction: &Transaction,
        base: &Manifest,
        indices_of_base: Option<&IndexSection>,
        claim: &mut Claim,
    ) -> Result<ManifestFile> {
        let is_restore = matches!(transaction.operation, Some(Operation::Restore(_)));
        let mut since = Vec::new();
        let mut newer: Option<ManifestFile> = None;
        for _ in 0..MOST_ATTEMPTS {
            if claim.is_old() {
                self.renew(claim, transaction).await?;
            }
            let (versions, cleanups) = self.versions_and_cleanups().await?;
            let newest = self.newest(&versions)?;
            let mut version = newer.as_ref().map_or(base, |file| &file.manifest).version;
            while version < newest {
                version += 1;
                match self.load(version).await {
                    Ok(file) => {
                        since.push((version, self.transaction(&file).await?));
                        newer = Some(file);
                    }
                    // It was cleaned up, or is damaged: what it did is not known. After one that does not exist, there
                    // may be any number of others; one that was committed meanwhile may exist and not be listed.
                    Err(error) if error.kind() == ErrorKind::NotFound && version < newest => {
                        let next = versions.get(versions.partition_point(|listed| *listed <= version));
                        version = next.map_or(version, |next| next - 1);
                    }
                    Err(error)
                        if error.kind() == ErrorKind::OutOfSpec && (version < newest || is_restore) => {}
                    Err(error) => return Err(of_newest(error)),
                }
            }
            let (latest, current) = match &newer {
                Some(file) => (&file.manifest, file.indices.as_ref()),
                None => (base, indices_of_base),
            };
            let committed: Vec<_> = since
                .iter()
                .map(|(version, transaction)| Committed {
                    version: *version,
                    transaction: transaction.as_ref(),
                })
                .collect();
            let rebased =
                rebase(transaction, base, latest, &committed).map_err(|conflict| self.lost(conflict))?;
            if let Some(conflict) = self.appended_twice(transaction, base, latest) {
                return Err(self.lost(conflict));
            }
            let mut files = BTreeMap::new();
            for merge in rebased.merges() {
                let merged = self.merge(merge, base, latest).await;
                if merged.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
                    // A clean-up may have removed deletions of this transaction before it was written, or those of a
                    // version that it has removed.
                    self.check_claim(claim, &cleanups).await?;
                    let left = self.versions().await?;
                    if !left.contains(&base.version) || !left.contains(&latest.version) {
                        return Err(self.lost(unmerged(transaction, base, latest, merge.fragment)));
                    }
                }
                files.insert(merge.fragment, merged?);
            }
            let rebased = rebased.finish(&files).map_err(|fragment| {
                Error::invalid_argument(format!("the deletions of fragment {fragment} were not put together"))
            })?;
            let restored;
            let (mut manifest, current) = match &rebased.operation {
                Some(Operation::Restore(old)) => {
                    self.check_unmarked(old.version).await?;
                    restored = self.load(old.version).await?;
                    (restore(latest, &restored.manifest, &rebased), restored.indices.as_ref())
                }
                _ => {
                    let applied = apply(latest, &rebased);
                    (applied.map_err(|error| error.in_file(self.location().root()))?, current)
                }
            };
            // Neither the number of a version that is damaged is used again, nor the ids that it gave.
            if manifest.version <= newest {
                manifest.version = newest.saturating_add(1);
                pass_over_ids(&mut manifest, newest.saturating_sub(latest.version));
            }
            self.check_writable(&manifest)?;
            if manifest.fragments.is_empty() && !latest.fragments.is_empty() {
                return Err(self.lost(nothing_left(&rebased, base, latest)));
            }
            let indices = indices(current, &rebased, &manifest);
            self.check_claim(claim, &cleanups).await?;
            if let Some(file) = self.put(manifest, indices, transaction, latest.timestamp).await? {
                let checked = async {
                    self.check_restored(&rebased, &file.manifest, latest).await?;
                    self.check_stalled(claim, &file.manifest, latest).await
                };
                checked.await.map_err(|error| uncertain(file.manifest.version, error))?;
                return Ok(file);
            }
        }
        let message = format!("the commit lost {MOST_ATTEMPTS} races against others; nothing was committed");
        Err(Error::new(ErrorKind::Conflict, message).in_file(self.location().root()))
    }

    /// Nothing is committed after a version, nor as one, that this crate cannot read or change.
    fn check_writable(&self, manifest: &Manifest) -> Result<()> {
        manifest.check_writable().map_err(|error| error.in_file(self.location().root()))
    }

    fn check_number(&self, version: u64) -> Result<()> {
        names::check_version(version).map_err(|error| error.in_file(self.location().root()))
    }

    pub(super) async fn write_transaction(&self, transaction: &Transaction) -> Result<()> {
        self.location().put(&transaction_path(transaction)?, transaction.to_bytes()).await
    }

    /// A version that was restored may have been cleaned up at the same time, with files that it needs: then the version
    /// before is restored instead.
    async fn check_restored(
        &self,
        transaction: &Transaction,
        made: &Manifest,
        before: &Manifest,
    ) -> Result<()> {
        let Some(Operation::Restore(old)) = &transaction.operation else { return Ok(()) };
        // The clean-up marks it and then looks for the versions that are left, and this looks for the mark after the new version
        // exists: so at least one of the two sees the other.
        let name = NamingScheme::V2.manifest(old.version);
        let has = retried(|| self.location().has(&name)).await?;
        match retried(|| self.check_unmarked(old.version)).await {
            Ok(()) if has => return Ok(()),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let message = format!("version {} was cleaned up while it was restored", old.version);
        Err(self.take_back(message, made, before).await?)
    }

    /// A program that was stalled right before its manifest was put, for so long that a clean-up paid no regard to its
    /// transaction any more, may have made a version that lacks files: then the version before is restored.
    pub(super) async fn check_stalled(
        &self,
        claim: &Claim,
        made: &Manifest,
        before: &Manifest,
    ) -> Result<()> {
        if !claim.is_old() {
            return Ok(());
        }
        let Some(file) = retried(|| self.lost_by_now(claim)).await? else { return Ok(()) };
        let message = format!("{file} was cleaned up while it was committed: write it again");
        Err(self.take_back(message, made, before).await?)
    }

    /// Restores the version before one that lacks files; returns what to say of it.
    #[cold]
    async fn take_back(&self, mut message: String, made: &Manifest, before: &Manifest) -> Result<Error> {
        let back = Transaction::new(made.version, Restore { version: before.version });
        let indices = match before.index_section {
            Some(_) => self.load(before.version).await?.indices,
            None => None,
        };
        self.write_transaction(&back).await?;
        let restored = restore(made, before, &back);
        if self.put(restored, indices, &back, made.timestamp).await?.is_none() {
            message += &format!(
                " as version {}, which another program has changed since and which lacks files: restore version {}",
                made.version, before.version
            );
        }
        Ok(Error::new(ErrorKind::NotFound, message).in_file(self.location().root()))
    }

    #[cold]
    fn lost(&self, conflict: Conflict) -> Error {
        Error::from(conflict).in_file(self.location().root())
    }

    /// Another program has appended a file whose rows are to be appended.
    fn appended_twice(
        &self,
        transaction: &Transaction,
        base: &Manifest,
        latest: &Manifest,
    ) -> Option<Conflict> {
        let Some(Operation::Append(append)) = &transaction.operation else { return None };
        let ours = KnownFiles::of(self.location(), &append.fragments);
        let known: HashSet<u64> = base.fragments.iter().map(|fragment| fragment.id).collect();
        let mut since = latest.fragments.iter().filter(|fragment| !known.contains(&fragment.id));
        let (theirs, file) = since.find_map(|fragment| {
            let file = fragment.files.iter().find(|file| ours.has(file))?;
            Some((fragment.id, &file.path))
        })?;
        Some(Conflict::Retryable(Clash {
            ours: "Append",
            theirs: None,
            read_version: base.version,
            version: latest.version,
            fragments: vec![theirs],
            reason: format!("another program has appended the same file, {}", without_secrets(file)).into(),
        }))
    }

    /// Writes the deletions of both sides to one file.
    async fn merge(&self, merge: &DeletionMerge, base: &Manifest, latest: &Manifest) -> Result<DeletionFile> {
        let rows = base.fragment(merge.fragment).map_or(0, |fragment| fragment.physical_rows);
        let side = |deletion_file| DataFragment {
            id: merge.fragment,
            deletion_file,
            physical_rows: rows,
            ..DataFragment::default()
        };
        let sides = [side(merge.base), side(merge.theirs), side(merge.ours)];
        let read = deletions(self.location(), &sides).await?;
        let [base, theirs, ours] = &*read else {
            return Err(Error::invalid_argument("three deletion files were read"));
        };
        let all = merge.merge(base, theirs, ours).map_err(|conflict| self.lost(conflict))?;
        write_deletions(self.location(), merge.fragment, latest.version, &all).await
    }

    /// Writes the manifest of a new version; `None`: there is one of another writer.
    ///
    /// It is not older than the version `before`, whatever the clocks of both writers say: what there was [at a
    /// time](Self::at) is searched by halves.
    async fn put(
        &self,
        mut manifest: Manifest,
        indices: Option<IndexSection>,
        transaction: &Transaction,
        before: Option<Timestamp>,
    ) -> Result<Option<ManifestFile>> {
        self.check_number(manifest.version)?;
        manifest.timestamp = Some(Timestamp::now()).max(before);
        manifest.transaction_file = transaction_file(transaction)?;
        manifest.writer_version = Some(WriterVersion {
            library: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ..WriterVersion::default()
        });
        // A manifest that says where the messages before it are is not written as a copy.
        let transaction_section = indices.as_ref().map_or(0, |indices| 4 + indices.encoded_len() as u64);
        manifest.index_section = indices.as_ref().map(|_| 0);
        manifest.transaction_section = Some(transaction_section);
        let version = manifest.version;
        let file = ManifestFile { manifest, transaction: Some(transaction.clone()), indices };
        let bytes = file.to_bytes()?;
        let won = match &self.external {
            Some(store) => self.put_staged(store, version, bytes, &file.manifest.transaction_file).await?,
            None => self.put_manifest(version, bytes, &file.manifest.transaction_file).await?,
        };
        Ok(won.then_some(file))
    }

    /// Puts the manifest where there is none; `false`: there is one of another writer, or was.
    ///
    /// A version that was removed leaves its number free. A writer that has stalled since before that version was committed
    /// would take the number: all later versions lack what it did. So it looks for the mark of the version afterwards.
    async fn put_manifest(&self, version: u64, bytes: Vec<u8>, transaction: &str) -> Result<bool> {
        if !self.put_first(version, bytes, transaction).await? {
            return Ok(false);
        }
        let is_used = retried(|| self.is_used(version, transaction)).await;
        if !is_used.map_err(|error| uncertain(version, error))? {
            return Ok(true);
        }
        // The mark hides it. If it stays, a clean-up removes it.
        let _ = self.location().delete(&NamingScheme::V2.manifest(version)).await;
        Ok(false)
    }

    /// Puts the manifest where there is none; `false`: there is one of another writer.
    async fn put_first(&self, version: u64, bytes: Vec<u8>, transaction: &str) -> Result<bool> {
        let put = self.location().put_new(&NamingScheme::V2.manifest(version), bytes).await;
        self.is_first(version, transaction, put).await
    }

    /// Commits the manifest through a store of manifests; `false`: the version has one of another writer.
    async fn put_staged(
        &self,
        store: &Arc<dyn ManifestStore>,
        version: u64,
        bytes: Vec<u8>,
        transaction: &str,
    ) -> Result<bool> {
        let staged = external::stage(self.location(), version, bytes.clone()).await?;
        let put = external::put_new(store, self.location().root(), version, &staged).await;
        // After an error, the store may have the staged manifest: it stays.
        let won = self.is_first(version, transaction, put).await?;
        if !won {
            self.location().delete(&staged).await?;
            return Ok(false);
        }
        match external::finish(store, self.location(), version, &staged, bytes).await {
            // A program that does not use the store has committed this version: it is the one that readers may have seen.
            Err(error) if error.kind() == ErrorKind::Conflict => {
                external::settle(store, self.location(), version, &staged).await?;
                Ok(false)
            }
            // The version is committed: what is left is done by the next reader, if not here.
            _ => Ok(true),
        }
    }

    /// Whether the manifest that was `put` is that of the version.
    ///
    /// A request whose answer is lost may have been carried out, and clients of stores repeat it: what is there can be our
    /// own.
    async fn is_first(&self, version: u64, transaction: &str, put: Result<bool>) -> Result<bool> {
        if let Ok(true) = put {
            return Ok(true);
        }
        match (retried(|| self.load(version)).await, put) {
            (Ok(file), _) if file.manifest.transaction_file != transaction => Ok(false),
            (Ok(_), Ok(_)) => Ok(true),
            // In a file system, it may have its name before what failed: that it is on the medium.
            (Ok(_), Err(_)) => {
                let synced = self.location().sync(&NamingScheme::V2.manifest(version)).await;
                synced.map(|()| true).map_err(|error| uncertain(version, error))
            }
            // It was cleaned up since.
            (Err(error), Ok(_)) if error.kind() == ErrorKind::NotFound => Ok(false),
            (Err(found), Err(error)) if found.kind() == ErrorKind::NotFound && self.is_refused(&error) => {
                Err(error)
            }
            (Err(error), Ok(_)) | (Err(_), Err(error)) => Err(uncertain(version, error)),
        }
    }

    /// Whether a manifest will not be there after an error, as it is not there now. The request to a server may still be on its
    /// way.
    fn is_refused(&self, error: &Error) -> bool {
        let is_in_file_system = self.external.is_none() && self.location().is_local();
        is_in_file_system || error.io_error().is_some_and(|it| it.kind() == io::ErrorKind::PermissionDenied)
    }

    /// # Errors
    /// The storage may let two writers create one file, and no store of manifests decides between them.
    pub(crate) async fn check_storage(&self) -> Result<()> {
        if self.external.is_none() && !self.is_safe.load(Relaxed) {
            probe::check(self.location()).await?;
            self.is_safe.store(true, Relaxed);
        }
        Ok(())
    }
}

/// Asks the storage a few times, where one failure is not worth an error: the manifest was put already.
async fn retried<T, Answer: Future<Output = Result<T>>>(ask: impl Fn() -> Answer) -> Result<T> {
    for _ in 1..TRIES {
        match ask().await {
            Err(error) if error.kind() == ErrorKind::Io => {}
            answer => return answer,
        }
    }
    ask().await
}

/// The storage failed after the manifest was put: no one has seen whether it is that of the version.
#[cold]
fn uncertain(version: u64, error: Error) -> Error {
    match error.kind() {
        ErrorKind::Io => error.with_message(|text| {
            format!("version {version} may be committed, look at it before this is done again: {text}")
        }),
        _ => error,
    }
}

/// Others have removed all fragments that the transaction leaves: none would have the types of the columns.
#[cold]
fn nothing_left(transaction: &Transaction, base: &Manifest, latest: &Manifest) -> Conflict {
    Conflict::Retryable(Clash {
        ours: transaction.operation.as_ref().map_or("an unknown operation", Operation::name),
        theirs: None,
        read_version: base.version,
        version: latest.version,
        fragments: latest.fragments.iter().map(|fragment| fragment.id).collect(),
        reason: "no fragment would be left".into(),
    })
}

/// What the version that both sides began with has deleted of a fragment was cleaned up, or what the newest version has.
#[cold]
fn unmerged(transaction: &Transaction, base: &Manifest, latest: &Manifest, fragment: u64) -> Conflict {
    Conflict::Retryable(Clash {
        ours: transaction.operation.as_ref().map_or("an unknown operation", Operation::name),
        theirs: None,
        read_version: base.version,
        version: latest.version,
        fragments: vec![fragment],
        reason: "the version that both began with, or the newest one, was cleaned up with its deletions"
            .into(),
    })
}

/// The path of a transaction, below the folder of the data set.
fn transaction_path(transaction: &Transaction) -> Result<String> {
    Ok(format!("{}/{}", names::TRANSACTIONS, transaction_file(transaction)?))
}

fn transaction_file(transaction: &Transaction) -> Result<String> {
    let uuid = uuid::Uuid::try_parse(&transaction.uuid)
        .map_err(|error| Error::invalid_argument(format!("the id of a transaction is a UUID: {error}")))?;
    Ok(names::transaction(transaction.read_version, uuid))
}
