//! What Arrow has becomes what a file has, and comes back.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{Int32Builder, MapBuilder, StringBuilder, StringDictionaryBuilder};
use arrow_array::types::{Float16Type, Int8Type, TimestampMicrosecondType};
use arrow_array::*;
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Schema, TimeUnit, UnionFields};
use half::f16;
use rntuple::storage::Memory;
use rntuple::{Dataset, RootFile};
use rntuple_arrow::{ArrowOptions, ArrowReader, Lists, Nulls, from_arrow_schema, from_record_batch};

use super::{read, write};

/// Writes an array, reads it again, and compares the values; returns the type in C++.
fn there_and_back(array: impl Array + 'static, is_nullable: bool) -> String {
    let array: ArrayRef = Arc::new(array);
    let field = Field::new("x", array.data_type().clone(), is_nullable);
    let schema = Arc::new(Schema::new(vec![field]));
    let batch = RecordBatch::try_new(schema.clone(), vec![array.clone()]).unwrap();
    // In one piece, and in slices, whose offsets do not begin with 0.
    let slices: Vec<RecordBatch> = (0..batch.num_rows()).map(|row| batch.slice(row, 1)).collect();
    let file = write(&schema, std::slice::from_ref(&batch));
    for file in [file.clone(), write(&schema, &slices)] {
        let found = read(file, ArrowOptions::new());
        let found_field = found.schema().field(0).clone();
        assert_eq!(found_field.is_nullable(), is_nullable);
        assert_eq!(format!("{:?}", plain(found.column(0))), format!("{:?}", plain(&array)));
    }
    let file = RootFile::from_storage(file).unwrap();
    let dataset = Dataset::open(&file, "Events").unwrap();
    let id = dataset.schema().find("x").unwrap();
    dataset.schema().field(id).unwrap().type_name.clone()
}

/// Without what does not come back: offsets of 32 bits, views, dictionaries.
pub(crate) fn plain(array: &ArrayRef) -> Vec<String> {
    let options = arrow_cast::display::FormatOptions::default().with_null("null");
    let formatter = arrow_cast::display::ArrayFormatter::try_new(array, &options).unwrap();
    (0..array.len()).map(|row| formatter.value(row).to_string()).collect()
}

#[test]
fn numbers() {
    assert_eq!(there_and_back(Int8Array::from(vec![1, -2]), false), "std::int8_t");
    assert_eq!(there_and_back(UInt8Array::from(vec![1, 255]), false), "std::uint8_t");
    assert_eq!(there_and_back(Int16Array::from(vec![1, -2]), false), "std::int16_t");
    assert_eq!(there_and_back(UInt16Array::from(vec![1, 2]), false), "std::uint16_t");
    assert_eq!(there_and_back(Int32Array::from(vec![1, -2]), false), "std::int32_t");
    assert_eq!(there_and_back(UInt32Array::from(vec![1, 2]), false), "std::uint32_t");
    assert_eq!(there_and_back(Int64Array::from(vec![1, i64::MIN]), false), "std::int64_t");
    assert_eq!(there_and_back(UInt64Array::from(vec![1, u64::MAX]), false), "std::uint64_t");
    assert_eq!(there_and_back(Float32Array::from(vec![0.5, f32::NAN]), false), "float");
    assert_eq!(there_and_back(Float64Array::from(vec![0.1, -0.0]), false), "double");
    assert_eq!(there_and_back(BooleanArray::from(vec![true, false, true]), false), "bool");
    assert_eq!(there_and_back(Int32Array::from(vec![Some(1), None]), true), "std::optional<std::int32_t>");
    assert_eq!(there_and_back(Int32Array::from(vec![1, 2]), true), "std::optional<std::int32_t>");
    assert_eq!(there_and_back(BooleanArray::from(vec![None, Some(true)]), true), "std::optional<bool>");
}

