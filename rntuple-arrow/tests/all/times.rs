//! Times of another unit or kind than that of the field.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use rntuple::schema::SchemaBuilder;
use rntuple::storage::Memory;
use rntuple::{ErrorKind, Result};
use rntuple_arrow::{ArrowOptions, ArrowReader, ArrowWriter, from_record_batch};

use super::read;
use super::types::plain;

fn batch(array: ArrayRef, is_nullable: bool) -> RecordBatch {
    let field = Field::new("t", array.data_type().clone(), is_nullable);
    RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![array]).unwrap()
}

/// Writes an array to a field of the type of another; returns what is read.
fn appended(of_type: &ArrayRef, array: ArrayRef) -> Result<ArrayRef> {
    let schema = batch(of_type.slice(0, 0), true).schema();
    let options = ArrowOptions::new();
    let mut writer = ArrowWriter::new(Memory::new(), "Events", &schema, super::small(), &options)?;
    writer.write(&batch(array, true))?;
    let found = read(writer.finish_into()?.1, options);
    assert!(found.column(0).data_type().equals_datatype(of_type.data_type()));
    Ok(found.column(0).clone())
}

fn array<T: ArrowPrimitiveType>(values: &[T::Native]) -> ArrayRef
where
    PrimitiveArray<T>: From<Vec<T::Native>>,
{
    Arc::new(PrimitiveArray::<T>::from(values.to_vec()))
}

fn zoned(values: &[i64], zone: &str) -> ArrayRef {
    Arc::new(TimestampMillisecondArray::from(values.to_vec()).with_timezone(zone))
}

#[test]
fn units_are_converted() {
    let of_us = array::<TimestampMicrosecondType>(&[]);
    for (given, wanted) in [
        (array::<TimestampSecondType>(&[-1, 1_700_000_000]), [-1_000_000, 1_700_000_000_000_000]),
        (array::<TimestampMillisecondType>(&[-1, 5]), [-1_000, 5_000]),
        (array::<TimestampMicrosecondType>(&[-1, 5]), [-1, 5]),
        (array::<TimestampNanosecondType>(&[-1_000, 5_000]), [-1, 5]),
    ] {
        assert_eq!(&appended(&of_us, given).unwrap(), &array::<TimestampMicrosecondType>(&wanted));
    }
    let pairs = [
        (array::<DurationNanosecondType>(&[7_000_000]), array::<DurationMillisecondType>(&[7])),
        (array::<Time32SecondType>(&[86_399]), array::<Time64NanosecondType>(&[86_399_000_000_000])),
        (array::<Time64MicrosecondType>(&[5_000]), array::<Time32MillisecondType>(&[5])),
        (array::<Date32Type>(&[-1, 20_000]), array::<Date64Type>(&[-86_400_000, 1_728_000_000_000])),
        (array::<Date64Type>(&[-86_400_000]), array::<Date32Type>(&[-1])),
        // The same instant, shown in the zone of the field.
        (zoned(&[5], "+01:00"), zoned(&[5], "UTC")),
    ];
    for (given, wanted) in pairs {
        let nulls: Vec<bool> = std::iter::once(false).chain(vec![true; given.len()]).collect();
        assert_eq!(&appended(&wanted, given.clone()).unwrap(), &wanted);
        // With nulls, whose values do not count.
        let index: UInt32Array = nulls
            .iter()
            .scan(0, |at, is_value| {
                let place = is_value.then_some(*at);
                *at += u32::from(*is_value);
                Some(place)
            })
            .collect();
        let with_null = |array: &ArrayRef| arrow_select::take::take(array, &index, None).unwrap();
        assert_eq!(&appended(&wanted, with_null(&given)).unwrap(), &with_null(&wanted));
    }
}

#[test]
fn what_would_be_another_time_is_refused() {
    let of_us = array::<TimestampMicrosecondType>(&[]);
    let refused = [
        (
            &of_us,
            array::<TimestampNanosecondType>(&[1_500]),
            "a time of 1500 ns, which the field cannot hold: it counts us",
        ),
        (&of_us, array::<TimestampSecondType>(&[i64::MAX]), "a time of 9223372036854775807 s"),
        (&of_us, array::<Int64Type>(&[1]), "the field holds Timestamp(µs), not Int64"),
        (&of_us, array::<DurationMicrosecondType>(&[1]), "the field holds Timestamp(µs), not Duration(µs)"),
        (&of_us, array::<Date64Type>(&[0]), "the field holds Timestamp(µs), not Date64"),
        (&of_us, zoned(&[1], "UTC"), "the field holds Timestamp(µs), not Timestamp(ms, \"UTC\")"),
        (&zoned(&[], "UTC"), of_us.clone(), "not Timestamp(µs)"),
        (&array::<Date32Type>(&[]), array::<Time32SecondType>(&[1]), "the field holds Date32, not Time32(s)"),
        (
            &array::<Date32Type>(&[]),
            array::<Date64Type>(&[1]),
            "a time of 1 ms, which the field cannot hold: it counts days",
        ),
        (&array::<Date32Type>(&[]), array::<Int32Type>(&[1]), "the field holds Date32, not Int32"),
        (
            &array::<Time32SecondType>(&[]),
            array::<Time64NanosecondType>(&[i64::MAX / 1_000_000_000 * 1_000_000_000]),
            "which the field cannot hold",
        ),
        (
            &array::<Int64Type>(&[]),
            of_us.clone(),
            "the field holds values that are not times, not Timestamp(µs)",
        ),
        (
            &array::<Int32Type>(&[]),
            array::<Date32Type>(&[]),
            "the field holds values that are not times, not Date32",
        ),
    ];
    for (field, given, message) in refused {
        let error = appended(field, given).unwrap_err().to_string();
        assert!(error.starts_with("t") && error.contains(message), "{error}\n{message}");
    }
}

