//! What is known of the values of an ntuple that is being written, cluster by cluster.

use super::WriteOptions;
use crate::field::Attribute;
use crate::schema::{ClusterGroup, ColumnDescriptor, ColumnId};
use crate::statistics::{Observations, Owner, Row, is_whole, marks_of};

/// The most memory that rows may take; statistics of later clusters are not kept.
const MOST: usize = 256 << 20;

/// Of a writer's memory budget, the part (one in this many) that rows may take at most.
const PART: usize = 16;

/// What is known of the clusters of an ntuple that is being written.
#[derive(Debug)]
pub(super) struct StatisticsRows {
    rows: Vec<Attribute<Row>>,
    length: usize,
    limit: usize,
}

impl StatisticsRows {
    /// Nothing is known yet but what the file says of earlier clusters; `None` if no statistics are asked for.
    pub(super) fn new(options: &WriteOptions, existing: Vec<Attribute<Row>>) -> Option<Self> {
        let limit = options.memory_budget.map_or(MOST, |budget| (budget / PART).min(MOST));
        let length = existing.iter().map(|row| footprint(&row.value)).sum();
        options.statistics.then_some(Self { rows: existing, length, limit })
    }

    /// Takes in what the pages of a column in a cluster say.
    pub(super) fn add(
        &mut self,
        id: ColumnId,
        column: &ColumnDescriptor,
        observations: Observations,
        page_count: usize,
        place: Place,
    ) {
        if self.length > self.limit || !is_whole(column, place.first_element) {
            return;
        }
        let row = column.column_type().and_then(|found| observations.into_row(found, page_count));
        if let Some(row) = row {
            self.length += footprint(&row);
            let value = Row { cluster: place.cluster, column: id.0, ..row };
            self.rows.push(Attribute { range: place.first_entry..place.first_entry + place.entries, value });
        }
    }

    /// The rows, with what they recognise their pages by.
    pub(super) fn signed(self, marks: &Marks) -> Vec<Attribute<Row>> {
        marks.sign(self.rows)
    }

    /// Whether anything is known.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// Where a cluster is among the others, and a column in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) cluster: u64,
    pub(super) first_entry: u64,
    pub(super) entries: u64,
    /// Elements of the column before the cluster.
    pub(super) first_element: u64,
}

/// Bytes of memory that a row takes.
fn footprint(row: &Row) -> usize {
    let lists = 4 * (row.elements.len() + row.nulls.len() + row.nans.len());
    let bounds = 8 * (row.signed.len() + row.unsigned.len() + row.real.len());
    let text: usize = row.text.iter().map(|text| text.len() + size_of::<String>()).sum();
    size_of::<Attribute<Row>>() + lists + bounds + text
}

/// What the rows of an ntuple recognise their pages by: for each cluster group, the first cluster after it and the mark.
pub(super) struct Marks(Vec<(u64, u64)>);

impl Marks {
    /// Those of rows in the file itself.
    pub(super) fn new(header_checksum: u64, groups: &[ClusterGroup]) -> Self {
        Self(marks_of(Owner::Itself, header_checksum, groups))
    }

    pub(super) fn of(marks: Vec<(u64, u64)>) -> Self {
        Self(marks)
    }

    /// For each cluster group, the first cluster after it and the mark.
    pub(super) fn list(&self) -> &[(u64, u64)] {
        &self.0
    }

    /// Writes what they recognise their pages by into the rows, and sorts them. Those of clusters that do not exist go.
    pub(super) fn sign(&self, mut rows: Vec<Attribute<Row>>) -> Vec<Attribute<Row>> {
        rows.retain_mut(|Attribute { value: row, .. }| {
            let group = self.0.partition_point(|(end, _)| *end <= row.cluster);
            let Some((_, mark)) = self.0.get(group) else { return false };
            row.page_list = *mark;
            true
        });
        // By column, so that one is read without the others.
        rows.sort_by_key(|row| (row.value.column, row.value.cluster));
        rows
    }
}
