//! What a checkpoint of an ntuple has made safe, and when the next one is due.

use std::sync::Arc;

use super::interval::{Interval, Since};
use super::open_set::OpenSet;
use super::shared_file::{AnyFile, lock_any};
use crate::catalog::Catalog;
use crate::error::Result;
use crate::root::{Desk, FileWriter, Wait};
use crate::schema::{LinkedAttributeSet, Locator};
use crate::storage::WriteAt;

/// The attribute set that has the state of the writer at a checkpoint.
pub(crate) const STATE: &str = "rntuple_checkpoint";

/// Writes the state to a desk; returns the link to it.
pub(super) type PutState<'a> =
    dyn FnMut(FileWriter<Desk>) -> Result<(FileWriter<Desk>, LinkedAttributeSet)> + 'a;

/// The last two checkpoints, and what the next one takes with it.
pub(super) struct Saved {
    /// Attribute sets that are being written.
    sets: Vec<Arc<dyn OpenSet>>,
    since: Since,
    /// Entries of the last checkpoint but one, which may be the one that counts.
    before: u64,
    /// Only the user makes checkpoints, as they have a state.
    has_state: bool,
}

/// What leads to the attributes of each set, if the file does not say it yet.
pub(super) struct Committed(Vec<(String, Catalog)>);

impl Saved {
    /// A file of this size, with this number of entries.
    pub(super) fn new(entries: u64, file_end: u64) -> Self {
        Self { sets: Vec::new(), since: Since::now(entries, file_end), before: 0, has_state: false }
    }

    /// An attribute set that belongs to the ntuple.
    pub(super) fn add_set(&mut self, set: Arc<dyn OpenSet>) {
        self.sets.push(set);
    }

    /// Only the user makes checkpoints from now on, as they have a state.
    pub(super) fn keep_state(&mut self) {
        self.has_state = true;
    }

    /// Whether only the user makes checkpoints.
    pub(super) fn has_state(&self) -> bool {
        self.has_state
    }

    /// Whether the next checkpoint is due, with this number of entries.
    pub(super) fn is_due(&self, interval: Interval, entries: u64, file_end: impl FnOnce() -> u64) -> bool {
        self.since.is_over(interval, entries, file_end)
    }

    /// Entries of the checkpoint that counts. That is not the last one as long as this `is_pending`.
    pub(super) fn entries(&self, is_pending: bool) -> u64 {
        if is_pending { self.before } else { self.since.entries() }
    }

    /// Writes what the attribute sets have so far.
    pub(super) fn commit_sets(&self) -> Result<Committed> {
        let mut sets = Vec::new();
        for set in &self.sets {
            sets.extend(set.commit()?.map(|catalog| (set.name().to_owned(), catalog)));
        }
        Ok(Committed(sets))
    }

    /// Makes a checkpoint of the ntuple at `path`, with all that its catalog and its sets have; returns how many bytes it
    /// took.
    pub(super) fn checkpoint(
        &mut self,
        (catalog, path): (&mut Catalog, &str),
        Committed(mut sets): Committed,
        file: &AnyFile<'_>,
        wait: Wait,
        mut put_state: Option<&mut PutState<'_>>,
    ) -> Result<u64> {
        // Without a state, that of an earlier checkpoint would be wrong.
        catalog.unlink(STATE);
        let before = catalog.attribute_sets().to_vec();
        let mut guard = lock_any(file);
        let size = guard.checkpoint(path, wait, &mut |mut desk| {
            for (name, set) in &mut sets {
                catalog.link(put_set(name, set, desk.any())?);
            }
            if let Some(put_state) = &mut put_state {
                let (made, link) = put_state(desk)?;
                catalog.link(link);
                desk = made;
            }
            let anchor = catalog.finish(desk.any())?;
            Ok((desk, anchor))
        });
        // What was not written is not linked.
        let size = size.inspect_err(|_| catalog.restore_attribute_sets(before))?;
        self.before = self.since.entries();
        self.since = Since::now(catalog.entry_count(), guard.end());
        Ok(size)
    }
}

/// Writes what leads to an attribute set; returns the link to it.
pub(super) fn put_set(
    name: &str,
    set: &mut Catalog,
    file: &mut FileWriter<dyn WriteAt + '_>,
) -> Result<LinkedAttributeSet> {
    let anchor = set.finish(file)?;
    let (offset, size) = file.put_unlisted_anchor(name, &anchor)?;
    let locator = Locator::File { offset, size: size.into() };
    Ok(LinkedAttributeSet::written(name, size, locator))
}
