//! Entries whose schema is put together at run time: written as rows and as columns.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use proptest::prelude::*;
use rntuple::columns::{AnyArrays, AnyColumns, AnyRecords, AnyVariants, Lists, Options};
use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::extend::ColumnAdder;
use rntuple::schema::{Field, FieldType, Schema, SchemaBuilder};
use rntuple::storage::Memory;
use rntuple::{
    Compression, EntryList, ErrorKind, ParallelWriter, Pool, RNTuple, ReadOptions, Reader, RootFile, Value,
    WriteOptions, Writer,
};
use rntuple_tests::reference;
use rntuple_tests::sample::{Event, samples};

fn open(file: Memory) -> Reader<Value> {
    Reader::open(file, "Events").unwrap()
}

fn rows(reader: &Reader<Value>) -> Vec<Value> {
    reader.entries().collect::<Result<_, _>>().unwrap()
}

/// As they are shown: a NaN is no other's equal.
fn shown(rows: &[Value]) -> Vec<String> {
    rows.iter().map(|row| format!("{row:?}")).collect()
}

/// Without compression, so that floats are not split, and in small clusters.
fn small() -> WriteOptions {
    WriteOptions::new().compression(Compression::NONE).cluster_size(2000).max_page_length(256)
}

fn write(schema: SchemaBuilder, options: WriteOptions, rows: &[Value]) -> Memory {
    let mut writer = Writer::<Value, _>::new(Memory::new(), "Events", options.schema(schema)).unwrap();
    writer.fill_all(rows).unwrap();
    writer.finish_into().unwrap().1
}

fn write_columns(schema: SchemaBuilder, options: WriteOptions, batches: &[AnyColumns]) -> Memory {
    let mut writer = Writer::<Value, _>::new(Memory::new(), "Events", options.schema(schema)).unwrap();
    for batch in batches {
        writer.fill_columns(batch.as_slice()).unwrap();
    }
    writer.finish_into().unwrap().1
}

/// All that a schema says of fields.
fn fields(schema: &Schema) -> Vec<String> {
    let views = |id| schema.field(id).is_some_and(|field| field.projection_source.is_some());
    // Views come after all others in what we write.
    let (mut fields, projected): (Vec<_>, Vec<_>) = schema.fields().partition(|(id, _)| !views(*id));
    fields.extend(projected);
    let line = |(id, field): (_, &rntuple::schema::FieldDescriptor)| {
        let source = field.projection_source.map(|source| schema.path(source));
        let double32 = field.type_alias.contains("Double32_t");
        format!(
            "{} {} {} {:?} v{} {source:?} {double32} {}",
            schema.path(id),
            field.type_name,
            field.role.name(),
            field.array_size,
            // What files from before version 1 do not say of classes without a version.
            if field.type_version == u32::MAX { 0 } else { field.type_version },
            if source.is_some() { "" } else { &field.description },
        )
    };
    fields.into_iter().map(line).collect()
}

#[test]
fn files_by_root_are_written_again_as_rows_and_as_columns() {
    let (mut copied, mut refused) = (0, Vec::new());
    for reference in reference::files("-v1.").into_iter().chain(reference::files("-epoch0-")) {
        let file = RootFile::open(&reference.file).unwrap();
        for key in file.ntuples().unwrap() {
            let what = format!("{} {}", reference.name, key.path());
            let reader = Reader::<Value>::open(&file, &key.path()).unwrap();
            let schema = SchemaBuilder::like(reader.schema()).unwrap();
            if let Err(error) = Schema::of::<Value>(&WriteOptions::new().schema(schema.clone())) {
                refused.push(format!("{what}: {error}"));
                continue;
            }
            let wanted = shown(&rows(&reader));
            let batches: Vec<_> = reader.batches(1000).collect::<Result<_, _>>().unwrap();
            for options in [WriteOptions::new(), small()] {
                let by_rows = write(schema.clone(), options.clone(), &rows(&reader));
                let by_columns = write_columns(schema.clone(), options, &batches);
                for copy in [by_rows, by_columns] {
                    let copy = open(copy);
                    // The views are last in ours, and a value has them where the schema has.
                    let found: Vec<Value> = rows(&copy);
                    let names: Vec<_> =
                        reader.schema().top_level().iter().map(|id| reader.schema().path(*id)).collect();
                    let ordered: Vec<Value> = (found.iter())
                        .map(|row| {
                            Value::record(names.iter().map(|name| (&**name, row.get(name).unwrap().clone())))
                        })
                        .collect();
                    assert!(shown(&ordered) == wanted, "{what}");
                    assert_eq!(fields(copy.schema()), fields(reader.schema()), "{what}");
                }
            }
            copied += 1;
        }
    }
    for refusal in &refused {
        assert!(refusal.contains("streamer"), "{refusal}");
    }
    assert!(copied == 0 || copied >= 45, "{copied}, not {refused:?}");
}

