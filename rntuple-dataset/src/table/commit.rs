//! The last step of every change.

use super::Table;
use crate::error::Result;
use crate::format::Transaction;
use crate::snapshot::Snapshot;

impl Table {
    /// Commits a transaction that was made from a snapshot; returns the new version.
    pub(super) fn commit(&self, snapshot: &Snapshot, transaction: Transaction) -> Result<Snapshot> {
        let (log, base) = (self.log.clone(), snapshot.clone());
        let commit = async move { log.commit(transaction, base.manifest()).await };
        let manifest = rntuple_object_store::wait(commit)?;
        Snapshot::new(self.location().clone(), manifest)
    }
}
