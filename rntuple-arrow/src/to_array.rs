//! Columns of a file as arrays: the memory of most of them is handed over, not copied.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, FixedSizeListArray, LargeBinaryArray,
    LargeListArray, LargeStringArray, ListArray, MapArray, NullArray, PrimitiveArray, StringArray,
    StructArray, UnionArray, make_array, new_empty_array,
};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, FieldRef, Fields};
use half::f16;
use rntuple::columns::{AnyArrays, AnyColumns, AnyRecords, AnyVariants, Lists, Options};
use rntuple::schema::{Field, FieldType, Scalar, Shape};
use rntuple::{Error, ErrorKind, Result};

use crate::bits::pack;
use crate::error::{below, from_arrow};
use crate::gaps::{Gaps, has_nulls, picked};

/// The members of records that Arrow's fields name, as arrays of the types that these have.
pub(crate) fn arrays(records: AnyRecords, members: &[Field], fields: &Fields) -> Result<Vec<ArrayRef>> {
    members_of(records, members, fields, None)
}

/// The values with gaps between them.
fn spread(columns: AnyColumns, field: &Field, data_type: &DataType, gaps: Option<&Gaps>) -> Result<ArrayRef> {
    let nulls = gaps.and_then(|gaps| gaps.nulls.clone());
    let shape = field.field_type().shape();
    let count = gaps.map_or(columns.len(), Gaps::slots);
    if count == 0 {
        return Ok(new_empty_array(data_type));
    }
    if let Shape::Around(value) = shape {
        return spread(columns, value, data_type, gaps);
    }
    let columns = if columns.is_empty() { nothing(field.field_type())? } else { columns };
    match (columns, data_type, shape) {
        (AnyColumns::Bool(values), DataType::Boolean, _) => {
            let values = match gaps {
                None => pack(&values),
                Some(gaps) => pack(&gaps.spread(&values)),
            };
            Ok(Arc::new(BooleanArray::new(values, nulls)))
        }
        (AnyColumns::I8(values), _, _) => primitive::<Int8Type>(values, data_type, gaps),
        (AnyColumns::U8(values), _, _) => primitive::<UInt8Type>(values, data_type, gaps),
        (AnyColumns::I16(values), _, _) => primitive::<Int16Type>(values, data_type, gaps),
        (AnyColumns::U16(values), _, _) => primitive::<UInt16Type>(values, data_type, gaps),
        (AnyColumns::I32(values), _, _) => primitive::<Int32Type>(values, data_type, gaps),
        (AnyColumns::U32(values), _, _) => primitive::<UInt32Type>(values, data_type, gaps),
        (AnyColumns::I64(values), _, _) => primitive::<Int64Type>(values, data_type, gaps),
        (AnyColumns::U64(values), DataType::UInt32, _) => {
            let values = values.into_iter().map(u32::try_from).collect::<std::result::Result<_, _>>();
            let too_long = |_| Error::new(ErrorKind::LimitExceeded, "a collection of over 2^32 items");
            primitive::<UInt32Type>(values.map_err(too_long)?, data_type, gaps)
        }
        (AnyColumns::U64(values), _, _) => primitive::<UInt64Type>(values, data_type, gaps),
        (AnyColumns::F32(values), DataType::Float16, _) => {
            let values = narrowed(values, f16::from_f32, f16::to_f32)?;
            primitive::<Float16Type>(values, data_type, gaps)
        }
        (AnyColumns::F64(values), DataType::Float16, _) => {
            let values = narrowed(values, f16::from_f64, f16::to_f64)?;
            primitive::<Float16Type>(values, data_type, gaps)
        }
        (AnyColumns::F32(values), _, _) => primitive::<Float32Type>(values, data_type, gaps),
        (AnyColumns::F64(values), DataType::Float32, _) => {
            #[expect(clippy::cast_possible_truncation, reason = "what does not come back is refused")]
            let narrow = |value: f64| value as f32;
            primitive::<Float32Type>(narrowed(values, narrow, f64::from)?, data_type, gaps)
        }
        (AnyColumns::F64(values), _, _) => primitive::<Float64Type>(values, data_type, gaps),
        (AnyColumns::String(strings) | AnyColumns::Streamed(strings), _, _) => text(strings, data_type, gaps),
        (
            AnyColumns::Option(options),
            DataType::LargeList(item) | DataType::List(item),
            Shape::Optional(value),
        ) if has_nulls(value.field_type()) => {
            let (offsets, values) = options.into_parts();
            list(offsets, values, value, item, data_type, gaps)
        }
        (AnyColumns::Option(options), _, Shape::Optional(value)) => {
            let (starts, values) = options.into_parts();
            let gaps = match gaps {
                None => Gaps::new(starts),
                Some(gaps) => Gaps::new(gaps.pick(&starts)),
            };
            spread(values, value, data_type, Some(&gaps))
        }
        (AnyColumns::List(lists), _, Shape::Collection(value)) => {
            let (offsets, values) = lists.into_parts();
            match data_type {
                DataType::LargeList(item) | DataType::List(item) => {
                    list(offsets, values, value, item, data_type, gaps)
                }
                DataType::Map(entries, is_sorted) => {
                    let offsets = small(picked(offsets, gaps))?;
                    let pairs = spread(values, value, entries.data_type(), None)?;
                    let pairs = pairs.as_any().downcast_ref::<StructArray>().cloned().ok_or_else(unlike)?;
                    let map = MapArray::try_new(entries.clone(), offsets, pairs, nulls, *is_sorted);
                    Ok(Arc::new(map.map_err(from_arrow)?))
                }
                _ => text(bytes(offsets, values)?, data_type, gaps),
            }
        }
        (AnyColumns::Array(arrays), DataType::FixedSizeBinary(size), _) => {
            let items = gaps.map(|gaps| gaps.of_items(arrays.size()));
            let bytes = match arrays.into_items() {
                AnyColumns::U8(bytes) => bytes,
                // All are missing.
                bytes if bytes.is_empty() => Vec::new(),
                _ => return Err(unlike()),
            };
            let bytes = match items {
                Some(items) => items.spread(&bytes),
                None => bytes,
            };
            let array = FixedSizeBinaryArray::try_new(*size, Buffer::from_vec(bytes), nulls);
            Ok(Arc::new(array.map_err(from_arrow)?))
        }
        (AnyColumns::Array(arrays), DataType::FixedSizeList(item, size), _) => {
            let items = gaps.map(|gaps| gaps.of_items(arrays.size()));
            let bit = Field::new("item", FieldType::BOOL);
            let value = match shape {
                Shape::Array(_, value) => value,
                _ => &bit,
            };
            let values = spread(arrays.into_items(), value, item.data_type(), items.as_ref())?;
            let array = FixedSizeListArray::try_new(item.clone(), *size, values, nulls);
            Ok(Arc::new(array.map_err(from_arrow)?))
        }
        (AnyColumns::Record(records), DataType::Struct(fields), Shape::Record(members)) => {
            let parts = gaps.map(Gaps::of_parts);
            let arrays = members_of(records, members, fields, parts.as_ref())?;
            let array = match arrays.is_empty() {
                true => StructArray::new_empty_fields(count, nulls),
                false => StructArray::try_new(fields.clone(), arrays, nulls).map_err(from_arrow)?,
            };
            Ok(Arc::new(array))
        }
        (AnyColumns::Variant(variants), DataType::Union(..), Shape::Variant(alternatives)) => {
            union(variants, alternatives, data_type, gaps)
        }
        (AnyColumns::Variant(variants), DataType::Struct(fields), Shape::Variant(alternatives)) => {
            tagged(variants, alternatives, fields, gaps)
        }
        _ => Err(unlike()),
    }
}

