//! Which columns may hold the values of a field (format, sections 5.2, 5.4 and 7.4).

use super::groups::Groups;
use super::numbered::{numbered, numbered_columns, path};
use super::{AliasColumn, ColumnDescriptor, ColumnId, FieldDescriptor, FieldId};
use crate::error::{Error, Result};
use crate::message::counted;

/// For each field its representations, for each representation its columns.
///
/// The ids have been checked: columns belong to fields that are not projected, alias columns to fields
/// that are.
pub(super) fn group(
    fields: &[FieldDescriptor],
    columns: &[ColumnDescriptor],
    alias_columns: &[AliasColumn],
) -> Result<Vec<Vec<Vec<ColumnId>>>> {
    // An extension may add representations to any field, so one field's columns can be far apart.
    let by_field =
        Groups::new(fields.len(), numbered_columns(columns).map(|(id, column)| (column.field.index(), id)))
            .sorted_by_key(|id| columns.get(id.index()).map_or(&0, |column| &column.representation));
    let mut all = numbered(fields)
        .map(|(id, _)| {
            physical(by_field.get(id.index()), columns).map_err(|error| error.in_field(path(fields, id)))
        })
        .collect::<Result<Vec<_>>>()?;

    let by_field =
        Groups::new(fields.len(), alias_columns.iter().map(|alias| (alias.field.index(), alias.physical)));
    for (id, _) in numbered(fields) {
        let aliases = by_field.get(id.index());
        let Some(first) = aliases.first() else { continue };
        // All representations of a field have as many columns.
        let source = columns.get(first.index()).map_or(FieldId::default(), |column| column.field);
        let width = all.get(source.index()).and_then(|lists| lists.first()).map_or(1, Vec::len).max(1);
        if aliases.len() % width != 0 {
            return Err(Error::out_of_spec(format!(
                "the field has {}, its source has {width} in each representation",
                counted(aliases.len() as u64, "alias column")
            ))
            .in_field(path(fields, id)));
        }
        if let Some(lists) = all.get_mut(id.index()) {
            *lists = aliases.chunks(width).map(<[_]>::to_vec).collect();
        }
    }
    Ok(all)
}

/// Cuts the columns of one field, sorted by representation.
fn physical(ids: &[ColumnId], columns: &[ColumnDescriptor]) -> Result<Vec<Vec<ColumnId>>> {
    let representation = |id: &ColumnId| columns.get(id.index()).map_or(0, |column| column.representation);
    let mut lists: Vec<Vec<ColumnId>> = Vec::new();
    for list in ids.chunk_by(|a, b| representation(a) == representation(b)) {
        let number = list.first().map_or(0, representation);
        let first_width = lists.first().map_or(list.len(), Vec::len);
        if usize::from(number) != lists.len() {
            return Err(Error::out_of_spec(format!(
                "the field has columns of representation {number}, but none of representation {}",
                lists.len()
            )));
        }
        if list.len() != first_width {
            return Err(Error::out_of_spec(format!(
                "representation {number} has {}, representation 0 has {first_width}",
                counted(list.len() as u64, "column")
            )));
        }
        lists.push(list.to_vec());
    }
    Ok(lists)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Role;

    /// Field 0 is a string, 1 a number, 2 a projection of 0.
    fn fields() -> Vec<FieldDescriptor> {
        let mut fields: Vec<_> = ["a", "b", "c"]
            .map(|name| FieldDescriptor::new(None, Role::Plain, name, ""))
            .into_iter()
            .collect();
        fields[2].projection_source = Some(FieldId(0));
        fields
    }

    fn columns(columns: &[(u32, u16)]) -> Vec<ColumnDescriptor> {
        let column = |(field, representation): &(u32, u16)| {
            let mut column = ColumnDescriptor::new(0, 1, FieldId(*field));
            column.representation = *representation;
            column
        };
        columns.iter().map(column).collect()
    }

    fn ids(lists: &[Vec<ColumnId>]) -> Vec<Vec<u32>> {
        lists.iter().map(|list| list.iter().map(|id| id.0).collect()).collect()
    }

    fn aliases(aliases: &[u32]) -> Vec<AliasColumn> {
        aliases.iter().map(|column| AliasColumn::new(ColumnId(*column), FieldId(2))).collect()
    }

    #[test]
    fn representations_added_later_join_the_first() {
        let columns = columns(&[(0, 0), (0, 0), (1, 0), (0, 1), (0, 1), (1, 1)]);
        let all = group(&fields(), &columns, &aliases(&[0, 1, 3, 4])).unwrap();
        assert_eq!(ids(&all[0]), [[0, 1], [3, 4]]);
        assert_eq!(ids(&all[1]), [[2], [5]]);
        assert_eq!(ids(&all[2]), [[0, 1], [3, 4]]);
    }

    #[test]
    fn a_projection_may_see_the_first_representation_alone() {
        let columns = columns(&[(0, 0), (0, 0), (0, 1), (0, 1)]);
        let all = group(&fields(), &columns, &aliases(&[0, 1])).unwrap();
        assert_eq!(ids(&all[2]), [[0, 1]]);
        assert!(all[1].is_empty());
    }

    #[test]
    fn representations_are_alike_and_without_gaps() {
        let fault = |list: &[(u32, u16)]| group(&fields(), &columns(list), &[]).unwrap_err().to_string();
        assert_eq!(
            fault(&[(0, 1)]),
            "a: the field has columns of representation 1, but none of representation 0"
        );
        assert_eq!(
            fault(&[(1, 0), (1, 65535)]),
            "b: the field has columns of representation 65535, but none of representation 1"
        );
        assert_eq!(
            fault(&[(0, 0), (0, 0), (0, 1)]),
            "a: representation 1 has 1 column, representation 0 has 2"
        );
    }

    #[test]
    fn alias_columns_come_in_whole_representations() {
        let columns = columns(&[(0, 0), (0, 0)]);
        let error = group(&fields(), &columns, &aliases(&[0])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "c: the field has 1 alias column, its source has 2 in each representation"
        );
    }
}