#[test]
fn half_floats_stay_half() {
    let halves: PrimitiveArray<Float16Type> = [0.1, -2.0].map(f16::from_f32).to_vec().into();
    let schema = Arc::new(Schema::new(vec![Field::new("x", DataType::Float16, false)]));
    let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(halves)]).unwrap();
    let file = write(&schema, std::slice::from_ref(&batch));
    let found = read(file.clone(), ArrowOptions::new().storage_types(true));
    assert_eq!(found.column(0), batch.column(0));
    assert_eq!(read(file, ArrowOptions::new()).column(0).data_type(), &DataType::Float32);
}

/// A file of floats that are stored in an encoding.
fn stored(array: impl Array + 'static, encoding: &str) -> Memory {
    let array: ArrayRef = Arc::new(array);
    let metadata = HashMap::from([("rntuple.encoding".to_owned(), encoding.to_owned())]);
    let field = Field::new("x", array.data_type().clone(), false).with_metadata(metadata);
    let schema = Arc::new(Schema::new(vec![field]));
    write(&schema, &[RecordBatch::try_new(schema.clone(), vec![array]).unwrap()])
}

#[test]
fn the_first_file_decides_the_storage_type_and_no_value_is_rounded() {
    let read_both = |first: &Memory, second: &Memory| {
        let options = ArrowOptions::new().storage_types(true);
        let files = [first.clone(), second.clone()];
        let batches = ArrowReader::open_with(files, "Events", Default::default(), options).unwrap();
        let batches: Vec<RecordBatch> =
            batches.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
        let values = batches.iter().flat_map(|batch| plain(batch.column(0)));
        Ok::<Vec<String>, String>(values.collect())
    };
    let half = stored(Float32Array::from(vec![0.5, f32::NAN]), "Real16");
    let same = stored(Float32Array::from(vec![0.25, f32::INFINITY]), "Real32");
    assert_eq!(read_both(&half, &same).unwrap(), ["0.5", "NaN", "0.25", "inf"]);
    for value in [0.1, 70_000.0] {
        let error = read_both(&half, &stored(Float32Array::from(vec![value]), "Real32")).unwrap_err();
        assert!(error.contains("x: a value has more bits"), "{error}");
    }
    let single = stored(Float64Array::from(vec![0.5]), "Real32");
    for value in [0.1, 1e300] {
        let error = read_both(&single, &stored(Float64Array::from(vec![value]), "Real64")).unwrap_err();
        assert!(error.contains("x: a value has more bits"), "{error}");
    }
}

#[test]
fn doubles_that_are_stored_as_floats_are_written_again_as_doubles() {
    let options = ArrowOptions::new().storage_types(true);
    for (encoding, data_type) in [
        ("Real32", DataType::Float32),
        ("Real16", DataType::Float16),
        // They are more precise than a `float`.
        ("Real32Quant(32, 0..1)", DataType::Float64),
    ] {
        let found = read(stored(Float64Array::from(vec![0.5]), encoding), options.clone());
        assert_eq!(found.column(0).data_type(), &data_type);
        let fields = from_arrow_schema(&found.schema(), &options).unwrap();
        assert_eq!(fields.fields()[0].field_type().to_string(), "double");
        assert_eq!(fields.fields()[0].representations()[0].to_string(), encoding);
    }
}

#[test]
fn dates_and_times() {
    assert_eq!(there_and_back(Date32Array::from(vec![20_000, -1]), false), "std::int32_t");
    assert_eq!(there_and_back(Date64Array::from(vec![86_400_000, 0]), false), "std::int64_t");
    assert_eq!(there_and_back(Time32SecondArray::from(vec![1, 2]), false), "std::int32_t");
    assert_eq!(there_and_back(Time64NanosecondArray::from(vec![1, 2]), false), "std::int64_t");
    assert_eq!(
        there_and_back(DurationMillisecondArray::from(vec![Some(1), None]), true),
        "std::optional<std::int64_t>"
    );
    let zoned: PrimitiveArray<TimestampMicrosecondType> = vec![1_700_000_000_000_000].into();
    assert_eq!(there_and_back(zoned.with_timezone("+01:00"), false), "std::int64_t");
    let schema = Schema::new(vec![Field::new("t", DataType::Timestamp(TimeUnit::Second, None), false)]);
    let fields = from_arrow_schema(&schema, &ArrowOptions::new()).unwrap();
    assert_eq!(fields.fields()[0].description(), "[arrow:timestamp(s)]");
}