#[test]
fn what_a_type_writes_is_written_again() {
    let entries: Vec<Event> = samples(60, 5);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill_all(&entries).unwrap();
    let file = writer.finish_into().unwrap().1;
    let reader = open(file.clone());
    let schema = SchemaBuilder::like(reader.schema()).unwrap();
    let copy = write(schema.clone(), WriteOptions::new(), &rows(&reader));
    let options = WriteOptions::new().schema(schema);
    // Types that read the one read the other, and the columns are the same.
    let again: Vec<Event> =
        Reader::open(copy, "Events").unwrap().entries().collect::<Result<_, _>>().unwrap();
    assert_eq!(format!("{again:?}"), format!("{entries:?}"));
    let (ours, theirs) =
        (Schema::of::<Value>(&options).unwrap(), Schema::of::<Event>(&WriteOptions::new()).unwrap());
    assert_eq!(serde_json::to_value(&ours).unwrap(), serde_json::to_value(&theirs).unwrap());
}

#[test]
fn a_selection_is_written_with_its_own_schema() {
    let entries: Vec<Event> = samples(30, 5);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill_all(&entries).unwrap();
    let file = writer.finish_into().unwrap().1;
    for patterns in [&["*"][..], &["muons.pt", "j*"], &["process"]] {
        let options = ReadOptions::new().fields(patterns.iter().copied());
        let reader = Reader::<Value>::open_with(file.clone(), "Events", options).unwrap();
        let batches: Vec<_> = reader.batches(11).collect::<Result<_, _>>().unwrap();
        let copy = open(write_columns(reader.selected_schema().unwrap(), small(), &batches));
        assert_eq!(rows(&copy), rows(&reader), "{patterns:?}");
    }
}

fn muons() -> SchemaBuilder {
    let muon = FieldType::record([
        Field::new("pt", FieldType::F32).with_description("Transverse momentum").with_unit("GeV"),
        Field::new("cells", FieldType::array(FieldType::U8, 2)),
    ]);
    SchemaBuilder::new()
        .field(Field::new("muons", FieldType::vector(muon)))
        .field(Field::new("n_muons", FieldType::CARDINALITY).view_of("muons"))
        .field(Field::new("tag", "std::variant<std::int32_t,std::string>".parse().unwrap()))
}

fn muon(pt: f32) -> Value {
    Value::record([("pt", Value::from(pt)), ("cells", vec![Value::U8(1), Value::U8(2)].into())])
}

fn event(muons: Vec<Value>, tag: Value) -> Value {
    Value::record([("muons", Value::List(muons)), ("tag", tag)])
}

fn tag(tag: u32, value: impl Into<Value>) -> Value {
    Value::Variant { tag, value: Some(Box::new(value.into())) }
}

