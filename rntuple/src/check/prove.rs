//! Whether a cluster is whole, for a recovery: each is looked at for itself, and numbered after those that were kept.

use std::ops::Range;
use std::sync::Arc;

use super::attributes;
use super::claims::Claims;
use super::cluster::{Clusters, Columns, Tools};
use super::findings::Findings;
use super::layout::{Layout, Source};
use super::page::Pages;
use super::schema;
use super::values::require_values;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::root::RootFile;
use crate::schema::{ClusterDescriptor, ColumnId, LinkedAttributeSet, Schema};

/// Faults of one cluster that are kept.
const MOST_FAULTS: usize = 100;

/// The records of a file that hold bytes of ntuples.
pub(crate) struct FileRecords(Claims);

impl FileRecords {
    /// `blobs` are the payloads, in order, each with the length that its key says.
    pub(crate) fn new(blobs: impl IntoIterator<Item = (Range<u64>, u64)>) -> Self {
        Self(Claims::of(blobs))
    }
}

/// Proves clusters of an ntuple to be whole, in order.
pub(crate) struct Prover<'a> {
    file: &'a RootFile,
    schema: &'a Schema,
    header_columns: usize,
    pub(super) max_key_size: u64,
    pub(super) pages: Pages<'a>,
    claims: Claims,
    pub(super) layout: Layout,
    /// Places in the layout of which some elements were never written, and how many before any entries were lost.
    deferred: Vec<(usize, u64)>,
    /// Elements in the clusters that were kept.
    elements: Vec<u64>,
    /// Entries in them.
    kept: u64,
    /// Entries that were lost, as the file numbers them.
    lost: Vec<Range<u64>>,
}

/// A cluster that is whole.
#[derive(Debug)]
pub(crate) struct Proved {
    /// As the next one after those that were kept.
    pub(crate) cluster: ClusterDescriptor,
    pub(crate) pages: u64,
    pub(crate) bytes: u64,
}

impl<'a> Prover<'a> {
    /// # Errors
    /// The schema breaks a rule: what its columns mean is not known.
    pub(crate) fn new(
        file: &'a RootFile,
        records: &FileRecords,
        schema: &'a Schema,
        header_columns: usize,
        max_key_size: u64,
    ) -> Result<Self> {
        let mut fault = None;
        let mut note = |error: Error| {
            fault.get_or_insert(error);
        };
        schema::check(schema, header_columns, &mut note);
        let layout = Layout::new(schema, &mut note);
        if let Some(error) = fault {
            return Err(error);
        }
        let deferred = layout.slots.iter().map(|slot| slot.deferred).enumerate();
        let deferred = deferred.filter(|(_, deferred)| *deferred > 0).collect();
        let elements = vec![0; layout.slots.len()];
        let (pages, claims) = (Pages::new(file), records.0.unclaimed());
        Ok(Self {
            file,
            schema,
            header_columns,
            max_key_size,
            pages,
            claims,
            layout,
            deferred,
            elements,
            kept: 0,
            lost: Vec::new(),
        })
    }

    /// Looks at every page of a cluster, and whether its columns agree.
    ///
    /// # Errors
    /// What is wrong with it; it is not kept.
    pub(crate) fn prove(&mut self, id: u64, cluster: &ClusterDescriptor) -> Result<Proved, Vec<Error>> {
        let cluster = self.renumber(cluster);
        let columns = Columns { schema: self.schema, layout: &self.layout, in_header: self.header_columns };
        let mut findings = Findings::new(self.file.name(), MOST_FAULTS);
        let mut clusters = Clusters::new(Some(&columns));
        // What was before is not known to it.
        clusters.lose(cluster.first_entry);
        let mut tools = Tools {
            pages: &mut self.pages,
            claims: &mut self.claims,
            findings: &mut findings,
            max_key_size: self.max_key_size,
        };
        clusters.check(id, &cluster, Some(&columns), &mut tools, &mut |_, _| {});
        let end = cluster.first_entry.saturating_add(cluster.entry_count);
        clusters.finish(end, &columns, &mut findings);
        let faults = findings.faults.into_parts().0;
        if !faults.is_empty() {
            return Err(faults);
        }
        // What cannot be looked at is not proved.
        if clusters.unchecked_pages > 0 {
            return Err(findings.notes.into_parts().0.into_iter().map(|note| note.error).collect());
        }
        for (column, range) in self.layout.columns.iter().zip(&cluster.columns) {
            if range.first_element.is_some()
                && let Some(elements) = self.elements.get_mut(column.slot)
            {
                *elements = elements.saturating_add(range.stored_count());
            }
        }
        self.kept = end;
        let (pages, bytes) = (clusters.pages, clusters.bytes);
        Ok(Proved { cluster, pages, bytes })
    }

