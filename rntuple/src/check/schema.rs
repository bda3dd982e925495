//! Rules for fields and columns that reading alone does not enforce (format, sections 5 and 9).

use std::collections::HashSet;

use super::findings::shorten;
use crate::error::Error;
use crate::schema::{FieldDescriptor, FieldId, MOST_ALTERNATIVES, Role, Schema, check_name};

/// The path of a field, cut where it is very long.
pub(super) fn path(schema: &Schema, id: FieldId) -> String {
    shorten(schema.path(id))
}

/// Finds what is wrong with the records of a schema that has been built.
pub(super) fn check(schema: &Schema, header_columns: usize, faults: &mut dyn FnMut(Error)) {
    let mut names: HashSet<(Option<FieldId>, &str)> = HashSet::new();
    for (id, field) in schema.fields() {
        let mut fault = |message: String| faults(Error::out_of_spec(message).in_field(path(schema, id)));
        if let Err(error) = check_name(&field.name) {
            fault(shorten(error.to_string()));
        }
        if !names.insert((field.parent, &field.name)) {
            fault("another field beside it has the same name".to_owned());
        }
        // Of a later version, other rules may hold.
        if field.field_version > 0 {
            continue;
        }
        if let Err(error) = schema.check_projected(id) {
            fault(error.to_string());
        }
        match field.projection_source {
            None => check_columns(schema, id, field, &mut fault),
            Some(source) => check_projection(schema, id, field, source, &mut fault),
        }
    }
    check_deferred(schema, header_columns, faults);
}

/// Finds what a file says twice of a type. Its columns mean the same, but ROOT refuses the ntuple, whatever the
/// contents are.
pub(super) fn check_type_info(schema: &Schema, faults: &mut dyn FnMut(Error)) {
    let mut seen: HashSet<(u32, u32, &str)> = HashSet::new();
    for info in schema.extra_type_info() {
        if !seen.insert((info.content_id, info.type_version, &info.type_name)) {
            let (id, version, name) = (info.content_id, info.type_version, shorten(info.type_name.clone()));
            let message = format!(
                "two records of type information have the id {id}, the version {version} and the name {name:?}"
            );
            faults(Error::out_of_spec(message));
        }
    }
}

/// Columns and children of each role (format, section 5.1).
fn check_columns(schema: &Schema, id: FieldId, field: &FieldDescriptor, fault: &mut dyn FnMut(String)) {
    let columns = schema.representations(id).first().map_or(0, Vec::len);
    let children = schema.children(id).len();
    let wanted = match field.role {
        Role::Plain => 0..=2,
        Role::Collection | Role::Variant => 1..=1,
        Role::Record => 0..=0,
        Role::Streamer => 2..=2,
        Role::Unknown(_) => return,
    };
    let role = field.role.name();
    if !wanted.contains(&columns) {
        fault(format!("a {role} field cannot have {columns} columns"));
    }
    match field.role {
        Role::Collection if children != 1 => {
            fault(format!("a collection of {children} kinds of items"));
        }
        Role::Variant if children == 0 || children > MOST_ALTERNATIVES => {
            fault(format!("a variant of {children} alternatives"));
        }
        Role::Plain if columns == 0 && children != 1 => {
            fault(format!("a plain field without columns, around {children} fields"));
        }
        Role::Plain | Role::Streamer if columns > 0 && children > 0 => {
            fault(format!("a {role} field with columns, around {children} fields"));
        }
        _ => {}
    }
    if field.array_size.is_some() && field.role != Role::Plain {
        fault(format!("a {role} field that repeats"));
    }
}

/// A projection looks at all columns of a field like itself (format, section 5.5).
fn check_projection(
    schema: &Schema,
    id: FieldId,
    field: &FieldDescriptor,
    source: FieldId,
    fault: &mut dyn FnMut(String),
) {
    // A source that is a projection itself has no columns to compare with.
    let Some(original) = schema.field(source).filter(|field| field.projection_source.is_none()) else {
        return;
    };
    let (own, theirs) = (schema.representations(id), schema.representations(source));
    if own.first().map(Vec::len) != theirs.first().map(Vec::len) || !theirs.starts_with(own) {
        fault(format!("its alias columns are not those of {}, which it projects", path(schema, source)));
    }
    if field.is_cardinality() {
        return;
    }
    if field.role != original.role {
        let (role, other) = (field.role.name(), original.role.name());
        fault(format!("a {role} field that projects {}, a {other} field", path(schema, source)));
    } else if matches!(field.role, Role::Plain | Role::Streamer) && field.type_name != original.type_name {
        let (name, other) = (shorten(field.type_name.clone()), shorten(original.type_name.clone()));
        fault(format!("of type {name}, but it projects {}, of type {other}", path(schema, source)));
    }
}

