//! The schema of a file for Arrow's.

use arrow_schema::{DataType, Field as ArrowField, FieldRef, Fields, Schema, UnionFields};
use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::schema::{Field, FieldType, SchemaBuilder, split_template};
use rntuple::{Error, ErrorKind, Result};

use crate::classes::with_classes;
use crate::error::below;
use crate::metadata;
use crate::options::{ArrowOptions, Lists, Maps, Nulls, Variants};
use crate::to_schema::data_type;

/// The schema of entries that are rows of this schema of Arrow. The types of C++ are those that the metadata name, where
/// [`to_arrow_schema`](crate::to_arrow_schema) left them and they fit; else those that are nearest.
///
/// ```
/// use arrow_schema::{DataType, Field, Schema};
/// use rntuple_arrow::{ArrowOptions, from_arrow_schema};
///
/// let item = Field::new("item", DataType::Float32, false);
/// let schema = Schema::new(vec![Field::new("pt", DataType::List(item.into()), true)]);
/// let schema = from_arrow_schema(&schema, &ArrowOptions::new())?;
/// assert_eq!(schema.fields()[0].field_type().to_string(), "std::optional<std::vector<float>>");
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// # Errors
/// [`Unsupported`](ErrorKind::Unsupported) names the field whose type no file can hold: decimals, intervals, views of lists,
/// runs.
pub fn from_arrow_schema(schema: &Schema, options: &ArrowOptions) -> Result<SchemaBuilder> {
    let mut builder = SchemaBuilder::new();
    for field in schema.fields() {
        builder = builder.field(imported(field, field.name(), options)?);
    }
    Ok(builder)
}

/// The field of a file that takes the values of one of Arrow.
fn imported(from: &ArrowField, name: &str, options: &ArrowOptions) -> Result<Field> {
    let named = from.metadata().get(metadata::TYPE);
    let field_type = named.and_then(|named| restored(named, from, options));
    let field_type = match field_type {
        Some(field_type) => field_type,
        None => nearest(from, options).map_err(|error| below(from.name(), &error))?,
    };
    let field = metadata::apply(Field::new(name, field_type), from);
    let half = ColumnEncoding::of(ColumnType::Real16);
    let is_half = matches!(from.data_type(), DataType::Float16) && field.representations().is_empty();
    Ok(if is_half { field.with_encoding(half) } else { field })
}

/// The type that is nearest to one of Arrow.
fn nearest(from: &ArrowField, options: &ArrowOptions) -> Result<FieldType> {
    let value = nearest_value(from, options)?;
    if !is_optional(from, options) || has_own_nulls(from.data_type()) {
        return Ok(value);
    }
    Ok(FieldType::optional(with_classes(value.into(), from.name())))
}

/// Whether a field becomes an option.
pub(crate) fn is_optional(from: &ArrowField, options: &ArrowOptions) -> bool {
    from.is_nullable() && options.nulls == Nulls::Optional
}

/// Whether nulls are a part of the type.
fn has_own_nulls(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Union(..) | DataType::Null)
}

fn nearest_value(from: &ArrowField, options: &ArrowOptions) -> Result<FieldType> {
    let item = |item: &ArrowField| imported(item, "_0", options);
    Ok(match from.data_type() {
        DataType::Boolean => FieldType::BOOL,
        DataType::Int8 => FieldType::I8,
        DataType::UInt8 => FieldType::U8,
        DataType::Int16 => FieldType::I16,
        DataType::UInt16 => FieldType::U16,
        DataType::Int32 | DataType::Date32 | DataType::Time32(_) => FieldType::I32,
        DataType::UInt32 => FieldType::U32,
        DataType::Int64
        | DataType::Date64
        | DataType::Time64(_)
        | DataType::Timestamp(..)
        | DataType::Duration(_) => FieldType::I64,
        DataType::UInt64 => FieldType::U64,
        DataType::Float16 | DataType::Float32 => FieldType::F32,
        DataType::Float64 => FieldType::F64,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => FieldType::STRING,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => FieldType::vector(FieldType::BYTE),
        DataType::FixedSizeBinary(size) => FieldType::array(FieldType::BYTE, count(*size)?),
        DataType::List(items) | DataType::LargeList(items) => FieldType::vector(item(items)?),
        DataType::FixedSizeList(items, size) => {
            FieldType::array(with_classes(item(items)?, items.name()), count(*size)?)
        }
        DataType::Struct(members) => {
            let members = members.iter().map(|member| imported(member, member.name(), options));
            FieldType::record(members.collect::<Result<Vec<_>>>()?)
        }
        DataType::Map(entries, _) => {
            let DataType::Struct(pair) = entries.data_type() else { return Err(unsupported(from)) };
            let [key, value] = &**pair else { return Err(unsupported(from)) };
            FieldType::map(with_classes(item(key)?, key.name()), with_classes(item(value)?, value.name()))
        }
        DataType::Union(fields, _) => {
            let alternatives = alternatives(fields).map(|field| Ok(with_classes(item(field)?, field.name())));
            FieldType::variant(alternatives.collect::<Result<Vec<_>>>()?)
        }
        DataType::Dictionary(_, values) => {
            nearest_value(&ArrowField::new(from.name(), (**values).clone(), false), options)?
        }
        _ => return Err(unsupported(from)),
    })
}

