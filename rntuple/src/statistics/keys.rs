//! The fields that entries may be sorted by.

use crate::encoding::{ColumnType, RankKind};
use crate::error::{Error, Result};
use crate::field::elements_per_entry;
use crate::schema::{ColumnDescriptor, ColumnId, FieldDescriptor, FieldId, Role};

/// A field that entries are sorted by.
#[derive(Clone, Debug)]
pub(crate) struct KeyField {
    pub(crate) path: String,
    pub(crate) kind: RankKind,
    /// Its column in each of its representations.
    pub(crate) columns: Vec<ColumnId>,
}

/// Finds the fields at `paths`: numbers that each entry has once.
///
/// # Errors
/// There is no such field, or it cannot be in an order.
pub(crate) fn key_fields(
    paths: &[String],
    fields: &[FieldDescriptor],
    columns: &[ColumnDescriptor],
) -> Result<Vec<KeyField>> {
    let mut found: Vec<KeyField> = Vec::with_capacity(paths.len());
    for path in paths {
        if found.iter().any(|field| field.path == *path) {
            return Err(Error::invalid_argument("entries cannot be sorted by a field twice").in_field(path));
        }
        found.push(key_field(path, fields, columns).map_err(|error| error.in_field(path))?);
    }
    Ok(found)
}

fn key_field(path: &str, fields: &[FieldDescriptor], columns: &[ColumnDescriptor]) -> Result<KeyField> {
    let refuse = |why: &str| Error::invalid_argument(format!("entries cannot be sorted by it: {why}"));
    let id = find(path, fields).ok_or_else(|| refuse("there is no such field"))?;
    let field = fields.get(id.index());
    if field.is_none_or(|field| field.role != Role::Plain || field.projection_source.is_some())
        || elements_per_entry(fields, id)? != Some(1)
    {
        return Err(refuse("it is not a number that each entry has once"));
    }
    let own: Vec<(ColumnId, &ColumnDescriptor)> =
        (0..).map(ColumnId).zip(columns).filter(|(_, column)| column.field == id).collect();
    // A `float` that is stored with more digits is rounded when it is read, and a `bool` that is stored as an integer
    // is true for all but 0.
    let is_changed = |column: &ColumnDescriptor| match field.map(|field| &*field.type_name) {
        Some("float") => matches!(column.column_type(), Some(ColumnType::Real64 | ColumnType::SplitReal64)),
        Some("bool") => column.column_type() != Some(ColumnType::Bit),
        _ => false,
    };
    let is_rounded = own.iter().any(|(_, column)| is_changed(column));
    let mut kinds = own.iter().map(|(_, column)| column.column_type().and_then(RankKind::of));
    let kind = kinds.next().flatten();
    // Each representation has one column, and all have numbers of one kind.
    let is_single = own.iter().enumerate().all(|(number, (_, column))| {
        usize::from(column.representation) == number && column.first_element.unwrap_or_default() == 0
    });
    match kind.filter(|kind| is_single && !is_rounded && kinds.all(|other| other == Some(*kind))) {
        Some(kind) => {
            let columns = own.into_iter().map(|(id, _)| id).collect();
            Ok(KeyField { path: path.to_owned(), kind, columns })
        }
        None => Err(refuse("it is not a number that is stored without rounding, in all entries")),
    }
}

/// The field at a path.
fn find(path: &str, fields: &[FieldDescriptor]) -> Option<FieldId> {
    let mut found = None;
    for name in path.split('.') {
        let place = fields.iter().position(|field| field.parent == found && field.name == name)?;
        found = Some(FieldId(u32::try_from(place).ok()?));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bool_that_is_stored_as_an_integer_has_no_order() {
        let fields = [FieldDescriptor::new(None, Role::Plain, "good", "bool")];
        let keys = |column_type: ColumnType, bits| {
            let column = ColumnDescriptor::new(column_type as u16, bits, FieldId(0));
            key_fields(&["good".to_owned()], &fields, &[column])
        };
        assert_eq!(keys(ColumnType::Bit, 1).unwrap().len(), 1);
        let error = keys(ColumnType::Int8, 8).unwrap_err();
        assert!(error.to_string().contains("stored without rounding"), "{error}");
    }
}