#[test]
fn times_inside_of_lists_structs_and_options_are_compared_too() {
    let list = |items: ArrayRef| -> ArrayRef {
        let field = Arc::new(Field::new("item", items.data_type().clone(), true));
        let structs =
            StructArray::new(vec![field].into(), vec![items], Some(NullBuffer::from(vec![true, true])));
        let field = Arc::new(Field::new("item", structs.data_type().clone(), true));
        Arc::new(LargeListArray::new(field, OffsetBuffer::new(vec![0, 2].into()), Arc::new(structs), None))
    };
    let seconds = list(array::<TimestampSecondType>(&[1, 2]));
    let found = appended(&seconds, list(array::<TimestampMillisecondType>(&[1_000, 2_000]))).unwrap();
    assert_eq!(plain(&found), plain(&seconds));
    let error = appended(&seconds, list(array::<TimestampMillisecondType>(&[1_000, 2_001]))).unwrap_err();
    assert!(error.to_string().contains("a time of 2001 ms"), "{error}");
    // Those that are read with what the file says of its fields.
    let schema = batch(seconds.clone(), true).schema();
    let mut writer =
        ArrowWriter::new(Memory::new(), "Events", &schema, super::small(), &ArrowOptions::new()).unwrap();
    writer.write(&batch(seconds, true)).unwrap();
    let file = writer.finish_into().unwrap().1;
    let fields = ArrowReader::open(file, "Events").unwrap().fields().to_vec();
    let schema = fields.into_iter().fold(SchemaBuilder::new(), SchemaBuilder::field);
    let milliseconds = batch(list(array::<TimestampMillisecondType>(&[1_000, 2_001])), true);
    let error = from_record_batch(&milliseconds, &schema).unwrap_err();
    assert!(error.to_string().contains("a time of 2001 ms"), "{error}");
}

#[test]
fn a_unit_in_the_metadata_does_not_hide_the_type() {
    let metadata = [("rntuple.unit".to_owned(), "s".to_owned())].into();
    let field = Field::new("t", DataType::Timestamp(TimeUnit::Second, None), false).with_metadata(metadata);
    let seconds = array::<TimestampSecondType>(&[1, 2]);
    let schema = Arc::new(Schema::new(vec![field]));
    let batch = RecordBatch::try_new(schema.clone(), vec![seconds.clone()]).unwrap();
    let found = read(super::write(&schema, &[batch]), ArrowOptions::new());
    assert_eq!(found.column(0), &seconds);
}

#[test]
fn values_of_a_dictionary_keep_their_type() {
    let keys = Int8Array::from(vec![Some(1), Some(0), None]);
    let times: ArrayRef = array::<TimestampMicrosecondType>(&[5, 6]);
    let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![&b"a"[..], b"\xff"]));
    for values in [times, bytes] {
        let dictionary: ArrayRef = Arc::new(DictionaryArray::new(keys.clone(), values.clone()));
        let batch = batch(dictionary, true);
        let found = read(super::write(&batch.schema(), &[batch]), ArrowOptions::new());
        let wanted = match values.data_type() {
            DataType::Binary => DataType::LargeBinary,
            other => other.clone(),
        };
        assert_eq!(found.column(0).data_type(), &wanted);
    }
}

#[test]
fn files_with_times_of_other_units_are_not_read_as_one() {
    let file = |array: ArrayRef| {
        let batch = batch(array, false);
        super::write(&batch.schema(), &[batch])
    };
    let seconds = || file(array::<TimestampSecondType>(&[1]));
    let rows = ArrowReader::open([seconds(), seconds()], "Events").unwrap().map(|it| it.unwrap().num_rows());
    assert_eq!(rows.sum::<usize>(), 2);
    for (other, said) in [
        (array::<TimestampMillisecondType>(&[1_000]), "arrow:timestamp(ms)"),
        (array::<DurationSecondType>(&[1]), "arrow:duration(s)"),
    ] {
        let error = ArrowReader::open([seconds(), file(other)], "Events").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
        assert_eq!(error.location().file.as_deref(), Some("memory (file 1)"));
        let [mismatch] = error.mismatches() else { panic!("{error}") };
        let wanted = "values in arrow:timestamp(s)";
        assert_eq!(
            (&*mismatch.field, &*mismatch.found, &*mismatch.wanted),
            ("t", &*format!("values in {said}"), wanted)
        );
    }
}