#[test]
fn values_of_another_type_are_refused_and_cost_nothing() {
    let options = WriteOptions::new().schema(muons());
    let mut writer = Writer::<Value, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill(&event(vec![muon(1.0)], tag(1, 5i32))).unwrap();
    let good = || tag(2, "two");
    let cells = |cells: Vec<Value>| Value::record([("pt", Value::F32(1.0)), ("cells", cells.into())]);
    let two = |second: &'static str| {
        Value::record([("muons", Value::List(vec![])), ("tag", good()), (second, Value::U64(0))])
    };
    let cases = [
        (Value::U8(1), "Events: the field takes a record, not `u8`"),
        (event(vec![Value::F32(1.0)], good()), "Events: muons._0: the field takes a record, not `f32`"),
        (
            event(
                vec![muon(1.0), Value::record([("pt", Value::F64(1.0)), ("cells", Value::List(vec![]))])],
                good(),
            ),
            "Events: muons._0.pt: the field takes `f32`, not `f64`",
        ),
        (
            event(vec![Value::record([("pt", 1.0f32)])], good()),
            "Events: muons._0.cells: the value has no such member",
        ),
        (
            event(vec![cells(vec![Value::U8(1)])], good()),
            "Events: muons._0.cells: the array has 2 items, not 1 item",
        ),
        (
            event(vec![cells(vec![Value::U8(1), Value::I8(1)])], good()),
            "Events: muons._0.cells._0: the field takes `u8`, not `i8`",
        ),
        (event(vec![], tag(1, "one")), "Events: tag._0: the field takes `i32`, not a string"),
        (
            event(vec![], tag(3, "three")),
            "Events: tag: the value has alternative 3, but the variant has 2 alternatives",
        ),
        (
            event(vec![], Value::Variant { tag: 1, value: None }),
            "Events: tag: the value has alternative 1, but the variant has 2 alternatives",
        ),
        (Value::record([("muons", Value::List(vec![]))]), "Events: tag: the value has no such member"),
        (two("other"), "Events: other: the schema has no such field"),
    ];
    for (value, wanted) in cases {
        let error = writer.fill(&value).unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string().ends_with(wanted)),
            (ErrorKind::InvalidArgument, true),
            "{error}"
        );
        // The same as columns.
        let mut columns = AnyColumns::default();
        rntuple::columns::Columnar::push_to(&value, &mut columns);
        let error = writer.fill_columns(columns.as_slice()).unwrap_err();
        let path = wanted.rsplit_once(": ").unwrap().0;
        assert!(error.to_string().contains(path), "{error}: {wanted}");
    }
    // Views may be among the members, in any place.
    writer.fill(&two("n_muons")).unwrap();
    let reader = open(writer.finish_into().unwrap().1);
    let wanted = [
        Value::record([("muons", vec![muon(1.0)].into()), ("tag", tag(1, 5i32)), ("n_muons", Value::U64(1))]),
        Value::record([("muons", vec![].into()), ("tag", tag(2, "two")), ("n_muons", Value::U64(0))]),
    ];
    assert_eq!(rows(&reader), wanted);
    let pt = reader.schema().find("muons._0.pt").unwrap();
    assert_eq!(reader.schema().field(pt).unwrap().unit(), Some("GeV"));
}

#[test]
fn schemas_that_cannot_be_are_refused_before_there_is_a_file() {
    #[derive(RNTuple)]
    struct Typed {
        x: f32,
    }
    #[derive(RNTuple)]
    struct Around {
        value: Value,
    }
    #[derive(RNTuple)]
    struct Flattened {
        #[rntuple(flatten)]
        value: Value,
    }

    let refused = |fields: Vec<Field>| {
        let schema = fields.into_iter().fold(SchemaBuilder::new(), SchemaBuilder::field);
        Schema::of::<Value>(&WriteOptions::new().schema(schema)).unwrap_err().to_string()
    };
    let record = || FieldType::record([Field::new("x", FieldType::F32)]);
    for (fields, wanted) in [
        (vec![], "an entry without members cannot be stored"),
        (vec![Field::new("a b", FieldType::F32)], "the name \"a b\" cannot contain ' '"),
        (
            vec![Field::new("x", FieldType::F32), Field::new("x", FieldType::F64)],
            "x: two fields have this name",
        ),
        (vec![Field::new("x", FieldType::optional(record()))], "x._0: a record without a class is part of"),
        (
            vec![Field::new("x", FieldType::CARDINALITY)],
            "x: the size of a collection can only be a view of it",
        ),
        (
            vec![Field::new("x", FieldType::array(FieldType::I8, 0))],
            "x: an array of no items cannot be stored",
        ),
        (
            vec![Field::new("x", FieldType::I8).with_encoding(ColumnEncoding::of(ColumnType::Real16))],
            "x: the field has no column that can be stored as Real16",
        ),
        (
            vec![Field::new("x", FieldType::F32), Field::new("y", FieldType::F64).view_of("x")],
            "`y as a view of x` cannot be: `x` is `float`, not `double`",
        ),
        (
            vec![Field::new("x", FieldType::variant(vec![FieldType::F32; 126]))],
            "x: a variant has at most 125 alternatives",
        ),
    ] {
        let error = refused(fields);
        assert!(error.contains(wanted), "{error}");
    }
    let error = Schema::of::<Value>(&WriteOptions::new()).unwrap_err();
    assert!(error.to_string().ends_with("need the option `schema`, which says their fields"), "{error}");
    let error = Schema::of::<Typed>(&WriteOptions::new().schema(muons())).unwrap_err();
    assert!(error.to_string().ends_with("which only entries of the type `Value` take"), "{error}");
    let message = "a `Value` has no type of its own: it can be written as an entry, not as a member";
    let error = Schema::of::<Around>(&WriteOptions::new()).unwrap_err();
    assert!(error.to_string().ends_with(&format!("value: {message}")), "{error}");
    // A flattened one would be appended without a look at what it is.
    let error = Schema::of::<Flattened>(&WriteOptions::new().schema(muons())).unwrap_err();
    assert!(error.to_string().ends_with(message), "{error}");
}

