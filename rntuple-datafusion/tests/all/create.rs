use rntuple::{RNTuple, WriteOptions, Writer};
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
