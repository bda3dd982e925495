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

/// What the parent of a field is that has none.
const TOP: i32 = -1;

/// The longest path that is put together, in bytes.
const LONGEST_PATH: usize = 4096;

/// The fields of a manifest, by their parents and names. Whole paths are not kept: a long name of a record would be in
/// those of all its members.
pub(crate) struct Paths<'a> {
    by_name: HashMap<(i32, &'a str), &'a Field>,
    by_id: HashMap<i32, &'a Field>,
}

impl<'a> Paths<'a> {
    pub(crate) fn new(fields: &'a [Field]) -> Result<Self> {
        let mut by_name: HashMap<(i32, &str), &Field> = HashMap::new();
        let mut by_id: HashMap<i32, &Field> = HashMap::new();
        for field in fields {
            let parent = field.parent_id;
            if parent != TOP && !by_id.contains_key(&parent) {
                let message = format!("field {} comes before its parent {parent}", field.id);
                return Err(Error::out_of_spec(message).in_field("fields"));
            }
            if by_id.insert(field.id, field).is_some() {
                let message = format!("two fields have the id {}", field.id);
                return Err(Error::out_of_spec(message).in_field("fields"));
            }
            by_name.insert((parent, &*field.name), field);
        }
        Ok(Self { by_name, by_id })
    }

    /// The field of a name below one with the id `parent`.
    fn child(&self, parent: i32, name: &str) -> Option<&'a Field> {
        self.by_name.get(&(parent, name)).copied()
    }

    pub(crate) fn get(&self, path: &str) -> Option<&'a Field> {
        let mut names = path.split('.');
        let top = self.child(TOP, names.next()?)?;
        names.try_fold(top, |parent, name| self.child(parent.id, name))
    }

    /// The path of the field with an id; `None`: there is no such field, or its path is longer than any that programs
    /// write.
    pub(crate) fn path(&self, id: i32) -> Option<String> {
        let field = self.by_id.get(&id).copied()?;
        let parent = |field: &&'a Field| self.by_id.get(&field.parent_id).copied().filter(|it| it.id != TOP);
        joined(std::iter::successors(Some(field), parent).map(|field| &*field.name))
    }
}

/// The path of a field of a file; `None`: it is longer than any that programs write.
pub(crate) fn path_in(schema: &Schema, id: FieldId) -> Option<String> {
    let fields = std::iter::successors(schema.field(id), |field| schema.field(field.parent?));
    joined(fields.map(|field| &*field.name))
}

/// A path of names, the last one first; `None`: it would be too long.
fn joined<'n>(names: impl Iterator<Item = &'n str>) -> Option<String> {
    let (mut parts, mut length) = (Vec::new(), 0);
    for name in names {
        length += name.len() + 1;
        if length > LONGEST_PATH {
            return None;
        }
        parts.push(name);
    }
    parts.reverse();
    Some(parts.join("."))
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
    // The ids in the data set of the fields that are seen, under which their parts are found.
    let mut ids: HashMap<FieldId, i32> = HashMap::new();
    for (id, field) in visible(schema) {
        let parent = field.parent.map_or(Some(TOP), |parent| ids.get(&parent).copied());
        let wanted = parent.and_then(|parent| paths.child(parent, &field.name));
        let Some(wanted) = wanted else { continue };
        if !type_includes(&wanted.logical_type, &field.type_name) {
            let message = format!(
                "the field {} has the type {:?}, expected {:?}",
                schema.path(id),
                field.type_name,
                wanted.logical_type
            );
            return Err(Error::new(ErrorKind::SchemaMismatch, message).in_file(&file.path));
        }
        let column = i32::try_from(id.index()).map_err(|_| Error::limit("a file has over 2^31 fields"))?;
        found.insert(wanted.id);
        seen.insert(id);
        ids.insert(id, wanted.id);
        file.fields.push(wanted.id);
        file.column_indices.push(column);
    }
    let mut missing = fields.iter().filter(|field| !found.contains(&field.id));
    if let Some(first) = missing.next() {
        let (id, path) = (first.id, paths.path(first.id));
        let first = path.map_or_else(|| format!("with the id {id}"), |path| format!("{path:?}"));
        let message = match missing.count() {
            0 => format!("the file has no field {first}"),
            others => {
                format!("the file lacks {} fields of the data set, the first of them {first}", others + 1)
            }
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

#[cfg(test)]
mod tests {
    use rntuple::{RNTuple, WriteOptions};

    use super::*;

    #[derive(RNTuple)]
    struct Point {
        x: f32,
        y: f32,
    }

    #[derive(RNTuple)]
    struct Event {
        first: Point,
        x: u32,
        second: Point,
    }

    #[derive(RNTuple)]
    struct Turned {
        second: Point,
        other: Point,
        first: Point,
        x: u32,
    }

    #[derive(RNTuple)]
    struct Fewer {
        x: u32,
        second: Point,
    }

    #[test]
    fn fields_are_found_below_their_parents() {
        let fields = fields_of(&Schema::of::<Event>(&WriteOptions::new()).unwrap(), 0).unwrap();
        let paths = Paths::new(&fields).unwrap();
        let names: Vec<_> = fields.iter().map(|field| paths.path(field.id).unwrap()).collect();
        assert_eq!(names, ["first", "first.x", "first.y", "x", "second", "second.x", "second.y"]);
        for (name, field) in names.iter().zip(&fields) {
            assert_eq!(paths.get(name), Some(field));
        }
        assert!(["", "y", "first.second", "x.x", "first.x.x"].iter().all(|path| paths.get(path).is_none()));

        let turned = Schema::of::<Turned>(&WriteOptions::new()).unwrap();
        let file = match_file(&fields, &turned, "a.root".to_owned()).unwrap();
        assert_eq!(file.fields, [4, 5, 6, 0, 1, 2, 3]);
        let names = file.column_indices.iter().map(|id| path_in(&turned, FieldId(*id as u32)).unwrap());
        assert_eq!(
            names.collect::<Vec<_>>(),
            ["second", "second.x", "second.y", "first", "first.x", "first.y", "x"]
        );
        let fewer = Schema::of::<Fewer>(&WriteOptions::new()).unwrap();
        let error = match_file(&fields, &fewer, "a.root".to_owned()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a.root: the file lacks 3 fields of the data set, the first of them \"first\""
        );
    }

    #[test]
    fn long_paths_are_not_put_together() {
        let field =
            |id: i32, name: &str| Field { id, parent_id: id - 1, name: name.to_owned(), ..Field::default() };
        let fields = [field(0, "a"), field(1, &"b".repeat(4092)), field(2, "c")];
        let paths = Paths::new(&fields).unwrap();
        assert_eq!(paths.path(1).map(|path| path.len()), Some(4094));
        assert_eq!((paths.path(2), paths.path(3)), (None, None));
        let path = format!("a.{}.c", "b".repeat(4092));
        assert_eq!(paths.get(&path).map(|field| field.id), Some(2));
    }
}