#[test]
fn values_of_another_schema_are_refused_after_an_extension_too() {
    #[derive(RNTuple, Clone)]
    struct Late {
        x: u8,
    }
    let schema = SchemaBuilder::new()
        .field(Field::new("a", FieldType::U32))
        .field(Field::new("b", FieldType::vector(FieldType::U32)));
    let good = |a: u32| Value::record([("a", Value::U32(a)), ("b", vec![Value::U32(a)].into())]);
    let bad = [Value::record([("a", Value::U32(0))]), {
        Value::record([("a", Value::U32(0)), ("b", vec![Value::U32(0), Value::I8(0)].into())])
    }];
    let options = WriteOptions::new().schema(schema);
    let mut writer = Writer::<Value, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill(&good(0)).unwrap();
    let mut writer = writer.extend::<Late>().unwrap();
    for bad in &bad {
        let refused = writer.fill_both(bad, &Late { x: 1 }).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
        let both = rntuple::extend::Extended { base: bad.clone(), extra: Late { x: 1 } };
        assert_eq!(writer.fill(&both).unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
    writer.fill_both(&good(1), &Late { x: 2 }).unwrap();
    let file = writer.finish_into().unwrap().1;
    let row = |a: u32, x: u8| {
        Value::record([("a", Value::U32(a)), ("b", vec![Value::U32(a)].into()), ("x", Value::U8(x))])
    };
    assert_eq!(rows(&open(file)), [row(0, 0), row(1, 2)]);
}

#[test]
fn values_join_entries_with_a_schema_of_their_own() {
    #[derive(RNTuple)]
    struct Number {
        number: u64,
    }
    #[derive(RNTuple)]
    struct Late {
        x: u8,
    }
    let weight = |weight: f64| Value::record([("weight", Value::F64(weight))]);
    let row = |number: u64, weight: f64| {
        Value::record([("number", Value::U64(number)), ("weight", Value::F64(weight))])
    };
    let options =
        WriteOptions::new().schema(SchemaBuilder::new().field(Field::new("weight", FieldType::F64)));

    let mut writer = Writer::<Number, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&Number { number: 1 }).unwrap();
    let refused = writer.extend::<Value>().unwrap_err();
    assert!(refused.to_string().contains("need the option `schema`"), "{refused}");
    let refused = refused.writer.extend_with::<Late>(&options).unwrap_err();
    assert!(refused.to_string().ends_with("which only entries of the type `Value` take"), "{refused}");
    let mut writer = refused.writer.extend_with::<Value>(&options).unwrap();
    let narrow = Value::record([("weight", Value::F32(0.5))]);
    assert!(writer.fill_both(&Number { number: 2 }, &narrow).is_err());
    writer.fill_both(&Number { number: 2 }, &weight(0.5)).unwrap();
    assert_eq!(rows(&open(writer.finish_into().unwrap().1)), [row(1, 0.0), row(2, 0.5)]);

    let mut writer = Writer::<Number, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill_all(&[Number { number: 1 }, Number { number: 2 }]).unwrap();
    let file = writer.finish_into().unwrap().1;
    let mut adder = ColumnAdder::<Value, _>::append_to(file, "Events", options).unwrap();
    adder.fill_all(&[weight(1.5), weight(2.5)]).unwrap();
    assert_eq!(rows(&open(adder.finish_into().unwrap().1)), [row(1, 1.5), row(2, 2.5)]);
}

#[test]
fn fields_are_stored_as_they_ask() {
    let half = ColumnEncoding::of(ColumnType::Real16);
    let [cut, steps] =
        [ColumnEncoding::truncated(20).unwrap(), ColumnEncoding::quantized(8, 0.0, 1.0).unwrap()];
    let schema = SchemaBuilder::new()
        .field(Field::new("cut", FieldType::F32).with_encoding(cut))
        .field(Field::new("steps", FieldType::vector(FieldType::F64)).with_encoding(steps))
        .field(
            Field::new("both", FieldType::F32)
                .with_representations([half, ColumnEncoding::of(ColumnType::Real32)]),
        )
        .field(Field::new("x", FieldType::F64).as_double32())
        .field(Field::new("number", FieldType::I32).with_encoding(ColumnEncoding::of(ColumnType::Int32)));
    let options = WriteOptions::new().schema(schema);
    let mut writer = Writer::<Value, _>::new(Memory::new(), "Events", options).unwrap();
    let entry = Value::record([
        ("cut", Value::F32(1.000_000_1)),
        ("steps", vec![Value::F64(0.5)].into()),
        ("both", Value::F32(1.0001)),
        ("x", Value::F64(0.1)),
        ("number", Value::I32(-1)),
    ]);
    writer.fill(&entry).unwrap();
    writer.commit_cluster().unwrap();
    writer.use_representation("both", 1).unwrap();
    writer.fill(&entry).unwrap();
    let reader = open(writer.finish_into().unwrap().1);
    // What says how precise values are is kept by a copy, what says how they are split is not.
    let copy = open(write(SchemaBuilder::like(reader.schema()).unwrap(), small(), &rows(&reader)));
    let columns = |reader: &Reader<Value>| -> Vec<String> {
        let schema = reader.schema();
        schema
            .columns()
            .map(|(_, column)| format!("{:?} {}", column.column_type().unwrap(), column.bits))
            .collect()
    };
    let stored = [
        "Real32Trunc 20",
        "SplitIndex64 64",
        "Real32Quant 8",
        "Real16 16",
        "Real32 32",
        "SplitReal64 64",
        "Int32 32",
    ];
    assert_eq!(columns(&reader), stored);
    let stored =
        ["Real32Trunc 20", "Index64 64", "Real32Quant 8", "Real16 16", "Real32 32", "Real64 64", "Int32 32"];
    assert_eq!(columns(&copy), stored);
    assert_eq!(rows(&reader)[0].get("both"), Some(&Value::F32(1.0)));
    assert_eq!(rows(&reader)[1].get("both"), Some(&Value::F32(1.0001)));
    let alias = |reader: &Reader<Value>| {
        reader.schema().field(reader.schema().find("x").unwrap()).unwrap().type_alias.clone()
    };
    assert_eq!((&*alias(&reader), &*alias(&copy)), ("Double32_t", "Double32_t"));
}

#[test]
fn an_ntuple_is_continued_with_its_own_schema() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.root");
    let mut writer = Writer::<Value>::create(&path, "Events", WriteOptions::new().schema(muons())).unwrap();
    writer.fill(&event(vec![muon(1.0)], tag(1, 5i32))).unwrap();
    writer.finish().unwrap();
    let mut writer = Writer::<Value>::append(&path, "Events", WriteOptions::new()).unwrap();
    writer.fill(&event(vec![muon(2.0), muon(3.0)], tag(2, "x"))).unwrap();
    writer.finish().unwrap();
    let other = SchemaBuilder::new().field(Field::new("muons", FieldType::F32));
    let error = Writer::<Value>::append(&path, "Events", WriteOptions::new().schema(other)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch, "{error}");
    let reader = Reader::<Value>::open(&path, "Events").unwrap();
    let counts: Vec<_> = rows(&reader).iter().map(|row| row.get("n_muons").unwrap().clone()).collect();
    assert_eq!(counts, [Value::U64(1), Value::U64(2)]);
}