/// Deferred columns come with the extension, and are principal columns outside of collections and variants
/// (format, section 5.3).
fn check_deferred(schema: &Schema, header_columns: usize, faults: &mut dyn FnMut(Error)) {
    for (id, column) in schema.columns() {
        let Some(first) = column.first_element else { continue };
        let mut fault = |message: &'static str| {
            let error = Error::out_of_spec(message).in_column(id.0.into());
            faults(error.in_field(path(schema, column.field)));
        };
        if id.index() < header_columns {
            fault("a deferred column in the header");
        }
        if first > 0 {
            let lists = schema.representations(column.field);
            if !lists.iter().any(|list| list.first() == Some(&id)) {
                fault("a deferred column that is not the first of its field");
            }
            let mut parent = schema.field(column.field).and_then(|field| field.parent);
            while let Some(field) = parent.and_then(|id| schema.field(id)) {
                if matches!(field.role, Role::Collection | Role::Variant) {
                    fault("a deferred column in a collection or variant");
                    break;
                }
                parent = field.parent;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{AliasColumn, ColumnDescriptor, ColumnId, ExtraTypeInfo};

    fn field(parent: Option<u32>, role: Role, name: &str, type_name: &str) -> FieldDescriptor {
        FieldDescriptor::new(parent.map(FieldId), role, name, type_name)
    }

    fn faults(
        fields: Vec<FieldDescriptor>,
        columns: Vec<ColumnDescriptor>,
        aliases: Vec<AliasColumn>,
    ) -> Vec<String> {
        let schema = Schema::build(fields, columns, aliases, vec![], &|_| Ok(true)).unwrap();
        let mut faults = Vec::new();
        check(&schema, 2, &mut |error| faults.push(error.to_string()));
        faults
    }

    #[test]
    fn each_role_has_its_columns_and_children() {
        let fields = vec![
            field(None, Role::Collection, "a", ""),
            field(None, Role::Record, "b", ""),
            field(None, Role::Variant, "c", ""),
            field(None, Role::Plain, "d", "E"),
            field(None, Role::Streamer, "e", "T"),
        ];
        let columns =
            [1, 4].map(|field| ColumnDescriptor::new(0, 1, FieldId(field))).into_iter().collect::<Vec<_>>();
        assert_eq!(
            faults(fields, columns, vec![]),
            [
                "a: a collection field cannot have 0 columns",
                "a: a collection of 0 kinds of items",
                "b: a record field cannot have 1 columns",
                "c: a variant field cannot have 0 columns",
                "c: a variant of 0 alternatives",
                "d: a plain field without columns, around 0 fields",
                "e: a streamer field cannot have 1 columns",
            ]
        );
    }

    #[test]
    fn names_are_sound_and_single() {
        let fields = ["x", "a b", "x"].map(|name| field(None, Role::Record, name, "")).into();
        assert_eq!(
            faults(fields, vec![], vec![]),
            ["a b: the name \"a b\" cannot contain ' '", "x: another field beside it has the same name"]
        );
    }

    #[test]
    fn projections_look_like_their_sources() {
        let mut fields: Vec<_> = [("x", "float"), ("y", "double"), ("z", "float"), ("w", "float")]
            .map(|(name, type_name)| field(None, Role::Plain, name, type_name))
            .into();
        for field in &mut fields[1..] {
            field.projection_source = Some(FieldId(0));
        }
        fields[3].role = Role::Record;
        let columns = vec![ColumnDescriptor::new(0, 1, FieldId(0))];
        let aliases = [1, 3].map(|field| AliasColumn::new(ColumnId(0), FieldId(field))).into();
        assert_eq!(
            faults(fields, columns, aliases),
            [
                "y: of type double, but it projects x, of type float",
                "z: its alias columns are not those of x, which it projects",
                "w: a record field that projects x, a plain field",
            ]
        );
    }

    #[test]
    fn what_is_in_a_projection_is_projected() {
        let mut fields = vec![
            field(None, Role::Record, "x", ""),
            field(None, Role::Record, "y", ""),
            field(Some(1), Role::Record, "z", ""),
        ];
        fields[1].projection_source = Some(FieldId(0));
        assert_eq!(faults(fields, vec![], vec![]), ["y.z: it is not projected, but the field around it is"]);
    }

    #[test]
    fn deferred_columns_have_their_place() {
        let fields = vec![
            field(None, Role::Collection, "a", ""),
            field(Some(0), Role::Plain, "_0", "std::string"),
            field(None, Role::Plain, "b", "std::string"),
        ];
        let mut columns: Vec<_> =
            [0, 1, 1, 2, 2].map(|field| ColumnDescriptor::new(0, 1, FieldId(field))).into();
        for index in [0, 2, 3] {
            columns[index].first_element = Some(5);
        }
        assert_eq!(
            faults(fields, columns, vec![]),
            [
                "column 0 (a): a deferred column in the header",
                "column 2 (a._0): a deferred column that is not the first of its field",
                "column 2 (a._0): a deferred column in a collection or variant",
            ]
        );
    }

    #[test]
    fn type_information_is_given_once() {
        let infos = [(0, 0, ""), (0, 1, ""), (0, 0, "T"), (1, 0, ""), (0, 0, "")];
        let infos =
            infos.map(|(id, version, name)| ExtraTypeInfo::new(id, version, name.to_owned(), vec![1]));
        let fields = vec![field(None, Role::Record, "x", "")];
        let schema = Schema::build(fields, vec![], vec![], infos.into(), &|_| Ok(true)).unwrap();
        let mut faults = Vec::new();
        check_type_info(&schema, &mut |error| faults.push(error.to_string()));
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].contains("have the id 0, the version 0 and the name \"\""), "{faults:?}");
    }
}
