//! The schema of a data set: the fields of an RNTuple as those of a manifest, and which files have them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use rntuple::schema::{FieldDescriptor, FieldId, Role, Scalar, Schema, split_template, type_includes};

use crate::error::{Error, ErrorKind, Result};
use crate::format::{DataFile, Field, FieldType, TOMBSTONE};

/// What fields of a file are called in a data set, or which types they have there.
type Names = Arc<[(FieldId, String)]>;

/// How fields of a file are seen in a data set: their names, and the types of those that are numbers or have some.
#[derive(Clone)]
pub(crate) struct Seen {
    pub(crate) names: Names,
    pub(crate) types: Names,
}

/// Key of a field's metadata: its role in an RNTuple.
const ROLE: &str = "rntuple.role";

/// The fields of an RNTuple as new fields of a manifest, with ids from `first` on.
pub(crate) fn fields_of(schema: &Schema, first: i32) -> Result<Vec<Field>> {
    let mut ids: HashMap<FieldId, i32> = HashMap::new();
    let mut fields = Vec::new();
    for (id, field) in visible(schema) {
        let parent = field.parent.and_then(|parent| ids.get(&parent).copied());
        let number = i32::try_from(fields.len()).ok().and_then(|count| first.checked_add(count));
        let number = number.ok_or_else(|| Error::limit("a data set has over 2^31 fields"))?;
        ids.insert(id, number);
        fields.push(new_field(schema, id, field, number, parent.unwrap_or(-1)));
    }
    Ok(fields)
}

fn new_field(schema: &Schema, id: FieldId, field: &FieldDescriptor, number: i32, parent_id: i32) -> Field {
    let kind = match field.role {
        Role::Record => FieldType::Parent,
        Role::Collection => FieldType::Repeated,
        _ if schema.children(id).is_empty() => FieldType::Leaf,
        _ => FieldType::Parent,
    };
    Field {
        r#type: kind.into(),
        name: field.name.clone(),
        id: number,
        parent_id,
        logical_type: field.type_name.clone(),
        nullable: field.type_name.starts_with("std::optional<"),
        metadata: BTreeMap::from([(ROLE.to_owned(), field.role.name().as_bytes().to_vec())]),
        ..Field::default()
    }
}

/// All fields that can be read, parents before their children.
fn visible(schema: &Schema) -> impl Iterator<Item = (FieldId, &FieldDescriptor)> {
    let mut stack: Vec<FieldId> = schema.top_level().iter().rev().copied().collect();
    std::iter::from_fn(move || {
        let id = stack.pop()?;
        stack.extend(schema.children(id).iter().rev());
        Some((id, schema.field(id)?))
    })
}

/// The fields of a manifest by their paths.
pub(crate) struct Paths<'a>(HashMap<String, &'a Field>);

impl<'a> Paths<'a> {
    pub(crate) fn new(fields: &'a [Field]) -> Result<Self> {
        let mut paths: HashMap<i32, String> = HashMap::new();
        let mut found = HashMap::new();
        for field in fields {
            let path = match field.parent_id {
                -1 => field.name.clone(),
                parent => match paths.get(&parent) {
                    Some(parent) => format!("{parent}.{}", field.name),
                    None => {
                        let message = format!("field {} comes before its parent {parent}", field.id);
                        return Err(Error::out_of_spec(message).in_field("fields"));
                    }
                },
            };
            if paths.insert(field.id, path.clone()).is_some() {
                let message = format!("two fields have the id {}", field.id);
                return Err(Error::out_of_spec(message).in_field("fields"));
            }
            found.insert(path, field);
        }
        Ok(Self(found))
    }

    pub(crate) fn get(&self, path: &str) -> Option<&'a Field> {
        self.0.get(path).copied()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'a Field)> {
        self.0.iter().map(|(path, field)| (&**path, *field))
    }
}

