//! A transaction, adapted to versions that were committed since it was begun.

use std::collections::BTreeMap;

use super::conflict::{Clash, Conflict};
use super::{matrix, touch};
use crate::format::transaction::Operation;
use crate::format::{DataFragment, DeletionFile, DeletionVector, Manifest, Transaction};

/// A version that was committed by someone else.
#[derive(Clone, Copy, Debug)]
pub struct Committed<'a> {
    /// Number of the version.
    pub version: u64,
    /// What made it; `None`: there is no transaction to be read.
    pub transaction: Option<&'a Transaction>,
}

/// A transaction that may be committed after the newest version.
#[derive(Clone, Debug, PartialEq)]
pub struct Rebased {
    transaction: Transaction,
    merges: Vec<DeletionMerge>,
}

/// A fragment in which both sides deleted rows: their deletion files must be put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeletionMerge {
    /// Id of the fragment.
    pub fragment: u64,
    /// The deletion file that both sides saw.
    pub base: Option<DeletionFile>,
    /// The deletion file of the newest version.
    pub theirs: Option<DeletionFile>,
    /// The deletion file of the transaction.
    pub ours: Option<DeletionFile>,
    clash: Clash,
}

impl DeletionMerge {
    /// Puts the rows of the three files together.
    ///
    /// # Errors
    ///
    /// A [retryable](Conflict::Retryable) conflict where both sides deleted the same row: if one of them wrote it
    /// elsewhere, with other values, the row would exist twice.
    pub fn merge(
        &self,
        base: &DeletionVector,
        theirs: &DeletionVector,
        ours: &DeletionVector,
    ) -> Result<DeletionVector, Conflict> {
        let common = ours.difference(base).intersection(&theirs.difference(base));
        if let Some(row) = common.iter().next() {
            let reason = format!("both delete {} rows, the first is row {row}", common.count()).into();
            return Err(Conflict::Retryable(Clash { reason, ..self.clash.clone() }));
        }
        let mut all = theirs.clone();
        all.union(ours);
        Ok(all)
    }
}

impl Rebased {
    /// Returns the fragments whose deletion files must be put together before the transaction is applied.
    pub fn merges(&self) -> &[DeletionMerge] {
        &self.merges
    }

    /// Returns the transaction, with a new deletion file for each of the [`merges`](Self::merges), by the fragment.
    ///
    /// # Errors
    ///
    /// The id of a fragment for which there is no file.
    pub fn finish(mut self, files: &BTreeMap<u64, DeletionFile>) -> Result<Transaction, u64> {
        for merge in &self.merges {
            let file = files.get(&merge.fragment).ok_or(merge.fragment)?;
            for fragment in updated(&mut self.transaction) {
                if fragment.id == merge.fragment {
                    fragment.deletion_file = Some(*file);
                }
            }
        }
        Ok(self.transaction)
    }
}

fn updated(transaction: &mut Transaction) -> &mut [DataFragment] {
    match &mut transaction.operation {
        Some(Operation::Delete(delete)) => &mut delete.updated_fragments,
        Some(Operation::Update(update)) => &mut update.updated_fragments,
        _ => &mut [],
    }
}

/// Adapts a transaction, made from the version `base`, to the version `latest`.
///
/// `since` has all versions after `base` up to `latest`.
///
/// # Errors
///
/// The [`Conflict`] with the first of the versions that excludes it. A version that is missing from `since` is one with
/// an unknown transaction.
pub fn rebase(
    transaction: &Transaction,
    base: &Manifest,
    latest: &Manifest,
    since: &[Committed<'_>],
) -> Result<Rebased, Conflict> {
    let mut rebased = Rebased { transaction: transaction.clone(), merges: Vec::new() };
    if latest.version <= base.version {
        return Ok(rebased);
    }
    let name = |transaction: &Transaction| transaction.operation.as_ref().map(Operation::name);
    let clash = |version, theirs, reason: &'static str| Clash {
        ours: name(transaction).unwrap_or("an unknown operation"),
        theirs,
        read_version: base.version,
        version,
        fragments: Vec::new(),
        reason: reason.into(),
    };
    let mut touched = BTreeMap::new();
    for version in base.version + 1..=latest.version {
        let committed = since.iter().find(|committed| committed.version == version);
        let Some(theirs) = committed.and_then(|committed| committed.transaction) else {
            return Err(Conflict::Incompatible(clash(version, None, "its transaction is missing")));
        };
        let (Some(our_operation), Some(operation)) = (&transaction.operation, &theirs.operation) else {
            let reason = "one of them does something that this version does not know";
            return Err(Conflict::Incompatible(clash(version, name(theirs), reason)));
        };
        if let Err(obstacle) = matrix::check(our_operation, operation, base) {
            let clash = Clash {
                reason: obstacle.reason,
                fragments: obstacle.fragments,
                ..clash(version, name(theirs), "")
            };
            return Err(match obstacle.is_retryable {
                true => Conflict::Retryable(clash),
                false => Conflict::Incompatible(clash),
            });
        }
        for fragment in touch::fragments(operation) {
            touched.insert(fragment, (version, name(theirs)));
        }
    }
    let (before, now) = (touch::by_id(base), touch::by_id(latest));
    for fragment in updated(&mut rebased.transaction) {
        let (Some(&old), Some(&new)) = (before.get(&fragment.id), now.get(&fragment.id)) else {
            let missing = clash(latest.version, None, "a fragment that it changes does not exist");
            return Err(Conflict::Retryable(Clash { fragments: vec![fragment.id], ..missing }));
        };
        // Only the deletions are ours, where nothing else was changed. What they changed stays as it is now.
        if fragment.files != old.files {
            continue;
        }
        let ours = fragment.deletion_file;
        *fragment = DataFragment { deletion_file: ours, ..new.clone() };
        if let Some((version, theirs)) = touched.get(&fragment.id)
            && new.deletion_file != old.deletion_file
        {
            rebased.merges.push(DeletionMerge {
                fragment: fragment.id,
                base: old.deletion_file,
                theirs: new.deletion_file,
                ours,
                clash: Clash { fragments: vec![fragment.id], ..clash(*version, *theirs, "") },
            });
        }
    }
    Ok(rebased)
}
