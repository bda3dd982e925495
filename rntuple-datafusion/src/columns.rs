//! The columns of a table, and where their values are in the arrays that a reader makes.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, OffsetSizeTrait, StructArray, new_empty_array,
};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use datafusion::common::{Result, internal_datafusion_err};

use crate::zeros::zeros;

/// The columns of a table over one file.
#[derive(Debug)]
pub(crate) struct Columns {
    pub(crate) schema: SchemaRef,
    /// By column: the fields from the top to it, and how many of these lead to a list.
    paths: Vec<(Vec<String>, Option<usize>)>,
}

impl Columns {
    /// Those of a file whose fields have this schema.
    pub(crate) fn of(fields: &Schema, leaves: bool) -> Self {
        let (mut columns, mut paths) = (Vec::new(), Vec::new());
        for field in fields.fields() {
            let field = plain(field, field.is_nullable());
            match leaves {
                true => flatten(&field, Vec::new(), None, &mut |column, path, lists| {
                    columns.push(column);
                    paths.push((path, lists));
                }),
                false => {
                    paths.push((vec![field.name().clone()], None));
                    columns.push(field);
                }
            }
        }
        Self { schema: Arc::new(Schema::new(columns)), paths }
    }

    /// The path of a column: `muons`, `muons.pt`.
    pub(crate) fn path(&self, column: usize) -> &[String] {
        self.paths.get(column).map_or(&[], |(path, _)| path)
    }

    /// For a column of members of structs in a list: the list, and the path of the column from its items.
    pub(crate) fn list_of(&self, column: usize) -> Option<(String, String)> {
        let (path, lists) = self.paths.get(column)?;
        let (list, value) = path.split_at_checked((*lists)?)?;
        Some((list.join("."), value.join(".")))
    }

    /// The values of a column, from those of the field at the top, with the members that `data_type` has. What was not read
    /// is zeros.
    pub(crate) fn array(&self, column: usize, top: &ArrayRef, data_type: &DataType) -> Result<ArrayRef> {
        let members = self.path(column).get(1..).unwrap_or_default();
        complete(&descend(top, members)?, data_type)
    }
}

/// The same without metadata, of which types are part that have it inside: files of one table may differ there. What is
/// inside may be null, as functions of DataFusion that make lists and structs say of what is inside theirs.
fn plain(field: &Field, is_nullable: bool) -> FieldRef {
    let data_type = with_items(field.data_type(), &|inner| plain(inner, true));
    Arc::new(Field::new(field.name(), data_type, is_nullable))
}

/// A type with other fields inside.
pub(crate) fn with_items(data_type: &DataType, change: &dyn Fn(&Field) -> FieldRef) -> DataType {
    match data_type {
        DataType::List(item) => DataType::List(change(item)),
        DataType::LargeList(item) => DataType::LargeList(change(item)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(change(item), *size),
        DataType::Map(entries, sorted) => DataType::Map(change(entries), *sorted),
        DataType::Struct(members) => DataType::Struct(members.iter().map(|member| change(member)).collect()),
        other => other.clone(),
    }
}

/// Whether a struct's members have names of their own, rather than numbers: those of pairs and variants stay together.
pub(crate) fn is_record(members: &Fields) -> bool {
    let is_number = |name: &str| {
        name.strip_prefix('_')
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    !members.is_empty() && !members.iter().any(|member| is_number(member.name()))
}

/// The members of a field, each as a column.
fn flatten(
    field: &FieldRef,
    above: Vec<String>,
    mut lists: Option<usize>,
    note: &mut dyn FnMut(FieldRef, Vec<String>, Option<usize>),
) {
    let mut path = above;
    path.push(field.name().clone());
    let members = match innermost(field.data_type()) {
        DataType::Struct(members) if is_record(members) => members,
        _ => {
            note(Arc::new(field.as_ref().clone().with_name(path.join("."))), path, lists);
            return;
        }
    };
    if !matches!(field.data_type(), DataType::Struct(_)) {
        lists = lists.or(Some(path.len()));
    }
    for member in members {
        let data_type = around(field.data_type(), member);
        let is_nullable =
            field.is_nullable() || matches!(field.data_type(), DataType::Struct(_)) && member.is_nullable();
        flatten(&Arc::new(Field::new(member.name(), data_type, is_nullable)), path.clone(), lists, note);
    }
}

/// The type of what is in lists.
pub(crate) fn innermost(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            innermost(item.data_type())
        }
        other => other,
    }
}

