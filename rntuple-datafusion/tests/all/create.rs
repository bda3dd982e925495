use rntuple::schema::{Field as FileField, FieldType, SchemaBuilder};
use rntuple::{RNTuple, Value, WriteOptions, Writer};
use rntuple_datafusion::{RNTupleTable, TableOptions};

use crate::sample::{context, names, rows, write};

#[tokio::test]
async fn tables_are_created_in_sql() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let context = context(2, 50);
    for (name, location) in [("a", "run2.root"), ("b", "run*.root"), ("c", "")] {
        let create = format!(
            "CREATE EXTERNAL TABLE {name} STORED AS RNTUPLE LOCATION '{}/{location}' OPTIONS ('format.leaves' 'true')",
            folder.path().display()
        );
        rows(&context, &create).await;
    }
    assert_eq!(rows(&context, r#"SELECT count("muons.pt") FROM a"#).await, ["400"]);
    assert_eq!(rows(&context, "SELECT count(*), count(DISTINCT run) FROM b").await, ["1200 | 3"]);
    assert_eq!(rows(&context, "SELECT count(*), count(DISTINCT run) FROM c").await, ["1200 | 3"]);
}

/// Each name of a pattern is for one name of a path.
#[tokio::test]
async fn patterns_are_those_of_whole_paths() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let inside = folder.path().join("run_old").join("part=1");
    std::fs::create_dir_all(&inside).unwrap();
    write(&inside);
    std::fs::write(folder.path().join("run_old").join("notes.txt"), "not a ROOT file").unwrap();
    let context = context(2, 50);
    for (number, (pattern, count)) in [
        ("*", 1200),
        ("run*", 1200),
        ("run[12].root", 800),
        ("**/*.root", 2400),
        ("*/*/run1.root", 400),
        ("run_*/**/run?.root", 1200),
    ]
    .into_iter()
    .enumerate()
    {
        let create = format!(
            "CREATE EXTERNAL TABLE t{number} STORED AS RNTUPLE LOCATION '{}/{pattern}'",
            folder.path().display()
        );
        rows(&context, &create).await;
        let counted = rows(&context, &format!("SELECT count(*) FROM t{number}")).await;
        assert_eq!(counted, [count.to_string()], "{pattern}");
    }
    let none = format!("{}/*/run1.root", folder.path().display());
    let open = RNTupleTable::open(&context.state(), [none], TableOptions::new()).await;
    let error = open.map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("*/run1.root"), "{error}");
}

#[tokio::test]
async fn a_file_that_is_named_twice_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let paths = names(&write(folder.path()));
    let context = context(2, 50);
    let all = format!("{}/run*.root", folder.path().display());
    let twice = [paths[1].clone(), all, paths[1].clone()];
    let table = RNTupleTable::open(&context.state(), twice, TableOptions::new()).await.unwrap();
    context.register_table("events", std::sync::Arc::new(table)).unwrap();
    let query = "SELECT run, count(*) FROM events GROUP BY run ORDER BY run";
    assert_eq!(rows(&context, query).await, ["1 | 400", "2 | 400", "3 | 400"]);
}

#[tokio::test]
async fn names_of_folders_are_columns() {
    let folder = tempfile::tempdir().unwrap();
    for year in [2025, 2026] {
        let folder = folder.path().join(format!("year={year}"));
        std::fs::create_dir(&folder).unwrap();
        write(&folder);
    }
    let context = context(2, 50);
    let create = format!(
        "CREATE EXTERNAL TABLE events STORED AS RNTUPLE PARTITIONED BY (year) LOCATION '{}/'",
        folder.path().display()
    );
    rows(&context, &create).await;
    let query = "SELECT year, count(*), sum(cardinality(muons)) FROM events WHERE number < 1010 GROUP BY year ORDER BY year";
    assert_eq!(rows(&context, query).await, ["2025 | 10 | 13", "2026 | 10 | 13"]);
    assert_eq!(rows(&context, "SELECT count(*) FROM events WHERE year = '2026' AND run = 3").await, ["400"]);
}

#[derive(RNTuple)]
struct Old {
    number: u32,
    met: f32,
}

#[derive(RNTuple)]
struct Jet {
    pt: f64,
}

#[derive(RNTuple)]
struct New {
    jets: Vec<Jet>,
    number: u64,
    met: f64,
}

