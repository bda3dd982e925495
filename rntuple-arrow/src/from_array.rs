//! Arrays as columns of a file.

use std::collections::HashSet;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BooleanArray, GenericByteArray, GenericListArray, OffsetSizeTrait, RecordBatch,
    StructArray, UInt32Array, UnionArray, types::ByteArrayType,
};
use arrow_buffer::{ArrowNativeType, OffsetBuffer};
use arrow_schema::{DataType, Fields};
use arrow_select::{filter::filter, take::take};
use half::f16;
use rntuple::columns::{AnyArrays, AnyColumns, AnyRecords, AnyVariants, Lists, Options};
use rntuple::schema::{Field, FieldType, Scalar, SchemaBuilder, Shape};
use rntuple::{Error, ErrorKind, Result};

use crate::error::{below, from_arrow};
use crate::{metadata, times};

/// The rows of a record batch, as columns that a [`Writer`](rntuple::Writer) with this schema takes
/// ([`fill_columns`](rntuple::Writer::fill_columns)). The schema is [that of the batch](crate::from_arrow_schema), or another one
/// that has the same fields: with classes, encodings and units of your own.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Float32Array, RecordBatch};
/// use rntuple::encoding::ColumnEncoding;
/// use rntuple::schema::{Field, FieldType, SchemaBuilder};
/// use rntuple::{Value, WriteOptions, Writer, storage::Memory};
/// use rntuple_arrow::from_record_batch;
///
/// let met: ArrayRef = Arc::new(Float32Array::from(vec![20.0, 30.0]));
/// let batch = RecordBatch::try_from_iter([("met", met)])?;
/// let met = Field::new("met", FieldType::F32).with_unit("GeV").with_encoding(ColumnEncoding::truncated(16)?);
/// let schema = SchemaBuilder::new().field(met);
///
/// let options = WriteOptions::new().schema(schema.clone());
/// let mut writer = Writer::<Value, _>::new(Memory::new(), "Events", options)?;
/// writer.fill_columns(from_record_batch(&batch, &schema)?.as_slice())?;
/// assert_eq!(writer.finish()?.entries, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`InvalidArgument`](ErrorKind::InvalidArgument) names the field that the batch or the schema lacks, that the batch has
/// twice, whose values are of another type, have a null where the schema has no option, or are times that the unit of
/// the field cannot hold.
pub fn from_record_batch(batch: &RecordBatch, schema: &SchemaBuilder) -> Result<AnyColumns> {
    let fields = schema.fields().iter().filter(|field| field.source().is_none());
    let members = fields.map(|field| {
        let array = batch.column_by_name(field.name()).ok_or_else(|| missing().in_field(field.name()))?;
        Ok((field.name(), of_field(array, field)?))
    });
    let members = members.collect::<Result<Vec<_>>>()?;
    check_known(batch.schema_ref().fields(), schema.fields())?;
    Ok(AnyColumns::Record(AnyRecords::from_members(batch.num_rows(), members)?))
}

/// The values of a part, with the path of what is wrong.
fn of_field(array: &ArrayRef, field: &Field) -> Result<AnyColumns> {
    let marked = metadata::marked_type(field);
    columns(array, field.field_type(), marked.as_ref()).map_err(|error| below(field.name(), &error))
}

