//! Fewer, larger data files, without rows that are deleted.

use rntuple::merge::{Input, MergeOptions, SchemaMode, merge_files};
use rntuple::{Dataset, EntryList, ReadOptions, Reader, Value, WriteOptions, Writer};
use tempfile::TempDir;

use super::Table;
use super::append::{fragment_of, new_file};
use crate::error::Result;
use crate::format::transaction::{Rewrite, RewriteGroup};
use crate::format::{DataFragment, DeletionVector, RowIdSequence, RowIds, Transaction};
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
    /// Pages of clusters in which no row is deleted are copied as they are; others are read and written again.
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
        let folder = tempfile::tempdir()?;
        let mut inputs = Vec::new();
        let mut ids = RowIdSequence::new();
        let mut old_fragments = Vec::new();
        for &position in group {
            let reader = snapshot.fragment_reader::<Value>(position, ReadOptions::new())?;
            let none = DeletionVector::new();
            let deleted = snapshot.deletions()?.get(position).unwrap_or(&none);
            inputs.extend(parts(&reader, deleted, &folder)?);
            if let (Some(old), Some(fragment)) =
                (snapshot.ids()?.get(position), snapshot.fragments().get(position))
            {
                ids.extend(&old.without(deleted));
                old_fragments.push(fragment.clone());
            }
        }
        let options = MergeOptions::new().ntuple(snapshot.ntuple()).schema(SchemaMode::default());
        merge_files(&inputs, &path, options)?;
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

/// The rows of a fragment that are not deleted, for a merge: clusters as they are, and files with what is left of others.
fn parts(reader: &Reader<Value>, deleted: &DeletionVector, folder: &TempDir) -> Result<Vec<Input>> {
    let dataset = reader.dataset(0)?;
    if deleted.is_empty() {
        return Ok(vec![Input::dataset(&dataset)]);
    }
    let mut parts = Vec::new();
    // Clusters that follow each other, all of them whole or none.
    let mut run: Option<Run> = None;
    for (number, cluster) in (0u64..).zip(dataset.clusters()) {
        let cluster = cluster?;
        let (start, end) = (cluster.first_entry, cluster.first_entry + cluster.entry_count);
        let is_whole = match (u32::try_from(start), u32::try_from(end)) {
            (Ok(start), Ok(end)) => deleted.iter_range(start, end).next().is_none(),
            _ => true,
        };
        match &mut run {
            Some(run) if run.is_whole == is_whole => (run.clusters.end, run.entries.end) = (number + 1, end),
            _ => {
                if let Some(run) =
                    run.replace(Run { is_whole, clusters: number..number + 1, entries: start..end })
                {
                    parts.extend(run.input(reader, &dataset, deleted, folder)?);
                }
            }
        }
    }
    if let Some(run) = run {
        parts.extend(run.input(reader, &dataset, deleted, folder)?);
    }
    if parts.is_empty() {
        // The schema of a file without entries.
        let none = Run { is_whole: false, clusters: 0..0, entries: 0..0 };
        parts.push(none.write(reader, &EntryList::from(0..0), folder)?);
    }
    Ok(parts)
}

struct Run {
    is_whole: bool,
    clusters: std::ops::Range<u64>,
    entries: std::ops::Range<u64>,
}

impl Run {
    fn input(
        self,
        reader: &Reader<Value>,
        dataset: &Dataset,
        deleted: &DeletionVector,
        folder: &TempDir,
    ) -> Result<Option<Input>> {
        if self.is_whole {
            return Ok(Some(Input::dataset(&dataset.part(self.clusters)?)));
        }
        let bounds = u32::try_from(self.entries.start).ok().zip(u32::try_from(self.entries.end).ok());
        let gone = bounds.into_iter().flat_map(|(start, end)| deleted.iter_range(start, end)).map(u64::from);
        let left = EntryList::from(self.entries.clone()).difference(&gone.collect());
        if left.entry_count() == 0 {
            return Ok(None);
        }
        self.write(reader, &left, folder).map(Some)
    }

    /// Writes entries to a file.
    fn write(&self, reader: &Reader<Value>, entries: &EntryList, folder: &TempDir) -> Result<Input> {
        let path = folder.path().join(format!("{}.root", uuid::Uuid::new_v4()));
        let options = WriteOptions::new().schema(reader.selected_schema()?);
        let mut writer = Writer::<Value>::create(&path, "left", options)?;
        for entry in reader.entries_in(entries) {
            writer.fill(&entry?)?;
        }
        writer.finish()?;
        Ok(Input::file(path))
    }
}