/// Columns of this type, without values.
fn nothing(field_type: &FieldType) -> Result<AnyColumns> {
    Ok(match field_type.shape() {
        Shape::Scalar(scalar) => match scalar {
            Scalar::Bool => AnyColumns::Bool(Vec::new()),
            Scalar::I8 => AnyColumns::I8(Vec::new()),
            Scalar::I16 => AnyColumns::I16(Vec::new()),
            Scalar::U16 => AnyColumns::U16(Vec::new()),
            Scalar::I32 => AnyColumns::I32(Vec::new()),
            Scalar::U32 => AnyColumns::U32(Vec::new()),
            Scalar::I64 => AnyColumns::I64(Vec::new()),
            Scalar::U64 => AnyColumns::U64(Vec::new()),
            Scalar::F32 => AnyColumns::F32(Vec::new()),
            Scalar::F64 => AnyColumns::F64(Vec::new()),
            _ => AnyColumns::U8(Vec::new()),
        },
        Shape::String => AnyColumns::String(Lists::default()),
        Shape::Streamed => AnyColumns::Streamed(Lists::default()),
        Shape::Cardinality => AnyColumns::U64(Vec::new()),
        Shape::Collection(_) => AnyColumns::List(Box::default()),
        Shape::Optional(_) => AnyColumns::Option(Box::<Options<_>>::default()),
        Shape::Array(size, _) | Shape::Bits(size) => {
            let size = usize::try_from(*size).map_err(|_| unlike())?;
            AnyColumns::Array(Box::new(AnyArrays::new(size, 0, AnyColumns::Empty)?))
        }
        Shape::Record(members) => {
            let members = members.iter().map(|member| (member.name(), AnyColumns::Empty));
            AnyColumns::Record(AnyRecords::from_members(0, members)?)
        }
        Shape::Variant(alternatives) => {
            let alternatives = vec![AnyColumns::Empty; alternatives.len()];
            AnyColumns::Variant(AnyVariants::from_alternatives([], alternatives)?)
        }
        Shape::Around(value) => nothing(value.field_type())?,
        _ => return Err(unlike()),
    })
}