/// Metadata are a stranger's, too.
#[test]
fn names_may_be_nested_to_any_depth() {
    let type_of = |depth: usize| {
        let name = format!("{}Colour{}", "std::atomic<".repeat(depth), ">".repeat(depth));
        let metadata = HashMap::from([("rntuple.type".to_owned(), name)]);
        let field = Field::new("x", DataType::Int32, false).with_metadata(metadata);
        let fields = from_arrow_schema(&Schema::new(vec![field]), &ArrowOptions::new()).unwrap();
        fields.fields()[0].field_type().to_string()
    };
    assert_eq!(type_of(1), "std::atomic<Colour>");
    assert_eq!(type_of(2), "std::int32_t");
    assert_eq!(type_of(10_000), "std::int32_t");
}

#[test]
fn encodings_that_do_not_fit_the_type_are_passed_over() {
    let list = DataType::List(Arc::new(Field::new("item", DataType::Float32, false)));
    for (data_type, key, value, expected) in [
        (DataType::Int32, "rntuple.encoding", "Real16", (0, false)),
        (DataType::Float32, "rntuple.encoding", "Real64", (0, false)),
        (DataType::Float32, "rntuple.double32", "true", (0, false)),
        (DataType::Float64, "rntuple.encoding", "Real16", (1, false)),
        (DataType::Float64, "rntuple.double32", "true", (0, true)),
        (list, "rntuple.encoding", "Real16", (1, false)),
    ] {
        let metadata = HashMap::from([(key.to_owned(), value.to_owned())]);
        let schema = Schema::new(vec![Field::new("x", data_type.clone(), false).with_metadata(metadata)]);
        // There is a file.
        write(&schema, &[]);
        let fields = from_arrow_schema(&schema, &ArrowOptions::new()).unwrap();
        let [field] = fields.fields() else { panic!("{fields:?}") };
        let found = (field.representations().len(), field.is_double32());
        assert_eq!(found, expected, "{data_type}: {key} {value}");
    }
}

#[test]
fn text_and_bytes() {
    let text = ["a", "", "µm"];
    assert_eq!(there_and_back(StringArray::from(text.to_vec()), false), "std::string");
    assert_eq!(there_and_back(LargeStringArray::from(text.to_vec()), false), "std::string");
    assert_eq!(
        there_and_back(StringViewArray::from(vec![Some("x"), None, Some("µ")]), true),
        "std::optional<std::string>"
    );
    assert_eq!(there_and_back(BinaryArray::from(vec![&b"\xff\0"[..], b""]), false), "std::vector<std::byte>");
    assert_eq!(
        there_and_back(LargeBinaryArray::from(vec![Some(&b"\xff"[..]), None]), true),
        "std::optional<std::vector<std::byte>>"
    );
    let fixed = FixedSizeBinaryArray::try_from_iter([[1u8, 2], [3, 4]].iter()).unwrap();
    assert_eq!(there_and_back(fixed, false), "std::array<std::byte,2>");
    // Also where all are missing.
    for values in [[Some([1u8, 2]), None], [None, None]] {
        let fixed = FixedSizeBinaryArray::try_from_sparse_iter_with_size(values.into_iter(), 2).unwrap();
        assert_eq!(there_and_back(fixed, true), "std::optional<std::array<std::byte,2>>");
    }
    let mut names = StringDictionaryBuilder::<Int8Type>::new();
    for name in [Some("muon"), None, Some("tau"), Some("muon")] {
        names.append_option(name);
    }
    assert_eq!(there_and_back(names.finish(), true), "std::optional<std::string>");
}

