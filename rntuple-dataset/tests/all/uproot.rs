//! uproot opens every data file, whatever was done to the data set.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rntuple::schema::{Field, FieldType, SchemaBuilder};
use rntuple::{RNTuple, Value as Row, WriteOptions, Writer};
use rntuple_dataset::{Adopt, CleanupOptions, CompactOptions, IndexOptions, Snapshot, Source, Table};
use serde_json::Value;

use crate::pylance::skipped;
use crate::sample::{Event, append, create, event};

const CHANGING: &str = "data_files_are_ordinary_files";
const STAYING: &str = "data_files_stay_ordinary_files";
const NAMED: &str = "data_files_that_are_written_by_name_are_ordinary_files";

/// Prints, for each file, the count of its entries, its fields, and the sum of the field `number`.
const PROGRAM: &str = r#"
import json, sys, uproot
found = {}
for path in sys.argv[1:]:
    with uproot.open(path) as file:
        events = file["Events"]
        values = events.arrays()
        number = sum(values["number"].tolist()) if "number" in values.fields else None
        assert len(values) == events.num_entries
        found[path] = {"entries": events.num_entries, "fields": values.fields, "number": number}
print(json.dumps(found))
"#;

/// Returns the interpreter; `None`, after saying so, if it has no uproot.
fn python(test: &str) -> Option<PathBuf> {
    let python = match std::env::var_os("RNTUPLE_PYTHON") {
        Some(python) => PathBuf::from(python),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/dataset/venv/bin/python"),
    };
    match Command::new(&python).args(["-c", "import uproot"]).output() {
        Ok(output) if output.status.success() => Some(python),
        _ => {
            let help = "rntuple-dataset/tests/setup.sh installs it, and RNTUPLE_PYTHON names another";
            skipped(test, &format!("no uproot in {} ({help})", python.display()))
        }
    }
}

#[derive(RNTuple)]
struct Number {
    number: u64,
}

/// What uproot finds in files.
fn open<'a>(python: &Path, paths: impl Iterator<Item = &'a str>) -> BTreeMap<String, Value> {
    let output = Command::new(python).args(["-c", PROGRAM]).args(paths).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Compares what uproot finds in the files of a version with what the version says.
fn compare(python: &Path, snapshot: &Snapshot) -> BTreeMap<String, Value> {
    let location = snapshot.location();
    let fragments = snapshot.fragments().iter();
    let files: Vec<(String, u64)> = fragments
        .flat_map(|fragment| {
            let rows = fragment.physical_rows;
            fragment.files.iter().map(move |file| (location.data_file(&file.path), rows))
        })
        .collect();
    let found = open(python, files.iter().map(|(path, _)| &**path));
    assert_eq!(found.len(), files.len());
    for (path, rows) in &files {
        assert_eq!(found[path]["entries"], *rows, "{path}");
    }
    found
}

fn sum(found: &BTreeMap<String, Value>) -> u64 {
    found.values().filter_map(|file| file["number"].as_u64()).sum()
}

fn sum_here(snapshot: &Snapshot) -> u64 {
    snapshot.reader::<Number>().unwrap().entries().map(|row| row.unwrap().number).sum()
}

#[test]
fn data_files_are_ordinary_files() {
    #[derive(RNTuple)]
    struct Extra {
        extra: f64,
        names: Vec<String>,
    }
    let Some(python) = python(CHANGING) else { return };
    let (directory, table) = create();
    compare(&python, &table.snapshot().unwrap());
    append(&table, 1, 0..20);
    let appended = append(&table, 2, 0..30);
    assert_eq!(sum(&compare(&python, &appended)), sum_here(&appended));

    let path = directory.path().join("old.root");
    let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new()).unwrap();
    (0..5).try_for_each(|number| writer.fill(&event(3, number))).unwrap();
    writer.finish().unwrap();
    let source = |adopt| Source::new(path.to_str().unwrap(), adopt);
    let adopted = table.append_files(&[source(Adopt::Copy), source(Adopt::InPlace)]).unwrap();
    assert_eq!(sum(&compare(&python, &adopted)), sum_here(&adopted));

    let extra = |row: &Number| Extra { extra: row.number as f64, names: vec![row.number.to_string()] };
    let added = table.add_columns(|rows: Vec<Number>| rows.iter().map(extra).collect()).unwrap();
    let found = compare(&python, &added);
    let sides = found.values().filter(|file| file["fields"] == serde_json::json!(["extra", "names"]));
    assert_eq!(sides.count(), added.fragments().len());

    // What is deleted is seen there.
    let deleted = table.delete::<Number>(|row| row.number % 3 == 1).unwrap();
    let before = sum_here(&added);
    assert_eq!(sum(&compare(&python, &deleted)), before);
    assert!(sum_here(&deleted) < before);

    compare(&python, &table.rename_column("extra", "energy").unwrap());
    compare(&python, &table.drop_columns(&["energy", "names"]).unwrap());
    let updated = table
        .update::<Event>(|row| {
            row.met = None;
            row.number == 6
        })
        .unwrap();
    assert_eq!(sum(&compare(&python, &updated)), before + 6 * 2);
    let compacted = table.compact(&CompactOptions::new().deleted(0.0)).unwrap();
    let found = compare(&python, &compacted);
    assert_eq!((found.len(), sum(&found)), (1, sum_here(&updated)));
    let fields = serde_json::json!(["run", "number", "met", "muons"]);
    assert_eq!(found.values().next().unwrap()["fields"], fields);
    compare(&python, &table.restore(added.version()).unwrap());
    let emptied = table.delete::<Number>(|_| true).unwrap();
    compare(&python, &emptied);
    let compacted = table.compact(&CompactOptions::new()).unwrap();
    assert_eq!(compare(&python, &compacted).values().next().unwrap()["entries"], 0);
}

