//! Members of structs that are absent are null, wherever a query looks at them: the rows are those that are expected, and those
//! of the same events in Parquet.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rntuple::cxx::UniquePtr;
use rntuple::{RNTuple, Reader, WriteOptions, Writer};
use rntuple_datafusion::TableOptions;

use crate::sample::{context, rows, tables};

#[derive(RNTuple)]
struct Point {
    z: f32,
}

#[derive(RNTuple)]
struct Vertex {
    x: f64,
    tracks: Vec<u16>,
    at: Point,
    seed: Option<Point>,
    name: String,
}

#[derive(RNTuple)]
struct Calo {
    weight: f32,
    inner: Option<Point>,
}

#[derive(RNTuple)]
struct Muon {
    pt: f32,
    at: Point,
}

#[derive(RNTuple)]
enum Decay {
    Photons(u8),
    Leptons { pt: f32, eta: f32 },
}

#[derive(RNTuple)]
struct Event {
    number: u32,
    vertex: Option<Vertex>,
    pointed: UniquePtr<Point>,
    calo: Calo,
    muons: Vec<Option<Muon>>,
    decay: Decay,
    ends: [Option<Point>; 2],
    named: BTreeMap<String, Option<Point>>,
}

/// An event without anything.
fn bare(number: u8) -> Event {
    Event {
        number: number.into(),
        vertex: None,
        pointed: UniquePtr::null(),
        calo: Calo { weight: number.into(), inner: None },
        muons: Vec::new(),
        decay: Decay::Photons(number),
        ends: [None, None],
        named: BTreeMap::new(),
    }
}

fn events() -> [Event; 5] {
    let point = |z: f32| Point { z };
    let muon = |pt: f32, z: f32| Some(Muon { pt, at: point(z) });
    let zero = Vertex { x: 0.0, tracks: vec![], at: point(0.5), seed: None, name: "zero".to_owned() };
    let two =
        Vertex { x: 2.5, tracks: vec![7, 8], at: point(4.5), seed: Some(point(6.5)), name: "two".to_owned() };
    [
        Event { vertex: Some(zero), ends: [Some(point(0.0)), None], ..bare(0) },
        Event {
            pointed: UniquePtr::new(point(-1.0)),
            muons: vec![None, muon(0.0, 0.0)],
            decay: Decay::Leptons { pt: 0.0, eta: 0.5 },
            ..bare(1)
        },
        Event {
            vertex: Some(two),
            calo: Calo { weight: 2.0, inner: Some(point(2.0)) },
            muons: vec![muon(20.0, 1.0), None, muon(5.0, 2.0)],
            ends: [None, Some(point(3.0))],
            named: [("a".to_owned(), None), ("b".to_owned(), Some(point(1.0)))].into_iter().collect(),
            ..bare(2)
        },
        Event { muons: vec![None], decay: Decay::Leptons { pt: 9.0, eta: -0.5 }, ..bare(3) },
        bare(4),
    ]
}

/// A file with clusters of two events and of the last one, which has nothing.
fn write(folder: &Path, has_statistics: bool) -> PathBuf {
    let path = folder.join(format!("absent-{has_statistics}.root"));
    let options = WriteOptions::new().statistics(has_statistics);
    let mut writer = Writer::create(&path, "Events", options).unwrap();
    for event in events() {
        writer.fill(&event).unwrap();
        if event.number % 2 == 1 {
            writer.commit_cluster().unwrap();
        }
    }
    writer.finish().unwrap();
    path
}

