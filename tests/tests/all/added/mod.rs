//! Ntuples that are added to existing files: what was in the file stays, and what is left when the writer stops.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

mod failing;
mod killed;
mod ours;
mod real;
mod refused;

use std::collections::{BTreeMap, BTreeSet};

use rntuple::check::{CheckOptions, check_file};
use rntuple::field::{ReadField, WriteField};
use rntuple::root::{FileOptions, Record, RecordKind};
use rntuple::storage::Memory;
use rntuple::{Reader, RootFile, RootFileWriter, Value, WriteOptions};
use rntuple_tests::sample::{Muon, samples};

/// The file with more ntuples, each of some muons.
fn add(bytes: Vec<u8>, paths: &[&str]) -> Vec<u8> {
    let file = RootFileWriter::append_to(Memory::from(bytes), FileOptions::new()).unwrap();
    for path in paths {
        fill::<Muon, _>(&file, path, &muons(path));
    }
    file.finish().unwrap().into_bytes()
}

fn fill<T: rntuple::Entry + WriteField, W: rntuple::storage::WriteAt>(
    file: &RootFileWriter<W>,
    path: &str,
    entries: &[T],
) {
    let mut writer = file.writer::<T>(path, WriteOptions::new()).unwrap();
    writer.fill_all(entries).unwrap();
    writer.finish().unwrap();
}

/// What an ntuple at this path gets.
fn muons(path: &str) -> Vec<Muon> {
    samples(5 + path.len(), path.len() as u64)
}

fn read<T: rntuple::Entry + ReadField>(bytes: &[u8], path: &str) -> Vec<T> {
    let reader = Reader::<T>::open(Memory::from(bytes.to_vec()), path).unwrap();
    reader.entries().map(Result::unwrap).collect()
}

fn open(bytes: &[u8]) -> RootFile {
    RootFile::from_storage(Memory::from(bytes.to_vec())).unwrap()
}

/// Paths of the ntuples.
fn paths(bytes: &[u8]) -> Vec<String> {
    open(bytes).ntuples().unwrap().iter().map(|key| key.path()).collect()
}

/// Container and ntuples are sound; after the end there may be what a writer left that never finished.
#[track_caller]
fn assert_sound(bytes: &[u8]) {
    let file = open(bytes);
    let report = check_file(&file, CheckOptions::new());
    assert!(report.faults.is_empty(), "{:?}", report.faults);
    let report = file.verify().unwrap();
    assert!(report.is_sound() && report.describes_anchors, "{report:?}");
}

/// Every ntuple with its values, or why it cannot be read.
fn values(bytes: &[u8]) -> BTreeMap<String, Result<Vec<Value>, String>> {
    let file = open(bytes);
    let values = |path: &str| -> rntuple::Result<Vec<Value>> {
        Reader::<Value>::open(&file, path)?.entries().collect()
    };
    let ntuples = file.ntuples().unwrap();
    ntuples.iter().map(|key| (key.path(), values(&key.path()).map_err(|error| error.to_string()))).collect()
}

/// Everything that `old` has is in `new` as it was: objects by their bytes, ntuples by their values. Returns the paths
/// of ntuples that only `new` has.
#[track_caller]
fn assert_kept(old: &[u8], new: &[u8]) -> Vec<String> {
    let (before, after) = (open(old), open(new));
    let (old_keys, keys) = (before.keys().unwrap(), after.keys().unwrap());
    for key in &old_keys {
        assert!(keys.contains(key), "{key:?}");
    }
    let listed: BTreeSet<u64> = old_keys.iter().map(|key| key.offset).collect();
    let records: BTreeMap<u64, Record> =
        after.records().map(|record| record.unwrap()).map(|record| (record.offset, record)).collect();
    for record in before.records().map(Result::unwrap) {
        let range = record.offset as usize..(record.offset + record.size) as usize;
        let RecordKind::Object { class, key_size, .. } = &record.kind else { continue };
        let is_listed = listed.contains(&record.offset);
        match records.get(&record.offset).map(|record| &record.kind) {
            Some(kind @ RecordKind::Object { .. }) => {
                assert_eq!(&record.kind, kind);
                // The numbers of a directory change.
                let is_directory = is_listed && class.contains("TDirectory") || record.offset == 100;
                let range =
                    if is_directory { range.start..range.start + usize::from(*key_size) } else { range };
                assert!(old[range.clone()] == new[range], "{record:?}");
            }
            // Lists that were replaced.
            _ => assert!(!is_listed && class != "RBlob", "{record:?}"),
        }
    }
    let (before, mut after) = (values(old), values(new));
    for (path, values) in before {
        assert_eq!(after.remove(&path), Some(values), "{path}");
    }
    after.into_keys().collect()
}