#[tokio::test]
async fn files_of_other_versions_of_a_schema_are_one_table() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [folder.path().join("old.root"), folder.path().join("new.root")];
    let mut writer = Writer::create(&paths[0], "Events", WriteOptions::new()).unwrap();
    writer.fill(&Old { number: 1, met: 0.5 }).unwrap();
    writer.finish().unwrap();
    let mut writer = Writer::create(&paths[1], "Events", WriteOptions::new()).unwrap();
    writer.fill(&New { jets: vec![Jet { pt: 7.5 }], number: 5_000_000_000, met: 0.25 }).unwrap();
    writer.finish().unwrap();
    let context = context(2, 50);
    let table = RNTupleTable::open(&context.state(), names(&paths), TableOptions::new()).await.unwrap();
    context.register_table("events", std::sync::Arc::new(table)).unwrap();
    let query = "SELECT number, met, jets FROM events ORDER BY number";
    assert_eq!(rows(&context, query).await, ["1 | 0.5 | null", "5000000000 | 0.25 | [{pt: 7.5}]"]);
    assert_eq!(rows(&context, "SELECT number FROM events WHERE jets IS NULL").await, ["1"]);
    assert_eq!(rows(&context, "SELECT number FROM events WHERE number > 3").await, ["5000000000"]);
    let query = "SELECT number FROM events WHERE array_any_match(jets, j -> j['pt'] > 7)";
    assert_eq!(rows(&context, query).await, ["5000000000"]);
}

#[derive(RNTuple)]
struct FirstHit {
    layer: u8,
}

#[derive(RNTuple)]
struct FirstMuon {
    pt: f32,
    hits: Vec<FirstHit>,
}

#[derive(RNTuple)]
struct First {
    number: u32,
    muons: Vec<FirstMuon>,
}

#[derive(RNTuple)]
struct LaterHit {
    charge: f32,
    layer: u16,
}

#[derive(RNTuple)]
struct LaterMuon {
    eta: f64,
    hits: Vec<LaterHit>,
    pt: f32,
}

#[derive(RNTuple)]
struct Later {
    number: u32,
    muons: Vec<LaterMuon>,
}

/// Members that came later, in structs of lists and in lists of these.
#[tokio::test]
async fn members_of_lists_that_files_lack_are_null() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [folder.path().join("first.root"), folder.path().join("later.root")];
    let mut writer = Writer::create(&paths[0], "Events", WriteOptions::new().statistics(true)).unwrap();
    let muon = |pt, layer| FirstMuon { pt, hits: vec![FirstHit { layer }] };
    writer.fill(&First { number: 1, muons: vec![muon(5.0, 1), muon(50.0, 2)] }).unwrap();
    writer.fill(&First { number: 2, muons: vec![] }).unwrap();
    writer.finish().unwrap();
    let mut writer = Writer::create(&paths[1], "Events", WriteOptions::new().statistics(true)).unwrap();
    let hits = vec![LaterHit { charge: 0.5, layer: 300 }];
    writer.fill(&Later { number: 3, muons: vec![LaterMuon { eta: 1.5, hits, pt: 60.0 }] }).unwrap();
    writer.fill(&Later { number: 4, muons: vec![LaterMuon { eta: -1.5, hits: vec![], pt: 6.0 }] }).unwrap();
    writer.finish().unwrap();
    let orders = [[0, 1], [1, 0]];
    for (order, leaves) in orders.into_iter().flat_map(|order| [(order, false), (order, true)]) {
        let context = context(2, 50);
        let names = names(&order.map(|number| paths[number].clone()));
        let table =
            RNTupleTable::open(&context.state(), names, TableOptions::new().leaves(leaves)).await.unwrap();
        context.register_table("events", std::sync::Arc::new(table)).unwrap();
        let checks: &[(&str, &[&str])] = match leaves {
            true => &[
                (
                    r#"SELECT number, "muons.pt", "muons.eta" FROM events ORDER BY number"#,
                    &["1 | [5.0, 50.0] | null", "2 | [] | null", "3 | [60.0] | [1.5]", "4 | [6.0] | [-1.5]"],
                ),
                (r#"SELECT number FROM events WHERE array_any_match("muons.eta", e -> e > 0)"#, &["3"]),
            ],
            false => &[
                (
                    "SELECT number, array_transform(muons, m -> m['pt']), array_transform(muons, m -> m['eta']) FROM events ORDER BY number",
                    &[
                        "1 | [5.0, 50.0] | [null, null]",
                        "2 | [] | []",
                        "3 | [60.0] | [1.5]",
                        "4 | [6.0] | [-1.5]",
                    ],
                ),
                (
                    "SELECT number FROM events WHERE array_any_match(muons, m -> m['eta'] > 0) ORDER BY number",
                    &["3"],
                ),
                (
                    "SELECT number FROM events WHERE array_any_match(muons, m -> m['pt'] > 40) ORDER BY number",
                    &["1", "3"],
                ),
                (
                    "SELECT number FROM events WHERE array_any_match(muons, m -> m['eta'] IS NULL) ORDER BY number",
                    &["1"],
                ),
                (
                    "SELECT number, array_transform(muons, m -> array_transform(m['hits'], h -> h['charge'])) FROM events WHERE number <> 2 ORDER BY number",
                    &["1 | [[null], [null]]", "3 | [[0.5]]", "4 | [[]]"],
                ),
                (
                    "SELECT number, array_transform(muons, m -> m['hits'][1]['layer']) FROM events ORDER BY number",
                    &["1 | [1, 2]", "2 | []", "3 | [300]", "4 | [null]"],
                ),
                (
                    "SELECT m['pt'], m['eta'] FROM (SELECT unnest(muons) AS m FROM events) ORDER BY 1",
                    &["5.0 | null", "6.0 | -1.5", "50.0 | null", "60.0 | 1.5"],
                ),
                ("SELECT muons FROM events WHERE number = 2", &["[]"]),
                ("SELECT muons[1]['eta'] IS NULL FROM events WHERE number = 1", &["true"]),
            ],
        };
        for (query, expected) in checks {
            assert_eq!(rows(&context, query).await, *expected, "{query}, {order:?}");
        }
    }
}

