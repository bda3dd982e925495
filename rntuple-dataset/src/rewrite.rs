//! Rows that are not deleted, written to a plain file.

use std::ops::Range;

use rntuple::merge::{Input, MergeOptions, merge_files};
use rntuple::statistics::Statistics;
use rntuple::{Dataset, EntryList, ErrorKind, ReadOptions, Reader, Value, WriteOptions, Writer};
use tempfile::TempDir;

use crate::copies::Copies;
use crate::error::{Error, Result};
use crate::format::{DeletionVector, RowIdSequence};
use crate::settings::{settings_of, with_own_clusters};
use crate::sides::Sides;
use crate::snapshot::Snapshot;

impl Snapshot {
    /// Writes the rows to one plain RNTuple file at a path or URL where there is none: without those that are deleted, and
    /// with all columns.
    ///
    /// The attribute sets of adopted files are copied; their ranges have the entries that are not deleted. As in a
    /// [compaction](crate::Table::compact), clusters with deleted rows are written again, in the system's folder of temporary files.
    ///
    /// # Errors
    /// There are no rows of any file; files state other units for a field, or other integers for the variants of an enum; or
    /// they cannot be read or written.
    pub fn export(&self, path: &str) -> Result<()> {
        let all: Vec<usize> = (0..self.fragments().len()).collect();
        live_rows(self, &all, path, Types::OfDataSet, None).map(drop)
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
/// as they are, and noted in `copies`.
pub(crate) fn live_rows(
    snapshot: &Snapshot,
    positions: &[usize],
    path: &str,
    types: Types,
    mut copies: Option<&mut Copies>,
) -> Result<RowIdSequence> {
    if positions.is_empty() {
        let message = "the version has no data files: all rows were deleted";
        return Err(Error::new(crate::ErrorKind::NotFound, message).in_file(snapshot.location().root()));
    }
    let folder = tempfile::tempdir()?;
    let sides = Sides::new(snapshot.location());
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
        let parts = parts(wide.as_ref().unwrap_or(&stored), wide.is_some(), deleted, &folder)?;
        if let Some(copies) = &mut copies {
            let dataset = stored.dataset(0)?;
            let known = Statistics::of_files(&dataset, |file| sides.statistics(file))?;
            copies.add(&dataset, known, parts.iter().map(|part| (part.entries, part.copied.clone())))?;
        }
        inputs.extend(parts.into_iter().map(|part| part.input));
        if let Some(old) = snapshot.ids()?.get(position) {
            ids.extend(&old.without(deleted));
        }
    }
    merge_files(&inputs, path, MergeOptions::new().ntuple(snapshot.ntuple()))?;
    Ok(ids)
}

/// Some rows of a fragment, for a merge.
struct Part {
    input: Input,
    entries: u64,
    /// The clusters of the fragment that are copied; none where rows are written again.
    copied: Range<u64>,
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
) -> Result<Vec<Part>> {
    let dataset = reader.dataset(0)?;
    // Pages of before version 1 cannot be copied. There were no attribute sets then.
    let is_old = dataset.anchor().format_version.is_pre_release();
    let is_other = converted || is_old;
    if deleted.is_empty() && !is_other {
        let (entries, copied) = (dataset.entry_count(), 0..dataset.cluster_count());
        return Ok(vec![Part { input: Input::dataset(&dataset), entries, copied }]);
    }
    let options = with_own_clusters(settings_of(&dataset)?);
    let rows = Rows { reader, dataset: &dataset, deleted, options, folder };
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
        if let Some(run) = run.take_if(|run| run.is_whole != is_whole) {
            parts.extend(rows.part(&run)?);
        }
        let run = run.get_or_insert_with(|| Run { is_whole, first: number, entries: Vec::new() });
        run.entries.push(start..end);
    }
    if let Some(run) = run {
        parts.extend(rows.part(&run)?);
    }
    if parts.is_empty() {
        // The schema of a file without entries.
        parts.push(rows.write(&EntryList::from(0..0), Vec::new())?);
    }
    if !is_old && own_sets(&dataset).next().is_some() {
        // Parts have none of their own.
        let gone: EntryList = deleted.iter().map(u64::from).collect();
        let left = EntryList::from(0..dataset.entry_count()).difference(&gone);
        if let Some(first) = parts.first_mut() {
            first.input = first.input.clone().with_sets_of(&dataset, left);
        }
    }
    Ok(parts)
}