#[test]
fn many_threads_write_values() {
    let options = WriteOptions::new().schema(muons());
    let writer = ParallelWriter::<Value, _>::new(Memory::new(), "Events", options).unwrap();
    let filled = writer.scope(|scope| {
        for thread in 0..3u8 {
            scope.spawn(move |context| {
                (0..100).try_for_each(|_| context.fill(&event(vec![muon(f32::from(thread))], tag(1, 5i32))))
            });
        }
    });
    filled.unwrap();
    assert_eq!(open(writer.finish_into().unwrap().1).entry_count().unwrap(), 300);
}

/// What lists of entries, pools and budgets do for rows they do for columns of any file.
#[test]
fn columns_of_some_entries_are_read_by_threads_within_a_budget() {
    let options = WriteOptions::new().cluster_size(100_000).max_page_length(4096);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(&samples(2000, 9)).unwrap();
    let file = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();
    let plain = Reader::<Value>::open(&file, "Events").unwrap();
    let little = ReadOptions::new().memory_budget(1);
    let refused = Reader::<Value>::open_with(&file, "Events", little);
    let refused = refused.and_then(|reader| reader.batches(10).next().transpose()).unwrap_err();
    assert!(refused.to_string().contains("memory budget"), "{refused}");
    let pool = Pool::new(2).unwrap();
    let options = ReadOptions::new().pool(&pool).memory_budget(4 << 20);
    let reader = Reader::<Value>::open_with(&file, "Events", options).unwrap();
    let lists: [EntryList; 4] = [
        (0..2000).into(),
        (700..1100).into(),
        (0..2000u64).step_by(7).collect(),
        [3..4, 90..400, 1990..5000].into_iter().collect(),
    ];
    for list in lists {
        let rows: Vec<Value> = plain.entries_in(&list).collect::<Result<_, _>>().unwrap();
        assert_eq!(rows.len() as u64, list.entry_count().min(if list.contains(4999) { 321 } else { 2000 }));
        for size in [1, 64, 5000] {
            let mut found = Vec::new();
            for batch in reader.batches_in(&list, size) {
                let batch = batch.unwrap();
                found.extend((0..batch.len()).map(|index| batch.as_slice().value(index).unwrap()));
            }
            assert!(shown(&found) == shown(&rows), "in batches of {size}");
        }
    }
}