type Query = (&'static str, &'static [&'static str]);

const QUERIES: &[Query] = &[
    (
        "SELECT number, vertex['x'] FROM events ORDER BY number",
        &["0 | 0.0", "1 | null", "2 | 2.5", "3 | null", "4 | null"],
    ),
    (
        "SELECT avg(vertex['x']), count(vertex['x']), min(vertex['x']), sum(cardinality(vertex['tracks'])), count(*) FROM events",
        &["1.25 | 2 | 0.0 | 2 | 5"],
    ),
    (
        "SELECT vertex['x'] AS x, count(*) FROM events GROUP BY x ORDER BY x NULLS FIRST",
        &["null | 3", "0.0 | 1", "2.5 | 1"],
    ),
    ("SELECT number FROM events ORDER BY vertex['x'] DESC NULLS LAST, number LIMIT 3", &["2", "0", "1"]),
    ("SELECT number FROM events ORDER BY vertex['x'] NULLS FIRST, number LIMIT 4", &["1", "3", "4", "0"]),
    ("SELECT number FROM events WHERE vertex['x'] IS NULL ORDER BY number", &["1", "3", "4"]),
    ("SELECT number FROM events WHERE vertex['x'] IS NOT NULL ORDER BY number", &["0", "2"]),
    ("SELECT number FROM events WHERE vertex['x'] = 0 ORDER BY number", &["0"]),
    ("SELECT number FROM events WHERE vertex['x'] < 1 ORDER BY number", &["0"]),
    ("SELECT number FROM events WHERE NOT (vertex['x'] < 1) ORDER BY number", &["2"]),
    ("SELECT number FROM events WHERE vertex['x'] <> 2.5 ORDER BY number", &["0"]),
    ("SELECT number FROM events WHERE vertex['x'] IN (0, 7) ORDER BY number", &["0"]),
    ("SELECT number FROM events WHERE coalesce(vertex['x'], -1) < 0 ORDER BY number", &["1", "3", "4"]),
    ("SELECT number FROM events WHERE vertex IS NULL ORDER BY number", &["1", "3", "4"]),
    (
        "SELECT number, vertex['at']['z'], vertex['seed']['z'], vertex['name'], vertex['tracks'] FROM events ORDER BY number",
        &[
            "0 | 0.5 | null | zero | []",
            "1 | null | null | null | null",
            "2 | 4.5 | 6.5 | two | [7, 8]",
            "3 | null | null | null | null",
            "4 | null | null | null | null",
        ],
    ),
    ("SELECT number FROM events WHERE vertex['at'] IS NULL ORDER BY number", &["1", "3", "4"]),
    ("SELECT number FROM events WHERE vertex['at']['z'] IS NULL ORDER BY number", &["1", "3", "4"]),
    ("SELECT number FROM events WHERE vertex['seed'] IS NULL ORDER BY number", &["0", "1", "3", "4"]),
    ("SELECT number FROM events WHERE vertex['seed']['z'] IS NULL ORDER BY number", &["0", "1", "3", "4"]),
    ("SELECT number FROM events WHERE vertex['tracks'] IS NULL ORDER BY number", &["1", "3", "4"]),
    ("SELECT number FROM events WHERE cardinality(vertex['tracks']) = 0 ORDER BY number", &["0"]),
    ("SELECT number FROM events WHERE array_any_match(vertex['tracks'], t -> t > 7) ORDER BY number", &["2"]),
    ("SELECT number FROM events WHERE vertex['name'] IS NULL ORDER BY number", &["1", "3", "4"]),
    (
        "SELECT number, pointed['z'] FROM events ORDER BY number",
        &["0 | null", "1 | -1.0", "2 | null", "3 | null", "4 | null"],
    ),
    ("SELECT number FROM events WHERE pointed['z'] > -2 ORDER BY number", &["1"]),
    (
        "SELECT number, calo['weight'], calo['inner']['z'] FROM events ORDER BY number",
        &["0 | 0.0 | null", "1 | 1.0 | null", "2 | 2.0 | 2.0", "3 | 3.0 | null", "4 | 4.0 | null"],
    ),
    ("SELECT number FROM events WHERE calo['inner']['z'] < 5 ORDER BY number", &["2"]),
    (
        "SELECT number, array_transform(muons, m -> m['pt']), array_transform(muons, m -> m['at']['z']) FROM events ORDER BY number",
        &[
            "0 | [] | []",
            "1 | [null, 0.0] | [null, 0.0]",
            "2 | [20.0, null, 5.0] | [1.0, null, 2.0]",
            "3 | [null] | [null]",
            "4 | [] | []",
        ],
    ),
    ("SELECT number FROM events WHERE array_any_match(muons, m -> m['pt'] < 1) ORDER BY number", &["1"]),
    (
        "SELECT number FROM events WHERE array_any_match(muons, m -> m['pt'] IS NULL) ORDER BY number",
        &["1", "2", "3"],
    ),
    (
        "SELECT number, cardinality(array_filter(muons, m -> m['pt'] < 10)), muons[1]['pt'] FROM events ORDER BY number",
        &["0 | 0 | null", "1 | 1 | null", "2 | 1 | 20.0", "3 | 0 | null", "4 | 0 | null"],
    ),
    ("SELECT count(m['pt']), count(*) FROM (SELECT unnest(muons) AS m FROM events)", &["3 | 6"]),
    (
        "SELECT number FROM (SELECT number, unnest(muons) AS m FROM events) WHERE m['pt'] IS NULL ORDER BY number",
        &["1", "2", "3"],
    ),
    (
        "SELECT number, decay['tag'], decay['_0'], decay['_1']['pt'] FROM events ORDER BY number",
        &[
            "0 | 1 | 0 | null",
            "1 | 2 | null | 0.0",
            "2 | 1 | 2 | null",
            "3 | 2 | null | 9.0",
            "4 | 1 | 4 | null",
        ],
    ),
    ("SELECT count(decay['_1']['eta']), sum(decay['_1']['pt']) FROM events", &["2 | 9.0"]),
    ("SELECT number FROM events WHERE decay['_1']['pt'] = 0 ORDER BY number", &["1"]),
    ("SELECT number FROM events WHERE decay['_1']['pt'] IS NULL ORDER BY number", &["0", "2", "4"]),
    (
        "SELECT number, array_transform(named, pair -> pair['_1']['z']) FROM events WHERE number > 1 ORDER BY number",
        &["2 | [null, 1.0]", "3 | []", "4 | []"],
    ),
];

/// Arrays of structs, for which Parquet has no type.
const OF_ARRAYS: Query = (
    "SELECT number, ends[1]['z'], ends[2]['z'] FROM events ORDER BY number",
    &["0 | 0.0 | null", "1 | null | null", "2 | null | 3.0", "3 | null | null", "4 | null | null"],
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_of_absent_structs_are_null() {
    let folder = tempfile::tempdir().unwrap();
    let files = [true, false].map(|has_statistics| write(folder.path(), has_statistics));
    for (file, partitions, batch_size) in [(0, 1, 8192), (1, 1, 8192), (0, 3, 2), (1, 3, 2)] {
        let context = context(partitions, batch_size);
        tables(&context, &files[file..=file], TableOptions::new()).await;
        for (query, expected) in QUERIES.iter().chain([&OF_ARRAYS]) {
            assert_eq!(rows(&context, query).await, *expected, "{query}, {partitions}, {:?}", files[file]);
        }
    }
}

#[tokio::test]
async fn members_of_absent_structs_are_null_as_in_parquet() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), true);
    let (here, there) = (context(1, 8192), context(1, 8192));
    tables(&here, &[file], TableOptions::new()).await;
    let parquet = folder.path().join("absent.parquet");
    let parquet = parquet.display();
    let copy = format!(
        "COPY (SELECT number, vertex, pointed, calo, muons, decay, named FROM events) TO '{parquet}' STORED AS PARQUET"
    );
    assert_eq!(rows(&here, &copy).await, ["5"]);
    let create = format!("CREATE EXTERNAL TABLE events STORED AS PARQUET LOCATION '{parquet}'");
    rows(&there, &create).await;
    for (query, expected) in QUERIES {
        assert_eq!(rows(&there, query).await, *expected, "{query}");
    }
}

