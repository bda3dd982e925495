//! Files whose types are narrower, or whose fields come in another order, read as those of one type.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

use rntuple::columns::AnyColumns;
use rntuple::join::Overlay;
use rntuple::schema::{Field, FieldId, FieldType, Scalar, SchemaBuilder};
use rntuple::storage::Memory;
use rntuple::{ErrorKind, RNTuple, ReadOptions, Reader, Value, WriteOptions, Writer};

/// Types, what they are called, and their least and greatest values.
fn numbers() -> Vec<(FieldType, &'static str, [Value; 2])> {
    macro_rules! limits {
        ($($name:ident $spelled:literal $type:ident)*) => {
            vec![$((FieldType::$name, $spelled, [Value::from($type::MIN), Value::from($type::MAX)])),*]
        };
    }
    limits! {
        I8 "std::int8_t" i8
        U8 "std::uint8_t" u8
        I16 "std::int16_t" i16
        U16 "std::uint16_t" u16
        I32 "std::int32_t" i32
        U32 "std::uint32_t" u32
        I64 "std::int64_t" i64
        U64 "std::uint64_t" u64
        F32 "float" f32
        F64 "double" f64
    }
}

fn file(field_type: &FieldType, values: &[Value]) -> Memory {
    let schema = SchemaBuilder::new().field(Field::new("x", field_type.clone()));
    let options = WriteOptions::new().schema(schema).statistics(true);
    let mut writer = Writer::<Value, _>::new(Memory::new(), "Events", options).unwrap();
    values.iter().for_each(|value| writer.fill(&Value::record([("x", value.clone())])).unwrap());
    writer.finish_into().unwrap().1
}

fn shown(file: Memory, type_name: &str) -> Overlay {
    Overlay::new(file).types([(FieldId(0), type_name.to_owned())])
}

/// As text, which is the same for a number in all types that have it.
fn texts(values: impl IntoIterator<Item = Value>) -> Vec<String> {
    let text = |value| match value {
        Value::F32(value) => format!("{:?}", f64::from(value)),
        Value::F64(value) => format!("{value:?}"),
        value => serde_json::to_string(&value).unwrap(),
    };
    values.into_iter().map(text).collect()
}

#[test]
fn every_type_reads_what_it_includes() {
    let mut pairs = 0;
    for (wide_type, wide, values) in numbers() {
        for (narrow_type, narrow, others) in numbers() {
            let scalars = [wide, narrow].map(|name| Scalar::named(name).unwrap());
            let is_included = scalars[0].includes(scalars[1]);
            let both = [file(&wide_type, &values), file(&narrow_type, &others)];
            let opened = Reader::<Value>::open(both.map(|file| shown(file, wide)), "Events");
            if !is_included {
                let error = opened.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::SchemaMismatch, "{wide} of {narrow}: {error}");
                assert!(error.to_string().contains('x'), "{error}");
                continue;
            }
            pairs += 1;
            let reader = opened.unwrap();
            let found = reader.entries().map(|entry| entry.unwrap().get("x").unwrap().clone());
            let found: Vec<Value> = found.collect();
            let is_same = |value: &Value| std::mem::discriminant(value) == std::mem::discriminant(&values[0]);
            assert!(found.iter().all(is_same), "{wide} of {narrow}: {found:?}");
            assert_eq!(texts(found), texts(values.iter().chain(&others).cloned()), "{wide} of {narrow}");
        }
    }
    assert_eq!(pairs, 10 + 2 + 1 + 4 + 2 + 6 + 3 + 1);
}

#[test]
fn columns_of_all_files_have_one_type() {
    #[derive(RNTuple)]
    struct Wide {
        x: f64,
    }
    let values = |numbers: [f32; 2]| numbers.map(Value::from);
    let narrow = file(&FieldType::F32, &values([0.1, 0.2]));
    let wide = file(&FieldType::F64, &[Value::F64(0.3)]);
    // In the first place, where the schema comes from, and after others.
    let files = [narrow.clone(), wide, narrow.clone()].map(|file| shown(file, "double"));
    let reader = Reader::<Value>::open_with(files, "Events", ReadOptions::new().same_schema(true)).unwrap();
    let (a, b) = (f64::from(0.1f32), f64::from(0.2f32));
    let columns: Vec<AnyColumns> = reader.batches(10).collect::<Result<_, _>>().unwrap();
    let found: Vec<f64> = columns
        .iter()
        .flat_map(|columns| match columns {
            AnyColumns::Record(record) => match record.get("x") {
                Some(AnyColumns::F64(values)) => values.clone(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(found, [a, b, 0.3, a, b]);
    // What is written with the schema loses nothing.
    let schema = reader.selected_schema().unwrap();
    let mut writer =
        Writer::<Value, _>::new(Memory::new(), "Events", WriteOptions::new().schema(schema)).unwrap();
    writer.fill(&Value::record([("x", 0.3)])).unwrap();
    let again = Reader::<Wide>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    assert_eq!(again.get(0).unwrap().x, 0.3);
    // A type that does not include it, or is not a number, changes nothing.
    for other in ["float", "std::int32_t", "std::string", "Unknown"] {
        let reader = Reader::<Value>::open(shown(narrow.clone(), other), "Events").unwrap();
        assert_eq!(reader.get(0).unwrap().get("x"), Some(&Value::F32(0.1)), "{other}");
    }
}

#[test]
fn members_may_come_in_another_order() {
    #[derive(RNTuple)]
    struct Mu {
        pt: f32,
        charge: i8,
    }
    #[derive(RNTuple)]
    struct One {
        number: u64,
        muons: Vec<Mu>,
    }
    #[derive(RNTuple)]
    struct Um {
        charge: i8,
        pt: f32,
    }
    #[derive(RNTuple)]
    struct Other {
        muons: Vec<Um>,
        number: u64,
    }
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&One { number: 1, muons: vec![Mu { pt: 0.5, charge: 1 }] }).unwrap();
    let one = writer.finish_into().unwrap().1;
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&Other { number: 2, muons: vec![Um { pt: 1.5, charge: -1 }] }).unwrap();
    let other = writer.finish_into().unwrap().1;
    let reader = Reader::<Value>::open([one.clone(), other, one], "Events").unwrap();
    let batches: Vec<AnyColumns> = reader.batches(10).collect::<Result<_, _>>().unwrap();
    let [AnyColumns::Record(entries)] = &batches[..] else { panic!("{batches:?}") };
    let Some(AnyColumns::U64(numbers)) = entries.get("number") else { panic!("{entries:?}") };
    assert_eq!(*numbers, [1, 2, 1]);
    let Some(AnyColumns::List(muons)) = entries.get("muons") else { panic!("{entries:?}") };
    let AnyColumns::Record(muons) = muons.items() else { panic!("{muons:?}") };
    let Some(AnyColumns::F32(pt)) = muons.get("pt") else { panic!("{muons:?}") };
    assert_eq!(*pt, [0.5, 1.5, 0.5]);
    let Some(AnyColumns::I8(charge)) = muons.get("charge") else { panic!("{muons:?}") };
    assert_eq!(*charge, [1, -1, 1]);
}