/// Clusters that follow each other.
struct Run {
    is_whole: bool,
    /// The number of the first one.
    first: u64,
    /// The entries of each.
    entries: Vec<Range<u64>>,
}

/// The rows of a fragment.
struct Rows<'a> {
    reader: &'a Reader<Value>,
    dataset: &'a Dataset,
    deleted: &'a DeletionVector,
    /// How they are written again.
    options: WriteOptions,
    folder: &'a TempDir,
}

impl Rows<'_> {
    /// The rows of some clusters that are not deleted; `None` if there are none.
    fn part(&self, run: &Run) -> Result<Option<Part>> {
        if run.is_whole {
            let copied = run.first..run.first + run.entries.len() as u64;
            match self.dataset.part(copied.clone()) {
                Ok(part) => {
                    let (input, entries) = (Input::dataset(&part), part.entry_count());
                    return Ok(Some(Part { input, entries, copied }));
                }
                // Such clusters cannot be copied alone.
                Err(error) if error.kind() == ErrorKind::Unsupported => {}
                Err(error) => return Err(error.into()),
            }
        }
        let left: Vec<EntryList> = run.entries.iter().map(|cluster| self.left(cluster)).collect();
        let clusters = packed(run.entries.iter().zip(&left));
        let left: EntryList = left.iter().flat_map(EntryList::ranges).cloned().collect();
        match left.entry_count() {
            0 => Ok(None),
            _ => self.write(&left, clusters).map(Some),
        }
    }

    /// The entries of a cluster that are not deleted.
    fn left(&self, cluster: &Range<u64>) -> EntryList {
        let bounds = u32::try_from(cluster.start).ok().zip(u32::try_from(cluster.end).ok());
        let gone =
            bounds.into_iter().flat_map(|(start, end)| self.deleted.iter_range(start, end)).map(u64::from);
        EntryList::from(cluster.clone()).difference(&gone.collect())
    }

    /// Writes entries to a file. Clusters end after these counts of entries.
    fn write(&self, entries: &EntryList, ends: Vec<u64>) -> Result<Part> {
        let path = self.folder.path().join(format!("{}.root", uuid::Uuid::new_v4()));
        let options = self.options.clone().schema(self.reader.selected_schema()?);
        let mut writer = Writer::<Value>::create(&path, "left", options)?;
        let mut ends = ends.into_iter().peekable();
        for entry in self.reader.entries_in(entries) {
            writer.fill(&entry?)?;
            if ends.next_if_eq(&writer.entry_count()).is_some() {
                writer.commit_cluster()?;
            }
        }
        writer.finish()?;
        Ok(Part { input: Input::file(path), entries: entries.entry_count(), copied: 0..0 })
    }
}

/// After how many entries clusters end that have what is left of others: those that follow each other are put together as
/// long as they are no more than one was, each by the part of it that is left.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn packed<'a>(clusters: impl Iterator<Item = (&'a Range<u64>, &'a EntryList)>) -> Vec<u64> {
    let (mut ends, mut end, mut open) = (Vec::new(), 0, 0.0);
    for (cluster, left) in clusters {
        let count = left.entry_count();
        let part = count as f64 / (cluster.end - cluster.start).max(1) as f64;
        if open + part > 1.0 {
            ends.push(end);
            open = 0.0;
        }
        open += part;
        end += count;
    }
    ends
}
