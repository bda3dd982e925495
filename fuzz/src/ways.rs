//! What can be done with a file.

use std::fmt::Debug;

use rntuple::check::{CheckOptions, NoteKind, check_file};
use rntuple::columns::{AnyColumns, Iter, ReadColumnar};
use rntuple::extend::ColumnAdder;
use rntuple::field::{ReadField, WriteField};
use rntuple::join::{DuplicateKeys, JoinKey};
use rntuple::merge::{Input, MergeOptions, merge_into};
use rntuple::recover::{RecoverOptions, recover_into};
use rntuple::root::FileOptions;
use rntuple::storage::Memory;
use rntuple::{
    Compression, Dataset, EntryList, ErrorKind, Limits, RNTuple, ReadOptions, Reader, RootFile,
    RootFileWriter, Value, WriteOptions, Writer,
};
use rntuple_tests::sample::{One, Random, Sample};

/// Entries of one ntuple that are read: more would only show the same again.
pub(crate) const ENTRIES: usize = 200;

/// Attribute sets that are read.
const SETS: usize = 4;

/// Ntuples of more entries are not given columns.
const MOST_FILLED: u64 = 10_000;

/// What a file may take. Low limits, so that it is noticed if something does not keep them.
pub(crate) fn limits() -> Limits {
    Limits::new().entry_length(8 << 20).page_length(4 << 20).walk_length(16 << 20).envelope_length(4 << 20)
}

/// A member that no file has.
#[derive(Debug, RNTuple)]
struct Added {
    added: Vec<u16>,
}

/// Items of which a file has no column.
#[derive(Debug, RNTuple)]
#[rntuple(columnar)]
struct Unstored {
    #[rntuple(default)]
    unstored: u8,
}

/// Each ntuple of the file in the bytes.
pub(crate) fn each(bytes: &[u8], work: impl Fn(&RootFile, &str)) {
    let Ok(file) = RootFile::from_storage(Memory::from(bytes.to_vec())) else { return };
    let file = file.with_limits(limits());
    for key in file.ntuples().unwrap_or_default() {
        work(&file, &key.path());
    }
}

/// Saves what can be proved whole of the bytes, whether they are a file or not.
///
/// # Panics
/// If what was saved has a fault, or other entries than the report says.
pub(crate) fn recover(bytes: &[u8]) {
    for deduce in [false, true] {
        recover_with(bytes, RecoverOptions::new().deduce(deduce).limits(limits()));
    }
}

#[allow(clippy::panic, reason = "which is what a fuzzer looks for")]
fn recover_with(bytes: &[u8], options: RecoverOptions) {
    let damaged = Memory::from(bytes.to_vec());
    let Ok((recovery, storage)) = recover_into(damaged, Memory::new(), options) else { return };
    let file = RootFile::from_storage(storage)
        .unwrap_or_else(|error| panic!("what was saved cannot be opened: {error}"));
    let report = check_file(&file, CheckOptions::default());
    assert!(report.faults.is_empty(), "what was saved has faults: {:?}", report.faults);
    for ntuple in recovery.ntuples.iter().filter(|ntuple| ntuple.error.is_none()) {
        match Dataset::open(&file, &ntuple.path) {
            Ok(dataset) => assert_eq!(dataset.entry_count(), ntuple.entries, "entries that were saved"),
            Err(error) => panic!("what was saved cannot be opened: {error}"),
        }
    }
}

/// Opens the bytes as a file, lists what is in it, and closes a copy to which nothing was added.
///
/// # Panics
/// If the copy has lost ntuples.
pub(crate) fn container(bytes: &[u8]) {
    let Ok(file) = RootFile::from_storage(Memory::from(bytes.to_vec())) else { return };
    let file = file.with_limits(limits());
    let _ = (file.verify(), file.keys());
    let _ = file.records().take_while(Result::is_ok).count();
    let ntuples = file.ntuples().unwrap_or_default();
    for key in &ntuples {
        if let Ok((_, anchor)) = file.anchor(&key.path()) {
            let _ = file.payload(anchor.header.offset, anchor.header.size, anchor.max_key_size);
        }
    }
    let copy = Memory::from(bytes.to_vec());
    let again = RootFileWriter::append_to(copy, FileOptions::default()).and_then(RootFileWriter::finish);
    if let Ok(storage) = again {
        let count = RootFile::from_storage(storage).and_then(|file| file.ntuples()).map(|all| all.len());
        assert_eq!(count.ok(), Some(ntuples.len()), "ntuples of a file that was opened and closed");
    }
}

