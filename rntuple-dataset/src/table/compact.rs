//! Fewer, larger data files, without rows that are deleted.

use super::append::{fragment_of, new_file};
use super::groups::groups;
use super::{IndexOptions, Table};
use crate::bounds;
use crate::copies::Copies;
use crate::error::Result;
use crate::format::transaction::{Rewrite, RewriteGroup};
use crate::format::{DataFragment, ExternalFile, RowIdSequence, RowIds, Transaction, names};
use crate::rewrite::{self, Types};
use crate::snapshot::Snapshot;

/// Row ids of this many bytes are not in the manifest, as in the format of Lance.
const MOST_INLINE: u64 = 200_000;

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
    /// unless they have many deletions. A file has at most 2^32 - 1 rows, whatever its size.
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

impl Table {
    /// Writes small data files together, and those with many deletions without these. Rows keep their ids, and their order
    /// among those of a new file; they come after the rows of files that stay as they are.
    ///
    /// The new files have statistics next to them. Pages of clusters in which no row is deleted are copied as they are, and so
    /// is what statistics say of them; others are read and written again, with the compression of their fields and in pages
    /// as long as those of their file. What is left of several clusters becomes one, if it is no more than one was. Until the new
    /// file is complete, what is written again is in the system's folder of temporary files, which `TMPDIR` names on Unix.
    ///
    /// Files are written together if their fields have the same types, units, and names of variants: an adopted file may
    /// have narrower types than the data set. Where an [order](Self::set_sort_order) is declared, fragments that are sorted
    /// are written together, in the order of their keys, if each begins where the one before ends or later, so that the new
    /// file is sorted as well. Those whose keys overlap stay apart, and so do fragments that are not sorted.
    ///
    /// The attribute sets of adopted files become those of the new file. Their ranges have the entries that are not deleted;
    /// a range without any of them stays as an empty one.
    ///
    /// If the data set has an [index of bounds](Self::index_bounds), a second commit adds to it what is not in it: the new
    /// files, and those that came since. The compaction stays if that fails; files that are not in the index are looked
    /// into by themselves.
    ///
    /// # Errors
    /// Rows cannot be read or written; [`Conflict`](crate::ErrorKind::Conflict): one of the fragments was changed
    /// meanwhile. The data set is then as it was.
    pub fn compact(&self, options: &CompactOptions) -> Result<Snapshot> {
        let snapshot = self.snapshot()?;
        let groups = groups(&snapshot, options.target_size, options.deleted)?;
        let mut compacted = snapshot.clone();
        if !groups.is_empty() {
            let mut operation = Rewrite::default();
            for group in &groups {
                operation.groups.push(self.rewrite(&snapshot, group)?);
            }
            compacted = self.commit(&snapshot, Transaction::new(snapshot.version(), operation))?;
        }
        // The version that was compacted: an index of fragments that are all gone is not in the next one.
        match bounds::find(snapshot.indices()) {
            Some(_) => Ok(self.index_bounds(&IndexOptions::new()).unwrap_or(compacted)),
            None => Ok(compacted),
        }
    }

    /// Writes fragments, by their positions, to one file.
    fn rewrite(&self, snapshot: &Snapshot, group: &[usize]) -> Result<RewriteGroup> {
        let (name, path) = new_file(self.log())?;
        let mut copies = Copies::default();
        let ids = rewrite::live_rows(snapshot, group, &path, Types::OfFiles, Some(&mut copies))?;
        let old_fragments =
            group.iter().filter_map(|position| snapshot.fragments().get(*position).cloned()).collect();
        let order = snapshot.sort_order();
        super::statistics::write(self.location(), &name, snapshot.ntuple(), &order, &copies)?;
        let fragment = fragment_of(snapshot, name, &path)?;
        let row_id_sequence = Some(self.row_ids(&ids)?);
        Ok(RewriteGroup { old_fragments, new_fragments: vec![DataFragment { row_id_sequence, ..fragment }] })
    }

    /// Row ids for a manifest: where they take much space, they are written to a file, since each version has all of them.
    fn row_ids(&self, ids: &RowIdSequence) -> Result<RowIds> {
        let bytes = ids.to_bytes();
        let size = bytes.len() as u64;
        if size < MOST_INLINE {
            return Ok(RowIds::Inline(bytes));
        }
        let (location, path) = (self.location().clone(), names::row_ids(uuid::Uuid::new_v4()));
        let name = path.clone();
        rntuple_object_store::wait(async move { location.put(&name, bytes).await })?;
        Ok(RowIds::External(ExternalFile { path, offset: 0, size }))
    }
}
