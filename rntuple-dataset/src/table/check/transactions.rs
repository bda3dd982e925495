//! Does the transaction of a version make its manifest?

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::format::transaction::Operation;
use crate::format::{DataFragment, Manifest, ManifestFile, Transaction, names};
use crate::log::Log;
use crate::snapshot::deletions;
use crate::transactions::{Committed, NewDataset, apply, create, indices, rebase, restore};

/// Checks that the transaction of a version can be read, and that it makes the manifest out of the one `before`. What needs
/// versions or files that were cleaned up is not compared.
///
/// # Errors
/// What is wrong; or the storage fails.
pub(super) async fn check(
    log: Log,
    file: Arc<ManifestFile>,
    before: Option<Arc<ManifestFile>>,
) -> Result<()> {
    let made = &file.manifest;
    let transaction = read(&log, made).await?;
    let place = |error: Error| error.in_file(place(&log, made));
    if file.transaction.as_ref().is_some_and(|own| *own != transaction) {
        return Err(place(Error::out_of_spec("the file of the manifest has another transaction")));
    }
    if transaction.read_version >= made.version {
        let message = format!("it was made from version {}", transaction.read_version);
        return Err(place(Error::out_of_spec(message)));
    }
    if transaction.read_version == 0 {
        let new = NewDataset::new().stable_row_ids(made.has_stable_row_ids());
        let wanted = create(&transaction, &new).map_err(place)?;
        return compare(&wanted, made).map_err(place);
    }
    let Some(before) = before.filter(|before| before.manifest.version.checked_add(1) == Some(made.version))
    else {
        return Ok(());
    };
    let Some(rebased) = rebased(&log, transaction, made, &before.manifest).await.map_err(place)? else {
        return Ok(());
    };
    let restored;
    let (wanted, known) = match &rebased.operation {
        Some(Operation::Restore(old)) => {
            let Some(old) = find(&log, old.version).await? else { return Ok(()) };
            restored = old;
            (restore(&before.manifest, &restored.manifest, &rebased), restored.indices.as_ref())
        }
        _ => (apply(&before.manifest, &rebased).map_err(place)?, before.indices.as_ref()),
    };
    compare(&wanted, made).map_err(place)?;
    match indices(known, &rebased, made) == file.indices {
        true => Ok(()),
        false => Err(place(Error::out_of_spec("it makes other indices than those of the manifest"))),
    }
}

fn place(log: &Log, made: &Manifest) -> String {
    format!("{}/{}/{}", log.location().root(), names::TRANSACTIONS, made.transaction_file)
}

/// Reads the file of a transaction, whose name has its id and the version that it was made from.
async fn read(log: &Log, made: &Manifest) -> Result<Transaction> {
    let Some((read_version, uuid)) = names::parse_transaction(&made.transaction_file) else {
        let message = format!("the manifest says that its transaction is in {:?}", made.transaction_file);
        return Err(Error::out_of_spec(message).in_field("transaction_file").in_file(log.location().root()));
    };
    let bytes = log.location().get(&format!("{}/{}", names::TRANSACTIONS, made.transaction_file)).await?;
    let transaction = Transaction::read(&bytes).map_err(|error| error.in_file(place(log, made)))?;
    if transaction.read_version == read_version && uuid::Uuid::try_parse(&transaction.uuid) == Ok(uuid) {
        return Ok(transaction);
    }
    let message = format!("it has transaction {} of version {}", transaction.uuid, transaction.read_version);
    Err(Error::out_of_spec(message).in_file(place(log, made)))
}

/// Reads a version; `None`: it was cleaned up.
async fn find(log: &Log, version: u64) -> Result<Option<ManifestFile>> {
    match log.load(version).await {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The transaction as it was committed: on top of versions that others have committed since it was begun. `None`: one of
/// them was cleaned up.
async fn rebased(
    log: &Log,
    transaction: Transaction,
    made: &Manifest,
    before: &Manifest,
) -> Result<Option<Transaction>> {
    if transaction.read_version == before.version {
        return Ok(Some(transaction));
    }
    let Some(base) = find(log, transaction.read_version).await? else { return Ok(None) };
    let mut since = Vec::new();
    for version in transaction.read_version + 1..=before.version {
        let Some(file) = find(log, version).await? else { return Ok(None) };
        since.push((version, log.transaction(&file).await?));
    }
    let since: Vec<_> = since
        .iter()
        .map(|(version, transaction)| Committed { version: *version, transaction: transaction.as_ref() })
        .collect();
    let rebased = rebase(&transaction, &base.manifest, before, &since)?;
    let mut files = BTreeMap::new();
    for merge in rebased.merges() {
        let lost = || Error::out_of_spec(format!("the deletions of fragment {} are lost", merge.fragment));
        let found = made.fragment(merge.fragment).ok_or_else(lost)?;
        files.insert(merge.fragment, found.deletion_file.ok_or_else(lost)?);
        let side = |deletion_file| DataFragment { deletion_file, ..found.clone() };
        let sides = [side(merge.base), side(merge.theirs), side(merge.ours), found.clone()];
        let sides = match deletions(log.location(), &sides).await {
            // That of the transaction itself is in no version.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            sides => sides?,
        };
        if let [base, theirs, ours, all] = &*sides
            && merge.merge(base, theirs, ours)? != *all
        {
            let message =
                format!("the deletions of fragment {} are not those of both writers", merge.fragment);
            return Err(Error::out_of_spec(message));
        }
    }
    let unmerged = |fragment| Error::out_of_spec(format!("the deletions of fragment {fragment} are lost"));
    rebased.finish(&files).map(Some).map_err(unmerged)
}

/// Compares what a transaction makes with what the manifest has, but for what each writer says of itself.
fn compare(wanted: &Manifest, made: &Manifest) -> Result<()> {
    let wanted = Manifest {
        timestamp: made.timestamp,
        writer_version: made.writer_version.clone(),
        index_section: made.index_section,
        transaction_section: made.transaction_section,
        version_aux_data: made.version_aux_data,
        ..wanted.clone()
    };
    if wanted == *made {
        return Ok(());
    }
    let ids = |manifest: &Manifest| manifest.fragments.iter().map(|it| it.id).collect::<Vec<_>>();
    let pairs = || wanted.fragments.iter().zip(&made.fragments);
    let what = if ids(&wanted) != ids(made) {
        format!("the fragments {:?}, found {:?}", ids(&wanted), ids(made))
    } else if let Some((fragment, _)) = pairs().find(|(wanted, made)| wanted != made) {
        format!("another fragment {}", fragment.id)
    } else if wanted.fields != made.fields {
        "another schema".to_owned()
    } else if wanted.config != made.config {
        "another configuration".to_owned()
    } else if wanted.next_row_id != made.next_row_id {
        format!("the next row id {}, found {}", wanted.next_row_id, made.next_row_id)
    } else {
        "other properties".to_owned()
    };
    Err(Error::out_of_spec(format!(
        "applied to the version before, it makes {what} in version {}",
        made.version
    )))
}