/// The fields of a union that hold values: nulls are those of a variant without one.
pub(crate) fn alternatives(fields: &UnionFields) -> impl Iterator<Item = &ArrowField> {
    fields.iter().map(|(_, field)| &**field).filter(|field| *field.data_type() != DataType::Null)
}

fn count(size: i32) -> Result<u64> {
    u64::try_from(size).map_err(|_| Error::new(ErrorKind::InvalidArgument, "an array of fewer than 0 items"))
}

fn unsupported(from: &ArrowField) -> Error {
    let message = format!("the type {} of Arrow cannot be stored in an RNTuple", from.data_type());
    Error::new(ErrorKind::Unsupported, message)
}

/// The type of this name in C++, if the values of the field are of it.
fn restored(name: &str, from: &ArrowField, options: &ArrowOptions) -> Option<FieldType> {
    let known = name.parse::<FieldType>().ok();
    let Some(known) = known.filter(|known| is_made_of(from, known)) else {
        return put_together(name, from, options);
    };
    if !metadata::is_said_inside(from.data_type()) {
        return Some(known);
    }
    // Of its parts, the fields of Arrow say more than the name does.
    let parts = put_together(name, from, options);
    Some(parts.filter(|parts| parts.to_string() == known.to_string()).unwrap_or(known))
}

/// The same, of what the fields of Arrow inside of it become.
fn put_together(name: &str, from: &ArrowField, options: &ArrowOptions) -> Option<FieldType> {
    let data_type = from.data_type();
    let item = |item: &ArrowField| imported(item, "_0", options).ok();
    let is_plain = !from.is_nullable() || has_own_nulls(data_type);
    let Some((template, arguments)) = split_template(name) else {
        return match data_type {
            DataType::Struct(members) if is_plain => class(name, members, from, options),
            DataType::List(items) | DataType::LargeList(items) if is_plain && name.is_empty() => {
                Some(FieldType::vector(item(items)?))
            }
            _ => scalar(name, from, options),
        };
    };
    match (template, &*arguments, data_type) {
        (
            "std::optional" | "std::unique_ptr",
            [value],
            DataType::List(items) | DataType::LargeList(items),
        ) if is_plain && items.metadata().get(metadata::TYPE).is_some_and(|own| own == value) => {
            FieldType::template(template, [item(items)?]).ok()
        }
        ("std::optional" | "std::unique_ptr", [value], _) if is_optional(from, options) => {
            let value = restored(value, &from.clone().with_nullable(false), options)?;
            FieldType::template(template, [value]).ok()
        }
        _ if !is_plain => None,
        // C++ has no atomic of an atomic, and a name from elsewhere may have any number of them.
        ("std::atomic", [value], _) if is_atomic(value) => None,
        ("std::atomic", [value], _) => FieldType::template(template, [restored(value, from, options)?]).ok(),
        ("std::array", [_, size], DataType::FixedSizeList(items, found)) if *size == found.to_string() => {
            Some(FieldType::array(item(items)?, count(*found).ok()?))
        }
        ("std::bitset", [size], DataType::FixedSizeList(items, found))
            if *size == found.to_string() && *items.data_type() == DataType::Boolean =>
        {
            Some(FieldType::array(FieldType::BOOL, count(*found).ok()?))
        }
        ("std::pair" | "std::tuple", arguments, DataType::Struct(members))
            if arguments.len() == members.len() =>
        {
            let members = members.iter().map(|member| item(member)).collect::<Option<Vec<_>>>()?;
            FieldType::template(template, members).ok()
        }
        ("std::variant", arguments, DataType::Union(fields, _)) if arguments.len() + 1 == fields.len() => {
            let members = alternatives(fields).map(item).collect::<Option<Vec<_>>>()?;
            FieldType::template(template, members).ok()
        }
        ("std::variant", arguments, DataType::Struct(members)) if arguments.len() + 1 == members.len() => {
            let plain = |(member, own): (&FieldRef, &&str)| {
                let named = ArrowField::clone(member).with_nullable(own.starts_with("std::optional"));
                item(&named)
            };
            let members = members.iter().skip(1).zip(arguments).map(plain).collect::<Option<Vec<_>>>()?;
            FieldType::template(template, members).ok()
        }
        (_, [_, _], DataType::Map(entries, _)) => {
            let DataType::Struct(pair) = entries.data_type() else { return None };
            FieldType::template(template, pair.iter().map(|of| item(of)).collect::<Option<Vec<_>>>()?).ok()
        }
        (_, [_, _], DataType::List(items) | DataType::LargeList(items)) => {
            let DataType::Struct(pair) = items.data_type() else { return None };
            FieldType::template(template, pair.iter().map(|of| item(of)).collect::<Option<Vec<_>>>()?).ok()
        }
        (_, [_], DataType::List(items) | DataType::LargeList(items)) => {
            FieldType::template(template, [item(items)?]).ok()
        }
        // These are no classes with members.
        ("ROOT::VecOps::RVec" | "ROOT::RVec" | "ROOT::RNTupleCardinality", ..) => None,
        _ if template.starts_with("std::") => None,
        (_, _, DataType::Struct(members)) => class(name, members, from, options),
        _ => None,
    }
}

