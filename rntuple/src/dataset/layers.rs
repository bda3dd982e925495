//! Where the columns of a composed ntuple come from.

use std::sync::Arc;

use crate::schema::ColumnId;

/// The ntuples `D` that a composed one consists of, and which columns it has of each.
#[derive(Debug)]
pub(super) struct Layers<D> {
    pub(super) datasets: Vec<Arc<D>>,
    /// By column: the ntuple that has it, and its number there.
    pub(super) columns: Vec<(usize, ColumnId)>,
}

impl<D> Layers<D> {
    /// The ntuple that has a column, by its position, and the number of the column there.
    pub(super) fn source_of(&self, column: ColumnId) -> Option<(usize, ColumnId)> {
        self.columns.get(column.index()).copied()
    }
}
