//! Records by their ids, which are their places in the lists of a file.

use super::{ColumnDescriptor, ColumnId, FieldDescriptor, FieldId};

/// Records with their ids.
pub(super) fn numbered(
    fields: &[FieldDescriptor],
) -> impl Iterator<Item = (FieldId, &FieldDescriptor)> + Clone {
    (0..).map(FieldId).zip(fields)
}

/// Records with their ids.
pub(super) fn numbered_columns(
    columns: &[ColumnDescriptor],
) -> impl Iterator<Item = (ColumnId, &ColumnDescriptor)> + Clone {
    (0..).map(ColumnId).zip(columns)
}

/// The path of a field. A parent that does not come before its child ends it.
pub(crate) fn path(fields: &[FieldDescriptor], id: FieldId) -> String {
    let step = |(id, field): &(FieldId, &FieldDescriptor)| {
        let parent = field.parent.filter(|parent| parent < id)?;
        Some((parent, fields.get(parent.index())?))
    };
    let start = fields.get(id.index()).map(|field| (id, field));
    let mut names: Vec<&str> = std::iter::successors(start, step).map(|(_, field)| &*field.name).collect();
    names.reverse();
    names.join(".")
}
