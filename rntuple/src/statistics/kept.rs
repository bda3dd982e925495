//! Statistics that a file has.

use std::ops::Range;
use std::sync::Arc;

use super::mark::{Owner, all_marks, marks};
use super::order::SortOrder;
use super::row::Row;
use crate::dataset::Dataset;
use crate::error::Result;
use crate::field::Attribute;
use crate::limits;
use crate::reader::{ReadOptions, Reader};
use crate::schema::ColumnId;

/// The rows of a file, which are read when they are needed.
pub(super) struct Kept {
    reader: Reader<Attribute<Row>>,
    /// Rows that follow each other and are about the same column.
    runs: Vec<(u32, Range<u64>)>,
    /// By cluster group: the first cluster after it, and what its page list is recognised by.
    groups: Vec<(u64, u64)>,
}

impl Kept {
    /// Opens the ntuple or attribute set `kept` of statistics of `dataset`.
    pub(super) fn open(kept: Arc<Dataset>, dataset: &Dataset, owner: Owner) -> Result<Self> {
        // Pages may be named without end, so that a few bytes may claim any number of rows.
        let file = kept.file();
        let (count, limit) = (kept.entry_count(), file.limits().attribute_count.saturating_add(file.end()));
        if count > limit {
            let found = format_args!("the statistics have {count} rows");
            let error = limits::exceeded(found, limit, "attribute_count");
            return Err(error.in_ntuple(kept.path()).in_file(file.name()));
        }
        let reader = Reader::<Attribute<Row>>::from_dataset(kept, ReadOptions::new())?;
        let mut columns = reader.column::<u32>("_userData.column")?;
        let mut runs: Vec<(u32, Range<u64>)> = Vec::new();
        let mut row = 0;
        while let Some(chunk) = columns.next_chunk()? {
            for run in chunk.chunk_by(|one, next| one == next) {
                let end = row + run.len() as u64;
                match (runs.last_mut(), run.first()) {
                    (Some((last, rows)), Some(column)) if last == column => rows.end = end,
                    (_, Some(column)) => runs.push((*column, row..end)),
                    _ => {}
                }
                row = end;
            }
        }
        Ok(Self { groups: marks(dataset, owner), runs, reader })
    }

    /// Whether a row is about pages that the ntuple has.
    fn is_valid(&self, row: &Row) -> bool {
        let group = self.groups.partition_point(|(end, _)| *end <= row.cluster);
        self.groups.get(group).is_some_and(|(_, mark)| *mark == row.page_list)
    }

    /// Whether any row is about pages that the ntuple has, or none is about any.
    pub(super) fn is_about(&self, dataset: &Dataset) -> Result<bool> {
        if self.runs.is_empty() || dataset.cluster_count() == 0 {
            return Ok(true);
        }
        let mut marks = self.reader.column::<u64>("_userData.page_list")?;
        while let Some(chunk) = marks.next_chunk()? {
            if chunk.iter().any(|found| self.groups.iter().any(|(_, mark)| mark == found)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The order that all entries of the ntuple are in, if a row says so of the page lists that it has now.
    pub(super) fn order(&self, dataset: &Dataset) -> Result<Option<SortOrder>> {
        for (_, rows) in self.runs.iter().filter(|(column, _)| SortOrder::is_in(*column)) {
            for row in self.reader.entries_in(rows.clone()) {
                let row = row?.value;
                if row.page_list == all_marks(&self.groups) && row.cluster == dataset.cluster_count() {
                    return Ok(SortOrder::of_row(row, dataset.schema()));
                }
            }
        }
        Ok(None)
    }

    /// Hands out the rows about a column.
    pub(super) fn rows_of(&self, column: ColumnId, note: &mut dyn FnMut(Row)) -> Result<()> {
        for (_, rows) in self.runs.iter().filter(|(found, _)| *found == column.0) {
            for row in self.reader.entries_in(rows.clone()) {
                let row = row?.value;
                if self.is_valid(&row) {
                    note(row);
                }
            }
        }
        Ok(())
    }

    /// All rows about pages that the ntuple has.
    pub(super) fn all_rows(&self) -> Result<Vec<Attribute<Row>>> {
        let mut rows = Vec::new();
        for row in self.reader.entries() {
            let row = row?;
            if self.is_valid(&row.value) {
                rows.push(row);
            }
        }
        Ok(rows)
    }
}