/// Floats in the fewer bits that they are stored in. Of many files, the first one decides how many these are, and
/// another one may have values that do not fit.
fn narrowed<W: Copy + PartialOrd, N: Copy>(
    values: Vec<W>,
    narrow: impl Fn(W) -> N,
    widen: impl Fn(N) -> W,
) -> Result<Vec<N>> {
    let narrow = |value: W| {
        let narrow = narrow(value);
        let is_nan = value.partial_cmp(&value).is_none();
        if is_nan || widen(narrow) == value { Ok(narrow) } else { Err(too_precise()) }
    };
    values.into_iter().map(narrow).collect()
}

/// The memory of the values becomes the array's.
fn primitive<T: ArrowPrimitiveType>(
    values: Vec<T::Native>,
    data_type: &DataType,
    gaps: Option<&Gaps>,
) -> Result<ArrayRef> {
    let values = match gaps {
        Some(gaps) => gaps.spread(&values),
        None => values,
    };
    let values: ScalarBuffer<T::Native> = values.into();
    let nulls = gaps.and_then(|gaps| gaps.nulls.clone());
    let array = PrimitiveArray::<T>::try_new(values, nulls).map_err(from_arrow)?;
    if array.data_type() == data_type {
        return Ok(Arc::new(array));
    }
    // Dates and times are integers of the same width.
    let data = array.into_data().into_builder().data_type(data_type.clone()).build().map_err(from_arrow)?;
    Ok(make_array(data))
}

