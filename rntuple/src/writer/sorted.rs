//! The order of entries that are written: it is checked when their clusters are published.

use super::WriteOptions;
use super::cluster::EndedCluster;
use crate::cluster::LaneId;
use crate::error::{Error, Result};
use crate::field::{Attribute, Lane, Records};
use crate::schema::{ColumnDescriptor, FieldDescriptor};
use crate::statistics::{KeyField, Row, SortOrder, Span, all_marks, key_fields, unsorted};

/// The order of the entries of an ntuple that is being written.
#[derive(Debug)]
pub(super) struct Sorted {
    keys: Vec<KeyField>,
    /// The keys of the first entry and of the last one so far.
    span: Option<Span>,
}

impl Sorted {
    /// The order that the options ask for; `None` if they ask for none.
    ///
    /// # Errors
    /// The entries cannot be sorted by a field.
    pub(super) fn new(
        options: &WriteOptions,
        fields: &[FieldDescriptor],
        columns: &[ColumnDescriptor],
    ) -> Result<Option<Self>> {
        if options.owned.sort_order.is_empty() {
            return Ok(None);
        }
        let keys = key_fields(&options.owned.sort_order, fields, columns)?;
        Ok(Some(Self { keys, span: None }))
    }

    /// Continues after entries that are in the same order.
    pub(super) fn after(&mut self, known: &SortOrder) {
        self.span = known.span().cloned().map(|span| span.cut(self.keys.len()));
    }

    /// Takes clusters in, the first of which begins with entry `first`.
    ///
    /// # Errors
    /// The first entry that is not in order. None of the clusters is taken in then.
    pub(super) fn extend(&mut self, clusters: &mut [EndedCluster], first: u64) -> Result<()> {
        let mut span = self.span.clone();
        let mut first = first;
        for cluster in clusters {
            let ascent = std::mem::take(&mut cluster.ascent);
            let seen = ascent.entries();
            let place = |misplaced| unsorted(&self.keys, &misplaced, first);
            let next = ascent.finish().map_err(place)?;
            if seen != cluster.entries {
                return Err(Error::invalid_argument("the order of the entries was not seen in all columns"));
            }
            match (&mut span, next) {
                (Some(span), Some(next)) => span.extend(next).map_err(place)?,
                (none @ None, next) => *none = next,
                (Some(_), None) => {}
            }
            first = first.saturating_add(cluster.entries);
        }
        self.span = span;
        Ok(())
    }

    /// The row that keeps the order, of entries whose page lists have these marks.
    pub(super) fn row(&self, marks: &[(u64, u64)], entries: u64) -> Attribute<Row> {
        let clusters = marks.last().map_or(0, |(end, _)| *end);
        SortOrder::new(&self.keys, self.span.clone()).to_row(all_marks(marks), clusters, entries)
    }
}

/// The column writers that entries are sorted by.
///
/// # Errors
/// The entries cannot be sorted by a field.
pub(super) fn key_lanes(options: &WriteOptions, records: &Records) -> Result<Box<[LaneId]>> {
    let Some(sorted) = Sorted::new(options, &records.fields, &records.columns)? else {
        return Ok(Box::default());
    };
    let lane = |key: &KeyField| {
        let fills = |lane: &Lane| lane.columns.first() == key.columns.first();
        let place = records.lanes.iter().position(fills).and_then(|place| u32::try_from(place).ok());
        let missing = || Error::invalid_argument("the entries that are written lack it").in_field(&*key.path);
        place.map(LaneId).ok_or_else(missing)
    };
    sorted.keys.iter().map(lane).collect()
}

#[cfg(test)]
mod tests;