#[tokio::test]
async fn what_cannot_be_a_table_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let context = context(1, 50);
    let state = context.state();
    let open = async |path: String, options| {
        RNTupleTable::open(&state, [path], options).await.map(|_| ()).unwrap_err().to_string()
    };
    let missing = open(format!("{}/none.root", folder.path().display()), TableOptions::new()).await;
    assert!(missing.contains("none.root"), "{missing}");
    let other = open(names(&paths)[0].clone(), TableOptions::new().ntuple("Evens")).await;
    assert!(other.contains("Evens") && other.contains("run1.root"), "{other}");
    let broken = folder.path().join("broken.root");
    std::fs::write(&broken, b"root").unwrap();
    let broken = open(broken.to_str().unwrap().to_owned(), TableOptions::new()).await;
    assert!(broken.contains("broken.root"), "{broken}");
}

#[tokio::test]
async fn lists_have_offsets_of_64_bits_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let context = context(2, 50);
    for (name, options, wanted) in
        [("small", "", "List"), ("large", "OPTIONS ('format.large_lists' 'true')", "LargeList")]
    {
        let create = format!(
            "CREATE EXTERNAL TABLE {name} STORED AS RNTUPLE LOCATION '{}/run1.root' {options}",
            folder.path().display()
        );
        rows(&context, &create).await;
        let query = format!(
            "SELECT arrow_typeof(hits) LIKE '{wanted}(%', sum(cardinality(hits)) FROM {name} GROUP BY 1"
        );
        assert_eq!(rows(&context, &query).await, ["true | 996"], "{name}");
    }
}

#[tokio::test]
async fn columns_that_have_nothing_in_common_are_refused_with_their_names() {
    #[derive(RNTuple)]
    struct Text {
        number: String,
        met: f32,
    }
    #[derive(RNTuple)]
    struct Listed {
        jets: Vec<String>,
        number: u64,
        met: f64,
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut writer = Writer::create(path("old.root"), "Events", WriteOptions::new()).unwrap();
    writer.fill(&Old { number: 1, met: 0.5 }).unwrap();
    writer.finish().unwrap();
    let mut writer = Writer::create(path("new.root"), "Events", WriteOptions::new()).unwrap();
    writer.fill(&New { jets: vec![Jet { pt: 7.5 }], number: 2, met: 0.25 }).unwrap();
    writer.finish().unwrap();
    let mut writer = Writer::create(path("text.root"), "Events", WriteOptions::new()).unwrap();
    writer.fill(&Text { number: "one".to_owned(), met: 0.5 }).unwrap();
    writer.finish().unwrap();
    let mut writer = Writer::create(path("listed.root"), "Events", WriteOptions::new()).unwrap();
    writer.fill(&Listed { jets: vec!["one".to_owned()], number: 3, met: 0.5 }).unwrap();
    writer.finish().unwrap();
    let context = context(1, 50);
    for (one, other, column) in [("old.root", "text.root", "number"), ("new.root", "listed.root", "jets")] {
        for files in [[one, other], [other, one]] {
            let paths = names(&files.map(path));
            let open = RNTupleTable::open(&context.state(), &paths, TableOptions::new()).await;
            let error = open.map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(files[1]) && error.contains(column), "{error}");
            // Where the first file is taken for all, the second one says so when it is read.
            let options = TableOptions::new().same_schema(true);
            let table = RNTupleTable::open(&context.state(), &paths, options).await.unwrap();
            context.deregister_table("events").unwrap();
            context.register_table("events", std::sync::Arc::new(table)).unwrap();
            let query = format!("SELECT {column} FROM events");
            let run = async { context.sql(&query).await?.collect().await };
            match run.await {
                Err(error) => assert!(error.to_string().contains(files[1]), "{error}"),
                // Numbers have a text.
                Ok(_) => assert_eq!((files[0], column), ("text.root", "number")),
            }
        }
    }
}