/// The type of lists of structs as that of lists of one of the members.
fn around(data_type: &DataType, member: &FieldRef) -> DataType {
    match data_type {
        DataType::Struct(_) => member.data_type().clone(),
        lists => with_items(lists, &|item| {
            let is_nullable =
                item.is_nullable() || matches!(item.data_type(), DataType::Struct(_)) && member.is_nullable();
            Arc::new(Field::new(item.name(), around(item.data_type(), member), is_nullable))
        }),
    }
}

/// The values of a member below structs and lists of them.
fn descend(array: &ArrayRef, members: &[String]) -> Result<ArrayRef> {
    let Some((first, rest)) = members.split_first() else { return Ok(array.clone()) };
    match array.data_type() {
        DataType::Struct(_) => {
            let structs = array.as_struct();
            let member = structs
                .column_by_name(first)
                .ok_or_else(|| internal_datafusion_err!("member {first:?} was not read"))?;
            descend(&with_nulls(structs, member)?, rest)
        }
        DataType::List(_) => descend_list::<i32>(array, members),
        DataType::LargeList(_) => descend_list::<i64>(array, members),
        DataType::FixedSizeList(item, size) => {
            let lists = array.as_fixed_size_list();
            let values = descend(lists.values(), members)?;
            let item = Arc::new(Field::new(item.name(), values.data_type().clone(), true));
            Ok(Arc::new(FixedSizeListArray::try_new(item, *size, values, lists.nulls().cloned())?))
        }
        other => Err(internal_datafusion_err!("no members in {other}")),
    }
}

fn descend_list<O: OffsetSizeTrait>(array: &ArrayRef, members: &[String]) -> Result<ArrayRef> {
    let lists = array.as_list::<O>();
    let values = descend(lists.values(), members)?;
    let item = Arc::new(Field::new("item", values.data_type().clone(), true));
    Ok(Arc::new(GenericListArray::<O>::try_new(
        item,
        lists.offsets().clone(),
        values,
        lists.nulls().cloned(),
    )?))
}

/// The values of a member, with the nulls of the structs around it.
fn with_nulls(structs: &StructArray, member: &ArrayRef) -> Result<ArrayRef> {
    if structs.null_count() == 0 {
        return Ok(member.clone());
    }
    let nulls = arrow_buffer::NullBuffer::union(structs.nulls(), member.nulls());
    let data = member.to_data().into_builder().nulls(nulls).build()?;
    Ok(arrow_array::make_array(data))
}

/// The array as one of this type, which has what it has, and more members: these are zeros.
///
/// Members of a struct that is null are null. Arrow has anything there, and a reader zeros, which `get_field` of DataFusion
/// would return as they are.
pub(crate) fn complete(array: &ArrayRef, wanted: &DataType) -> Result<ArrayRef> {
    Ok(match wanted {
        DataType::Struct(members) => {
            let structs = array.as_struct();
            let member = |field: &FieldRef| match structs.column_by_name(field.name()) {
                Some(column) => complete(&with_nulls(structs, column)?, field.data_type()),
                None => zeros(field, structs.len()),
            };
            let columns = members.iter().map(member).collect::<Result<Vec<_>>>()?;
            let nulls = structs.nulls().cloned();
            Arc::new(StructArray::try_new_with_length(members.clone(), columns, nulls, structs.len())?)
        }
        DataType::List(item) => complete_list::<i32>(array, item)?,
        DataType::LargeList(item) => complete_list::<i64>(array, item)?,
        DataType::FixedSizeList(item, size) => {
            let lists = array.as_fixed_size_list();
            let values = complete(lists.values(), item.data_type())?;
            Arc::new(FixedSizeListArray::try_new(item.clone(), *size, values, lists.nulls().cloned())?)
        }
        _ if array.data_type() == wanted => array.clone(),
        _ if array.is_empty() => new_empty_array(wanted),
        // The same but for metadata.
        _ => {
            let data = array.to_data().into_builder().data_type(wanted.clone()).build()?;
            arrow_array::make_array(data)
        }
    })
}

fn complete_list<O: OffsetSizeTrait>(array: &ArrayRef, item: &FieldRef) -> Result<ArrayRef> {
    let lists = array.as_list::<O>();
    let values = complete(lists.values(), item.data_type())?;
    let nulls = lists.nulls().cloned();
    Ok(Arc::new(GenericListArray::<O>::try_new(item.clone(), lists.offsets().clone(), values, nulls)?))
}