/// The values of an array, for a field of this type. The description of the field, or of the option that it is the value of,
/// names the type `marked` of Arrow.
fn columns(array: &ArrayRef, field_type: &FieldType, marked: Option<&DataType>) -> Result<AnyColumns> {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        let values = take(dictionary.values(), dictionary.keys(), None).map_err(from_arrow)?;
        return columns(&values, field_type, marked);
    }
    let shape = field_type.shape();
    match shape {
        Shape::Optional(value) => return options(array, value, marked),
        Shape::Around(value) => return columns(array, value.field_type(), marked),
        _ => {}
    }
    if *array.data_type() == DataType::Null && array.is_empty() {
        // Lists without items may have no type of these.
        return Ok(AnyColumns::Empty);
    }
    if array.null_count() > 0 || *array.data_type() == DataType::Null {
        return Err(Error::new(ErrorKind::InvalidArgument, "a null, in a field that is no option"));
    }
    match (shape, array.data_type()) {
        (Shape::Scalar(scalar), _) => scalars(&times::in_field(array, *scalar, marked)?, *scalar),
        (Shape::String, _) => Ok(AnyColumns::String(bytes(array)?)),
        (Shape::Collection(item), DataType::List(_)) => list::<i32>(array.as_list(), item),
        (Shape::Collection(item), DataType::LargeList(_)) => list::<i64>(array.as_list(), item),
        (Shape::Collection(item), DataType::FixedSizeList(_, size)) => {
            let (lists, size) = (array.as_fixed_size_list(), u64::try_from(*size).unwrap_or_default());
            let offsets = (0..=lists.len() as u64).map(|end| end * size).collect();
            Ok(AnyColumns::List(Box::new(Lists::from_offsets(offsets, of_field(lists.values(), item)?)?)))
        }
        (Shape::Collection(item), DataType::Map(..)) => {
            let map = array.as_map();
            let (offsets, first, count) = rebased(map.offsets());
            let pairs: ArrayRef = std::sync::Arc::new(map.entries().slice(first, count));
            Ok(AnyColumns::List(Box::new(Lists::from_offsets(offsets, of_field(&pairs, item)?)?)))
        }
        (Shape::Collection(item), _) if is_byte(item) => {
            let (offsets, bytes) = bytes(array)?.into_parts();
            Ok(AnyColumns::List(Box::new(Lists::from_offsets(offsets, AnyColumns::U8(bytes))?)))
        }
        (Shape::Array(size, item), DataType::FixedSizeBinary(found)) if is_byte(item) => {
            let (size, count) = (fixed(*size, *found)?, array.len());
            let values: Vec<u8> = array.as_fixed_size_binary().iter().flatten().flatten().copied().collect();
            Ok(AnyColumns::Array(Box::new(AnyArrays::new(size, count, AnyColumns::U8(values))?)))
        }
        (Shape::Array(size, _) | Shape::Bits(size), DataType::FixedSizeList(_, found)) => {
            let (size, list) = (fixed(*size, *found)?, array.as_fixed_size_list());
            let items = match shape {
                Shape::Array(_, item) => of_field(list.values(), item)?,
                _ => columns(list.values(), &FieldType::BOOL, None).map_err(|error| below("_0", &error))?,
            };
            Ok(AnyColumns::Array(Box::new(AnyArrays::new(size, list.len(), items)?)))
        }
        (Shape::Record(members), DataType::Struct(_)) => record(array.as_struct(), members),
        (Shape::Variant(alternatives), DataType::Union(..)) => union(array.as_union(), alternatives),
        (Shape::Variant(alternatives), DataType::Struct(_)) => tagged(array.as_struct(), alternatives),
        _ => Err(unlike(array, field_type)),
    }
}

fn options(array: &ArrayRef, value: &Field, marked: Option<&DataType>) -> Result<AnyColumns> {
    let of_value = |array: &ArrayRef| {
        columns(array, value.field_type(), marked).map_err(|error| below(value.name(), &error))
    };
    // What has nulls of its own is in lists of none or one.
    let lists = match array.data_type() {
        DataType::List(_) if has_nulls(value) => Some(list::<i32>(array.as_list(), value)?),
        DataType::LargeList(_) if has_nulls(value) => Some(list::<i64>(array.as_list(), value)?),
        _ => None,
    };
    if let Some(AnyColumns::List(lists)) = lists {
        let counts: Vec<u64> = lists.as_slice().counts().collect();
        if array.null_count() > 0 || counts.iter().any(|count| *count > 1) {
            return Err(Error::new(ErrorKind::InvalidArgument, "an option has no value or one"));
        }
        let mask: Vec<bool> = counts.into_iter().map(|count| count == 1).collect();
        return Ok(AnyColumns::Option(Box::new(Options::from_mask(mask, lists.into_parts().1)?)));
    }
    let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
    let Some(nulls) = nulls else {
        let values = of_value(array)?;
        return Ok(AnyColumns::Option(Box::new(Options::from_mask(vec![true; array.len()], values)?)));
    };
    // The values alone.
    let mask = BooleanArray::new(nulls.inner().clone(), None);
    let values = of_value(&filter(array, &mask).map_err(from_arrow)?)?;
    Ok(AnyColumns::Option(Box::new(Options::from_mask(nulls.iter(), values)?)))
}

fn has_nulls(value: &Field) -> bool {
    crate::gaps::has_nulls(value.field_type())
}

fn is_byte(item: &Field) -> bool {
    matches!(item.field_type().shape(), Shape::Scalar(Scalar::Byte | Scalar::U8))
}

