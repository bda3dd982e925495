//! Rows that are not deleted, written to a plain file.

use rntuple::merge::{Input, MergeOptions, merge_files};
use rntuple::{Dataset, EntryList, ErrorKind, ReadOptions, Reader, Value, WriteOptions, Writer};
use tempfile::TempDir;

use crate::error::{Error, Result};
use crate::format::{DeletionVector, RowIdSequence};
use crate::snapshot::Snapshot;

impl Snapshot {
    /// Writes the rows to one plain RNTuple file at a path or URL where there is none: without those that are deleted, and
    /// with all columns.
    ///
    /// The attribute sets of adopted files are copied; their ranges have the entries that are not deleted.
    ///
    /// # Errors
    /// There are no rows of any file; or files cannot be read or written.
    pub fn export(&self, path: &str) -> Result<()> {
        let all: Vec<usize> = (0..self.fragments().len()).collect();
        live_rows(self, &all, path, Types::OfDataSet).map(drop)
    }
}

/// The attribute set with the statistics of a file: they are about its pages, and no other file has them.
const STATISTICS: &str = "rntuple_statistics";

/// The names of the attribute sets of a file, without its statistics.
pub(crate) fn own_sets(dataset: &Dataset) -> impl Iterator<Item = &str> {
    dataset.attribute_sets().iter().map(|set| &*set.name).filter(|name| *name != STATISTICS)
}

/// The types of what is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Types {
    /// Those of the files, which all have the same ones. They may be narrower than those of the data set.
    OfFiles,
    OfDataSet,
}

/// Writes the rows of fragments that are not deleted to a file; returns their ids. Clusters without deleted rows are copied
/// as they are.
pub(crate) fn live_rows(
    snapshot: &Snapshot,
    positions: &[usize],
    path: &str,
    types: Types,
) -> Result<RowIdSequence> {
    if positions.is_empty() {
        let message = "the version has no data files: all rows were deleted";
        return Err(Error::new(crate::ErrorKind::NotFound, message).in_file(snapshot.location().root()));
    }
    let folder = tempfile::tempdir()?;
    let mut inputs = Vec::new();
    let mut ids = RowIdSequence::new();
    for &position in positions {
        let stored = snapshot.stored_reader(position)?;
        let wide = match types {
            Types::OfFiles => None,
            Types::OfDataSet => wider(snapshot, position, &stored)?,
        };
        let none = DeletionVector::new();
        let deleted = snapshot.deletions()?.get(position).unwrap_or(&none);
        inputs.extend(parts(wide.as_ref().unwrap_or(&stored), wide.is_some(), deleted, &folder)?);
        if let Some(old) = snapshot.ids()?.get(position) {
            ids.extend(&old.without(deleted));
        }
    }
    merge_files(&inputs, path, MergeOptions::new().ntuple(snapshot.ntuple()))?;
    Ok(ids)
}

/// The entries of a fragment with the types of the data set, if a file of it has narrower ones.
fn wider(snapshot: &Snapshot, position: usize, stored: &Reader<Value>) -> Result<Option<Reader<Value>>> {
    let reader = snapshot.fragment_reader::<Value>(position, ReadOptions::new())?;
    let types = |reader: &Reader<Value>| -> Vec<String> {
        reader.schema().fields().map(|(_, field)| field.type_name.clone()).collect()
    };
    Ok((types(stored) != types(&reader)).then_some(reader))
}

/// The rows of a fragment that are not deleted, for a merge: clusters as they are, unless they are `converted`, and files
/// with what is left of others.
fn parts(
    reader: &Reader<Value>,
    converted: bool,
    deleted: &DeletionVector,
    folder: &TempDir,
) -> Result<Vec<Input>> {
    let dataset = reader.dataset(0)?;
    // Pages of before version 1 cannot be copied. There were no attribute sets then.
    let is_old = dataset.anchor().format_version.is_pre_release();
    let is_other = converted || is_old;
    if deleted.is_empty() && !is_other {
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
        let is_whole = is_whole && !is_other;
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
    if !is_old && own_sets(&dataset).next().is_some() {
        // Parts have none of their own.
        let gone: EntryList = deleted.iter().map(u64::from).collect();
        let left = EntryList::from(0..dataset.entry_count()).difference(&gone);
        if let Some(first) = parts.first_mut() {
            *first = first.clone().with_sets_of(&dataset, left);
        }
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
            match dataset.part(self.clusters.clone()) {
                Ok(part) => return Ok(Some(Input::dataset(&part))),
                // Such clusters cannot be copied alone.
                Err(error) if error.kind() == ErrorKind::Unsupported => {}
                Err(error) => return Err(error.into()),
            }
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
