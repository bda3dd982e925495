//! Fewer, larger data files, without rows that are deleted.

use super::Table;
use super::append::{fragment_of, new_file};
use crate::error::Result;
use crate::format::transaction::{Rewrite, RewriteGroup};
use crate::format::{DataFragment, RowIds, Transaction};
use crate::rewrite;
use crate::snapshot::Snapshot;

/// What is compacted.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct CompactOptions {
    target_size: u64,
    deleted: f64,
}

impl Default for CompactOptions {
    fn default() -> Self {
        Self { target_size: 1 << 30, deleted: 0.1 }
    }
}

impl CompactOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the size of the new data files, in bytes. Default: 1 GiB. Fragments of more than half of it stay as they are,
    /// unless they have many deletions.
    pub fn target_size(mut self, bytes: u64) -> Self {
        self.target_size = bytes;
        self
    }

    /// Sets which part of a fragment's rows must be deleted for it to be written again, whatever its size. Default: 0.1. With
    /// 0, every deleted row is removed.
    pub fn deleted(mut self, part: f64) -> Self {
        self.deleted = part;
        self
    }
}

/// Fragments that become one.
type Group<'a> = &'a [usize];

impl Table {
    /// Writes small data files together, and those with many deletions without these. Rows keep their ids, and their order
    /// among those of a new file; they come after the rows of files that stay as they are.
    ///
    /// The new files have statistics next to them. Pages of clusters in which no row is deleted are copied as they are; others are read and written again.
    ///
    /// # Errors
    /// Rows cannot be read or written; [`Conflict`](crate::ErrorKind::Conflict): one of the fragments was changed
    /// meanwhile. The data set is then as it was.
    pub fn compact(&self, options: &CompactOptions) -> Result<Snapshot> {
        let snapshot = self.snapshot()?;
        let groups = plan(&snapshot, options);
        if groups.is_empty() {
            return Ok(snapshot);
        }
        let mut operation = Rewrite::default();
        for group in &groups {
            operation.groups.push(self.rewrite(&snapshot, group)?);
        }
        self.commit(&snapshot, Transaction::new(snapshot.version(), operation))
    }

    fn rewrite(&self, snapshot: &Snapshot, group: Group<'_>) -> Result<RewriteGroup> {
        let (name, path) = new_file(self.location());
        let ids = rewrite::live_rows(snapshot, group, &path)?;
        let old_fragments =
            group.iter().filter_map(|position| snapshot.fragments().get(*position).cloned()).collect();
        super::statistics::write(self.location(), &name, snapshot.ntuple())?;
        let fragment = fragment_of(snapshot, name, &path)?;
        let row_id_sequence = Some(RowIds::Inline(ids.to_bytes()));
        Ok(RewriteGroup { old_fragments, new_fragments: vec![DataFragment { row_id_sequence, ..fragment }] })
    }
}

/// The fragments that are written together, by their positions.
fn plan(snapshot: &Snapshot, options: &CompactOptions) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let (mut open, mut size): (Vec<usize>, u64) = (Vec::new(), 0);
    let mut close = |open: &mut Vec<usize>, size: &mut u64| {
        let group = std::mem::take(open);
        *size = 0;
        let has_work = group
            .iter()
            .filter_map(|position| snapshot.fragments().get(*position))
            .any(|fragment| is_worn(fragment, options.deleted));
        if group.len() > 1 || has_work {
            groups.push(group);
        }
    };
    for (position, fragment) in snapshot.fragments().iter().enumerate() {
        let own = size_of(fragment);
        let is_wanted = own < options.target_size / 2 || is_worn(fragment, options.deleted);
        if !is_wanted || size.saturating_add(own) > options.target_size {
            close(&mut open, &mut size);
        }
        if is_wanted {
            open.push(position);
            size = size.saturating_add(own);
        }
    }
    close(&mut open, &mut size);
    groups
}

/// About how many bytes the rows of a fragment have that are not deleted.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "an estimate"
)]
fn size_of(fragment: &DataFragment) -> u64 {
    let size: u64 = fragment.files.iter().map(|file| file.file_size_bytes).fold(0, u64::saturating_add);
    let left = fragment.rows() as f64 / fragment.physical_rows.max(1) as f64;
    (size as f64 * left) as u64
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn is_worn(fragment: &DataFragment, part: f64) -> bool {
    let deleted = fragment.deleted_rows();
    deleted > 0 && deleted as f64 >= part * fragment.physical_rows as f64
}
