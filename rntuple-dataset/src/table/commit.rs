//! The last step of every change.

use super::Table;
use crate::error::Result;
use crate::format::Transaction;
use crate::snapshot::Snapshot;

impl Table {
    /// Commits a transaction that was made from a snapshot; returns the new version.
    pub(super) fn commit(&self, snapshot: &Snapshot, transaction: Transaction) -> Result<Snapshot> {
        let (log, base) = (self.log.clone(), snapshot.clone());
        let commit = async move { log.commit_with(transaction, base.manifest(), base.index_section()).await };
        let file = rntuple_object_store::wait(commit)?;
        Snapshot::new(self.location().clone(), file)
    }
}