/// Says which fields of the data set a file has. Fields that the data set does not have are not seen.
///
/// # Errors
/// [`SchemaMismatch`](ErrorKind::SchemaMismatch): the type of a field is another one, the file lacks a field, or a
/// field shows the values of one that the data set does not have.
pub(crate) fn match_file(fields: &[Field], schema: &Schema, path: String) -> Result<DataFile> {
    let paths = Paths::new(fields)?;
    let mut file = DataFile { path, ..DataFile::default() };
    let (mut found, mut seen) = (HashSet::new(), HashSet::new());
    for (id, field) in visible(schema) {
        let name = schema.path(id);
        let Some(wanted) = paths.get(&name) else { continue };
        if !type_includes(&wanted.logical_type, &field.type_name) {
            let message = format!(
                "the field {name} has the type {:?}, expected {:?}",
                field.type_name, wanted.logical_type
            );
            return Err(Error::new(ErrorKind::SchemaMismatch, message).in_file(&file.path));
        }
        let column = i32::try_from(id.index()).map_err(|_| Error::limit("a file has over 2^31 fields"))?;
        found.insert(wanted.id);
        seen.insert(id);
        file.fields.push(wanted.id);
        file.column_indices.push(column);
    }
    let mut missing: Vec<&str> =
        paths.iter().filter(|(_, field)| !found.contains(&field.id)).map(|(path, _)| path).collect();
    missing.sort_unstable();
    if let Some(first) = missing.first() {
        let message = match missing.len() {
            1 => format!("the file has no field {first:?}"),
            count => format!("the file lacks {count} fields of the data set, the first of them {first:?}"),
        };
        return Err(Error::new(ErrorKind::SchemaMismatch, message).in_file(&file.path));
    }
    if let Some((field, source)) = without_source(schema, &seen) {
        let message =
            format!("the field {field} shows the values of {source}, which the data set does not have");
        return Err(Error::new(ErrorKind::SchemaMismatch, message).in_file(&file.path));
    }
    Ok(file)
}

/// A projected field that would be seen without its source, and that source.
pub(crate) fn without_source(schema: &Schema, seen: &HashSet<FieldId>) -> Option<(String, String)> {
    let fields = visible(schema).filter_map(|(id, field)| Some((id, field.projection_source?)));
    let aliases = schema.alias_columns().iter();
    let columns = aliases.filter_map(|alias| Some((alias.field, schema.field_of(alias.physical)?)));
    let (field, source) =
        fields.chain(columns).find(|(field, source)| seen.contains(field) && !seen.contains(source))?;
    Some((schema.path(field), schema.path(source)))
}

/// How the fields of a data file are seen in the data set; those that are not in its schema any more are not listed.
pub(crate) fn seen(fields: &HashMap<i32, &Field>, file: &DataFile) -> Result<Seen> {
    if file.fields.len() != file.column_indices.len() {
        let (fields, columns) = (file.fields.len(), file.column_indices.len());
        let message = format!("there are {fields} fields and {columns} column indices");
        return Err(Error::out_of_spec(message).in_field("column_indices").in_file(&file.path));
    }
    let mut names = Vec::with_capacity(file.fields.len());
    let mut types = Vec::new();
    for (id, column) in file.fields.iter().zip(&file.column_indices) {
        if *id == TOMBSTONE {
            continue;
        }
        let Some(field) = fields.get(id) else { continue };
        let column = u32::try_from(*column).map_err(|_| {
            Error::out_of_spec(format!("field {id} has the number {column}")).in_file(&file.path)
        })?;
        names.push((FieldId(column), field.name.clone()));
        if Scalar::named(&field.logical_type).is_some() || split_template(&field.logical_type).is_some() {
            types.push((FieldId(column), field.logical_type.clone()));
        }
    }
    Ok(Seen { names: names.into(), types: types.into() })
}

/// Whether the parts of a field are members, which it can be without.
pub(crate) fn is_record(field: &Field) -> bool {
    field.metadata.get(ROLE).is_some_and(|role| role == Role::Record.name().as_bytes())
}
