//! Everything in the files that ROOT wrote, equal to what the JSON beside them says.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::collections::BTreeSet;

use rntuple::check::{CheckOptions, check_file};
use rntuple::schema::normalize;
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
    let before = reference::files("-epoch0-");
    assert!(before.is_empty() || before.len() == 32);
    for reference in reference::files("-v1.").into_iter().chain(before) {
        let file = RootFile::open(&reference.file).unwrap();
        let ntuples = reference.expected["rntuples"].as_array().unwrap();
        assert_eq!(file.ntuples().unwrap().len(), ntuples.len(), "{}", reference.name);
        for ntuple in ntuples {
            let path = str(&ntuple["path"]);
            let reader = Reader::<Value>::open(&file, path).unwrap();
            assert_eq!(reader.entry_count().unwrap(), ntuple["num_entries"].as_u64().unwrap());
            let values: Vec<Json> =
                reader.entries().map(|entry| serde_json::to_value(entry.unwrap()).unwrap()).collect();
            assert_eq!(values.len() as u64, reader.entry_count().unwrap());
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
            assert!(compared > 0 || reader.entry_count().unwrap() == 0, "{}", reference.name);
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
            assert_eq!(json!(dataset.cluster_count()), ntuple["num_clusters"]);
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
                let column_type = column.column_type().unwrap();
                assert_eq!(
                    json!([id, column.field, column_type.name(), column.bits]).as_array().unwrap()[..],
                    wanted.as_array().unwrap()[..4]
                );
            }
        }
    }
}

/// What the JSON calls a column, in the words of version 1: it has the number's name where the field knows the sign.
fn column_name(format_version: &str, listed: &str, bits: u16, type_name: &str) -> String {
    let says_sign = !matches!(format_version, "rc1.0" | "rc1.1");
    match (listed, format_version) {
        ("Switch", "rc1.0") => "HalvedSwitch".to_owned(),
        ("Switch", "rc1.1" | "rc1.2") => "PackedSwitch".to_owned(),
        _ if !says_sign && listed.contains("Int") => {
            match (listed.starts_with("Split"), type_name.starts_with("std::uint")) {
                (true, true) => format!("SplitUInt{bits}"),
                (true, false) => format!("RawSplitInt{bits}"),
                (false, true) => format!("UInt{bits}"),
                (false, false) => format!("Int{bits}"),
            }
        }
        _ => listed.to_owned(),
    }
}