/// The class of this name, or the record without one.
fn class(name: &str, members: &Fields, from: &ArrowField, options: &ArrowOptions) -> Option<FieldType> {
    let members = members.iter().map(|member| imported(member, member.name(), options).ok());
    let members = members.collect::<Option<Vec<_>>>()?;
    Some(match name {
        "" => FieldType::record(members),
        _ => metadata::with_version(FieldType::class(name, members), from),
    })
}

fn is_atomic(name: &str) -> bool {
    split_template(name).is_some_and(|(template, _)| template == "std::atomic")
}

/// Whether the field is what the type becomes, by whatever options.
fn is_made_of(from: &ArrowField, field_type: &FieldType) -> bool {
    let field = Field::new("item", field_type.clone());
    let options = [Lists::Large, Lists::Small].into_iter().flat_map(|lists| {
        let maps = [Maps::List, Maps::Map].map(|maps| ArrowOptions::new().lists(lists).maps(maps));
        maps.into_iter()
            .flat_map(|options| [Variants::Union, Variants::Struct].map(|of| options.clone().variants(of)))
    });
    let options =
        options.flat_map(|options| [false, true].map(|binary| options.clone().binary_strings(binary)));
    options.into_iter().any(|options| {
        data_type(&field, &options).is_ok_and(|(data_type, is_nullable)| {
            data_type.equals_datatype(from.data_type()) && is_nullable == from.is_nullable()
        })
    })
}

/// A type without parts.
fn scalar(name: &str, from: &ArrowField, options: &ArrowOptions) -> Option<FieldType> {
    let nearest = nearest_value(from, options).ok().filter(|_| !from.is_nullable())?;
    let is_half = matches!(from.data_type(), DataType::Float16 | DataType::Float32);
    match name.parse::<FieldType>() {
        Ok(known) if known == nearest => Some(known),
        // Other names of bytes, and floats of which fewer bits are stored.
        Ok(known) if nearest == FieldType::U8 && [FieldType::BYTE, FieldType::CHAR].contains(&known) => {
            Some(known)
        }
        Ok(known) if is_half && known == FieldType::F64 => Some(known),
        Ok(_) => None,
        // An enum.
        Err(_) if from.data_type().is_integer() && !name.is_empty() => {
            Some(FieldType::enumeration(name, nearest))
        }
        Err(_) => None,
    }
}
