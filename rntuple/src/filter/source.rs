//! Where bounds come from.

use crate::predicate::Bounds;
use crate::schema::ColumnId;

/// Bounds of the elements of columns in one file. Those of offsets are bounds of the sizes of collections. What is not
/// known is `None`.
pub(super) trait Source: Send + Sync {
    /// In the whole file.
    fn file(&self, column: ColumnId) -> Option<Bounds>;

    /// In one cluster.
    fn cluster(&self, cluster: u64, column: ColumnId) -> Option<Bounds>;

    /// In each page of a cluster, in order.
    fn pages(&self, cluster: u64, column: ColumnId) -> Option<Vec<Bounds>>;
}

/// Of a file of which nothing is known.
pub(super) struct Nothing;

impl Source for Nothing {
    fn file(&self, _: ColumnId) -> Option<Bounds> {
        None
    }

    fn cluster(&self, _: u64, _: ColumnId) -> Option<Bounds> {
        None
    }

    fn pages(&self, _: u64, _: ColumnId) -> Option<Vec<Bounds>> {
        None
    }
}
