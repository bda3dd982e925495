//! Damaged files: columns say what rows say.

use rntuple::columns::ReadColumnar;
use rntuple::field::WriteField;
use rntuple::storage::Memory;
use rntuple::{Compression, Entry, ReadOptions, Reader, RootFile, Value, WriteOptions};
use rntuple_tests::places::places;
use rntuple_tests::sample::{Cascade, Event, One, Pair, Sample, samples};

use super::any::values;
use super::common::{pushed, shown, write};

/// What rows and batches say of the same bytes, without checksums in their way.
fn compare<T: Entry + ReadColumnar>(bytes: Vec<u8>, what: &str) {
    let Ok(file) = RootFile::from_storage(Memory::from(bytes)) else { return };
    let options = ReadOptions::new().verify_checksums(false);
    let Ok(reader) = Reader::<T>::open_with(&file, "Events", options) else { return };
    // A count of entries that nothing bounds takes long, not memory.
    let length = reader.entry_count().unwrap().min(1000);
    let rows: Result<Vec<T>, _> = reader.entries_in(0..length).collect();
    for count in [3, 1000] {
        let batches: Result<Vec<_>, _> = reader.batches_in(0..length, count).collect();
        match (&rows, batches) {
            (Ok(rows), Ok(batches)) => {
                let expected: Vec<_> = rows.chunks(count).map(|rows| shown(&pushed(rows))).collect();
                let found: Vec<_> = batches.iter().map(shown).collect();
                assert!(found == expected, "{what}");
            }
            (Err(_), Err(error)) => assert!(!error.to_string().is_empty()),
            (Ok(_), Err(error)) => panic!("{what}: rows are read, batches are not: {error}"),
            (Err(error), Ok(_)) => panic!("{what}: batches are read, rows are not: {error}"),
        }
    }
    for path in ["value", "label", "number", "muons.pt"] {
        if let Ok(mut column) = reader.column::<f32>(path) {
            let mut values = Vec::new();
            drop(column.read_into(1000, &mut values));
            drop(column.seek_entry(1));
        }
        if let Ok(mut sizes) = reader.sizes(path) {
            let mut counts = Vec::new();
            drop(sizes.read_into(1000, &mut counts));
            drop(sizes.seek_entry(1));
        }
    }
}

/// What columns of an unknown schema say of the same bytes. They take less memory than rows, so that they may be read where
/// those pass a limit.
fn compare_any(bytes: Vec<u8>, what: &str) {
    let Ok(file) = RootFile::from_storage(Memory::from(bytes)) else { return };
    let options = ReadOptions::new().verify_checksums(false);
    let Ok(reader) = Reader::<Value>::open_with(&file, "Events", options) else { return };
    let length = reader.entry_count().unwrap().min(1000);
    let rows: Result<Vec<_>, _> =
        reader.entries_in(0..length).map(|entry| entry.map(|entry| format!("{entry:?}"))).collect();
    for count in [3, 1000] {
        let batches: Result<Vec<_>, _> = reader.batches_in(0..length, count).collect();
        match (&rows, batches) {
            (Ok(rows), Ok(batches)) => {
                let found: Vec<_> = batches.iter().flat_map(values).collect();
                assert!(found == *rows, "{what}");
            }
            (Err(_), batches) => drop(batches),
            (Ok(_), Err(error)) => panic!("{what}: rows are read, columns are not: {error}"),
        }
    }
}

fn damage<T: Entry + WriteField + ReadColumnar>(entries: &[T], step: usize) {
    let options = WriteOptions::new().compression(Compression::NONE).checksums(false);
    let bytes = write(entries, options).into_bytes();
    compare::<T>(bytes.clone(), "unchanged");
    compare_any(bytes.clone(), "unchanged");
    for length in places(bytes.len()).step_by(step) {
        compare::<T>(bytes[..length].to_vec(), &format!("{length} bytes"));
        compare_any(bytes[..length].to_vec(), &format!("{length} bytes"));
    }
    for place in places(bytes.len()).step_by(step) {
        for mask in [1, 0x80] {
            let mut bytes = bytes.clone();
            bytes[place] ^= mask;
            let what = format!("byte {place} changed by {mask}");
            if mask == 1 {
                compare_any(bytes.clone(), &what);
            }
            compare::<T>(bytes, &what);
        }
    }
}

fn check<T: Sample>()
where
    One<T>: Entry + WriteField + ReadColumnar,
{
    damage::<One<T>>(&samples(6, 5), 1);
}

#[test]
fn lists_and_strings() {
    check::<Vec<Vec<u16>>>();
    check::<Vec<String>>();
}

#[test]
fn options_and_enums() {
    check::<Option<Pair>>();
    check::<Vec<Cascade>>();
}

#[test]
fn arrays_and_tuples() {
    check::<[(bool, Option<f32>); 2]>();
}

#[test]
fn events() {
    damage::<Event>(&samples(5, 5), 8);
}
