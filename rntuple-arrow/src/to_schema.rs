//! The schema of Arrow that a file becomes.

use arrow_schema::{DataType, Field as ArrowField, FieldRef, Fields, Schema, UnionFields, UnionMode};
use rntuple::encoding::ColumnType;
use rntuple::schema::{Field, FieldType, Scalar, SchemaBuilder, Shape};
use rntuple::{Error, ErrorKind, Result};

use crate::error::{below, from_arrow};
use crate::gaps::has_nulls;
use crate::metadata;
use crate::options::{ArrowOptions, Lists, Maps, Variants};

/// The schema of Arrow for entries of this schema, with what Arrow has no place for as metadata.
///
/// ```
/// use rntuple::schema::{Field, FieldType, SchemaBuilder};
/// use rntuple_arrow::{ArrowOptions, to_arrow_schema};
///
/// let schema = SchemaBuilder::new().field(Field::new("pt", FieldType::vector(FieldType::F32)));
/// let schema = to_arrow_schema(&schema, &ArrowOptions::new())?;
/// assert_eq!(schema.field(0).data_type().to_string(), "LargeList(non-null Float32)");
/// assert!(!schema.field(0).is_nullable());
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// # Errors
/// [`Unsupported`](ErrorKind::Unsupported) for arrays of over 2^31 items.
pub fn to_arrow_schema(schema: &SchemaBuilder, options: &ArrowOptions) -> Result<Schema> {
    let fields = schema.fields().iter().filter(|field| options.views || field.source().is_none());
    let fields: Fields = fields.map(|field| arrow_field(field, options)).collect::<Result<_>>()?;
    Ok(Schema::new(fields))
}

pub(crate) fn arrow_field(field: &Field, options: &ArrowOptions) -> Result<ArrowField> {
    named(field, field.name(), options).map_err(|error| below(field.name(), &error))
}

fn named(field: &Field, name: &str, options: &ArrowOptions) -> Result<ArrowField> {
    let (data_type, is_nullable) = data_type(field, options)?;
    let metadata = metadata::of(field, &data_type);
    Ok(ArrowField::new(name, data_type, is_nullable).with_metadata(metadata))
}

/// The items of a list: Arrow calls them so.
pub(crate) fn item(field: &Field, options: &ArrowOptions) -> Result<FieldRef> {
    named(field, "item", options).map(FieldRef::new)
}

/// The type of a field's values, and whether they may be null.
pub(crate) fn data_type(field: &Field, options: &ArrowOptions) -> Result<(DataType, bool)> {
    marked_type(field, metadata::marked_type(field), options)
}

/// The same, where the description of this field, or of the option that it is the value of, names a type of Arrow.
fn marked_type(field: &Field, marked: Option<DataType>, options: &ArrowOptions) -> Result<(DataType, bool)> {
    let is_bytes = marked == Some(DataType::LargeBinary) && is_bytes(field);
    let data_type = match field.field_type().shape() {
        Shape::Scalar(scalar) => match marked {
            Some(marked) if marked.primitive_width() == scalar_type(*scalar).primitive_width() => marked,
            _ => stored_type(*scalar, field, options),
        },
        Shape::String if options.binary_strings => binary(options),
        Shape::String => match options.lists {
            Lists::Large => DataType::LargeUtf8,
            Lists::Small => DataType::Utf8,
        },
        Shape::Streamed => binary(options),
        Shape::Collection(_) if is_bytes => binary(options),
        Shape::Collection(pair) if options.maps == Maps::Map && is_map(field.field_type()) => {
            DataType::Map(entries(pair, options)?, false)
        }
        Shape::Collection(items) => list(item(items, options)?, options),
        // What has nulls of its own cannot have those of another kind: a list of none or one.
        Shape::Optional(value) if has_nulls(value.field_type()) => list(item(value, options)?, options),
        Shape::Optional(value) => return Ok((marked_type(value, marked, options)?.0, true)),
        Shape::Array(size, _) if is_bytes => DataType::FixedSizeBinary(fixed(*size)?),
        Shape::Array(size, items) => DataType::FixedSizeList(item(items, options)?, fixed(*size)?),
        Shape::Bits(size) => {
            let bit = ArrowField::new("item", DataType::Boolean, false);
            DataType::FixedSizeList(FieldRef::new(bit), fixed(*size)?)
        }
        Shape::Record(members) => {
            let members = members.iter().map(|member| arrow_field(member, options));
            DataType::Struct(members.collect::<Result<_>>()?)
        }
        // A variant without a value is a null.
        Shape::Variant(alternatives) => {
            return Ok((variant(alternatives, options)?, options.variants == Variants::Union));
        }
        Shape::Around(value) => return marked_type(value, marked, options),
        Shape::Cardinality if is_small(field.field_type()) => DataType::UInt32,
        Shape::Cardinality => DataType::UInt64,
        _ => return Err(Error::new(ErrorKind::Unsupported, "a type that Arrow does not have")),
    };
    Ok((data_type, false))
}

