//! `rntuple query --output`: each format has the rows, read by other readers.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs::{self, File};
use std::path::Path;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::ipc::reader::FileReader;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rntuple::{RNTuple, Reader, WriteOptions, Writer};

use crate::query::run;

#[derive(RNTuple)]
struct Hit {
    layer: u8,
    charge: Option<f32>,
}

#[derive(RNTuple)]
struct Muon {
    pt: f32,
    hits: Vec<Hit>,
}

#[derive(RNTuple)]
struct Event {
    number: u64,
    met: f32,
    weight: Option<f64>,
    name: String,
    muons: Vec<Muon>,
}

/// Events with a NaN, infinities, empty lists on both levels, nulls on top and inside, and text that must be quoted.
fn write(folder: &Path) {
    let muon = |pt, hits: &[Option<f32>]| {
        let hits = (1..).zip(hits).map(|(layer, charge)| Hit { layer, charge: *charge }).collect();
        Muon { pt, hits }
    };
    let events = [
        (f32::NAN, None, "plain", vec![]),
        (
            -0.0,
            Some(0.5),
            "a \"quote\", a comma",
            vec![muon(1.5, &[]), muon(f32::INFINITY, &[Some(2.0), None])],
        ),
        (f32::NEG_INFINITY, None, "", vec![muon(f32::NAN, &[None])]),
        (16_777_216.0, Some(-1e300), "µ\nline", vec![muon(0.1, &[Some(0.25)])]),
    ];
    let path = folder.join("events.root");
    let mut writer = Writer::create(&path, "Events", WriteOptions::new()).unwrap();
    for (number, (met, weight, name, muons)) in (u64::MAX - 3..=u64::MAX).zip(events) {
        writer.fill(&Event { number, met, weight, name: name.to_owned(), muons }).unwrap();
    }
    writer.finish().unwrap();
}

/// The rows of the file, as text.
const ROWS: [&str; 4] = [
    "18446744073709551612 | NaN | null | plain | []",
    "18446744073709551613 | -0.0 | 0.5 | a \"quote\", a comma | [{pt: 1.5, hits: []}, {pt: inf, hits: [{layer: 1, charge: 2.0}, \
     {layer: 2, charge: null}]}]",
    "18446744073709551614 | -inf | null |  | [{pt: NaN, hits: [{layer: 1, charge: null}]}]",
    "18446744073709551615 | 16777216.0 | -1e300 | µ\nline | [{pt: 0.1, hits: [{layer: 1, charge: 0.25}]}]",
];

fn shown(batches: impl IntoIterator<Item = RecordBatch>) -> Vec<String> {
    let options = FormatOptions::new().with_null("null");
    let mut rows = Vec::new();
    for batch in batches {
        let columns = batch.columns().iter();
        let columns: Vec<_> =
            columns.map(|column| ArrayFormatter::try_new(column, &options).unwrap()).collect();
        for row in 0..batch.num_rows() {
            rows.push(
                columns.iter().map(|column| column.value(row).to_string()).collect::<Vec<_>>().join(" | "),
            );
        }
    }
    rows
}

/// Saves the rows of a query in a file.
fn save(folder: &Path, query: &str, name: &str) {
    let saved = run(folder, &[query, "-t", "events=events.root", "--output", name]);
    assert_eq!(saved, (0, String::new()), "{name}");
}

const ALL: &str = "SELECT number, met, weight, name, muons FROM events ORDER BY number";

#[test]
fn parquet_and_arrow_have_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    for name in ["rows.parquet", "rows.arrow"] {
        save(folder.path(), ALL, name);
    }
    let open = |name: &str| File::open(folder.path().join(name)).unwrap();
    let parquet = ParquetRecordBatchReaderBuilder::try_new(open("rows.parquet")).unwrap().build().unwrap();
    assert_eq!(shown(parquet.map(Result::unwrap)), ROWS);
    let arrow = FileReader::try_new(open("rows.arrow"), None).unwrap();
    assert_eq!(shown(arrow.map(Result::unwrap)), ROWS);
}