/// Strings and bytes.
fn text(strings: Lists<Vec<u8>>, data_type: &DataType, gaps: Option<&Gaps>) -> Result<ArrayRef> {
    let (offsets, bytes) = strings.into_parts();
    let offsets = picked(offsets, gaps);
    let nulls = gaps.and_then(|gaps| gaps.nulls.clone());
    let bytes = Buffer::from_vec(bytes);
    Ok(match data_type {
        DataType::LargeUtf8 => {
            Arc::new(LargeStringArray::try_new(large(offsets)?, bytes, nulls).map_err(not_utf8)?)
        }
        DataType::Utf8 => Arc::new(StringArray::try_new(small(offsets)?, bytes, nulls).map_err(not_utf8)?),
        DataType::LargeBinary => {
            Arc::new(LargeBinaryArray::try_new(large(offsets)?, bytes, nulls).map_err(from_arrow)?)
        }
        DataType::Binary => {
            Arc::new(BinaryArray::try_new(small(offsets)?, bytes, nulls).map_err(from_arrow)?)
        }
        _ => return Err(unlike()),
    })
}

/// Bytes that are in the file as collections of them.
fn bytes(offsets: Vec<u64>, values: AnyColumns) -> Result<Lists<Vec<u8>>> {
    match values {
        AnyColumns::U8(bytes) => Lists::from_offsets(offsets, bytes),
        values if values.is_empty() => Lists::from_offsets(offsets, Vec::new()),
        _ => Err(unlike()),
    }
}

fn list(
    offsets: Vec<u64>,
    values: AnyColumns,
    value: &Field,
    item: &FieldRef,
    data_type: &DataType,
    gaps: Option<&Gaps>,
) -> Result<ArrayRef> {
    let values =
        spread(values, value, item.data_type(), None).map_err(|error| below(value.name(), &error))?;
    let offsets = picked(offsets, gaps);
    let nulls = gaps.and_then(|gaps| gaps.nulls.clone());
    let item = item.clone();
    Ok(match data_type {
        DataType::LargeList(_) => {
            Arc::new(LargeListArray::try_new(item, large(offsets)?, values, nulls).map_err(from_arrow)?)
        }
        _ => Arc::new(ListArray::try_new(item, small(offsets)?, values, nulls).map_err(from_arrow)?),
    })
}

fn members_of(
    records: AnyRecords,
    members: &[Field],
    fields: &Fields,
    gaps: Option<&Gaps>,
) -> Result<Vec<ArrayRef>> {
    let (names, mut columns) = records.into_parts();
    let mut arrays = Vec::with_capacity(fields.len());
    for (number, field) in fields.iter().enumerate() {
        // Arrow calls the members of pairs in maps otherwise.
        let name = match members.iter().any(|member| member.name() == field.name()) {
            true => field.name().clone(),
            false => format!("_{number}"),
        };
        let column = names.iter().position(|known| *known == name);
        let column = column.and_then(|place| columns.get_mut(place)).map(std::mem::take);
        let member = members.iter().find(|member| member.name() == name);
        let (Some(column), Some(member)) = (column, member) else { return Err(unlike()) };
        let array = spread(column, member, field.data_type(), gaps);
        arrays.push(array.map_err(|error| below(field.name(), &error))?);
    }
    Ok(arrays)
}

/// Where the value of each slot is: the number of the alternative, and the position among its values.
fn places(variants: &AnyVariants, gaps: Option<&Gaps>) -> Vec<Option<(usize, usize)>> {
    let mut positions = variants.positions();
    match gaps {
        None => positions.collect(),
        Some(gaps) => {
            let place =
                |pair: &[u64]| if pair.first() == pair.last() { None } else { positions.next().flatten() };
            gaps.starts.windows(2).map(place).collect()
        }
    }
}