    /// Notes that these entries of the file are lost.
    pub(crate) fn lose(&mut self, entries: Range<u64>) {
        for (place, deferred) in &self.deferred {
            if let Some(slot) = self.layout.slots.get_mut(*place) {
                let gone = elements_of(&entries, *deferred, slot.repetitions);
                slot.deferred = slot.deferred.saturating_sub(gone);
            }
        }
        join(&mut self.lost, entries);
    }

    /// From which element on a column of the schema is written, without those that are lost.
    ///
    /// # Errors
    /// Elements of it are lost, and no one knows how many.
    pub(crate) fn first_element(&self, id: ColumnId) -> Result<Option<i64>> {
        let first = self.schema.column(id).and_then(|column| column.first_element);
        let Some(first) = first.filter(|first| *first != 0 && !self.lost.is_empty()) else {
            return Ok(first);
        };
        let slot = self.layout.columns.get(id.index()).and_then(|column| self.layout.slots.get(column.slot));
        match slot {
            Some(slot) if slot.source == Source::Entries => {
                let elements = first.unsigned_abs();
                let gone = self.lost.iter().map(|entries| elements_of(entries, elements, slot.repetitions));
                let count = elements.saturating_sub(gone.sum());
                Ok(i64::try_from(count).ok().map(|count| count * first.signum()))
            }
            _ => Err(Error::unsupported(
                "a column of items came later, and entries before are lost: how many items these had is not known",
            )
            .in_column(id.0.into())),
        }
    }

    /// The same cluster after those that were kept.
    fn renumber(&self, cluster: &ClusterDescriptor) -> ClusterDescriptor {
        let mut cluster = cluster.clone();
        cluster.first_entry = self.kept;
        for (column, range) in self.layout.columns.iter().zip(&mut cluster.columns) {
            let Some(slot) = self.layout.slots.get(column.slot) else { continue };
            let next = match (slot.source, slot.repetitions) {
                (Source::Entries, Some(repetitions)) => {
                    let start = self.kept.saturating_mul(repetitions);
                    let end = start.saturating_add(cluster.entry_count.saturating_mul(repetitions));
                    slot.deferred.clamp(start, end)
                }
                _ => self.elements.get(column.slot).copied().unwrap_or_default(),
            };
            range.first_element = range.first_element.map(|_| next);
        }
        cluster
    }
}

/// Refuses an attribute set that breaks a rule for sets (format, section 8). It belongs to an ntuple of so many entries.
///
/// # Errors
/// The first rule that it breaks; there are too many ranges to look at.
pub(crate) fn prove_set(set: &Arc<Dataset>, link: &LinkedAttributeSet, entries: u64) -> Result<()> {
    if !set.attribute_sets().is_empty() {
        return Err(Error::out_of_spec("it has attribute sets itself"));
    }
    require_values(set)?;
    let mut findings = Findings::new(set.file().name(), MOST_FAULTS);
    attributes::check_names(std::slice::from_ref(link), &mut findings);
    let mut ranges = attributes::MOST_RANGES;
    attributes::check_set(set, link.version.1, Some(entries), &mut ranges, &mut findings);
    let unchecked = findings.notes.into_parts().0.into_iter().map(|note| note.error);
    findings.faults.into_parts().0.into_iter().chain(unchecked).next().map_or(Ok(()), Err)
}

/// How many of the first `elements` are those of these entries.
fn elements_of(entries: &Range<u64>, elements: u64, repetitions: Option<u64>) -> u64 {
    let repetitions = repetitions.unwrap_or(1);
    let before = |entry: u64| entry.saturating_mul(repetitions).min(elements);
    before(entries.end) - before(entries.start)
}

/// Adds lost entries after those before. Mostly they adjoin: half of a file may be missing.
fn join(lost: &mut Vec<Range<u64>>, entries: Range<u64>) {
    match lost.last_mut() {
        Some(last) if last.end == entries.start => last.end = entries.end,
        _ => lost.push(entries),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_lost_entries_are_not_counted() {
        let elements = |entries, all, repetitions| elements_of(&entries, all, Some(repetitions));
        assert_eq!((elements(2..4, 30, 3), elements(9..12, 30, 3)), (6, 3));
        assert_eq!((elements(5..9, 5, 1), elements(0..u64::MAX, 5, 2)), (0, 5));
    }

    #[test]
    fn losses_that_adjoin_are_one() {
        let mut lost = Vec::new();
        [0..5, 5..7, 9..10, 10..20].into_iter().for_each(|entries| join(&mut lost, entries));
        assert_eq!(lost, [0..7, 9..20]);
    }
}
