//! What the manifest of a data set takes in memory.

use std::collections::BTreeMap;
use std::process::Command;

use rntuple_dataset::Table;
use rntuple_dataset::format::names::NamingScheme;
use rntuple_dataset::format::transaction::Overwrite;
use rntuple_dataset::format::{DataFile, DataFragment, Field, ManifestFile, Transaction};
use rntuple_dataset::transactions::{self, NewDataset};

/// The folder that a program opens, if a test is run as one.
const VARIABLE: &str = "RNTUPLE_DATASET_MANY";

const FRAGMENTS: u64 = 100_000;

/// Checks that this process has had no more memory than this, in kB.
fn assert_peak(most: u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = line.trim().strip_suffix(" kB").unwrap().parse().unwrap();
    println!("{peak} kB");
    assert!(peak < most, "{peak} kB");
}

/// Makes a data set, and runs a test again with it, as a program of its own.
fn run_with(overwrite: Overwrite, test: &str) {
    let new = NewDataset::new().stable_row_ids(true);
    let manifest = transactions::create(&Transaction::new(0, overwrite), &new).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("_versions")).unwrap();
    let bytes = ManifestFile::from(manifest).to_bytes().unwrap();
    std::fs::write(folder.path().join(NamingScheme::V2.manifest(1)), bytes).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(VARIABLE, folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    println!("{said}");
    assert!(output.status.success(), "{said}");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "only Linux says how much memory a process has had")]
fn a_hundred_thousand_fragments_are_opened_in_200_mb() {
    if let Ok(folder) = std::env::var(VARIABLE) {
        let snapshot = Table::open(&folder).unwrap().snapshot().unwrap();
        assert_eq!(snapshot.fragments().len() as u64, FRAGMENTS);
        assert_eq!(snapshot.row_id(20 * FRAGMENTS - 1).unwrap(), Some(20 * FRAGMENTS - 1));
        return assert_peak(200_000);
    }
    let fragment = |number: u64| {
        let path = format!("{number:08}-0000-0000-0000-000000000000.root");
        let file = DataFile {
            path,
            fields: (0..20).collect(),
            column_indices: (0..20).collect(),
            file_size_bytes: 1 << 30,
            ..DataFile::default()
        };
        DataFragment { files: vec![file], physical_rows: 20, ..DataFragment::default() }
    };
    let field = |id| Field { id, parent_id: -1, name: format!("field {id}"), ..Field::default() };
    let overwrite = Overwrite {
        fragments: (0..FRAGMENTS).map(fragment).collect(),
        schema: (0..20).map(field).collect(),
        config_upsert_values: BTreeMap::from([("rntuple.ntuple".to_owned(), "Events".to_owned())]),
        ..Overwrite::default()
    };
    run_with(overwrite, "memory::a_hundred_thousand_fragments_are_opened_in_200_mb");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "only Linux says how much memory a process has had")]
fn a_long_name_takes_its_length_however_many_fields_are_below_it() {
    if let Ok(folder) = std::env::var(VARIABLE) {
        let snapshot = Table::open(&folder).unwrap().snapshot().unwrap();
        assert_eq!(snapshot.fields().len(), 1002);
        // The path of a member is too long, and ends the list.
        assert_eq!(snapshot.sort_order(), ["run"]);
        return assert_peak(200_000);
    }
    let field = |id: i32, parent_id, name: String| Field { id, parent_id, name, ..Field::default() };
    let mut schema = vec![field(0, -1, "n".repeat(1 << 20))];
    schema.extend((1..=1000).map(|id| field(id, 0, format!("member {id}"))));
    schema.push(field(1001, -1, "run".to_owned()));
    let config = [("rntuple.ntuple", "Events"), ("rntuple.sort_order", "1001,1001,7")];
    let overwrite = Overwrite {
        schema,
        config_upsert_values: config.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
        ..Overwrite::default()
    };
    run_with(overwrite, "memory::a_long_name_takes_its_length_however_many_fields_are_below_it");
}