/// An integer becomes a float only where that has all integers of its type.
#[tokio::test]
async fn integers_become_floats_that_have_them_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(format!("{name}.root"));
    for (name, field_type, value) in [
        ("int8", FieldType::I8, Value::from(-1i8)),
        ("int16", FieldType::I16, Value::from(-3i16)),
        ("int32", FieldType::I32, Value::from(16_777_217i32)),
        ("uint32", FieldType::U32, Value::from(u32::MAX)),
        ("int64", FieldType::I64, Value::from(9_007_199_254_740_993i64)),
        ("uint64", FieldType::U64, Value::from(9_007_199_254_740_993u64)),
        ("float", FieldType::F32, Value::from(0.5f32)),
        ("double", FieldType::F64, Value::from(0.5f64)),
    ] {
        let options =
            WriteOptions::new().schema(SchemaBuilder::new().field(FileField::new("event", field_type)));
        let mut writer = Writer::<Value, _>::create(path(name), "Events", options).unwrap();
        writer.fill(&Value::record([("event", value)])).unwrap();
        writer.finish().unwrap();
    }
    for (files, data_type, expected) in [
        (["int16", "float"], "Float32", ["-3.0", "0.5"]),
        (["float", "int32"], "Float64", ["0.5", "16777217.0"]),
        (["uint32", "double"], "Float64", ["0.5", "4294967295.0"]),
        (["float", "double"], "Float64", ["0.5", "0.5"]),
    ] {
        let context = context(2, 50);
        let paths = names(&files.map(path));
        let table = RNTupleTable::open(&context.state(), paths, TableOptions::new()).await.unwrap();
        context.register_table("events", std::sync::Arc::new(table)).unwrap();
        let expected = expected.map(|value| format!("{data_type} | {value}"));
        let query = "SELECT arrow_typeof(event), event FROM events ORDER BY event";
        assert_eq!(rows(&context, query).await, expected, "{files:?}");
    }
    let context = context(1, 50);
    for files in [
        vec!["uint64", "double"],
        vec!["double", "int64"],
        vec!["int64", "float"],
        // The type of the first two is a decimal.
        vec!["uint64", "int8", "double"],
    ] {
        let paths: Vec<_> = files.iter().map(|name| path(name)).collect();
        let open = RNTupleTable::open(&context.state(), names(&paths), TableOptions::new()).await;
        let error = open.map(|_| ()).unwrap_err().to_string();
        let last = files[files.len() - 1];
        assert!(error.contains(&format!("{last}.root")) && error.contains("event"), "{files:?}: {error}");
    }
}

#[tokio::test]
async fn strings_are_binary_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("names.root");
    let schema = SchemaBuilder::new().field(FileField::new("name", FieldType::STRING));
    let options = WriteOptions::new().schema(schema);
    let mut writer = Writer::<Value, _>::create(&path, "Events", options).unwrap();
    writer.fill(&Value::record([("name", Value::Bytes(vec![0xff, 0x41]))])).unwrap();
    writer.finish().unwrap();
    let context = context(1, 50);
    for (name, options) in [("text", ""), ("bytes", "OPTIONS ('format.binary_strings' 'true')")] {
        let create =
            format!("CREATE EXTERNAL TABLE {name} STORED AS RNTUPLE LOCATION '{}' {options}", path.display());
        rows(&context, &create).await;
    }
    let error = context.sql("SELECT name FROM text").await.unwrap().collect().await.unwrap_err().to_string();
    assert!(error.contains("names.root") && error.contains("binary_strings"), "{error}");
    assert_eq!(rows(&context, "SELECT name FROM bytes").await, ["ff41"]);
}

#[tokio::test]
async fn projected_fields_are_columns_where_that_is_wanted() {
    #[derive(RNTuple)]
    #[rntuple(project(jet_pt: Vec<f64> = "jets.pt"))]
    struct Viewed {
        jets: Vec<Jet>,
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("views.root");
    let mut writer = Writer::create(&path, "Events", WriteOptions::new()).unwrap();
    writer.fill(&Viewed { jets: vec![Jet { pt: 7.5 }, Jet { pt: 2.0 }] }).unwrap();
    writer.finish().unwrap();
    let context = context(1, 50);
    for (name, options) in [("viewed", ""), ("plain", "OPTIONS ('format.views' 'false')")] {
        let create =
            format!("CREATE EXTERNAL TABLE {name} STORED AS RNTUPLE LOCATION '{}' {options}", path.display());
        rows(&context, &create).await;
    }
    assert_eq!(rows(&context, "SELECT jet_pt FROM viewed").await, ["[7.5, 2.0]"]);
    assert_eq!(rows(&context, "SELECT * FROM plain").await, ["[{pt: 7.5}, {pt: 2.0}]"]);
    let error = context.sql("SELECT jet_pt FROM plain").await.map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("jet_pt"), "{error}");
}