fn list(is_nullable: bool, nulls: Option<NullBuffer>) -> ListArray {
    let item = Arc::new(Field::new("item", DataType::Int32, is_nullable));
    let values =
        Int32Array::from((0..6).map(|x| (!is_nullable || x % 2 == 0).then_some(x)).collect::<Vec<_>>());
    // The second list has items, whether it is null or not.
    ListArray::new(item, OffsetBuffer::new(vec![0, 2, 5, 5, 6].into()), Arc::new(values), nulls)
}

#[test]
fn lists() {
    assert_eq!(there_and_back(list(false, None), false), "std::vector<std::int32_t>");
    assert_eq!(there_and_back(list(true, None), false), "std::vector<std::optional<std::int32_t>>");
    let nulls = NullBuffer::from(vec![true, false, true, true]);
    assert_eq!(
        there_and_back(list(true, Some(nulls)), true),
        "std::optional<std::vector<std::optional<std::int32_t>>>"
    );
    let item = Arc::new(Field::new("item", DataType::Boolean, false));
    let bits = BooleanArray::from(vec![true, false, true, true, false, false]);
    let nulls = NullBuffer::from(vec![true, false]);
    let fixed = FixedSizeListArray::new(item.clone(), 3, Arc::new(bits.clone()), None);
    assert_eq!(there_and_back(fixed, false), "std::bitset<3>");
    let fixed = FixedSizeListArray::new(item, 3, Arc::new(bits), Some(nulls));
    assert_eq!(there_and_back(fixed, true), "std::optional<std::bitset<3>>");
}

#[test]
fn lists_of_one_size_and_of_no_type_go_into_any_lists() {
    let of = |array: ArrayRef| RecordBatch::try_from_iter_with_nullable([("x", array, true)]).unwrap();
    let schema = of(Arc::new(list(true, None))).schema();
    let item = || Arc::new(Field::new("item", DataType::Int32, true));
    let numbers = Int32Array::from(vec![Some(1), None, Some(3), Some(4), Some(5), Some(6)]);
    let fixed = FixedSizeListArray::new(item(), 2, Arc::new(numbers), Some(vec![true, false, true].into()));
    let untyped = Arc::new(Field::new("item", DataType::Null, true));
    let lists = |ends: Vec<i32>, count| {
        let values = Arc::new(NullArray::new(count));
        ListArray::new(untyped.clone(), OffsetBuffer::new(ends.into()), values, None)
    };
    let batches: [ArrayRef; 5] = [
        Arc::new(fixed.clone()),
        Arc::new(fixed.slice(2, 1)),
        Arc::new(lists(vec![0, 0, 0], 0)),
        Arc::new(lists(vec![0, 2], 2)),
        Arc::new(NullArray::new(2)),
    ];
    let found = read(write(&schema, &batches.map(of)), ArrowOptions::new());
    let wanted = "[1, null] null [5, 6] [5, 6] [] [] [null, null] null null";
    assert_eq!(plain(found.column(0)).join(" "), wanted);
    // A field without nulls has no place for them.
    let schema = Schema::new(vec![Field::new("x", DataType::Int32, false)]);
    let fields = from_arrow_schema(&schema, &ArrowOptions::new()).unwrap();
    let error = from_record_batch(&of(Arc::new(NullArray::new(2))), &fields).unwrap_err().to_string();
    assert_eq!(error, "x: a null, in a field that is no option");
}

