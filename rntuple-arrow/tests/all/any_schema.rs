//! Whatever the schema of Arrow is.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeListArray, Float64Array, Int16Array, Int64Array, LargeListArray,
    LargeStringArray, NullArray, RecordBatch, StructArray, TimestampNanosecondArray, UInt32Array, UnionArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit, UnionFields, UnionMode};
use proptest::prelude::*;
use rntuple_arrow::ArrowOptions;

use super::{read, write};

fn types() -> impl Strategy<Value = (DataType, bool)> {
    let leaf = prop_oneof![
        Just(DataType::Boolean),
        Just(DataType::Int16),
        Just(DataType::UInt32),
        Just(DataType::Int64),
        Just(DataType::Float64),
        Just(DataType::LargeUtf8),
        Just(DataType::Timestamp(TimeUnit::Nanosecond, None)),
    ];
    let leaf = (leaf, any::<bool>());
    leaf.prop_recursive(4, 16, 3, |inner| {
        let field =
            |(data_type, is_nullable): (DataType, bool)| Arc::new(Field::new("item", data_type, is_nullable));
        let members = prop::collection::vec(inner.clone(), 1..3);
        let numbered = |members: Vec<(DataType, bool)>| -> Vec<Field> {
            let numbered = members.into_iter().enumerate();
            numbered
                .map(|(number, (data_type, nulls))| Field::new(format!("_{number}"), data_type, nulls))
                .collect()
        };
        prop_oneof![
            (inner.clone(), any::<bool>())
                .prop_map(move |(item, nulls)| (DataType::LargeList(field(item)), nulls)),
            (inner.clone(), any::<bool>(), 1..3)
                .prop_map(move |(item, nulls, size)| { (DataType::FixedSizeList(field(item), size), nulls) }),
            (members.clone(), any::<bool>()).prop_map(move |(members, nulls)| {
                // A struct by names, so that it is no tuple.
                let named = numbered(members)
                    .into_iter()
                    .map(|field| field.clone().with_name(format!("m{}", field.name())));
                (DataType::Struct(named.collect()), nulls)
            }),
            members.prop_map(move |members| {
                let none = Field::new("none", DataType::Null, true);
                let fields = std::iter::once(none).chain(numbered(members));
                let fields: Vec<Field> = fields.collect();
                let ids = 0..fields.len() as i8;
                (DataType::Union(UnionFields::try_new(ids, fields).unwrap(), UnionMode::Dense), true)
            }),
        ]
    })
}

fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

