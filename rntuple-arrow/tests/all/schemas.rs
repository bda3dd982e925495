//! Schemas that go through Arrow's and come back.

use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::schema::{Field, FieldType, SchemaBuilder};
use rntuple::storage::Memory;
use rntuple::{Reader, Value, Writer};
use rntuple_arrow::{from_arrow_schema, to_arrow_schema};

use super::real_files::all_options;

/// The schema as a file has it.
fn in_file(schema: SchemaBuilder) -> SchemaBuilder {
    let options = super::small().schema(schema);
    let writer = Writer::<Value, _>::new(Memory::new(), "Events", options).unwrap();
    let file = writer.finish_into().unwrap().1;
    Reader::<Value>::open(file, "Events").unwrap().selected_schema().unwrap()
}

/// Whatever the options are.
fn assert_comes_back(schema: SchemaBuilder) {
    let wanted = in_file(schema);
    for options in all_options() {
        let arrow = to_arrow_schema(&wanted, &options).unwrap();
        let found = in_file(from_arrow_schema(&arrow, &options).unwrap());
        assert_eq!(found.fields(), wanted.fields(), "{options:?}");
    }
}

#[test]
fn classes_that_are_templates() {
    let class = || FieldType::class("Point<double>", [Field::new("x", FieldType::F64)]).class_version(3);
    let template = |name: &str| FieldType::template(name, [class()]).unwrap();
    let schema = SchemaBuilder::new()
        .field(Field::new("plain", class()))
        .field(Field::new("vector", template("std::vector")))
        .field(Field::new("rvec", template("ROOT::VecOps::RVec")))
        .field(Field::new("set", template("std::set")))
        .field(Field::new("option", template("std::optional")))
        .field(Field::new("array", FieldType::array(class(), 3)))
        .field(Field::new("map", FieldType::map(FieldType::I32, class())))
        .field(Field::new("pair", FieldType::tuple([FieldType::I32, class()])))
        .field(Field::new("variant", FieldType::variant([FieldType::I32, class()])));
    assert_comes_back(schema);
}

#[test]
fn precision_and_descriptions_of_parts() {
    let half = || Field::from(FieldType::F32).with_encoding(ColumnEncoding::of(ColumnType::Real16));
    let steps = ColumnEncoding::quantized(12, -5.0, 5.0).unwrap();
    let quantised = || Field::from(FieldType::F32).with_encoding(steps).with_description("Steps");
    let single = || Field::from(FieldType::F64).with_encoding(ColumnEncoding::of(ColumnType::Real32));
    let template = |name: &str, item: Field| FieldType::template(name, [item]).unwrap();
    let schema = SchemaBuilder::new()
        .field(Field::new("vector", FieldType::vector(quantised())))
        .field(Field::new("vectors", FieldType::vector(FieldType::vector(single()))))
        .field(Field::new("rvec", template("ROOT::VecOps::RVec", quantised())))
        .field(Field::new("option", FieldType::optional(half())))
        .field(Field::new("options", FieldType::vector(FieldType::optional(half()))))
        .field(Field::new("lists", FieldType::optional(FieldType::vector(half()))))
        .field(Field::new("atomic", template("std::atomic", half())))
        .field(Field::new("pair", FieldType::tuple([half(), quantised()])))
        .field(Field::new("array", FieldType::array(half(), 3)))
        .field(Field::new("map", FieldType::map(FieldType::I32, quantised())))
        .field(Field::new("variant", FieldType::variant([half(), single()])));
    let fields = in_file(schema.clone());
    assert!(fields.fields().iter().all(|field| format!("{field:?}").contains("Real")));
    assert_comes_back(schema);
}