fn scalars(array: &ArrayRef, scalar: Scalar) -> Result<AnyColumns> {
    use DataType as D;
    let data = array.to_data();
    /// The values as they are in memory.
    macro_rules! values {
        () => {
            data.buffer(0).get(..array.len()).unwrap_or_default()
        };
    }
    Ok(match (scalar, array.data_type()) {
        (Scalar::Bool, D::Boolean) => AnyColumns::Bool(array.as_boolean().values().iter().collect()),
        (Scalar::I8, D::Int8) => AnyColumns::I8(values!().to_vec()),
        (Scalar::U8 | Scalar::Byte | Scalar::Char, D::UInt8) => AnyColumns::U8(values!().to_vec()),
        (Scalar::I16, D::Int16) => AnyColumns::I16(values!().to_vec()),
        (Scalar::U16, D::UInt16) => AnyColumns::U16(values!().to_vec()),
        (Scalar::I32, D::Int32 | D::Date32 | D::Time32(_)) => AnyColumns::I32(values!().to_vec()),
        (Scalar::U32, D::UInt32) => AnyColumns::U32(values!().to_vec()),
        (Scalar::I64, D::Int64 | D::Date64 | D::Time64(_) | D::Timestamp(..) | D::Duration(_)) => {
            AnyColumns::I64(values!().to_vec())
        }
        (Scalar::U64, D::UInt64) => AnyColumns::U64(values!().to_vec()),
        (Scalar::F32, D::Float32) => AnyColumns::F32(values!().to_vec()),
        (Scalar::F64, D::Float64) => AnyColumns::F64(values!().to_vec()),
        (Scalar::F32, D::Float16) => {
            AnyColumns::F32(values!().iter().map(|value: &f16| value.to_f32()).collect())
        }
        (Scalar::F64, D::Float16) => {
            AnyColumns::F64(values!().iter().map(|value: &f16| value.to_f64()).collect())
        }
        (Scalar::F64, D::Float32) => {
            AnyColumns::F64(values!().iter().map(|value: &f32| f64::from(*value)).collect())
        }
        (_, found) => {
            let message = format!("the field holds other values than {found}");
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
    })
}

/// Offsets that begin with 0, where the first item is, and how many there are.
fn rebased<O: OffsetSizeTrait>(offsets: &OffsetBuffer<O>) -> (Vec<u64>, usize, usize) {
    let first = offsets.first().map_or(0, |first| first.as_usize());
    let offsets: Vec<u64> = offsets.iter().map(|offset| (offset.as_usize() - first) as u64).collect();
    let count = offsets.last().map_or(0, |last| ArrowNativeType::as_usize(*last));
    (offsets, first, count)
}

fn list<O: OffsetSizeTrait>(array: &GenericListArray<O>, item: &Field) -> Result<AnyColumns> {
    let (offsets, first, count) = rebased(array.offsets());
    let items = of_field(&array.values().slice(first, count), item)?;
    Ok(AnyColumns::List(Box::new(Lists::from_offsets(offsets, items)?)))
}

/// Strings and bytes.
fn bytes(array: &ArrayRef) -> Result<Lists<Vec<u8>>> {
    match array.data_type() {
        DataType::Utf8 => bytes_of(array.as_string::<i32>()),
        DataType::LargeUtf8 => bytes_of(array.as_string::<i64>()),
        DataType::Binary => bytes_of(array.as_binary::<i32>()),
        DataType::LargeBinary => bytes_of(array.as_binary::<i64>()),
        DataType::Utf8View => gathered(array.as_string_view().iter().flatten().map(str::as_bytes)),
        DataType::BinaryView => gathered(array.as_binary_view().iter().flatten()),
        found => {
            let message = format!("the field holds text, not {found}");
            Err(Error::new(ErrorKind::InvalidArgument, message))
        }
    }
}

fn bytes_of<T: ByteArrayType>(array: &GenericByteArray<T>) -> Result<Lists<Vec<u8>>> {
    let (offsets, first, count) = rebased(array.offsets());
    let bytes = array.value_data().get(first..first + count).unwrap_or_default();
    Lists::from_offsets(offsets, bytes.to_vec())
}

fn gathered<'a>(values: impl Iterator<Item = &'a [u8]>) -> Result<Lists<Vec<u8>>> {
    let (mut offsets, mut bytes) = (vec![0], Vec::new());
    for value in values {
        bytes.extend_from_slice(value);
        offsets.push(bytes.len() as u64);
    }
    Lists::from_offsets(offsets, bytes)
}

