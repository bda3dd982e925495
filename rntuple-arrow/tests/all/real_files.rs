//! Files that ROOT wrote, in every form that Arrow has for them.

use std::sync::Arc;

use arrow_array::RecordBatchReader;
use rntuple::schema::SchemaBuilder;
use rntuple::{Reader, RootFile, Value};
use rntuple_arrow::{
    ArrowOptions, ArrowReader, Lists, Maps, Variants, from_arrow_schema, from_record_batch, to_arrow_schema,
};
use rntuple_tests::reference;

use super::{shown, shown_rows};

pub(super) fn all_options() -> Vec<ArrowOptions> {
    let mut all = Vec::new();
    for lists in [Lists::Large, Lists::Small] {
        for maps in [Maps::List, Maps::Map] {
            for variants in [Variants::Union, Variants::Struct] {
                let options = ArrowOptions::new().lists(lists).maps(maps).variants(variants);
                // Files may have strings of any bytes.
                all.push(options.binary_strings(lists == Lists::Small));
            }
        }
    }
    all
}

/// Without the views, which are no columns of their own.
fn without_views(schema: &SchemaBuilder) -> SchemaBuilder {
    let fields = schema.fields().iter().filter(|field| field.source().is_none());
    fields.cloned().fold(SchemaBuilder::new(), SchemaBuilder::field)
}

#[test]
fn batches_have_the_values_of_rows() {
    let mut ntuples = 0;
    for reference in reference::files("-v1.").into_iter().chain(reference::files("-epoch0-")) {
        let file = RootFile::open(&reference.file).unwrap();
        for key in file.ntuples().unwrap() {
            let what = format!("{} {}", reference.name, key.path());
            let reader = Arc::new(Reader::<Value>::open(&file, &key.path()).unwrap());
            let fields = reader.selected_schema().unwrap();
            let has_streamed = fields.fields().iter().any(|field| format!("{field:?}").contains("Streamed"));
            let written = without_views(&fields);
            let rows: Vec<Value> = reader.entries().collect::<Result<_, _>>().unwrap();
            let kept = |row: &Value| {
                let members = written
                    .fields()
                    .iter()
                    .map(|field| (field.name(), row.get(field.name()).unwrap().clone()));
                Value::record(members)
            };
            let rows = shown_rows(&rows.iter().map(kept).collect::<Vec<_>>());
            for options in all_options() {
                for count in [3, 100_000] {
                    let batches = ArrowReader::new(reader.clone(), &options).unwrap().batch_size(count);
                    let schema = batches.schema();
                    let mut found = Vec::new();
                    for batch in batches {
                        let batch = batch.unwrap();
                        assert_eq!(batch.schema(), schema, "{what}");
                        if !has_streamed {
                            found.extend(shown(&from_record_batch(&batch, &written).unwrap()));
                        }
                    }
                    assert!(has_streamed || found == rows, "{what}: {options:?}");
                    if count == 3 && rows.len() > 1000 {
                        break;
                    }
                }
            }
            ntuples += 1;
        }
    }
    assert!(ntuples == 0 || ntuples >= 50, "{ntuples}");
}

#[test]
fn types_of_files_come_back() {
    // Before version 1, parts had other names than they would get now.
    for reference in reference::files("-v1.") {
        let file = RootFile::open(&reference.file).unwrap();
        for key in file.ntuples().unwrap() {
            let reader = Reader::<Value>::open(&file, &key.path()).unwrap();
            let fields = without_views(&reader.selected_schema().unwrap());
            if format!("{fields:?}").contains("Streamed") {
                continue;
            }
            for options in all_options() {
                let schema = to_arrow_schema(&fields, &options).unwrap();
                let found = from_arrow_schema(&schema, &options).unwrap();
                for (found, wanted) in found.fields().iter().zip(fields.fields()) {
                    assert_eq!(found, wanted, "{} {}: {options:?}", reference.name, key.path());
                }
            }
        }
    }
}

#[test]
fn views_are_there_if_asked_for() {
    for reference in reference::files("-v1.") {
        let file = RootFile::open(&reference.file).unwrap();
        for key in file.ntuples().unwrap() {
            let reader = Arc::new(Reader::<Value>::open(&file, &key.path()).unwrap());
            let options = ArrowOptions::new().views(true);
            let mut batches = ArrowReader::new(reader.clone(), &options).unwrap();
            let schema = batches.schema();
            assert_eq!(schema.fields().len(), reader.schema().top_level().len());
            if let Some(batch) = batches.next() {
                assert_eq!(batch.unwrap().num_columns(), schema.fields().len());
            }
        }
    }
}
