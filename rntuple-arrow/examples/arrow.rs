//! Reads a file as Arrow record batches, and writes record batches to a file. Explained in the book, chapter "Arrow".

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float32Type;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader, StringArray, UInt64Array};
use rntuple::encoding::ColumnEncoding;
use rntuple::schema::{Field, FieldType, SchemaBuilder};
use rntuple::{RNTuple, ReadOptions, Value, WriteOptions, Writer};
use rntuple_arrow::{
    ArrowOptions, ArrowReader, ArrowWriter, Variants, columns_of, from_record_batch, record_batch_of,
};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

#[derive(RNTuple)]
#[rntuple(columnar)]
struct Muon {
    pt: f32,
    charge: i8,
}

#[derive(RNTuple)]
#[rntuple(columnar)]
struct Event {
    met: f32,
    muons: Vec<Muon>,
}

fn events() -> Vec<Event> {
    let muon = |pt: u16| Muon { pt: f32::from(pt), charge: if pt.is_multiple_of(2) { 1 } else { -1 } };
    (0..100u16).map(|met| Event { met: f32::from(met), muons: (0..met % 3).map(muon).collect() }).collect()
}

fn read(path: &Path) -> Result<()> {
    // ANCHOR: read
    let fields = ReadOptions::new().fields(["met", "muons.pt"]);
    let batches = ArrowReader::open_with(path, "Events", fields, ArrowOptions::new())?;
    for field in batches.schema().fields() {
        println!("{}: {}", field.name(), field.data_type());
    }
    let mut sum = 0.0;
    for batch in batches {
        let batch = batch?;
        let muons = batch["muons"].as_list::<i64>();
        let pt = muons.values().as_struct()["pt"].as_primitive::<Float32Type>();
        sum += pt.values().iter().sum::<f32>();
    }
    // ANCHOR_END: read
    assert!(sum > 0.0);

    // ANCHOR: entries
    let batches = ArrowReader::open(path, "Events")?.entries(20..80).batch_size(25);
    let rows: Vec<usize> = batches.map(|batch| Ok(batch?.num_rows())).collect::<Result<_>>()?;
    assert_eq!(rows, [25, 25, 10]);
    // ANCHOR_END: entries

    // ANCHOR: options
    // polars knows no unions.
    let options = ArrowOptions::new().variants(Variants::Struct);
    let batches = ArrowReader::open_with(path, "Events", ReadOptions::new(), options)?;
    // ANCHOR_END: options
    assert_eq!(batches.count(), 1);
    Ok(())
}

fn write(path: &Path) -> Result<()> {
    let numbers: ArrayRef = Arc::new(UInt64Array::from(vec![1, 2, 3]));
    let names: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("c")]));
    let batch = RecordBatch::try_from_iter([("number", numbers), ("name", names)])?;

    // ANCHOR: write
    let options = WriteOptions::new();
    let mut writer = ArrowWriter::create(path, "Table", &batch.schema(), options, &ArrowOptions::new())?;
    writer.write(&batch)?;
    assert_eq!(writer.finish()?.entries, 3);
    // ANCHOR_END: write
    Ok(())
}

fn write_as(path: &Path) -> Result<()> {
    let met: ArrayRef = Arc::new(arrow_array::Float32Array::from(vec![20.25, 31.5]));
    let batch = RecordBatch::try_from_iter([("met", met)])?;

    // ANCHOR: exact
    let met =
        Field::new("met", FieldType::F32).with_unit("GeV").with_encoding(ColumnEncoding::truncated(16)?);
    let schema = SchemaBuilder::new().field(met);
    let options = WriteOptions::new().schema(schema.clone());
    let mut writer = Writer::<Value>::create(path, "Table", options)?;
    writer.fill_columns(from_record_batch(&batch, &schema)?.as_slice())?;
    writer.finish()?;
    // ANCHOR_END: exact
    Ok(())
}

fn typed() -> Result<()> {
    // ANCHOR: typed
    let mut columns = EventColumns::default();
    for event in events() {
        columns.push(&event);
    }
    let batch = record_batch_of::<Event>(columns.as_slice(), &ArrowOptions::new())?;
    assert_eq!((batch.num_rows(), batch.num_columns()), (100, 2));

    let again = columns_of::<Event>([&batch])?;
    assert_eq!(again.met, columns.met);
    // ANCHOR_END: typed
    Ok(())
}

fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("events.root");
    let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new())?;
    writer.fill_all(&events())?;
    writer.finish()?;
    read(&path)?;
    write(&directory.path().join("table.root"))?;
    write_as(&directory.path().join("exact.root"))?;
    typed()
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
