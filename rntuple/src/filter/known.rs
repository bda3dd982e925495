//! What is known of the fields in a file, a cluster, or the entries of some pages.

use std::collections::HashMap;

use super::source::Source;
use crate::predicate::{Bounds, Known, Limit};
use crate::schema::{ClusterDescriptor, ColumnId, FieldId, Role, Schema};

/// How many elements a field has for each entry; `None` where that is up to the entry, as in a collection.
pub(super) fn elements_per_entry(schema: &Schema, id: FieldId) -> Option<u64> {
    let mut count = 1u64;
    let mut at = Some(id);
    while let Some(field) = at.and_then(|id| schema.field(id)) {
        count = count.checked_mul(field.array_size.unwrap_or(1))?;
        at = field.parent;
        match at.and_then(|above| schema.field(above)).map(|above| above.role) {
            None | Some(Role::Plain | Role::Record) => {}
            Some(_) => return None,
        }
    }
    Some(count)
}

/// The column of a field in a cluster, if it has all elements of the cluster on storage: those of a column that came
/// later are zeros at first, of which statistics know nothing.
pub(super) fn whole_column(schema: &Schema, cluster: &ClusterDescriptor, id: FieldId) -> Option<ColumnId> {
    let has_pages =
        |id: &ColumnId| cluster.columns.get(id.index()).is_some_and(|range| range.first_element.is_some());
    let column =
        *schema.representations(id).iter().filter_map(|columns| columns.first()).find(|id| has_pages(id))?;
    let stored = cluster.columns.get(column.index())?.stored_count();
    let is_whole = match elements_per_entry(schema, id) {
        Some(count) => cluster.entry_count.checked_mul(count) == Some(stored),
        None => true,
    };
    is_whole.then_some(column)
}

/// The column of a field that is the same in all clusters, and has all elements.
fn only_column(schema: &Schema, id: FieldId) -> Option<ColumnId> {
    let [columns] = schema.representations(id) else { return None };
    let column = *columns.first()?;
    schema.column(column)?.first_element.is_none().then_some(column)
}

pub(super) fn sizes(bounds: Option<Bounds>) -> Option<(u64, u64)> {
    match bounds? {
        Bounds { min: Some(Limit::Int(min)), max: Some(Limit::Int(max)), .. } => {
            Some((u64::try_from(min).ok()?, u64::try_from(max).ok()?))
        }
        _ => None,
    }
}

/// Of the whole file.
pub(super) struct OfFile<'a> {
    pub(super) schema: &'a Schema,
    pub(super) source: &'a dyn Source,
}

impl Known for OfFile<'_> {
    fn values(&self, field: FieldId) -> Option<Bounds> {
        self.source.file(only_column(self.schema, field)?)
    }

    fn sizes(&self, field: FieldId) -> Option<(u64, u64)> {
        sizes(self.values(field))
    }
}

/// Of a cluster whose page list was not read.
pub(super) struct OfNumber<'a> {
    pub(super) schema: &'a Schema,
    pub(super) source: &'a dyn Source,
    pub(super) cluster: u64,
}

impl Known for OfNumber<'_> {
    fn values(&self, field: FieldId) -> Option<Bounds> {
        self.source.cluster(self.cluster, only_column(self.schema, field)?)
    }

    fn sizes(&self, field: FieldId) -> Option<(u64, u64)> {
        sizes(self.values(field))
    }
}

/// Of a cluster.
pub(super) struct OfCluster<'a> {
    pub(super) schema: &'a Schema,
    pub(super) source: &'a dyn Source,
    pub(super) number: u64,
    pub(super) cluster: &'a ClusterDescriptor,
}

impl Known for OfCluster<'_> {
    fn values(&self, field: FieldId) -> Option<Bounds> {
        self.source.cluster(self.number, whole_column(self.schema, self.cluster, field)?)
    }

    fn sizes(&self, field: FieldId) -> Option<(u64, u64)> {
        sizes(self.values(field))
    }
}

/// Of some entries of a cluster: of some fields by their pages, of the others what is known of the cluster.
pub(super) struct OfPages<'a> {
    pub(super) cluster: &'a OfCluster<'a>,
    pub(super) pages: HashMap<FieldId, &'a Bounds>,
}

impl Known for OfPages<'_> {
    fn values(&self, field: FieldId) -> Option<Bounds> {
        match self.pages.get(&field) {
            Some(bounds) => Some((*bounds).clone()),
            None => self.cluster.values(field),
        }
    }

    fn sizes(&self, field: FieldId) -> Option<(u64, u64)> {
        sizes(self.values(field))
    }
}
