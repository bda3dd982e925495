//! Files of entries, and what is read from them as rows and as columns.

use std::fmt::Debug;

use rntuple::columns::{Columnar, Columns, Iter, ReadColumnar, Slice, WriteColumnar};
use rntuple::field::{ReadField, WriteField};
use rntuple::storage::Memory;
use rntuple::{Compression, Entry, Reader, Result, WriteOptions, Writer};

/// A type that is written and read, as rows and as columns.
pub(crate) trait Both: Entry + WriteColumnar + ReadColumnar + Debug + PartialEq {}

impl<T: Entry + WriteColumnar + ReadColumnar + Debug + PartialEq> Both for T {}

/// Several clusters of several small pages.
pub(crate) fn small() -> WriteOptions {
    WriteOptions::new()
        .compression(Compression::NONE)
        .cluster_size(2000)
        .initial_page_length(64)
        .max_page_length(128)
        .write_buffer_length(500)
}

pub(crate) fn write<T: Entry + WriteField>(entries: &[T], options: WriteOptions) -> Memory {
    let mut writer = Writer::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(entries).unwrap();
    writer.finish_into().unwrap().1
}

pub(crate) fn open<T: Entry + ReadField>(file: &Memory) -> Reader<T> {
    Reader::open(file.clone(), "Events").unwrap()
}

pub(crate) fn rows<T: Entry + ReadField>(file: &Memory) -> Result<Vec<T>> {
    Reader::<T>::open(file.clone(), "Events")?.entries().collect()
}

pub(crate) fn pushed<T: Columnar>(entries: &[T]) -> T::Columns {
    let mut columns = T::Columns::default();
    entries.iter().for_each(|entry| entry.push_to(&mut columns));
    columns
}

/// All values that columns show, which are all that they have.
pub(crate) fn shown(columns: &impl Debug) -> String {
    format!("{columns:?}")
}

/// The entries come back as columns of all sizes, and columns of them make the same file, owned or lent.
pub(crate) fn round_trip<T: Both>(entries: &[T]) {
    for options in [WriteOptions::new(), small()] {
        let file = write(entries, options.clone());
        assert_eq!(rows::<T>(&file).unwrap(), entries);
        compare(&file, entries);
        let mut writer = Writer::<T, _>::new(Memory::new(), "Events", options).unwrap();
        let middle = entries.len() / 3;
        writer.fill_columns(pushed(&entries[..middle]).as_slice()).unwrap();
        writer.fill_columns(pushed(&entries[middle..]).as_slice()).unwrap();
        let (summary, file) = writer.finish_into().unwrap();
        assert_eq!(summary.entries, entries.len() as u64);
        assert_eq!(rows::<T>(&file).unwrap(), entries);
        for count in [1, 7, 1000] {
            let mut writer = Writer::<T, _>::new(Memory::new(), "Events", small()).unwrap();
            let reader = open::<T>(&file);
            let mut batches = reader.batches(count);
            while let Some(slice) = batches.lend().unwrap() {
                writer.fill_columns(slice).unwrap();
            }
            assert_eq!(rows::<T>(&writer.finish_into().unwrap().1).unwrap(), entries);
        }
    }
}

/// The file's columns are those that the entries make.
pub(crate) fn compare<T: Entry + ReadColumnar>(file: &Memory, entries: &[T]) {
    let reader = open::<T>(file);
    for count in [1, 2, 7, 1000, usize::MAX] {
        let mut batches = reader.batches(count);
        let mut columns = T::Columns::default();
        for expected in entries.chunks(count) {
            assert!(batches.read_into(&mut columns).unwrap());
            assert_eq!(columns.len(), expected.len());
            assert_eq!(shown(&columns), shown(&pushed(expected)), "batches of {count}");
        }
        assert!(!batches.read_into(&mut columns).unwrap());
        assert!(columns.is_empty() && shown(&columns) == shown(&T::Columns::default()));
        lend(&reader, entries, count);
    }
    let length = entries.len();
    for range in [0..0, 1..2, length / 2..length, length / 3..2 * length / 3, 0..length + 9] {
        let expected = &entries[range.start.min(length)..range.end.min(length)];
        let batches = reader.batches_in(range.start as u64..range.end as u64, 10);
        let found: Vec<_> = batches.map(|columns| shown(&columns.unwrap())).collect();
        let expected: Vec<_> = expected.chunks(10).map(|entries| shown(&pushed(entries))).collect();
        assert!(found == expected, "{range:?}");
    }
}

/// What is lent shows the same values, and so do parts of it.
fn lend<T: Entry + ReadColumnar>(reader: &Reader<T>, entries: &[T], most: usize) {
    let mut batches = reader.batches(most);
    let mut rest = entries;
    while let Some(slice) = batches.lend().unwrap() {
        let count = slice.len();
        assert!((1..=most).contains(&count));
        let (now, later) = rest.split_at(count);
        let columns = pushed(now);
        let expected = columns.as_slice();
        assert_eq!(shown(&slice), shown(&expected), "at most {most}");
        slice.check().unwrap();
        let range = count / 3..count - count / 4;
        assert_eq!(shown(&slice.part(range.clone())), shown(&expected.part(range)));
        assert_eq!(shown(&Iter::new(slice).next_back()), shown(&expected.get(count - 1)));
        assert!(slice.get(count).is_none() && slice.part(0..count + 1).is_none());
        rest = later;
    }
    assert!(rest.is_empty());
}
