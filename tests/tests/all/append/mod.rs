//! Appending to files that are there: entries, columns, and what is left when it does not come to an end.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

mod columns;
mod failing;
mod killed;
mod ours;
mod real;
mod refused;
mod types;

use rntuple::check::{CheckOptions, check_file};
use rntuple::field::{ReadField, WriteField};
use rntuple::storage::Memory;
use rntuple::{Reader, RootFile, WriteOptions, Writer};

/// A file with one ntuple.
fn write<T: rntuple::Entry + WriteField>(path: &str, entries: &[T], options: WriteOptions) -> Vec<u8> {
    let mut writer = Writer::<T, _>::new(Memory::new(), path, options).unwrap();
    writer.fill_all(entries).unwrap();
    writer.finish_into().unwrap().1.into_bytes()
}

/// The file with more entries.
fn append<T: rntuple::Entry + WriteField>(
    bytes: Vec<u8>,
    path: &str,
    entries: &[T],
    options: WriteOptions,
) -> Vec<u8> {
    let mut writer = Writer::<T, _>::append_to(Memory::from(bytes), path, options).unwrap();
    writer.fill_all(entries).unwrap();
    writer.finish_into().unwrap().1.into_bytes()
}

fn read<T: rntuple::Entry + ReadField>(bytes: &[u8], path: &str) -> Vec<T> {
    let reader = Reader::<T>::open(Memory::from(bytes.to_vec()), path).unwrap();
    let entries: Vec<T> = reader.entries().map(Result::unwrap).collect();
    assert_eq!(entries.len() as u64, reader.entry_count().unwrap());
    entries
}

fn open(bytes: &[u8]) -> RootFile {
    RootFile::from_storage(Memory::from(bytes.to_vec())).unwrap()
}

/// Every byte is sound; after the end there may be what an append left that never finished.
#[track_caller]
fn assert_sound(bytes: &[u8]) {
    let report = check_file(&open(bytes), CheckOptions::new());
    assert!(report.faults.is_empty(), "{:?}", report.faults);
    let tail = bytes.len() as u64 - open(bytes).end();
    assert_eq!(report.unreferenced_bytes, tail, "{:?}", report.notes);
    assert_eq!(report.is_sound(), tail == 0, "{:?}", report.notes);
}

/// Nothing has changed before the old end but the numbers of the header and of one directory.
#[track_caller]
fn assert_untouched(old: &[u8], new: &[u8]) {
    let end = open(old).end() as usize;
    let changed: Vec<usize> = (0..end).filter(|&at| old[at] != new[at]).collect();
    let (header, directory): (Vec<usize>, Vec<usize>) = changed.iter().partition(|&&at| at < 45);
    assert!(header.iter().all(|at| (12..28).contains(at)), "{header:?}");
    let span = directory.last().map_or(0, |last| last - directory[0] + 1);
    assert!(span <= 24, "{directory:?}");
}
