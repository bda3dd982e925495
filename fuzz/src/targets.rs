//! What is done with damaged bytes.

use rntuple::columns::{Iter, Lazy, ReadColumnar};
use rntuple::field::{ReadField, WriteField};
use rntuple::join::{DuplicateKeys, JoinKey};
use rntuple::merge::{Input, MergeOptions, SchemaMode, merge_into};
use rntuple::storage::Memory;
use rntuple::{
    ColumnAdder, Compression, Dataset, EntryList, Limits, RNTuple, ReadOptions, Reader, RootFile, Value,
    WriteOptions, Writer,
};
use rntuple_tests::sample::{Event, Muon, One, Process, Random, Sample};

use crate::evolved::{Evolved, Newest, Strict, Wider};

/// Entries of one ntuple that are read: more would only show the same again.
const ENTRIES: usize = 200;

/// Attribute sets that are read.
const SETS: usize = 4;

/// Ntuples of more entries are not given columns.
const MOST_FILLED: u64 = 10_000;

/// What a small file may take: far less than the driver lets it hold, so that whatever is not counted is noticed.
fn limits() -> Limits {
    Limits::new().entry_length(8 << 20).page_length(4 << 20).walk_length(16 << 20).envelope_length(4 << 20)
}

/// A member that no file has.
#[derive(Debug, RNTuple)]
struct Added {
    added: Vec<u16>,
}

/// What events can be joined by.
#[derive(Debug, PartialEq, Eq, Hash, RNTuple)]
#[rntuple(skip_writing)]
struct Key {
    number: u64,
}

/// What is decoded when it is needed.
#[derive(Debug, RNTuple)]
#[rntuple(columnar)]
struct Late {
    number: u64,
    met: Lazy<f32>,
    muons: Lazy<Vec<Muon>>,
}

/// Opens the bytes as a file and reads whatever it lists, in every way there is.
pub fn read_file(bytes: &[u8]) {
    let Ok(file) = RootFile::from_storage(Memory::from(bytes.to_vec())) else { return };
    let file = file.with_limits(limits());
    let _ = file.verify();
    let _ = rntuple::check::check_file(&file, rntuple::check::CheckOptions::default());
    for key in file.ntuples().unwrap_or_default() {
        let path = key.path();
        let Ok(dataset) = Dataset::open(&file, &path) else { continue };
        let _ = dataset.schema().hidden();
        for set in dataset.attribute_sets().iter().take(SETS) {
            attributes::<Value>(&file, &path, &set.name);
            attributes::<One<u64>>(&file, &path, &set.name);
        }
        drain::<Value>(&file, &path);
        drain::<Event>(&file, &path);
        drain::<One<Vec<Process>>>(&file, &path);
        drain::<Evolved>(&file, &path);
        drain::<Strict>(&file, &path);
        drain::<Wider>(&file, &path);
        drain::<Newest>(&file, &path);
        columns::<Event>(&file, &path);
        columns::<One<Vec<Process>>>(&file, &path);
        columns::<Evolved>(&file, &path);
        late(&file, &path);
    }
}

