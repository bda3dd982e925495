//! What one side has and the other cannot hold.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, IntervalUnit, Schema};
use rntuple::schema::{Field as FileField, FieldType, SchemaBuilder};
use rntuple::storage::Memory;
use rntuple::{ErrorKind, Value, Writer};
use rntuple_arrow::{ArrowOptions, ArrowReader, ArrowWriter, from_record_batch};

#[test]
fn types_are_refused_by_path_before_there_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.root");
    let inner = Field::new("gap", DataType::Interval(IntervalUnit::DayTime), false);
    let outer = Field::new("item", DataType::Struct(vec![inner].into()), false);
    for (data_type, place) in
        [(DataType::Decimal128(10, 2), "x: "), (DataType::List(outer.into()), "x.item.gap: ")]
    {
        let schema = Schema::new(vec![Field::new("x", data_type, false)]);
        let error =
            ArrowWriter::create(&path, "Events", &schema, super::small(), &ArrowOptions::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().starts_with(place), "{error}");
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[test]
fn batches_of_another_schema_are_refused_and_cost_nothing() {
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
    let batch = |name: &str| RecordBatch::try_from_iter([(name, numbers.clone())]).unwrap();
    let mut writer =
        ArrowWriter::new(Memory::new(), "Events", &batch("x").schema(), super::small(), &ArrowOptions::new())
            .unwrap();
    writer.write(&batch("x")).unwrap();
    let error = writer.write(&batch("y")).unwrap_err();
    assert_eq!(error.to_string(), "x: the batch has no such field");
    let more = RecordBatch::try_from_iter([("x", numbers.clone()), ("z", numbers.clone())]).unwrap();
    let error = writer.write(&more).unwrap_err();
    assert_eq!(error.to_string(), "z: the schema has no such field");
    let twice = RecordBatch::try_from_iter([("x", numbers.clone()), ("x", numbers.clone())]).unwrap();
    let error = writer.write(&twice).unwrap_err();
    assert_eq!(error.to_string(), "x: the batch has two fields of this name");
    let schema = SchemaBuilder::new().field(FileField::new("x", FieldType::vector(FieldType::F32)));
    let error = from_record_batch(&batch("x"), &schema).unwrap_err();
    assert_eq!(error.to_string(), "x: the field holds `std::vector<float>`, not Int32");
    let members = [FileField::new("a", FieldType::I32)];
    let schema = SchemaBuilder::new().field(FileField::new("x", FieldType::record(members)));
    let of = |names: &[&str]| {
        let members =
            names.iter().map(|name| (Arc::new(Field::new(*name, DataType::Int32, false)), numbers.clone()));
        let record: ArrayRef = Arc::new(StructArray::from(members.collect::<Vec<_>>()));
        from_record_batch(&RecordBatch::try_from_iter([("x", record)]).unwrap(), &schema)
    };
    of(&["a"]).unwrap();
    assert_eq!(of(&["a", "b"]).unwrap_err().to_string(), "x.b: the schema has no such field");
    assert_eq!(of(&["a", "a"]).unwrap_err().to_string(), "x.a: the batch has two fields of this name");
    assert_eq!(writer.finish().unwrap().entries, 2);
}

#[test]
fn text_that_is_not_utf8_is_an_error_that_says_what_to_do() {
    let schema = SchemaBuilder::new().field(FileField::new("s", FieldType::STRING));
    let options = super::small().schema(schema);
    let mut writer = Writer::<Value, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill(&Value::record([("s", Value::Bytes(vec![0xff]))])).unwrap();
    let file = writer.finish_into().unwrap().1;
    let error = ArrowReader::open(file.clone(), "Events").unwrap().next().unwrap().unwrap_err().to_string();
    assert!(error.contains("s: ") && error.contains("binary_strings"), "{error}");
    let batch = super::read(file, ArrowOptions::new().binary_strings(true));
    assert_eq!(batch.column(0).data_type(), &DataType::LargeBinary);
}