/// Checks the file in the bytes.
///
/// # Panics
/// If no fault is found in a file that cannot be read.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(file) = RootFile::from_storage(Memory::from(bytes.to_vec())) else { return };
    let file = file.with_limits(limits());
    let report = check_file(&file, CheckOptions::default());
    let is_unchecked = report.notes.iter().any(|note| note.kind == NoteKind::Unchecked);
    if !report.faults.is_empty() || is_unchecked {
        return;
    }
    for key in file.ntuples().unwrap_or_default() {
        if let Err(error) = read_all(&file, &key.path()) {
            let is_known = matches!(error.kind(), ErrorKind::LimitExceeded | ErrorKind::Unsupported);
            assert!(is_known, "no fault was found, but: {error}");
        }
    }
}

fn read_all(file: &RootFile, path: &str) -> rntuple::Result<()> {
    let reader = Reader::<Value>::open(file, path)?;
    reader.entries().take(ENTRIES).try_for_each(|entry| entry.map(drop))
}

/// Reads the file in the bytes as values, and its attribute sets.
pub(crate) fn dynamic(bytes: &[u8]) {
    each(bytes, |file, path| {
        let Ok(dataset) = Dataset::open(file, path) else { return };
        let _ = dataset.schema().hidden();
        for set in dataset.attribute_sets().iter().take(SETS) {
            attributes::<Value>(file, path, &set.name);
            attributes::<One<u64>>(file, path, &set.name);
        }
        drain::<Value>(file, path);
        any_columns(file, path);
    });
}

/// Reads batches of values: they have what rows have, where both can be read.
fn any_columns(file: &RootFile, path: &str) {
    let Ok(reader) = Reader::<Value>::open(file, path) else { return };
    for batch in reader.batches(100).take(ENTRIES / 100) {
        let Ok(batch) = batch else { return };
        let slice = batch.as_slice();
        assert!((0..slice.len()).all(|index| slice.value(index).is_some()));
    }
    let rows: Result<Vec<_>, _> = reader.entries().take(20).collect();
    if let (Ok(rows), Some(Ok(batch))) = (rows, reader.batches(20).next()) {
        for (index, row) in rows.iter().enumerate().take(batch.len()) {
            let value = batch.as_slice().value(index);
            assert_eq!(format!("{value:?}"), format!("{:?}", Some(row)), "entry {index}");
        }
        again(&reader, &rows, &batch);
    }
}

/// Writes what was read, with the schema of the file: it is read as it was, rows and columns alike.
fn again(reader: &Reader<Value>, rows: &[Value], batch: &AnyColumns) {
    let Ok(schema) = reader.selected_schema() else { return };
    let writer = || {
        let options = WriteOptions::new().compression(Compression::NONE).schema(schema.clone());
        Writer::<Value, _>::new(Memory::new(), "Events", options)
    };
    // What the file has, but cannot be written: names, objects of ROOT's streamer.
    let (Ok(mut by_rows), Ok(mut by_columns)) = (writer(), writer()) else { return };
    // Its values may be more precise than the encodings that it asks for.
    let (rows_fit, columns_fit) = (by_rows.fill_all(rows), by_columns.fill_columns(batch.as_slice()));
    let files =
        [(rows_fit, by_rows.finish_into(), rows.len()), (columns_fit, by_columns.finish_into(), batch.len())];
    let [rows, columns] = files.map(|(filled, finished, count)| {
        let (Ok(()), Ok((_, file))) = (filled, finished) else { return None };
        let read: Result<Vec<Value>, _> =
            Reader::open(file, "Events").and_then(|reader| reader.entries().collect());
        assert_eq!(read.as_ref().map(Vec::len).ok(), Some(count), "{:?}", read.as_ref().err());
        read.ok()
    });
    if let (Some(rows), Some(columns)) = (rows, columns) {
        for (row, column) in rows.iter().zip(&columns) {
            assert_eq!(format!("{row:?}"), format!("{column:?}"));
        }
    }
}