#[test]
fn columns_are_made_of_parts_that_fit() {
    let numbers = |count: usize| AnyColumns::I32((0..).take(count).collect());
    assert!(AnyArrays::new(2, 3, numbers(5)).is_err());
    assert!(AnyArrays::new(usize::MAX, 3, numbers(5)).is_err());
    assert!(AnyRecords::from_members(3, [("a", numbers(3)), ("b", numbers(2))]).is_err());
    assert!(AnyVariants::from_alternatives([Some(0), Some(1)], vec![numbers(1)]).is_err());
    assert!(AnyVariants::from_alternatives([Some(0), None], vec![numbers(2)]).is_err());
    let variants =
        AnyVariants::from_alternatives([Some(1), None, Some(0), Some(1)], vec![numbers(1), numbers(2)])
            .unwrap();
    let columns = AnyColumns::Record(
        AnyRecords::from_members(
            4,
            [
                ("array", AnyColumns::Array(Box::new(AnyArrays::new(2, 4, numbers(8)).unwrap()))),
                ("variant", AnyColumns::Variant(variants)),
                ("list", AnyColumns::List(Box::new(Lists::from_counts([1, 0, 2, 0], numbers(3)).unwrap()))),
                (
                    "option",
                    AnyColumns::Option(Box::new(
                        Options::from_mask([true, false, false, true], numbers(2)).unwrap(),
                    )),
                ),
            ],
        )
        .unwrap(),
    );
    let schema = ["std::array<int,2>", "std::variant<int,int>", "std::vector<int>", "std::optional<int>"];
    let schema = ["array", "variant", "list", "option"]
        .into_iter()
        .zip(schema)
        .fold(SchemaBuilder::new(), |schema, (name, spelled)| {
            schema.field(Field::new(name, spelled.parse().unwrap()))
        });
    let slice = columns.as_slice();
    let wanted: Vec<Value> = (0..4).map(|index| slice.value(index).unwrap()).collect();
    assert_eq!(rows(&open(write_columns(schema.clone(), small(), &[columns]))), wanted);
    assert_eq!(rows(&open(write(schema, small(), &wanted))), wanted);
}

