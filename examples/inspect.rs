//! Reads files of which nothing is known. Explained in the book, chapter "Files of others".

use std::path::Path;

use rntuple::columns::AnyColumns;
use rntuple::encoding::ColumnEncoding;
use rntuple::schema::{Field, FieldId, FieldType, Schema, SchemaBuilder};
use rntuple::{Dataset, ReadOptions, Reader, RootFile, Value, WriteOptions, Writer};
use rntuple_examples::Simulation;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

// ANCHOR: tree
/// Prints fields as a tree: names, C++ types, and what the file says of them.
fn print(schema: &Schema, fields: &[FieldId], depth: usize) {
    for &id in fields {
        let Some(field) = schema.field(id) else { continue };
        let cxx = if field.type_name.is_empty() { field.role.name() } else { &field.type_name };
        println!("{:depth$}{}: {cxx}  {}", "", field.name, field.description, depth = 2 * depth);
        print(schema, schema.children(id), depth + 1);
    }
}
// ANCHOR_END: tree

fn inspect(path: &Path) -> Result<()> {
    // ANCHOR: dataset
    let file = RootFile::open(path)?;
    for key in file.ntuples()? {
        let dataset = Dataset::open(&file, &key.path())?;
        println!("{}: {} entries, written by {}", key.path(), dataset.entry_count(), dataset.writer());
        print(dataset.schema(), dataset.schema().top_level(), 1);
    }
    // ANCHOR_END: dataset

    // ANCHOR: value
    let reader = Reader::<Value>::open(path, "Events")?;
    for event in reader.entries_in(0..3) {
        let event = event?;
        let muons = event.get("muons").and_then(Value::items).unwrap_or_default();
        println!("{} muons: {}", muons.len(), serde_json::to_string(&event)?);
    }
    // ANCHOR_END: value
    assert_eq!(reader.entry_count()?, 100);

    // ANCHOR: fields
    let options = ReadOptions::new().fields(["muons.pt", "vertex"]);
    let some = Reader::<Value>::open_with(&file, "Events", options)?;
    let event = some.entries().next().ok_or("no entry")??;
    // ANCHOR_END: fields

    // ANCHOR: batches
    let mut pairs = 0;
    for batch in some.batches(10_000) {
        let AnyColumns::Record(events) = batch? else { continue };
        if let Some(AnyColumns::List(muons)) = events.get("muons") {
            pairs += muons.as_slice().counts().filter(|count| *count == 2).count();
        }
    }
    println!("{pairs} events have two muons");
    // ANCHOR_END: batches

    // ANCHOR: skim
    let options = ReadOptions::new().fields(["muons.*", "vertex"]);
    let reader = Reader::<Value>::open_with(&file, "Events", options)?;
    let options = WriteOptions::new().schema(reader.selected_schema()?);
    let mut skim = Writer::<Value>::create(path.with_file_name("skim.root"), "Events", options)?;
    for batch in reader.batches(10_000) {
        skim.fill_columns(batch?.as_slice())?;
    }
    assert_eq!(skim.finish()?.entries, 100);
    // ANCHOR_END: skim

    // ANCHOR: build
    let cluster = FieldType::record([
        Field::new("energy", FieldType::F32).with_unit("GeV").with_encoding(ColumnEncoding::truncated(16)?),
        Field::new("cells", "std::vector<unsigned short>".parse()?),
    ]);
    let schema = SchemaBuilder::new()
        .field(Field::new("clusters", FieldType::vector(cluster)))
        .field(Field::new("n_clusters", FieldType::CARDINALITY).view_of("clusters"));
    let options = WriteOptions::new().schema(schema);
    let mut writer = Writer::<Value>::create(path.with_file_name("built.root"), "Events", options)?;
    let cells = vec![Value::from(7u16), Value::from(8u16)];
    let cluster = Value::record([("energy", Value::from(2.5f32)), ("cells", Value::from(cells))]);
    writer.fill(&Value::record([("clusters", vec![cluster])]))?;
    let refused = writer.fill(&Value::record([("clusters", 1.0f32)]));
    assert!(
        refused
            .is_err_and(|error| error.to_string().ends_with("clusters: the field takes a list, not `f32`"))
    );
    assert_eq!(writer.finish()?.entries, 1);
    // ANCHOR_END: build

    let reader = Reader::<Value>::open(path, "Events")?;
    let expected = reader.entries().filter(|event| {
        let muons = event.as_ref().ok().and_then(|event| event.get("muons")?.items());
        muons.is_some_and(|muons| muons.len() == 2)
    });
    assert_eq!(pairs, expected.count());
    let json = serde_json::to_value(&event)?;
    assert!(json.get("vertex").and_then(|vertex| vertex.get("z")).is_some());
    assert!(json.get("muons").is_some() && json.get("jets").is_none());
    assert_eq!(some.selected_columns().len(), 5);
    Ok(())
}

fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("events.root");
    let mut writer = Writer::create(&path, "Events", WriteOptions::new())?;
    for event in Simulation::new(1).take(100) {
        writer.fill(&event)?;
    }
    writer.finish()?;
    inspect(&path)
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
