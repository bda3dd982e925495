//! Files of entries, and what is read from them as rows and as batches.

use std::fmt::Debug;

use rntuple::batch::{Batch, Batched};
use rntuple::field::batch::{ReadBatch, WriteBatch};
use rntuple::field::{ReadField, WriteField};
use rntuple::storage::Memory;
use rntuple::{Compression, RNTuple, Reader, Result, WriteOptions, Writer};

/// A type that is written and read, as rows and as batches.
pub(crate) trait Both:
    RNTuple
    + WriteField<Writer: WriteBatch<Self::Batch>>
    + ReadField<Reader: ReadBatch<Self::Batch>>
    + Batched<Batch: Debug + PartialEq + Clone>
    + Debug
    + PartialEq
{
}

impl<T> Both for T where
    T: rntuple::Entry
        + WriteField<Writer: WriteBatch<Self::Batch>>
        + ReadField<Reader: ReadBatch<Self::Batch>>
        + Batched<Batch: Debug + PartialEq + Clone>
        + Debug
        + PartialEq
{
}

/// Several clusters of several small pages.
pub(crate) fn small() -> WriteOptions {
    WriteOptions::new()
        .compression(Compression::NONE)
        .cluster_size(2000)
        .initial_page_length(64)
        .max_page_length(128)
        .write_buffer_length(500)
}

pub(crate) fn write<T: rntuple::Entry + WriteField>(entries: &[T], options: WriteOptions) -> Memory {
    let mut writer = Writer::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(entries).unwrap();
    writer.finish_into().unwrap().1
}

pub(crate) fn open<T: rntuple::Entry + ReadField>(file: &Memory) -> Reader<T> {
    Reader::open(file.clone(), "Events").unwrap()
}

pub(crate) fn rows<T: rntuple::Entry + ReadField>(file: &Memory) -> Result<Vec<T>> {
    Reader::<T>::open(file.clone(), "Events")?.entries().collect()
}

pub(crate) fn pushed<T: Batched>(entries: &[T]) -> T::Batch {
    let mut batch = T::Batch::default();
    entries.iter().for_each(|entry| entry.push_to(&mut batch));
    batch
}

/// The entries come back as batches of all sizes, and batches of them make the same file.
pub(crate) fn round_trip<T: Both>(entries: &[T]) {
    for options in [WriteOptions::new(), small()] {
        let file = write(entries, options.clone());
        assert_eq!(rows::<T>(&file).unwrap(), entries);
        compare(&file, entries);
        let mut writer = Writer::<T, _>::new(Memory::new(), "Events", options).unwrap();
        let middle = entries.len() / 3;
        writer.fill_batch(&pushed(&entries[..middle])).unwrap();
        writer.fill_batch(&pushed(&entries[middle..])).unwrap();
        let (summary, file) = writer.finish_into().unwrap();
        assert_eq!(summary.entries, entries.len() as u64);
        assert_eq!(rows::<T>(&file).unwrap(), entries);
    }
}

/// The file's batches are those that the entries make.
pub(crate) fn compare<T>(file: &Memory, entries: &[T])
where
    T: rntuple::Entry + ReadField<Reader: ReadBatch<T::Batch>> + Batched<Batch: Debug + PartialEq>,
{
    let reader = open::<T>(file);
    for count in [1, 2, 7, 1000, usize::MAX] {
        let mut batches = reader.batches(count);
        let mut batch = T::Batch::default();
        for expected in entries.chunks(count) {
            assert!(batches.read_into(&mut batch).unwrap());
            assert_eq!(batch.len(), expected.len());
            assert_eq!(batch, pushed(expected), "batches of {count}");
        }
        assert!(!batches.read_into(&mut batch).unwrap());
        assert!(batch.is_empty() && batch == T::Batch::default());
    }
    let length = entries.len();
    for range in [0..0, 1..2, length / 2..length, length / 3..2 * length / 3, 0..length + 9] {
        let expected = &entries[range.start.min(length)..range.end.min(length)];
        let batches = reader.batches_in(range.start as u64..range.end as u64, 10);
        let found: Vec<_> = batches.collect::<Result<_>>().unwrap();
        let expected: Vec<_> = expected.chunks(10).map(pushed).collect();
        assert!(found == expected, "{range:?}");
    }
}