/// An array of values that `seed` chooses, with garbage where it is null.
fn array(data_type: &DataType, is_nullable: bool, count: usize, seed: &mut u64) -> ArrayRef {
    let nulls: Option<NullBuffer> = is_nullable
        .then(|| NullBuffer::from((0..count).map(|_| !next(seed).is_multiple_of(3)).collect::<Vec<_>>()));
    let mut numbers = |most: u64| -> Vec<u64> { (0..count).map(|_| next(seed) % most).collect() };
    match data_type {
        DataType::Boolean => {
            let bits: Vec<bool> = numbers(2).into_iter().map(|bit| bit == 1).collect();
            Arc::new(BooleanArray::new(bits.into(), nulls))
        }
        DataType::Int16 => {
            Arc::new(Int16Array::new(numbers(100).into_iter().map(|x| x as i16 - 50).collect(), nulls))
        }
        DataType::UInt32 => {
            Arc::new(UInt32Array::new(numbers(1 << 31).into_iter().map(|x| x as u32).collect(), nulls))
        }
        DataType::Int64 => {
            Arc::new(Int64Array::new(numbers(1 << 31).into_iter().map(|x| x as i64).collect(), nulls))
        }
        DataType::Float64 => {
            Arc::new(Float64Array::new(numbers(1000).into_iter().map(|x| x as f64 / 7.0).collect(), nulls))
        }
        DataType::Timestamp(..) => Arc::new(TimestampNanosecondArray::new(
            numbers(1 << 31).into_iter().map(|x| x as i64).collect(),
            nulls,
        )),
        DataType::LargeUtf8 => {
            let texts: Vec<String> =
                numbers(4).into_iter().map(|count| "aµ".repeat(count as usize)).collect();
            let offsets = OffsetBuffer::<i64>::from_lengths(texts.iter().map(String::len));
            Arc::new(LargeStringArray::new(offsets, texts.concat().into_bytes().into(), nulls))
        }
        DataType::LargeList(item) => {
            let counts = numbers(4);
            let items =
                array(item.data_type(), item.is_nullable(), counts.iter().sum::<u64>() as usize, seed);
            let offsets = OffsetBuffer::<i64>::from_lengths(counts.into_iter().map(|count| count as usize));
            Arc::new(LargeListArray::new(item.clone(), offsets, items, nulls))
        }
        DataType::FixedSizeList(item, size) => {
            let items = array(item.data_type(), item.is_nullable(), count * *size as usize, seed);
            Arc::new(FixedSizeListArray::new(item.clone(), *size, items, nulls))
        }
        DataType::Struct(fields) => {
            let member = |field: &Arc<Field>| array(field.data_type(), field.is_nullable(), count, seed);
            Arc::new(StructArray::new(fields.clone(), fields.iter().map(member).collect(), nulls))
        }
        DataType::Union(fields, _) => {
            let chosen: Vec<i8> = numbers(fields.len() as u64).into_iter().map(|id| id as i8).collect();
            let mut counts = vec![0; fields.len()];
            let offsets: Vec<i32> = (chosen.iter())
                .map(|id| {
                    counts[*id as usize] += 1;
                    counts[*id as usize] - 1
                })
                .collect();
            let children = fields.iter().zip(&counts).map(|((_, field), count)| match field.data_type() {
                DataType::Null => Arc::new(NullArray::new(*count as usize)) as ArrayRef,
                data_type => array(data_type, field.is_nullable(), *count as usize, seed),
            });
            let children = children.collect();
            Arc::new(
                UnionArray::try_new(fields.clone(), chosen.into(), Some(offsets.into()), children).unwrap(),
            )
        }
        other => panic!("{other}"),
    }
}

/// The type without metadata, which the writer does not have.
fn bare(field: &Field) -> Field {
    let data_type = match field.data_type() {
        DataType::LargeList(item) => DataType::LargeList(Arc::new(bare(item))),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(Arc::new(bare(item)), *size),
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(|field| bare(field)).collect::<Fields>())
        }
        DataType::Union(fields, mode) => {
            let (ids, fields): (Vec<i8>, Vec<Field>) =
                fields.iter().map(|(id, field)| (id, bare(field))).unzip();
            DataType::Union(UnionFields::try_new(ids, fields).unwrap(), *mode)
        }
        other => other.clone(),
    };
    Field::new(field.name(), data_type, field.is_nullable())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_written_is_read(types in prop::collection::vec(types(), 1..4), seed: u64, count in 1..40usize) {
        let mut seed = seed;
        let fields: Vec<Field> = (types.iter().enumerate())
            .map(|(number, (data_type, nulls))| Field::new(format!("field{number}"), data_type.clone(), *nulls))
            .collect();
        let arrays = fields.iter().map(|field| array(field.data_type(), field.is_nullable(), count, &mut seed));
        let arrays: Vec<ArrayRef> = arrays.collect();
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema.clone(), arrays).unwrap();
        let cut = count / 3;
        let batches = [batch.slice(0, cut), batch.slice(cut, count - cut)];
        let found = read(write(&schema, &batches), ArrowOptions::new());
        for (number, field) in schema.fields().iter().enumerate() {
            prop_assert_eq!(&bare(found.schema().field(number)), &**field);
            let (ours, theirs) = (found.column(number), batch.column(number));
            prop_assert_eq!(text(ours), text(theirs));
        }
        // And again, from what was read.
        let again = read(write(&found.schema(), std::slice::from_ref(&found)), ArrowOptions::new());
        prop_assert_eq!(&again.schema(), &found.schema());
        prop_assert_eq!(&again, &found);
    }
}

/// The values alone: not those behind nulls.
fn text(array: &ArrayRef) -> Vec<String> {
    let options = arrow_cast::display::FormatOptions::default().with_null("null");
    let formatter = arrow_cast::display::ArrayFormatter::try_new(array, &options).unwrap();
    (0..array.len()).map(|row| formatter.value(row).to_string()).collect()
}