/// Whether the size of a collection is one of 32 bits.
pub(crate) fn is_small(cardinality: &FieldType) -> bool {
    cardinality.to_string().contains("32")
}

/// Whether these are bytes.
fn is_bytes(field: &Field) -> bool {
    match field.field_type().subfields() {
        [item] => matches!(item.field_type().shape(), Shape::Scalar(Scalar::Byte)),
        _ => false,
    }
}

pub(crate) fn is_map(collection: &FieldType) -> bool {
    let name = collection.to_string();
    let is_map = |template| name.strip_prefix(template).is_some_and(|rest| rest.starts_with('<'));
    ["std::map", "std::unordered_map", "std::multimap", "std::unordered_multimap"].into_iter().any(is_map)
        && collection.subfields().iter().all(|pair| pair.field_type().subfields().len() == 2)
}

/// The pairs of a map.
fn entries(pair: &Field, options: &ArrowOptions) -> Result<FieldRef> {
    let members = pair.field_type().subfields().iter().zip(["key", "value"]);
    let members: Fields =
        members.map(|(member, name)| named(member, name, options)).collect::<Result<_>>()?;
    Ok(FieldRef::new(ArrowField::new("entries", DataType::Struct(members), false)))
}

fn variant(alternatives: &[Field], options: &ArrowOptions) -> Result<DataType> {
    match options.variants {
        Variants::Union => {
            let none = FieldRef::new(ArrowField::new("none", DataType::Null, true));
            let mut fields = vec![none];
            for alternative in alternatives {
                fields.push(FieldRef::new(arrow_field(alternative, options)?));
            }
            let numbers = (0..=i8::MAX).take(fields.len());
            let fields = UnionFields::try_new(numbers, fields).map_err(from_arrow)?;
            Ok(DataType::Union(fields, UnionMode::Dense))
        }
        Variants::Struct => {
            let mut fields = vec![ArrowField::new("tag", DataType::UInt8, false)];
            for alternative in alternatives {
                fields.push(arrow_field(alternative, options)?.with_nullable(true));
            }
            Ok(DataType::Struct(fields.into()))
        }
    }
}

fn list(item: FieldRef, options: &ArrowOptions) -> DataType {
    match options.lists {
        Lists::Large => DataType::LargeList(item),
        Lists::Small => DataType::List(item),
    }
}

fn binary(options: &ArrowOptions) -> DataType {
    match options.lists {
        Lists::Large => DataType::LargeBinary,
        Lists::Small => DataType::Binary,
    }
}

fn fixed(size: u64) -> Result<i32> {
    let too_long = |_| Error::new(ErrorKind::Unsupported, format!("an array of {size} items, over 2^31"));
    i32::try_from(size).map_err(too_long)
}

fn scalar_type(scalar: Scalar) -> DataType {
    match scalar {
        Scalar::Bool => DataType::Boolean,
        Scalar::I8 => DataType::Int8,
        Scalar::I16 => DataType::Int16,
        Scalar::U16 => DataType::UInt16,
        Scalar::I32 => DataType::Int32,
        Scalar::U32 => DataType::UInt32,
        Scalar::I64 => DataType::Int64,
        Scalar::U64 => DataType::UInt64,
        Scalar::F32 => DataType::Float32,
        Scalar::F64 => DataType::Float64,
        _ => DataType::UInt8,
    }
}

/// The type of the field, or that of its columns.
fn stored_type(scalar: Scalar, field: &Field, options: &ArrowOptions) -> DataType {
    let stored = field.representations();
    if options.storage_types && !stored.is_empty() {
        if stored.iter().all(|encoding| encoding.column_type() == ColumnType::Real16) {
            return DataType::Float16;
        }
        // A quantised value is computed as a `double`, however few bits are stored.
        let is_double = |column_type| {
            matches!(column_type, ColumnType::Real64 | ColumnType::SplitReal64 | ColumnType::Real32Quant)
        };
        if scalar == Scalar::F64 && !stored.iter().any(|encoding| is_double(encoding.column_type())) {
            return DataType::Float32;
        }
    }
    scalar_type(scalar)
}