#[test]
fn root_has_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    // Nulls inside of lists have to be asked for.
    let (code, text) = run(folder.path(), &[ALL, "-t", "events=events.root", "--output", "none.root"]);
    assert!(code != 0 && text.contains("nested_nulls"), "{code}: {text}");
    let copy = format!("COPY ({ALL}) TO 'rows.root' OPTIONS ('format.nested_nulls' 'true')");
    let copied = run(folder.path(), &[&copy, "-t", "events=events.root", "--format", "csv"]);
    assert_eq!(copied, (0, "count\n4\n".to_owned()));
    #[derive(Debug, RNTuple)]
    struct AnyHit {
        layer: Option<u8>,
        charge: Option<f32>,
    }
    #[derive(Debug, RNTuple)]
    struct AnyMuon {
        pt: Option<f32>,
        hits: Option<Vec<Option<AnyHit>>>,
    }
    #[derive(Debug, RNTuple)]
    struct AnyEvent {
        number: u64,
        met: f32,
        weight: Option<f64>,
        name: String,
        muons: Vec<Option<AnyMuon>>,
    }
    let copied = Reader::<AnyEvent>::open(folder.path().join("rows.root"), "Events").unwrap();
    let copied: Vec<String> = copied
        .entries()
        .map(|event| {
            format!("{:?}", event.unwrap()).replace("Some(", "").replace([')', '"'], "").replace("Any", "")
        })
        .collect();
    let expected = [
        "Event { number: 18446744073709551612, met: NaN, weight: None, name: plain, muons: [] }",
        "Event { number: 18446744073709551613, met: -0.0, weight: 0.5, name: a \\quote\\, a comma, muons: \
         [Muon { pt: 1.5, hits: [] }, \
         Muon { pt: inf, hits: [Hit { layer: 1, charge: 2.0 }, Hit { layer: 2, charge: None }] }] }",
        "Event { number: 18446744073709551614, met: -inf, weight: None, name: , muons: \
         [Muon { pt: NaN, hits: [Hit { layer: 1, charge: None }] }] }",
        "Event { number: 18446744073709551615, met: 16777216.0, weight: -1e300, name: µ\\nline, muons: \
         [Muon { pt: 0.1, hits: [Hit { layer: 1, charge: 0.25 }] }] }",
    ];
    assert_eq!(copied, expected);

    #[derive(RNTuple)]
    struct Flat {
        met: f32,
        weight: Option<f64>,
        pt: Vec<f32>,
        layers: Vec<Vec<u8>>,
    }
    let flat = "SELECT met, weight, array_transform(muons, m -> m['pt']) AS pt, \
        array_transform(muons, m -> array_transform(m['hits'], h -> h['layer'])) AS layers FROM events ORDER BY number";
    save(folder.path(), flat, "flat.root");
    let flat = Reader::<Flat>::open(folder.path().join("flat.root"), "Events").unwrap();
    let flat: Vec<String> = flat
        .entries()
        .map(|event| event.unwrap())
        .map(|event| format!("{:?} {:?} {:?} {:?}", event.met, event.weight, event.pt, event.layers))
        .collect();
    let expected = [
        "NaN None [] []",
        "-0.0 Some(0.5) [1.5, inf] [[], [1, 2]]",
        "-inf None [NaN] [[1]]",
        "16777216.0 Some(-1e300) [0.1] [[1]]",
    ];
    assert_eq!(flat, expected);
}

#[test]
fn json_and_csv_have_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    save(folder.path(), ALL, "rows.json");
    let json = fs::read_to_string(folder.path().join("rows.json")).unwrap();
    let rows: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let muons = |row: usize| &rows[row]["muons"];
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[0]["number"], u64::MAX - 3);
    // JSON has no NaN.
    assert!(rows[0]["met"].is_null() && rows[0]["weight"].is_null() && rows[2]["met"].is_null());
    assert_eq!((&rows[1]["weight"], &rows[3]["weight"]), (&0.5.into(), &(-1e300).into()));
    assert_eq!((&rows[1]["name"], &rows[3]["name"]), (&"a \"quote\", a comma".into(), &"µ\nline".into()));
    assert_eq!(muons(0), &serde_json::json!([]));
    assert_eq!(muons(1)[0], serde_json::json!({"pt": 1.5, "hits": []}));
    assert_eq!(muons(1)[1]["hits"][0], serde_json::json!({"layer": 1, "charge": 2.0}));
    assert!(muons(1)[1]["hits"][1]["charge"].is_null());
    assert_eq!(muons(3), &serde_json::json!([{"pt": 0.1, "hits": [{"layer": 1, "charge": 0.25}]}]));

    save(folder.path(), "SELECT number, met, weight, name FROM events ORDER BY number", "rows.csv");
    let csv = fs::read_to_string(folder.path().join("rows.csv")).unwrap();
    // A null is nothing, and an empty text is in quotes.
    let expected = "number,met,weight,name\n\
        18446744073709551612,NaN,,plain\n\
        18446744073709551613,-0.0,0.5,\"a \"\"quote\"\", a comma\"\n\
        18446744073709551614,-inf,,\"\"\n\
        18446744073709551615,16777216.0,-1e300,\"µ\nline\"\n";
    assert_eq!(csv, expected);
    // Lists have no place in CSV.
    let (code, text) = run(folder.path(), &[ALL, "-t", "events=events.root", "--output", "lists.csv"]);
    assert!(code != 0 && text.contains("List"), "{code}: {text}");
}
