//! uproot opens every data file, whatever was done to the data set.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use rntuple::RNTuple;
use rntuple_dataset::{Adopt, CompactOptions, Snapshot, Source};
use serde_json::Value;

use crate::pylance::skipped;
use crate::sample::{Event, append, create, event};

const TEST: &str = "data_files_are_ordinary_files";

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
fn python() -> Option<PathBuf> {
    let python = match std::env::var_os("RNTUPLE_PYTHON") {
        Some(python) => PathBuf::from(python),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/dataset/venv/bin/python"),
    };
    match Command::new(&python).args(["-c", "import uproot"]).output() {
        Ok(output) if output.status.success() => Some(python),
        _ => {
            let help = "rntuple-dataset/tests/setup.sh installs it, and RNTUPLE_PYTHON names another";
            skipped(TEST, &format!("no uproot in {} ({help})", python.display()))
        }
    }
}

#[derive(RNTuple)]
struct Number {
    number: u64,
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
    let paths = files.iter().map(|(path, _)| path);
    let output = Command::new(python).args(["-c", PROGRAM]).args(paths).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: BTreeMap<String, Value> = serde_json::from_slice(&output.stdout).unwrap();
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
    let Some(python) = python() else { return };
    let (directory, table) = create();
    compare(&python, &table.snapshot().unwrap());
    append(&table, 1, 0..20);
    let appended = append(&table, 2, 0..30);
    assert_eq!(sum(&compare(&python, &appended)), sum_here(&appended));

    let path = directory.path().join("old.root");
    let mut writer = rntuple::Writer::<Event>::create(&path, "Events", Default::default()).unwrap();
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