/// Reads an attribute set.
pub(crate) fn attributes<A: rntuple::Entry + ReadField>(file: &RootFile, path: &str, name: &str) {
    let Ok(reader) = Reader::<Value>::open(file, path) else { return };
    let Ok(attributes) = reader.attributes::<A>(name) else { return };
    let _ = attributes.entries().take(ENTRIES).take_while(Result::is_ok).count();
    let _ = attributes.get(attributes.attribute_count().saturating_sub(1));
    // All ranges are read for this.
    if attributes.attribute_count() < 10_000 {
        for entry in [0, 3, u64::MAX] {
            let _ = attributes.covering(entry).take(ENTRIES).count();
        }
    }
}

/// Reads entries, in order and here and there.
pub(crate) fn drain<T: rntuple::Entry + ReadField>(file: &RootFile, path: &str) {
    let Ok(reader) = Reader::<T>::open(file, path) else { return };
    let walked = reader.entries().take(ENTRIES).take_while(Result::is_ok).count() as u64;
    let count = reader.entry_count().unwrap_or_default();
    // After the damage, and at the end.
    for index in [walked + 1, count / 2, count.saturating_sub(1)] {
        let _ = reader.get(index);
    }
}

/// Lends what there is, reads it into columns, and reads items in portions.
pub(crate) fn columns<T, I>(file: &RootFile, path: &str, list: &str)
where
    T: rntuple::Entry + ReadColumnar,
    I: ReadColumnar + ReadField,
{
    let Ok(reader) = Reader::<T>::open(file, path) else { return };
    let some = || reader.batches_in(..ENTRIES as u64, 7);
    let mut batches = some();
    while let Ok(Some(entries)) = batches.lend() {
        Iter::new(entries).for_each(drop);
    }
    let _ = some().take_while(Result::is_ok).count();
    items::<T, I>(&reader, list);
    items::<T, Unstored>(&reader, list);
}

/// Lends items, of all entries and of one.
fn items<T, I>(reader: &Reader<T>, list: &str)
where
    T: rntuple::Entry + ReadField,
    I: ReadColumnar + ReadField,
{
    if let Ok(mut items) = reader.items::<I>(list) {
        let _ = (0..ENTRIES).take_while(|_| matches!(items.lend(3), Ok(Some(_)))).count();
        let _ = items.choose_entry(1).and_then(|()| items.lend(usize::MAX).map(drop));
    }
}

/// Entries whose values are compared.
const FEW: usize = 20;

/// The first entries as text, in which what is not a number is equal. `None`: one of them cannot be read.
fn first<T: rntuple::Entry + ReadField + Debug>(file: &RootFile, path: &str) -> Option<Vec<String>> {
    let reader = Reader::<T>::open(file, path).ok()?;
    reader.entries().take(FEW).map(|entry| entry.ok().map(|entry| format!("{entry:?}"))).collect()
}

/// Adds entries, and reads them.
///
/// # Panics
/// If what was written cannot be opened, or has lost entries or changed them.
pub(crate) fn add_entries<T>(file: &RootFile, bytes: &[u8], path: &str)
where
    T: rntuple::Entry + WriteField + ReadField + Sample + Debug,
{
    let mut random = Random::new(44);
    let mut append = || -> rntuple::Result<_> {
        let mut writer = Writer::<T, _>::append_to(Memory::from(bytes.to_vec()), path, WriteOptions::new())?;
        (0..3).try_for_each(|_| writer.fill(&T::sample(&mut random)))?;
        let entries = writer.entry_count();
        Ok((entries, writer.finish_into()?.1))
    };
    if let Ok((entries, storage)) = append() {
        let grown = reopen::<T>(storage, path, entries);
        compare::<T>(file, &grown, path);
    }
}

