//! Everything in the files that ROOT wrote, equal to what the JSON beside them says.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use rntuple::encoding::ColumnType;
use rntuple::{Dataset, ErrorKind, Reader, RootFile, Value};
use rntuple_tests::reference;
use serde_json::{Value as Json, json};

/// A number as the JSON has it: integers exactly, floating-point numbers by value.
fn same(found: &Json, wanted: &Json) -> bool {
    match (found, wanted) {
        (Json::Number(a), Json::Number(b)) => {
            a == b || (a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64()
        }
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

fn str(json: &Json) -> &str {
    json.as_str().unwrap()
}

#[test]
fn every_field_of_every_entry_is_read() {
    for reference in reference::files("-v1.") {
        let file = RootFile::open(&reference.file).unwrap();
        let ntuples = reference.expected["rntuples"].as_array().unwrap();
        assert_eq!(file.ntuples().unwrap().len(), ntuples.len(), "{}", reference.name);
        for ntuple in ntuples {
            let path = str(&ntuple["path"]);
            let reader = Reader::<Value>::from_file(&file, path, Default::default()).unwrap();
            assert_eq!(reader.len(), ntuple["num_entries"].as_u64().unwrap());
            let values: Vec<Json> =
                reader.entries().map(|entry| serde_json::to_value(entry.unwrap()).unwrap()).collect();
            assert_eq!(values.len() as u64, reader.len());
            let mut compared = 0;
            for (part, from) in [("first", 0), ("last", values.len().saturating_sub(10))] {
                let Some(fields) = ntuple[part].as_object() else { continue };
                for (field, wanted) in fields {
                    for (entry, wanted) in (from..).zip(wanted.as_array().unwrap()) {
                        let found = &values[entry][field];
                        assert!(
                            same(found, wanted),
                            "{} {path} {field} entry {entry}: {found} is not {wanted}",
                            reference.name
                        );
                        compared += 1;
                    }
                }
                assert_eq!(fields.len(), reader.schema().top_level().len());
            }
            assert!(compared > 0 || reader.is_empty(), "{}", reference.name);
        }
    }
}

#[test]
fn the_schema_is_what_root_wrote() {
    for reference in reference::files("-v1.") {
        let file = RootFile::open(&reference.file).unwrap();
        for ntuple in reference.expected["rntuples"].as_array().unwrap() {
            let dataset = Dataset::open(&file, str(&ntuple["path"])).unwrap();
            let schema = dataset.schema();
            assert_eq!(dataset.writer(), str(&ntuple["writer"]));
            assert_eq!(dataset.description(), str(&ntuple["description"]));
            assert_eq!(json!(dataset.clusters().len()), ntuple["num_clusters"]);
            assert_eq!(json!(dataset.cluster_groups().len()), ntuple["num_cluster_groups"]);
            assert_eq!(json!(schema.alias_columns().len()), ntuple["num_alias_columns"]);
            let [epoch, major, minor, patch] = dataset.anchor().version;
            assert_eq!(format!("{epoch}.{major}.{minor}.{patch}"), str(&ntuple["format_version"]));
            let fields = ntuple["fields"].as_array().unwrap();
            assert_eq!(schema.fields().count(), fields.len());
            for ((id, field), wanted) in schema.fields().zip(fields) {
                assert_eq!(json!(id), wanted["id"]);
                assert_eq!(json!(field.parent), wanted["parent"]);
                assert_eq!((&*field.name, &*field.type_name), (str(&wanted["name"]), str(&wanted["type"])));
                assert_eq!(field.role.name(), str(&wanted["role"]));
                assert_eq!(json!(field.array_size), wanted["repetitions"]);
            }
            let columns = ntuple["columns"].as_array().unwrap();
            assert_eq!(schema.columns().count(), columns.len());
            for ((id, column), wanted) in schema.columns().zip(columns) {
                let column_type = ColumnType::from_code(column.type_code).unwrap();
                assert_eq!(
                    json!([id, column.field, column_type.name(), column.bits]).as_array().unwrap()[..],
                    wanted.as_array().unwrap()[..4]
                );
            }
        }
    }
}

#[test]
fn older_formats_are_refused_by_name() {
    for reference in reference::files("-epoch0-") {
        let file = RootFile::open(&reference.file).unwrap();
        for ntuple in reference.expected["rntuples"].as_array().unwrap() {
            let error =
                Reader::<Value>::from_file(&file, str(&ntuple["path"]), Default::default()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported);
            let wanted = format!("pre-release format {}", str(&ntuple["generation"]));
            assert!(error.to_string().contains(&wanted), "{}: {error}", reference.name);
        }
    }
}