#[test]
fn structs_and_maps() {
    let fields = vec![Field::new("a", DataType::Int32, false), Field::new("b", DataType::Utf8, true)];
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![1, 2, 3])),
        Arc::new(StringArray::from(vec![Some("x"), None, None])),
    ];
    let record = StructArray::new(fields.clone().into(), arrays.clone(), None);
    assert_eq!(there_and_back(record, false), "");
    let nulls = NullBuffer::from(vec![true, true, false]);
    let record = StructArray::new(fields.into(), arrays, Some(nulls));
    // It needs a class there.
    assert!(there_and_back(record, true).starts_with("std::optional<Arrow_x_"));
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for pairs in [2, 0, 1] {
        for number in 0..pairs {
            map.keys().append_value(format!("key {number}"));
            map.values().append_option((number == 0).then_some(number));
        }
        map.append(true).unwrap();
    }
    let map = map.finish();
    let file = {
        let schema = Arc::new(Schema::new(vec![Field::new("x", map.data_type().clone(), false)]));
        let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(map.clone())]).unwrap();
        write(&schema, &[batch])
    };
    let options = ArrowOptions::new().maps(rntuple_arrow::Maps::Map).lists(Lists::Small);
    let found = read(file, options);
    assert_eq!(plain(found.column(0)), plain(&(Arc::new(map) as ArrayRef)));
}

#[test]
fn unions() {
    let fields = UnionFields::try_new(
        [3, 5],
        [Field::new("number", DataType::Int32, false), Field::new("text", DataType::Utf8, true)],
    )
    .unwrap();
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3, 4]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("c"), Some("d")]));
    let types = vec![3i8, 5, 5, 3];
    // Dense, with values that no row has, and out of order; and sparse.
    let dense = UnionArray::try_new(
        fields.clone(),
        types.clone().into(),
        Some(vec![2, 0, 1, 0].into()),
        vec![numbers.clone(), texts.clone()],
    )
    .unwrap();
    let sparse = UnionArray::try_new(fields, types.into(), None, vec![numbers, texts]).unwrap();
    for union in [dense, sparse] {
        let array: ArrayRef = Arc::new(union);
        let schema = Arc::new(Schema::new(vec![Field::new("x", array.data_type().clone(), false)]));
        let batch = RecordBatch::try_new(schema.clone(), vec![array.clone()]).unwrap();
        let slices = [batch.slice(0, 1), batch.slice(1, 3)];
        let found = read(write(&schema, &slices), ArrowOptions::new());
        let found: &UnionArray = found.column(0).as_any().downcast_ref().unwrap();
        let wanted: &UnionArray = array.as_any().downcast_ref().unwrap();
        for row in 0..4 {
            assert_eq!(plain(&found.value(row)), plain(&wanted.value(row)));
        }
        assert_eq!(found.type_ids()[..], [1, 2, 2, 1]);
    }
}

#[test]
fn nulls_may_be_refused() {
    let schema = Arc::new(Schema::new(vec![Field::new("x", DataType::Int32, true)]));
    let options = ArrowOptions::new().nulls(Nulls::Refused);
    let fields = from_arrow_schema(&schema, &options).unwrap();
    assert_eq!(fields.fields()[0].field_type().to_string(), "std::int32_t");
    let batch = |values: Vec<Option<i32>>| {
        RecordBatch::try_new(schema.clone(), vec![Arc::new(Int32Array::from(values))]).unwrap()
    };
    let mut writer =
        rntuple_arrow::ArrowWriter::new(Memory::new(), "Events", &schema, super::small(), &options).unwrap();
    writer.write(&batch(vec![Some(1), Some(2)])).unwrap();
    let error = writer.write(&batch(vec![Some(1), None])).unwrap_err();
    assert_eq!(error.to_string(), "x: a null, in a field that is no option");
    assert_eq!(writer.finish().unwrap().entries, 2);
}

#[test]
fn bits_are_bits() {
    let bits = BooleanBuffer::new(Buffer::from(vec![0b1010_0110u8, 0b1]), 0, 9);
    assert_eq!(there_and_back(BooleanArray::new(bits, None), false), "bool");
}