fn record(array: &StructArray, members: &[Field]) -> Result<AnyColumns> {
    let is_tuple = members.iter().enumerate().all(|(number, member)| member.name() == format!("_{number}"));
    let columns = members.iter().enumerate().map(|(number, member)| {
        let named = array.column_by_name(member.name());
        // Members of pairs are called `key` and `value` in maps.
        let found = named.or_else(|| array.columns().get(number).filter(|_| is_tuple));
        let array = found.ok_or_else(|| missing().in_field(member.name()))?;
        Ok((member.name(), of_field(array, member)?))
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    if !is_tuple || array.num_columns() > members.len() {
        check_known(array.fields(), members)?;
    }
    Ok(AnyColumns::Record(AnyRecords::from_members(array.len(), columns)?))
}

fn union(array: &UnionArray, alternatives: &[Field]) -> Result<AnyColumns> {
    let DataType::Union(fields, _) = array.data_type() else { return Err(missing()) };
    // By number of the alternative: the type, and the rows that have it.
    let types: Vec<i8> =
        fields.iter().filter(|(_, field)| *field.data_type() != DataType::Null).map(|(id, _)| id).collect();
    if types.len() != alternatives.len() {
        let (found, wanted) = (types.len(), alternatives.len());
        let message = format!("the variant has {wanted} alternatives, not {found}");
        return Err(Error::new(ErrorKind::InvalidArgument, message));
    }
    let number_of = |id: i8| types.iter().position(|of| *of == id);
    let chosen: Vec<Option<usize>> = array.type_ids().iter().map(|id| number_of(*id)).collect();
    let mut columns = Vec::with_capacity(types.len());
    for (number, (id, alternative)) in types.iter().zip(alternatives).enumerate() {
        let rows = chosen.iter().enumerate().filter(|(_, chosen)| **chosen == Some(number));
        let places: Vec<u32> = rows
            .map(|(row, _)| u32::try_from(array.value_offset(row)))
            .collect::<std::result::Result<_, _>>()
            .map_err(|_| Error::new(ErrorKind::LimitExceeded, "a batch of over 2^32 rows"))?;
        let child = array.child(*id);
        let is_whole = places.len() == child.len() && (0u32..).zip(&places).all(|(row, place)| row == *place);
        let values = if is_whole {
            child.clone()
        } else {
            take(child, &UInt32Array::from(places), None).map_err(from_arrow)?
        };
        columns.push(of_field(&values, alternative)?);
    }
    Ok(AnyColumns::Variant(AnyVariants::from_alternatives(chosen, columns)?))
}

/// Variants that were made structs.
fn tagged(array: &StructArray, alternatives: &[Field]) -> Result<AnyColumns> {
    let tags =
        array.column_by_name("tag").and_then(|tags| tags.as_primitive_opt::<arrow_array::types::UInt8Type>());
    let tags = tags.filter(|tags| tags.null_count() == 0).ok_or_else(|| missing().in_field("tag"))?;
    let chosen: Vec<Option<usize>> =
        tags.values().iter().map(|tag| usize::from(*tag).checked_sub(1)).collect();
    let mut columns = Vec::with_capacity(alternatives.len());
    for (number, alternative) in alternatives.iter().enumerate() {
        let mask: BooleanArray = chosen.iter().map(|chosen| Some(*chosen == Some(number))).collect();
        let child = array.columns().get(number + 1).ok_or_else(|| missing().in_field(alternative.name()))?;
        columns.push(of_field(&filter(child, &mask).map_err(from_arrow)?, alternative)?);
    }
    Ok(AnyColumns::Variant(AnyVariants::from_alternatives(chosen, columns)?))
}

fn fixed(wanted: u64, found: i32) -> Result<usize> {
    match usize::try_from(found) {
        Ok(size) if size as u64 == wanted => Ok(size),
        _ => {
            Err(Error::new(ErrorKind::InvalidArgument, format!("the array has {wanted} items, not {found}")))
        }
    }
}

/// Refuses values that would be lost.
fn check_known(found: &Fields, fields: &[Field]) -> Result<()> {
    let mut names = HashSet::new();
    if let Some(second) = found.iter().find(|found| !names.insert(found.name())) {
        let message = "the batch has two fields of this name";
        return Err(Error::new(ErrorKind::InvalidArgument, message).in_field(second.name()));
    }
    match found.iter().find(|found| fields.iter().all(|field| field.name() != found.name())) {
        Some(unknown) => {
            let message = "the schema has no such field";
            Err(Error::new(ErrorKind::InvalidArgument, message).in_field(unknown.name()))
        }
        None => Ok(()),
    }
}

#[cold]
fn missing() -> Error {
    Error::new(ErrorKind::InvalidArgument, "the batch has no such field")
}

#[cold]
fn unlike(array: &ArrayRef, field_type: &FieldType) -> Error {
    let (found, wanted) = (array.data_type(), field_type);
    Error::new(ErrorKind::InvalidArgument, format!("the field holds `{wanted}`, not {found}"))
}