fn attributes<A: rntuple::Entry + ReadField>(file: &RootFile, path: &str, name: &str) {
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

fn drain<T: rntuple::Entry + ReadField>(file: &RootFile, path: &str) {
    let Ok(reader) = Reader::<T>::open(file, path) else { return };
    let walked = reader.entries().take(ENTRIES).take_while(Result::is_ok).count() as u64;
    let count = reader.entry_count().unwrap_or_default();
    // Behind the damage, and at the end.
    for index in [walked + 1, count / 2, count.saturating_sub(1)] {
        let _ = reader.get(index);
    }
}

/// Lends what there is, reads it into columns, and reads items in portions.
fn columns<T: rntuple::Entry + ReadColumnar>(file: &RootFile, path: &str) {
    let Ok(reader) = Reader::<T>::open(file, path) else { return };
    let some = || reader.batches_in(..ENTRIES as u64, 7);
    let mut batches = some();
    while let Ok(Some(entries)) = batches.lend() {
        Iter::new(entries).for_each(drop);
    }
    let _ = some().take_while(Result::is_ok).count();
    if let Ok(mut items) = reader.items::<Muon>("muons") {
        let _ = (0..ENTRIES).take_while(|_| matches!(items.lend(3), Ok(Some(_)))).count();
        let _ = items.choose_entry(1).and_then(|()| items.lend(usize::MAX).map(drop));
    }
}

/// Touches some of what is decoded late.
fn late(file: &RootFile, path: &str) {
    let Ok(reader) = Reader::<Late>::open(file, path) else { return };
    let mut batches = reader.batches_in(..ENTRIES as u64, 7);
    while let Ok(Some(entries)) = batches.lend() {
        let touched = entries.number.iter().any(|number| number % 2 == 0);
        if touched && let Some(last) = entries.get(entries.len() - 1) {
            let _ = (last.muons.value().is_ok(), entries.met.values().is_ok());
        }
    }
}

/// Opens the bytes as a file, and adds entries and columns to whatever it lists. What took them can be opened again.
///
/// # Panics
/// If it cannot, or has lost entries.
pub fn edit_file(bytes: &[u8]) {
    let Ok(file) = RootFile::from_storage(Memory::from(bytes.to_vec())) else { return };
    for key in file.ntuples().unwrap_or_default() {
        let path = key.path();
        append::<Event>(bytes, &path);
        append::<One<f32>>(bytes, &path);
        append::<One<Vec<Process>>>(bytes, &path);
        add(bytes, &path);
    }
}

fn append<T: rntuple::Entry + WriteField + ReadField + Sample>(bytes: &[u8], path: &str) {
    let mut random = Random::new(44);
    let mut append = || -> rntuple::Result<_> {
        let mut writer = Writer::<T, _>::append_to(Memory::from(bytes.to_vec()), path, WriteOptions::new())?;
        (0..3).try_for_each(|_| writer.fill(&T::sample(&mut random)))?;
        let entries = writer.entry_count();
        Ok((entries, writer.finish_into()?.1))
    };
    if let Ok((entries, storage)) = append() {
        reopen::<T>(storage, path, entries);
    }
}

fn add(bytes: &[u8], path: &str) {
    let add = || -> rntuple::Result<_> {
        let storage = Memory::from(bytes.to_vec());
        let mut adder = ColumnAdder::<Added, _>::new(storage, path, WriteOptions::new())?;
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

/// Opens the bytes as a file, and merges, reads and joins it with itself and with `other`.
///
/// # Panics
/// If what was merged cannot be opened, or has lost entries.
pub fn combine_files(bytes: &[u8], other: &[u8]) {
    let open = |bytes: &[u8]| {
        RootFile::from_storage(Memory::from(bytes.to_vec())).map(|file| file.with_limits(limits()))
    };
    let (Ok(file), Ok(other)) = (open(bytes), open(other)) else { return };
    for key in file.ntuples().unwrap_or_default() {
        let path = key.path();
        let files = [file.clone(), other.clone(), file.clone()];
        for (inputs, mode) in [(&files[..1], SchemaMode::Strict), (&files, SchemaMode::Union)] {
            for options in [MergeOptions::new(), MergeOptions::new().compression(Compression::zstd(1))] {
                merge(inputs, &path, options.schema(mode));
            }
        }
        as_one::<Value>(&files, &path);
        as_one::<Event>(&files, &path);
        join::<Key>(&files, &path);
    }
}

fn merge(files: &[RootFile], path: &str, options: MergeOptions<'_>) {
    let inputs: Vec<Input> = files.iter().map(|file| Input::open(file).ntuple(path)).collect();
    if let Ok((summary, storage)) = merge_into(&inputs, Memory::new(), options) {
        reopen::<Event>(storage, path, summary.entries);
    }
}

fn as_one<T: rntuple::Entry + ReadField>(files: &[RootFile], path: &str) {
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

fn join<K: JoinKey>(files: &[RootFile], path: &str) {
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
