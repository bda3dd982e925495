//! Types as a file has them.

use super::{Field, FieldType, Scalar, Shape};
use crate::encoding::{ColumnEncoding, ColumnType, ValueKind};
use crate::error::{Error, Result};
use crate::schema::{
    FieldDescriptor, FieldId, Role, Schema, TypeName, UNVERSIONED, double32_alias, is_optional,
};

impl Field {
    /// A field like one of a schema: of the same name and type, seen by C++ as the same class, and as precise. Whether
    /// integers, offsets and floats of full precision are split is left to the writer.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for fields of unknown roles;
    /// [`OutOfSpec`](crate::ErrorKind::OutOfSpec) for a field that contradicts itself.
    pub fn like(schema: &Schema, id: FieldId) -> Result<Self> {
        Self::part_of(schema, id, &|_| true)
    }

    /// The same of the fields in it that `is_wanted`.
    pub(in crate::schema) fn part_of(
        schema: &Schema,
        id: FieldId,
        is_wanted: &dyn Fn(FieldId) -> bool,
    ) -> Result<Self> {
        let place = |error: Error| error.in_field(schema.path(id));
        let field = schema.field(id).ok_or_else(|| place(Error::invalid_argument("no such field")))?;
        let field_type = type_like(schema, id, field, is_wanted)?;
        let is_double32 = double32_alias(&field.type_name).is_some_and(|alias| alias == field.type_alias);
        let representations = match &field_type.shape {
            // What an overlay shows with a wider type is stored as its own type is.
            Shape::Scalar(scalar @ (Scalar::F32 | Scalar::F64))
                if Scalar::named(&field.type_alias).is_none_or(|own| own == *scalar) =>
            {
                precision(schema, id, *scalar).map_err(place)?
            }
            _ => Vec::new(),
        };
        Ok(Self {
            name: field.name.clone(),
            field_type,
            description: field.description.clone(),
            unit: None,
            is_double32,
            representations,
            // Those below a view are its parts.
            source: field.projection_source.filter(|_| field.parent.is_none()).map(|_| source(schema, id)),
        })
    }
}

fn type_like(
    schema: &Schema,
    id: FieldId,
    field: &FieldDescriptor,
    is_wanted: &dyn Fn(FieldId) -> bool,
) -> Result<FieldType> {
    let fault = |error: Error| error.in_field(schema.path(id));
    let subfields = || {
        let wanted = schema.children(id).iter().filter(|child| is_wanted(**child));
        wanted.map(|child| Field::part_of(schema, *child, is_wanted)).collect::<Result<Vec<_>>>()
    };
    let item = || match &*subfields()? {
        [item] => Ok(Box::new(item.clone())),
        _ => Err(fault(Error::out_of_spec("the field does not have one item"))),
    };
    let columns = schema.representations(id).first().map_or(0, Vec::len);
    let shape = match (field.role, field.array_size) {
        (Role::Plain, Some(size)) if columns > 0 => Shape::Bits(size),
        (Role::Plain, Some(size)) => Shape::Array(size, item()?),
        (Role::Plain, None) => match columns {
            0 => Shape::Around(item()?),
            2 => Shape::String,
            _ => match leaf(schema, id, field) {
                Some(shape) => shape,
                None => return Err(fault(Error::unsupported("a column of that type"))),
            },
        },
        (Role::Collection, None) if is_optional(&field.type_name) => Shape::Optional(item()?),
        (Role::Collection, None) => Shape::Collection(item()?),
        (Role::Record, None) => Shape::Record(subfields()?),
        (Role::Variant, None) => Shape::Variant(subfields()?),
        (Role::Streamer, _) => Shape::Streamed,
        (role, _) => {
            return Err(fault(Error::unsupported(format!(
                "a field of the role {} cannot be written",
                role.name()
            ))));
        }
    };
    let name = match &*field.type_name {
        "" => TypeName::known("").without_class(),
        name => TypeName::typed(name),
    };
    let name = match field.type_version {
        0 | UNVERSIONED => name,
        version => name.version(version),
    };
    Ok(FieldType { name, shape })
}

/// The path of what a view shows: of `muons.pt`, the view is a collection too, whose source is `muons`.
fn source(schema: &Schema, mut view: FieldId) -> String {
    let source_of = |id: FieldId| schema.field(id).and_then(|field| field.projection_source);
    while let &[item] = schema.children(view) {
        let below = source_of(item).and_then(|source| schema.field(source)?.parent);
        if below.is_none() || below == source_of(view) {
            break;
        }
        view = item;
    }
    source_of(view).map(|source| schema.path(source)).unwrap_or_default()
}

/// A field with one column.
fn leaf(schema: &Schema, id: FieldId, field: &FieldDescriptor) -> Option<Shape> {
    if let Some(scalar) = Scalar::named(&field.type_name) {
        return Some(Shape::Scalar(scalar));
    }
    // A type of some experiment's: as its column says.
    Some(Shape::Scalar(match column_type(schema, id)?.kind() {
        ValueKind::End => return Some(Shape::Cardinality),
        ValueKind::Tag => return None,
        ValueKind::Bool => Scalar::Bool,
        ValueKind::I8 => Scalar::I8,
        ValueKind::U8 | ValueKind::Byte => Scalar::U8,
        ValueKind::I16 => Scalar::I16,
        ValueKind::U16 => Scalar::U16,
        ValueKind::I32 => Scalar::I32,
        ValueKind::U32 => Scalar::U32,
        ValueKind::I64 => Scalar::I64,
        ValueKind::U64 => Scalar::U64,
        ValueKind::F16 | ValueKind::F32 => Scalar::F32,
        ValueKind::F64 => Scalar::F64,
    }))
}

fn column_type(schema: &Schema, id: FieldId) -> Option<ColumnType> {
    let column = *schema.representations(id).first()?.first()?;
    schema.column(column)?.column_type()
}

/// The encodings of a float that say how precise it is; none if all of it is kept.
fn precision(schema: &Schema, id: FieldId, scalar: Scalar) -> Result<Vec<ColumnEncoding>> {
    let mut encodings = Vec::new();
    for column in schema.representations(id).iter().filter_map(|columns| schema.column(*columns.first()?)) {
        let Some(column_type) = column.column_type() else { return Ok(Vec::new()) };
        let encoding = ColumnEncoding::checked(column_type, column.bits, column.range)?;
        if !encodings.contains(&encoding) {
            encodings.push(encoding);
        }
    }
    let full: &[ColumnType] = match scalar {
        Scalar::F32 => &[ColumnType::Real32, ColumnType::SplitReal32],
        _ => &[ColumnType::Real64, ColumnType::SplitReal64],
    };
    let is_full = encodings.iter().all(|encoding| full.contains(&encoding.column_type()));
    Ok(if is_full { Vec::new() } else { encodings })
}