/// Compares the first entries of a file with those of one that was made of it.
fn compare<T: rntuple::Entry + ReadField + Debug>(old: &RootFile, new: &RootFile, path: &str) {
    if let Some(old) = first::<T>(old, path) {
        let new = first::<T>(new, path);
        assert!(
            new.as_ref().is_some_and(|new| new.starts_with(&old)),
            "entries were {old:?} and are {new:?}"
        );
    }
}

/// Adds a column, and reads it.
///
/// # Panics
/// As [`add_entries`].
pub(crate) fn add_column(bytes: &[u8], path: &str) {
    let add = || -> rntuple::Result<_> {
        let storage = Memory::from(bytes.to_vec());
        let mut adder = ColumnAdder::<Added, _>::append_to(storage, path, WriteOptions::new())?;
        let entries = adder.entry_count();
        for number in 0..entries.min(MOST_FILLED) {
            adder.fill(&Added { added: if number % 3 == 0 { vec![1, 2] } else { Vec::new() } })?;
        }
        Ok((entries, adder.finish_into()?.1))
    };
    if let Ok((entries, storage)) = add() {
        let file = reopen::<Added>(storage, path, entries);
        if let Ok(added) = Reader::<Added>::open(&file, path) {
            assert_eq!(
                added.entries().filter(Result::is_ok).count() as u64,
                entries,
                "values of new columns"
            );
        }
    }
}

#[allow(clippy::panic, reason = "which is what the driver looks for")]
fn reopen<T: rntuple::Entry + ReadField>(storage: Memory, path: &str, entries: u64) -> RootFile {
    // Writers have the limits of a reader's defaults.
    let file = RootFile::from_storage(storage).and_then(|file| Dataset::open(&file, path));
    let dataset = file.unwrap_or_else(|error| panic!("what was written cannot be opened: {error}"));
    assert_eq!(dataset.entry_count(), entries, "entries of what was written");
    let limited = dataset.file().clone().with_limits(limits());
    drain::<T>(&limited, path);
    drain::<Value>(&limited, path);
    dataset.file().clone()
}

/// Merges files, copying their pages or writing them anew, and reads the result.
///
/// # Panics
/// If what was merged cannot be opened, or has lost entries or changed them.
pub(crate) fn merge_files<T: rntuple::Entry + ReadField + Debug>(
    files: &[RootFile],
    path: &str,
    options: MergeOptions<'_>,
) {
    let inputs: Vec<Input> = files.iter().map(|file| Input::open(file).ntuple(path)).collect();
    if let Ok((summary, storage)) = merge_into(&inputs, Memory::new(), options) {
        let merged = reopen::<T>(storage, path, summary.entries);
        if let Some(file) = files.first() {
            compare::<T>(file, &merged, path);
        }
    }
}

/// Reads files as one.
pub(crate) fn as_one<T: rntuple::Entry + ReadField>(files: &[RootFile], path: &str) {
    for options in [ReadOptions::new(), ReadOptions::new().same_schema(true).open_files(0)] {
        let Ok(reader) = Reader::<T>::open_with(files, path, options) else { continue };
        let _ = reader.entries().take(ENTRIES).count();
        let count = reader.entry_count().unwrap_or_default();
        for index in [0, count / 2, count.saturating_sub(1), u64::MAX] {
            let _ = reader.get(index);
            let _ = reader.locate(index);
        }
        let _ = reader.take(&[count / 2, 0, count / 2]);
        let _ = reader.entries_in([1..3, 5..9].into_iter().collect::<EntryList>()).count();
        if let Ok(zip) = reader.zip(&reader) {
            let _ = zip.entries().take(ENTRIES).count();
        }
        let _ = reader.partitions(3);
    }
}

/// Joins files with themselves.
pub(crate) fn join<K: JoinKey>(files: &[RootFile], path: &str) {
    let Ok(reader) = Reader::<K>::open(files, path) else { return };
    if reader.entry_count().is_ok_and(|count| count > MOST_FILLED) {
        return;
    }
    for duplicates in [DuplicateKeys::Refuse, DuplicateKeys::First, DuplicateKeys::All] {
        if let Ok(join) = reader.join_on_with::<K, _>(&reader, duplicates) {
            let _ = join.entries().take(ENTRIES).count();
            let _ = join.inner().take(ENTRIES).count();
        }
    }
}
