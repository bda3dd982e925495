//! The attribute sets of an ntuple that is being written, as it sees them.

use std::sync::Arc;

use super::ntuple::Ntuple;
use crate::error::Result;
use crate::schema::LinkedAttributeSet;
use crate::storage::WriteAt;

/// A set that has not ended.
pub(super) trait OpenSet: Send + Sync {
    fn name(&self) -> &str;

    /// Writes what is left. The ntuple has this number of entries; what is wrong with those of the set comes with the
    /// link.
    fn close(&self, entries: u64) -> Result<(LinkedAttributeSet, Result<()>)>;
}

/// Sets that end with their ntuple.
#[derive(Default)]
pub(super) struct Sets {
    open: Vec<Arc<dyn OpenSet>>,
    owner: Owner,
}

/// Which ntuple a set belongs to.
#[derive(Clone, Default)]
pub(super) struct Owner(Arc<()>);

impl PartialEq for Owner {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Sets {
    pub(super) fn owner(&self) -> &Owner {
        &self.owner
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.open.iter().any(|set| set.name() == name)
    }

    pub(super) fn add(&mut self, set: Arc<dyn OpenSet>) {
        self.open.push(set);
    }

    /// Ends all sets, and links them. What goes wrong is noted, and reported when the rest is safe.
    pub(super) fn close<W: WriteAt>(&mut self, ntuple: &mut Ntuple<W>) {
        for set in std::mem::take(&mut self.open) {
            let written = set.close(ntuple.entry_count());
            let written = written.and_then(|(link, complaint)| {
                ntuple.link(link);
                complaint
            });
            if let Err(error) = written {
                ntuple.note(error.widen(|cause| format!("attribute set {:?}: {cause}", set.name())));
            }
        }
    }
}