/// What leaves data files as they are, and what removes some of them.
#[test]
fn data_files_stay_ordinary_files() {
    let Some(python) = python(STAYING) else { return };
    let (directory, table) = create();
    append(&table, 1, 0..20);
    let before = append(&table, 2, 0..30);
    let all = sum_here(&before);
    let same_files = |snapshot: &Snapshot| {
        let found = compare(&python, snapshot);
        assert_eq!((found.len(), sum(&found)), (3, all));
    };
    same_files(&table.set_sort_order(&["run", "number"]).unwrap());
    same_files(&table.index_bounds(&IndexOptions::new().compute(true)).unwrap());
    table.tag("sorted", table.snapshot().unwrap().version()).unwrap();
    assert_eq!(table.add_statistics().unwrap(), 1);
    same_files(&table.snapshot().unwrap());
    // What is deleted is seen there.
    same_files(&table.delete_where(&"number >= 10 and number < 15".parse().unwrap()).unwrap());
    let deleted = table.delete_rows(&[0, 1, 2]).unwrap();
    same_files(&deleted);
    assert_eq!(sum_here(&deleted), all - 2 * (10..15).sum::<u64>() - (0..3).sum::<u64>());

    // Rows that are updated are in a file of their own.
    let update = |row: &mut Event| {
        row.run += 10;
        row.number == 20
    };
    let updated = table.update::<Event>(update).unwrap();
    let found = compare(&python, &updated);
    assert_eq!((found.len(), sum(&found)), (4, all + 20));

    let path = directory.path().join("exported.root");
    let path = path.to_str().unwrap();
    updated.export(path).unwrap();
    let found = &open(&python, [path].into_iter())[path];
    assert_eq!(
        (found["entries"].as_u64(), found["number"].as_u64()),
        (Some(updated.len()), Some(sum_here(&updated)))
    );
    assert_eq!(found["fields"], serde_json::json!(["run", "number", "met", "muons"]));

    // Files that no version needs are gone; all others are needed, and can be opened.
    let compacted = table.compact(&CompactOptions::new().deleted(0.0)).unwrap();
    table.untag("sorted").unwrap();
    let options = CleanupOptions::older_than(Duration::ZERO).unreferenced_after(Duration::ZERO);
    assert!(!table.cleanup(&options).unwrap().files.is_empty());
    let found = compare(&python, &table.snapshot().unwrap());
    assert_eq!(sum(&found), sum_here(&compacted));
    assert_eq!(found.into_keys().collect::<Vec<_>>(), data_files(&table));
}

/// Data sets that begin with rows, and columns whose types are known only when the program runs.
#[test]
fn data_files_that_are_written_by_name_are_ordinary_files() {
    let Some(python) = python(NAMED) else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let options = |name: &str| {
        WriteOptions::new()
            .schema(SchemaBuilder::new().field(Field::new(name, FieldType::U64)))
            .statistics(true)
    };
    let row = |name: &'static str, number: u64| Row::record([(name, Row::U64(number))]);
    let fill = |writer: &mut Writer<Row>| (0..9).try_for_each(|number| writer.fill(&row("number", number)));
    let table = Table::create_with::<Row>(&path("made.rnds"), "Events", options("number"), fill).unwrap();
    let made = table.snapshot().unwrap();
    assert_eq!(sum(&compare(&python, &made)), 36);
    let added = table.add_columns_from::<Row>(&made, options("twice"), |entries, writer| {
        entries.into_iter().try_for_each(|entry| writer.fill(&row("twice", 2 * entry)))
    });
    let found = compare(&python, &added.unwrap());
    assert_eq!(found.values().filter(|file| file["fields"] == serde_json::json!(["twice"])).count(), 1);

    made.export(&path("rows.root")).unwrap();
    for (name, adopt) in [("copied.rnds", Adopt::Copy), ("adopted.rnds", Adopt::InPlace)] {
        let source = Source::new(path("rows.root"), adopt);
        let table = Table::create_from(&path(name), "Events", &source).unwrap();
        assert_eq!(sum(&compare(&python, &table.snapshot().unwrap())), 36, "{name}");
    }
}

fn data_files(table: &Table) -> Vec<String> {
    let files = std::fs::read_dir(Path::new(table.location().root()).join("data")).unwrap();
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path().to_str().unwrap().to_owned()).collect();
    paths.sort_unstable();
    paths
}