#[test]
fn schemas_of_before_version_1_are_made_like_those_of_version_1() {
    let mut generations = BTreeSet::new();
    for reference in reference::files("-epoch0-") {
        let file = RootFile::open(&reference.file).unwrap();
        for ntuple in reference.expected["rntuples"].as_array().unwrap() {
            let name = &reference.name;
            let dataset = Dataset::open(&file, str(&ntuple["path"])).unwrap();
            let format_version = str(&ntuple["generation"]);
            generations.insert(format_version.to_owned());
            assert_eq!(dataset.anchor().format_version.name(), format_version, "{name}");
            assert_eq!(dataset.name(), str(&ntuple["name"]));
            assert_eq!(dataset.writer(), str(&ntuple["writer"]));
            assert_eq!(dataset.description(), str(&ntuple["description"]));
            assert_eq!(json!(dataset.entry_count()), ntuple["num_entries"], "{name}");
            assert_eq!(json!(dataset.cluster_count()), ntuple["num_clusters"]);
            assert_eq!(json!(dataset.cluster_groups().len()), ntuple["num_cluster_groups"]);
            let schema = dataset.schema();
            assert!(schema.hidden().is_empty(), "{name}");
            assert_eq!(json!(schema.alias_columns().len()), ntuple["num_alias_columns"]);

            // The path that a listed field has here: untyped collections of members have a record.
            let fields = ntuple["fields"].as_array().unwrap();
            let is_untyped = |field: &Json| field["role"] == "collection" && field["type"] == "";
            let path_of = |number: usize| {
                let mut path = str(&fields[number]["name"]).to_owned();
                let mut at = number;
                while let Some(parent) = fields[at]["parent"].as_u64() {
                    let parent = usize::try_from(parent).unwrap();
                    let record = if is_untyped(&fields[parent]) { "_0." } else { "" };
                    path = format!("{}.{record}{path}", str(&fields[parent]["name"]));
                    at = parent;
                }
                path
            };
            let records = fields.iter().filter(|field| is_untyped(field)).count();
            assert_eq!(schema.fields().count(), fields.len() + records, "{name}");
            assert_eq!(dataset.header_field_count() as usize, schema.fields().count(), "{name}");
            for (number, wanted) in fields.iter().enumerate() {
                let place = format!("{name}: {}", path_of(number));
                let id = schema.find(&path_of(number)).unwrap_or_else(|| panic!("{place}"));
                let field = schema.field(id).unwrap();
                let listed = str(&wanted["type"]);
                let cardinality = listed.strip_prefix("ROOT::Experimental::RNTupleCardinality");
                match cardinality {
                    Some(_) => assert_eq!(field.type_name, "ROOT::RNTupleCardinality<std::uint32_t>"),
                    None => assert_eq!(field.type_name, normalize(listed), "{place}"),
                }
                let alias = wanted["type_alias"].as_str().unwrap_or(if field.type_name == listed {
                    ""
                } else {
                    listed
                });
                assert_eq!(field.type_alias, alias, "{place}");
                assert_eq!(field.role.name(), str(&wanted["role"]), "{place}");
                assert_eq!(json!(field.array_size), wanted["repetitions"], "{place}");
                if format_version == "rc2.1" {
                    let source = wanted["projection_source"].as_u64().map(|id| path_of(id as usize));
                    assert_eq!(field.projection_source.map(|id| schema.path(id)), source, "{place}");
                }
                assert_eq!(json!(field.type_checksum), wanted["type_checksum"], "{place}");
            }
            let columns = ntuple["columns"].as_array().unwrap();
            assert_eq!(schema.columns().count(), columns.len());
            for ((id, column), wanted) in schema.columns().zip(columns) {
                let field = schema.field(column.field).unwrap();
                assert_eq!(json!(id), wanted[0]);
                assert_eq!(schema.path(column.field), path_of(wanted[1].as_u64().unwrap() as usize));
                let wanted_name = column_name(format_version, str(&wanted[2]), column.bits, &field.type_name);
                assert_eq!(column.column_type().unwrap().name(), wanted_name, "{name}: column {id}");
                assert_eq!(json!(column.bits), wanted[3]);
            }
        }
    }
    assert!(generations.is_empty() || generations.len() == 5, "{generations:?}");
}

/// Where the same ntuple is there in several generations, only what they say of types may differ.
#[test]
fn projections_are_those_of_the_same_file_in_version_1() {
    let mut known: Option<Vec<(String, Option<String>)>> = None;
    let all = reference::files("Run2012BC_DoubleMuParked_Muons_1000evts");
    for reference in all.iter().rev() {
        let dataset = Dataset::open(&RootFile::open(&reference.file).unwrap(), "Events").unwrap();
        let schema = dataset.schema();
        let mut found: Vec<_> = schema
            .fields()
            .map(|(id, field)| (schema.path(id), field.projection_source.map(|id| schema.path(id))))
            .collect();
        found.sort();
        match &known {
            None => known = Some(found),
            Some(known) => assert_eq!(&found, known, "{}", reference.name),
        }
    }
}

#[test]
fn every_reference_file_is_sound() {
    for reference in reference::files("") {
        let file = RootFile::open(&reference.file).unwrap();
        let report = check_file(&file, CheckOptions::new());
        let is_read = !reference.name.contains("-prototype-");
        assert!(report.faults.is_empty(), "{}: {:?}", reference.name, report.faults);
        assert_eq!(report.is_sound(), is_read, "{}", reference.name);
        assert_eq!(report.notes.is_empty(), is_read, "{}: {:?}", reference.name, report.notes);
        assert!(report.ntuples.iter().all(|ntuple| ntuple.is_checked == is_read), "{}", reference.name);
    }
}

#[test]
fn the_prototype_is_refused_by_name() {
    for reference in reference::files("-prototype-") {
        let file = RootFile::open(&reference.file).unwrap();
        let path = file.ntuples().unwrap()[0].path();
        let error = Reader::<Value>::open(&file, &path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        let wanted = "pre-release format prototype (ROOT 6.21 to 6.25), which has no envelopes";
        assert!(error.to_string().ends_with(wanted), "{error}");
    }
}