/// A type, and a way to make values of it.
fn types() -> impl Strategy<Value = FieldType> {
    let leaf = prop_oneof![
        Just(FieldType::BOOL),
        Just(FieldType::BYTE),
        Just(FieldType::CHAR),
        Just(FieldType::I8),
        Just(FieldType::U16),
        Just(FieldType::I32),
        Just(FieldType::U64),
        Just(FieldType::F32),
        Just(FieldType::F64),
        Just(FieldType::STRING),
    ];
    leaf.prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(FieldType::vector),
            inner.clone().prop_map(FieldType::optional),
            (inner.clone(), 1..4u64).prop_map(|(item, count)| FieldType::array(item, count)),
            prop::collection::vec(inner.clone(), 1..3).prop_map(FieldType::tuple),
            prop::collection::vec(inner.clone(), 1..3).prop_map(FieldType::variant),
            (inner.clone(), inner.clone()).prop_map(|(key, value)| FieldType::map(key, value)),
            inner.prop_map(|item| FieldType::class(
                // A class of its own for each set of members.
                format!("C{:x}", xxhash_rust::xxh3::xxh3_64(format!("{item:?}").as_bytes())),
                [Field::new("x", item)]
            )),
        ]
    })
}

/// A value of the type that `seed` chooses.
fn value(field_type: &FieldType, seed: &mut u64) -> Value {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let random = *seed >> 33;
    let small = (random % 100) as u8;
    let spelled = field_type.to_string();
    let items = field_type.subfields();
    let item = |number: usize, seed: &mut u64| value(items[number].field_type(), seed);
    match &*spelled {
        "bool" => Value::Bool(random.is_multiple_of(2)),
        "std::byte" | "char" => Value::U8(small),
        "std::int8_t" => Value::I8(small as i8),
        "std::uint16_t" => Value::U16(small.into()),
        "std::int32_t" => Value::I32(-i32::from(small)),
        "std::uint64_t" => Value::U64(random),
        "float" => Value::F32(small.into()),
        "double" => Value::F64(small.into()),
        "std::string" => Value::String("µ".repeat(usize::from(small % 5))),
        _ if spelled.starts_with("std::vector<") || spelled.starts_with("std::map<") => {
            Value::List((0..random % 4).map(|_| item(0, seed)).collect())
        }
        _ if spelled.starts_with("std::optional<") => {
            Value::from((!random.is_multiple_of(3)).then(|| item(0, seed)))
        }
        _ if spelled.starts_with("std::bitset<") => {
            let count: usize = spelled["std::bitset<".len()..spelled.len() - 1].parse().unwrap();
            Value::List((0..count).map(|bit| Value::Bool(random >> bit & 1 == 1)).collect())
        }
        _ if spelled.starts_with("std::array<") => {
            let count: usize = spelled.rsplit_once(',').unwrap().1.trim_end_matches('>').parse().unwrap();
            Value::List((0..count).map(|_| item(0, seed)).collect())
        }
        _ if spelled.starts_with("std::variant<") => match random as usize % (items.len() + 1) {
            0 => Value::Variant { tag: 0, value: None },
            number => tag(number as u32, item(number - 1, seed)),
        },
        _ => Value::record((0..items.len()).map(|number| (items[number].name(), item(number, seed)))),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whatever the schema is, what is written is read, row by row and column by column, in two ways each.
    #[test]
    fn any_schema_is_written_and_read(types in prop::collection::vec(types(), 1..4), seed: u64, count in 0..40usize) {
        let names = ["a", "b", "c"];
        let schema = names.iter().zip(&types).fold(SchemaBuilder::new(), |schema, (name, field_type)| {
            schema.field(Field::new(*name, field_type.clone()))
        });
        let mut seed = seed;
        let wanted: Vec<Value> = (0..count)
            .map(|_| Value::record(names.iter().zip(&types).map(|(name, of)| (*name, value(of, &mut seed)))))
            .collect();
        let by_rows = open(write(schema.clone(), small(), &wanted));
        prop_assert_eq!(&rows(&by_rows), &wanted);
        prop_assert_eq!(&SchemaBuilder::like(by_rows.schema()).unwrap(), &schema);
        let batches: Vec<_> = by_rows.batches(7).collect::<Result<_, _>>().unwrap();
        let by_columns = open(write_columns(schema, small(), &batches));
        prop_assert_eq!(&rows(&by_columns), &wanted);
    }
}
