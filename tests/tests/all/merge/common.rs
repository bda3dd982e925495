//! Writing inputs, merging them, and looking at what came of it.

use rntuple::check::{CheckOptions, check_file};
use rntuple::field::WriteField;
use rntuple::merge::{Input, MergeOptions, Summary, merge_into};
use rntuple::storage::Memory;
use rntuple::{Error, Reader, RootFile, Value, WriteOptions, Writer};

pub(crate) fn write<T: rntuple::Entry + WriteField>(entries: &[T], options: WriteOptions) -> RootFile {
    let mut writer = Writer::<T, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(entries).unwrap();
    RootFile::from_storage(writer.finish_into().unwrap().1).unwrap()
}

pub(crate) fn inputs(files: &[RootFile]) -> Vec<Input> {
    files.iter().map(Input::open).collect()
}

/// The merged file, which is sound.
pub(crate) fn merge(files: &[RootFile], options: MergeOptions<'_>) -> (Summary, RootFile) {
    let (summary, memory) = merge_into(&inputs(files), Memory::new(), options).unwrap();
    let file = RootFile::from_storage(memory).unwrap();
    assert_sound(&file);
    (summary, file)
}

pub(crate) fn refused(files: &[RootFile], options: MergeOptions<'_>) -> Error {
    merge_into(&inputs(files), Memory::new(), options).unwrap_err()
}

#[track_caller]
pub(crate) fn assert_sound(file: &RootFile) {
    let report = check_file(file, CheckOptions::new());
    let notes = report.notes.iter().map(ToString::to_string);
    let lines: Vec<String> = report.faults.iter().map(ToString::to_string).chain(notes).collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
    assert!(report.ntuples.iter().all(|ntuple| ntuple.is_checked));
}

/// All entries, as JSON: not-a-numbers are equal there.
pub(crate) fn entries(file: &RootFile, path: &str) -> Vec<String> {
    let reader = Reader::<Value>::open(file, path).unwrap();
    reader.entries().map(|entry| serde_json::to_string(&entry.unwrap()).unwrap()).collect()
}

pub(crate) fn all_entries(files: &[RootFile], path: &str) -> Vec<String> {
    files.iter().flat_map(|file| entries(file, path)).collect()
}

/// All entries of a type.
pub(crate) fn typed<T: rntuple::Entry + rntuple::field::ReadField>(file: &RootFile) -> Vec<T> {
    let reader = Reader::<T>::open(file, "Events").unwrap();
    reader.entries().collect::<Result<_, _>>().unwrap()
}