#[tokio::test]
async fn columns_of_members_of_absent_structs_are_null() {
    let folder = tempfile::tempdir().unwrap();
    for has_statistics in [true, false] {
        let file = write(folder.path(), has_statistics);
        let context = context(1, 2);
        tables(&context, &[file], TableOptions::new().leaves(true)).await;
        let checks: &[Query] = &[
            (
                r#"SELECT number, "vertex.x", "vertex.at.z", "vertex.seed.z", "pointed.z", "muons.pt", decay['_1']['pt']
                FROM events ORDER BY number"#,
                &[
                    "0 | 0.0 | 0.5 | null | null | [] | null",
                    "1 | null | null | null | -1.0 | [null, 0.0] | 0.0",
                    "2 | 2.5 | 4.5 | 6.5 | null | [20.0, null, 5.0] | null",
                    "3 | null | null | null | null | [null] | 9.0",
                    "4 | null | null | null | null | [] | null",
                ],
            ),
            (r#"SELECT number FROM events WHERE "vertex.x" IS NULL ORDER BY number"#, &["1", "3", "4"]),
            (r#"SELECT number FROM events WHERE "vertex.x" < 1"#, &["0"]),
            (
                r#"SELECT number FROM events WHERE array_any_match("muons.pt", pt -> pt IS NULL) ORDER BY number"#,
                &["1", "2", "3"],
            ),
            ("SELECT number FROM events WHERE decay['_1']['pt'] < 1", &["1"]),
        ];
        for (query, expected) in checks {
            assert_eq!(rows(&context, query).await, *expected, "{query}");
        }
    }
}

/// A file whose structs have fewer members, of other types.
#[tokio::test]
async fn members_of_absent_structs_are_null_in_files_of_other_versions() {
    #[derive(RNTuple)]
    struct OldVertex {
        x: f32,
    }
    #[derive(RNTuple)]
    struct OldEvent {
        number: u32,
        vertex: Option<OldVertex>,
    }
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old.root");
    let mut writer = Writer::create(&old, "Events", WriteOptions::new()).unwrap();
    writer.fill(&OldEvent { number: 10, vertex: Some(OldVertex { x: 1.5 }) }).unwrap();
    writer.fill(&OldEvent { number: 11, vertex: None }).unwrap();
    writer.finish().unwrap();
    let new = write(folder.path(), true);
    for files in [[old.clone(), new.clone()], [new, old]] {
        let context = context(2, 50);
        tables(&context, &files, TableOptions::new()).await;
        let checks: &[Query] = &[
            (
                "SELECT number, vertex['x'], vertex['at']['z'] FROM events WHERE number > 1 ORDER BY number",
                &[
                    "2 | 2.5 | 4.5",
                    "3 | null | null",
                    "4 | null | null",
                    "10 | 1.5 | null",
                    "11 | null | null",
                ],
            ),
            ("SELECT number FROM events WHERE vertex['x'] IS NULL ORDER BY number", &["1", "3", "4", "11"]),
            ("SELECT number FROM events WHERE vertex['x'] < 2 ORDER BY number", &["0", "10"]),
            ("SELECT sum(vertex['x']), count(vertex['x']) FROM events", &["4.0 | 3"]),
        ];
        for (query, expected) in checks {
            assert_eq!(rows(&context, query).await, *expected, "{query}");
        }
    }
}

#[tokio::test]
async fn members_of_absent_structs_are_written_as_nulls() {
    #[derive(RNTuple)]
    struct Skim {
        x: Option<f64>,
    }
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), true);
    let here = context(1, 8192);
    tables(&here, &[file], TableOptions::new()).await;
    let skim = folder.path().join("skim.root");
    let copy = |columns: &str, options: &str| {
        let to = skim.display();
        format!(
            "COPY (SELECT {columns} FROM events ORDER BY number) TO '{to}' OPTIONS ('format.compression' 'none'{options})"
        )
    };
    assert_eq!(rows(&here, &copy("number, vertex['x'] AS x", "")).await, ["5"]);
    let reader = Reader::<Skim>::open(&skim, "Events").unwrap();
    let read: Vec<_> = reader.entries().map(|skim| skim.unwrap().x).collect();
    assert_eq!(read, [Some(0.0), None, Some(2.5), None, None]);
    // It would not be replaced while it is read.
    drop(reader);

    let columns = "number, array_transform(muons, m -> m['pt']) AS pt";
    let refused = here.sql(&copy(columns, "")).await.unwrap().collect().await.unwrap_err().to_string();
    assert!(refused.contains("nested_nulls"), "{refused}");
    let with_nulls = copy(&format!("{columns}, vertex"), ", 'format.nested_nulls' 'true'");
    assert_eq!(rows(&here, &with_nulls).await, ["5"]);
    let there = context(1, 8192);
    tables(&there, &[skim], TableOptions::new()).await;
    let query = "SELECT number, pt, vertex['x'], vertex['at']['z'] FROM events ORDER BY number";
    assert_eq!(
        rows(&there, query).await,
        [
            "0 | [] | 0.0 | 0.5",
            "1 | [null, 0.0] | null | null",
            "2 | [20.0, null, 5.0] | 2.5 | 4.5",
            "3 | [null] | null | null",
            "4 | [] | null | null",
        ]
    );
}