fn union(
    variants: AnyVariants,
    alternatives: &[Field],
    data_type: &DataType,
    gaps: Option<&Gaps>,
) -> Result<ArrayRef> {
    let DataType::Union(fields, _) = data_type else { return Err(unlike()) };
    let places = places(&variants, gaps);
    let (mut types, mut offsets, mut nulls) = (Vec::new(), Vec::new(), 0);
    for place in places {
        let (number, position) = match place {
            Some((number, position)) => (number + 1, position),
            None => {
                nulls += 1;
                (0, nulls - 1)
            }
        };
        types.push(i8::try_from(number).map_err(|_| unlike())?);
        offsets.push(i32::try_from(position).map_err(|_| too_long())?);
    }
    let mut children: Vec<ArrayRef> = vec![Arc::new(NullArray::new(nulls))];
    let columns = variants.into_alternatives().into_iter().chain(std::iter::repeat(AnyColumns::Empty));
    for ((alternative, columns), (_, field)) in alternatives.iter().zip(columns).zip(fields.iter().skip(1)) {
        let array = spread(columns, alternative, field.data_type(), None);
        children.push(array.map_err(|error| below(alternative.name(), &error))?);
    }
    let array = UnionArray::try_new(fields.clone(), types.into(), Some(offsets.into()), children);
    Ok(Arc::new(array.map_err(from_arrow)?))
}

/// Variants as structs.
fn tagged(
    variants: AnyVariants,
    alternatives: &[Field],
    fields: &Fields,
    gaps: Option<&Gaps>,
) -> Result<ArrayRef> {
    let places = places(&variants, gaps);
    let tags = places.iter().map(|place| place.map_or(Ok(0), |(number, _)| u8::try_from(number + 1)));
    let tags: Vec<u8> = tags.collect::<std::result::Result<_, _>>().map_err(|_| unlike())?;
    let mut arrays = vec![primitive::<UInt8Type>(tags, &DataType::UInt8, None)?];
    let columns = variants.into_alternatives().into_iter().chain(std::iter::repeat(AnyColumns::Empty));
    for ((number, (alternative, columns)), field) in
        alternatives.iter().zip(columns).enumerate().zip(fields.iter().skip(1))
    {
        let mut starts = vec![0];
        let mut end = 0;
        for place in &places {
            end += u64::from(place.is_some_and(|(active, _)| active == number));
            starts.push(end);
        }
        let gaps = Gaps::new(starts);
        let array = spread(columns, alternative, field.data_type(), Some(&gaps));
        arrays.push(array.map_err(|error| below(alternative.name(), &error))?);
    }
    let nulls = gaps.and_then(|gaps| gaps.nulls.clone());
    Ok(Arc::new(StructArray::try_new(fields.clone(), arrays, nulls).map_err(from_arrow)?))
}

/// The offsets of the file, which begin with 0, as those of lists.
fn large(offsets: Vec<u64>) -> Result<OffsetBuffer<i64>> {
    let last = offsets.last().copied().unwrap_or_default();
    i64::try_from(last).map_err(|_| too_long())?;
    let offsets = ScalarBuffer::<i64>::from(Buffer::from_vec(offsets));
    Ok(OffsetBuffer::new(offsets))
}

fn small(offsets: Vec<u64>) -> Result<OffsetBuffer<i32>> {
    let offsets = offsets.into_iter().map(i32::try_from).collect::<std::result::Result<Vec<i32>, _>>();
    Ok(OffsetBuffer::new(offsets.map_err(|_| too_long())?.into()))
}

#[cold]
fn too_long() -> Error {
    let message =
        "a batch has over 2^31 items in lists with offsets of 32 bits: read fewer entries at a time";
    Error::new(ErrorKind::LimitExceeded, message)
}

#[cold]
fn not_utf8(error: ArrowError) -> Error {
    Error::new(ErrorKind::OutOfSpec, format!("{error}: `binary_strings` reads any text"))
}

#[cold]
fn too_precise() -> Error {
    let message =
        "a value has more bits than the first file stores: without `storage_types` it is read as it is";
    Error::new(ErrorKind::SchemaMismatch, message)
}

/// The values are not those of the schema.
#[cold]
fn unlike() -> Error {
    Error::new(ErrorKind::SchemaMismatch, "the values are not of the type that the schema says")
}
