//! Many files read as one hold what they hold one after the other.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::float_cmp,
    reason = "a test that cannot go on has failed"
)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Barrier, mpsc};
use std::time::Duration;

use proptest::prelude::*;
use rayon::prelude::*;
use rntuple::field::ReadField;
use rntuple::schema::Locator;
use rntuple::storage::{Memory, Protocol, ReadAt};
use rntuple::{
    Dataset, EntryList, Error, ErrorKind, Files, Pool, RNTuple, ReadOptions, Reader, RootFile, Value,
    WriteOptions, Writer,
};
use rntuple_tests::clusters;
use rntuple_tests::places::places;
use rntuple_tests::reference;

use crate::sides::{Side, Swapped};

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
#[rntuple(columnar)]
struct Muon {
    pt: f32,
    charge: i8,
}

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
#[rntuple(columnar)]
struct Event {
    number: u64,
    met: f32,
    label: String,
    muons: Vec<Muon>,
}

/// Events that differ from each other.
fn events(numbers: std::ops::Range<u64>) -> Vec<Event> {
    let muon = |number: u64, i: u64| Muon { pt: (number * 8 + i) as f32, charge: (number % 100) as i8 };
    numbers
        .map(|number| Event {
            number,
            met: number as f32 / 2.0,
            label: "x".repeat((number % 5) as usize),
            muons: (0..number * 7 % 4).map(|i| muon(number, i)).collect(),
        })
        .collect()
}

fn small() -> WriteOptions {
    WriteOptions::new().max_page_length(64).cluster_size(400)
}

fn memory<T: rntuple::Entry + rntuple::field::WriteField>(entries: &[T], options: WriteOptions) -> Memory {
    let mut writer = Writer::<T, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(entries).unwrap();
    writer.finish_into().unwrap().1
}

fn write<T: rntuple::Entry + rntuple::field::WriteField>(path: &Path, entries: &[T]) {
    // Also where the file is being read.
    std::fs::write(path, memory(entries, small()).as_bytes()).unwrap();
}

fn opened(storage: Memory) -> RootFile {
    RootFile::from_storage(storage).unwrap()
}

/// Files of these many events, and all of the events.
fn files(counts: &[u64]) -> (Vec<RootFile>, Vec<Event>) {
    let (mut files, mut all) = (Vec::new(), Vec::new());
    for count in counts {
        let start = all.len() as u64;
        let own = events(start..start + count);
        files.push(opened(memory(&own, small())));
        all.extend(own);
    }
    (files, all)
}

fn in_memory(counts: &[u64], options: ReadOptions) -> (Reader<Event>, Vec<Event>) {
    let (files, all) = files(counts);
    (Reader::open_with(files, "Events", options).unwrap(), all)
}

/// Files of these many events in a directory.
fn on_disk(directory: &Path, counts: &[u64]) -> (Vec<PathBuf>, Vec<Event>) {
    let (mut paths, mut all) = (Vec::new(), Vec::new());
    for (index, count) in counts.iter().enumerate() {
        let start = all.len() as u64;
        let own = events(start..start + count);
        paths.push(directory.join(format!("events_{index:03}.root")));
        write(&paths[index], &own);
        all.extend(own);
    }
    (paths, all)
}

#[test]
fn a_loop_walks_through_one_file_or_many() {
    let (files, all) = files(&[3, 0, 5]);
    let reader = Reader::<Event>::open(files.clone(), "Events").unwrap();
    let mut expected = all.iter();
    for event in &reader {
        assert_eq!(Some(&event.unwrap()), expected.next());
    }
    assert_eq!(expected.next(), None);

    let reader = Reader::<Event>::open(&files[2], "Events").unwrap();
    let mut expected = all[3..].iter();
    for event in &reader {
        assert_eq!(Some(&event.unwrap()), expected.next());
    }
    assert_eq!(expected.next(), None);
}

/// Reads everything in every way there is.
fn compare(reader: &Reader<Event>, all: &[Event], range: std::ops::Range<u64>, size: usize) {
    assert_eq!(reader.entry_count().unwrap(), all.len() as u64);
    assert!(reader.entries().map(Result::unwrap).eq(all.iter().cloned()));
    let end = (range.end as usize).min(all.len());
    let part = &all[(range.start as usize).min(end)..end];
    assert!(reader.entries_in(range.clone()).map(Result::unwrap).eq(part.iter().cloned()));

    let (mut slot, mut walk, mut read) = (Event::default(), reader.entries(), Vec::new());
    while walk.read_into(&mut slot).unwrap() {
        read.push(slot.clone());
    }
    assert_eq!(read, all);

    // Single ones, in an order that jumps between the files.
    for i in 0..all.len().min(40) {
        let index = i * 7919 % all.len();
        assert_eq!(reader.get(index as u64).unwrap(), all[index]);
        reader.read_into(index as u64, &mut slot).unwrap();
        assert_eq!(slot, all[index]);
    }
    assert_eq!(reader.get(all.len() as u64).unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(reader.get(u64::MAX).unwrap_err().kind(), ErrorKind::InvalidArgument);
    // There is no file to blame, unless there is only one.
    let beyond = [
        reader.get(all.len() as u64).unwrap_err(),
        reader.take(&[all.len() as u64]).map(|_| ()).unwrap_err(),
        reader.column::<f32>("met").unwrap().seek_entry(all.len() as u64).unwrap_err(),
    ];
    for error in beyond {
        assert_eq!(error.location().entry, Some(all.len() as u64));
        assert_eq!(error.location().file.is_some(), reader.files().len() == 1, "{error}");
    }

    // Every batch but the last one is full, wherever files end.
    let batches: Vec<_> = reader.batches_in(range.clone(), size).map(Result::unwrap).collect();
    let lengths: Vec<usize> = batches.iter().map(|batch| batch.len()).collect();
    assert!(lengths.iter().rev().skip(1).all(|length| *length == size), "{lengths:?} of {size}");
    let numbers: Vec<u64> = batches.iter().flat_map(|batch| batch.number.clone()).collect();
    assert!(numbers.iter().copied().eq(part.iter().map(|event| event.number)));
    let pt: Vec<f32> = batches.iter().flat_map(|batch| batch.muons.items().pt.clone()).collect();
    assert!(pt.iter().copied().eq(part.iter().flat_map(|event| event.muons.iter().map(|muon| muon.pt))));

    let mut rest = part.iter();
    let lent = reader.batches_in(range, size).visit(|event| {
        let expected = rest.next().unwrap();
        assert_eq!((event.number, event.label), (expected.number, &*expected.label));
        assert_eq!(event.muons.pt.len(), expected.muons.len());
        Ok::<_, Error>(())
    });
    lent.unwrap();
    assert!(rest.next().is_none());
    let (mut batches, mut numbers) = (reader.batches(size), Vec::new());
    while let Some(events) = batches.lend().unwrap() {
        numbers.extend_from_slice(events.number);
    }
    assert!(numbers.iter().copied().eq(0..all.len() as u64));

    let parallel: Vec<Event> = reader.par_entries().map(Result::unwrap).collect();
    assert_eq!(parallel, all);
    for target in [1, 3, 100] {
        let ranges = reader.partitions(target).unwrap();
        assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
        let read = ranges.into_iter().flat_map(|range| reader.entries_in(range)).map(Result::unwrap);
        assert!(read.eq(all.iter().cloned()));
    }

    let mut met = Vec::new();
    reader.column::<f32>("met").unwrap().read_into(usize::MAX, &mut met).unwrap();
    assert!(met.iter().copied().eq(all.iter().map(|event| event.met)));
    let (mut column, mut pt) = (reader.column::<f64>("muons.pt").unwrap(), Vec::new());
    while let Some(values) = column.next_chunk().unwrap() {
        pt.extend_from_slice(values);
    }
    let expected =
        |from: usize| all[from..].iter().flat_map(|event| event.muons.iter().map(|muon| f64::from(muon.pt)));
    assert!(pt.iter().copied().eq(expected(0)));
    for from in [0, all.len() / 2, all.len().saturating_sub(1), 0] {
        pt.clear();
        if from < all.len() {
            column.seek_entry(from as u64).unwrap();
            column.read_into(usize::MAX, &mut pt).unwrap();
            assert!(pt.iter().copied().eq(expected(from)), "from {from}");
        }
    }
    assert!(column.seek_entry(all.len() as u64).is_err());
    let mut sizes = Vec::new();
    reader.sizes("muons").unwrap().read_into(usize::MAX, &mut sizes).unwrap();
    assert!(sizes.into_iter().eq(all.iter().map(|event| event.muons.len() as u64)));

    for (index, event) in all.iter().enumerate() {
        let (file, own) = reader.locate(index as u64).unwrap().unwrap();
        let entries = reader.entries_of_file(file).unwrap();
        assert_eq!(entries.start + own, event.number);
        assert!(entries.contains(&event.number));
    }
    assert_eq!(reader.locate(all.len() as u64).unwrap(), None);

    // Some of them: in any order, or as a list.
    let some: Vec<u64> = (0..all.len() as u64).filter(|entry| entry % 3 == 1).collect();
    let list: EntryList = some.iter().copied().collect();
    let expected = || some.iter().map(|entry| all[*entry as usize].clone());
    assert!(reader.entries_in(&list).map(Result::unwrap).eq(expected()));
    assert_eq!(reader.select(|event| event.number % 3 == 1).unwrap(), list);
    let batches = reader.batches_in(&list, size).map(Result::unwrap);
    let numbers: Vec<u64> = batches.flat_map(|batch| batch.number.clone()).collect();
    assert_eq!(numbers, some);
    let mut numbers = Vec::new();
    let lent = reader.batches_in(&list, size).visit(|event| {
        numbers.push(event.number);
        Ok::<_, Error>(())
    });
    lent.unwrap();
    assert_eq!(numbers, some);
    let mut mixed: Vec<u64> = some.iter().rev().chain(&some).copied().collect();
    mixed.rotate_left(some.len() / 3);
    let taken = reader.take(&mixed).unwrap();
    assert!(taken.into_iter().eq(mixed.iter().map(|entry| all[*entry as usize].clone())));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn it_is_the_files_one_after_the_other(
        counts in prop::collection::vec(prop_oneof![Just(0u64), 1u64..4, 1u64..150], 1..7),
        start in 0u64..300,
        length in 0u64..300,
        size in 1usize..90,
        open_files in 0usize..3,
    ) {
        let (reader, all) = in_memory(&counts, ReadOptions::new().open_files(open_files));
        compare(&reader, &all, start..start + length, size);
        let own = (0..counts.len()).map(|file| reader.entries_of_file(file).unwrap());
        let own: Vec<u64> = own.map(|entries| entries.end - entries.start).collect();
        prop_assert_eq!(own, counts);
    }
}

#[test]
fn threads_and_budgets_change_nothing() {
    let pool = Pool::new(2).unwrap();
    let with_pool = ReadOptions::new().pool(&pool).open_files(1);
    for options in
        [with_pool.clone(), with_pool.memory_budget(400_000), ReadOptions::new().memory_budget(50_000)]
    {
        let (reader, all) = in_memory(&[100, 0, 1, 300, 77], options);
        compare(&reader, &all, 90..410, 64);
    }
    // What is too little for one of the files is told when they are opened.
    let (files, _) = files(&[0, 100]);
    let error =
        Reader::<Event>::open_with(files, "Events", ReadOptions::new().memory_budget(100)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
}

#[test]
fn paths_are_as_good_as_files_and_may_be_listed_twice() {
    let directory = tempfile::tempdir().unwrap();
    let (paths, all) = on_disk(directory.path(), &[30, 0, 50]);
    for open_files in [0, 1, 16] {
        let options = ReadOptions::new().open_files(open_files);
        let reader = Reader::open_with(&paths, "Events", options).unwrap();
        compare(&reader, &all, 10..60, 33);
    }
    let reader = Reader::<Event>::open([&paths[0], &paths[2], &paths[0]], "Events").unwrap();
    let numbers: Vec<u64> = reader.entries().map(|event| event.unwrap().number).collect();
    assert!(numbers.into_iter().eq((0..30).chain(30..80).chain(0..30)));
    assert_eq!([0, 1, 2].map(|file| reader.entries_of_file(file).unwrap()), [0..30, 30..80, 80..110]);
    assert_eq!(reader.dataset(1).unwrap().entry_count(), 50);
    for error in [reader.dataset(3).unwrap_err(), reader.entries_of_file(3).unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains("there is no file 3: the reader has 3 files"), "{error}");
    }
    let names = format!("{:?}", reader.files());
    assert_eq!(format!("{reader:?}"), format!(r#"Reader {{ ntuple: "Events", files: {names}, .. }}"#));
}

#[test]
fn threads_of_a_pool_may_wait_for_files_that_another_thread_opens() {
    let (files, all) = files(&[30, 50, 0, 20, 10]);
    let pool = Pool::new(2).unwrap();
    let options = ReadOptions::new().same_schema(true).pool(&pool);
    let reader = Arc::new(Reader::<Event>::open_with(files, "Events", options).unwrap());
    let (counted, counts) = mpsc::channel();
    let busy = Arc::new(Barrier::new(3));
    for _ in 0..2 {
        let (reader, counted, busy) = (reader.clone(), counted.clone(), busy.clone());
        pool.as_rayon().spawn(move || {
            busy.wait();
            // The other thread begins to open files, while none of the pool is free.
            std::thread::sleep(Duration::from_millis(200));
            let _ = counted.send(reader.entry_count().unwrap());
        });
    }
    std::thread::spawn(move || {
        busy.wait();
        let _ = counted.send(reader.entry_count().unwrap());
    });
    for _ in 0..3 {
        let count = counts.recv_timeout(Duration::from_secs(60)).expect("the threads wait for each other");
        assert_eq!(count, all.len() as u64);
    }
}

#[test]
fn files_of_one_schema_are_opened_when_they_are_reached() {
    let directory = tempfile::tempdir().unwrap();
    let (paths, all) = on_disk(directory.path(), &[40, 0, 50, 30]);
    for open_files in [0, 2] {
        let options = ReadOptions::new().same_schema(true).open_files(open_files);
        compare(&Reader::open_with(&paths, "Events", options.clone()).unwrap(), &all, 10..100, 33);
        compare(
            &Reader::open_with(&paths, "Events", options.pool(&Pool::new(2).unwrap())).unwrap(),
            &all,
            0..9,
            7,
        );
    }
    let options = ReadOptions::new().same_schema(true);
    let reader = Reader::<Event>::open_with(&paths, "Events", options.clone()).unwrap();
    // From the middle on, and the last one first.
    assert_eq!(reader.get(95).unwrap(), all[95]);
    let reader = Reader::<Event>::open_with(&paths, "Events", options.clone()).unwrap();
    assert!(reader.entries_in(85..100).map(Result::unwrap).eq(all[85..100].iter().cloned()));

    // What is wrong with a file is an error where it is reached.
    #[derive(RNTuple)]
    struct Other {
        number: u64,
    }
    write(&paths[2], &[Other { number: 1 }]);
    assert_eq!(Reader::<Event>::open(&paths, "Events").unwrap_err().kind(), ErrorKind::SchemaMismatch);
    let reader = Reader::<Event>::open_with(&paths, "Events", options.clone()).unwrap();
    assert_eq!(reader.entries_of_file(1).unwrap(), 40..40);
    let read: Vec<_> = reader.entries().collect();
    assert_eq!(read.len(), 41);
    assert!(read[..40].iter().map(|event| event.as_ref().unwrap()).eq(&all[..40]));
    let is_named = |error: &Error| error.location().file.as_deref() == paths[2].to_str();
    assert!(
        read[40].as_ref().is_err_and(|error| error.kind() == ErrorKind::SchemaMismatch && is_named(error))
    );
    for error in [
        reader.entry_count().unwrap_err(),
        reader.partitions(3).unwrap_err(),
        reader.locate(40).unwrap_err(),
        reader.get(40).unwrap_err(),
        reader.zip(&reader).unwrap_err(),
        reader.par_entries().find_any(|event| event.is_err()).unwrap().unwrap_err(),
        reader.column::<f32>("met").unwrap().read_into(99, &mut Vec::new()).unwrap_err(),
        reader.batches(64).next().unwrap().unwrap_err(),
    ] {
        assert!(error.kind() == ErrorKind::SchemaMismatch && is_named(&error), "{error}");
    }
    let mut batches = reader.batches(1);
    assert!((0..40).all(|_| batches.lend().unwrap().is_some()));
    assert!(is_named(&batches.lend().unwrap_err()));
    assert!(batches.lend().unwrap().is_none());
    std::fs::remove_file(&paths[2]).unwrap();
    let reader = Reader::<Value>::open_with(&paths, "Events", options).unwrap();
    assert_eq!(reader.entries().filter(Result::is_ok).count(), 40);
    assert!(reader.entry_count().is_err_and(|error| error.kind() == ErrorKind::Io && is_named(&error)));
}

#[test]
fn attribute_sets_of_many_files_count_entries_as_the_reader_does() {
    #[derive(RNTuple, Debug, PartialEq)]
    struct Run {
        number: u32,
    }
    let file = |number: u32, count: u64, is_described: bool| {
        let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", small()).unwrap();
        writer.fill_all(&events(0..count)).unwrap();
        if is_described {
            let runs = writer.attributes("Runs").unwrap();
            runs.add(0..count, &Run { number }).unwrap();
            runs.add(1..2, &Run { number: number + 100 }).unwrap();
        }
        writer.finish_into().unwrap().1
    };
    let directory = tempfile::tempdir().unwrap();
    let files = [file(1, 10, true), file(2, 5, false), file(3, 7, true)];
    let paths: Vec<PathBuf> = (0..3).map(|index| directory.path().join(format!("{index}.root"))).collect();
    for (path, file) in paths.iter().zip(&files) {
        std::fs::write(path, file.as_bytes()).unwrap();
    }
    let in_memory = Reader::<Event>::open(files.to_vec(), "Events").unwrap();
    let options = ReadOptions::new().open_files(0).same_schema(true);
    let on_disk = Reader::<Event>::open_with(&paths, "Events", options).unwrap();
    for reader in [in_memory, on_disk] {
        let runs = reader.attributes::<Run>("Runs").unwrap();
        let expected = [(0..10, 1), (1..2, 101), (15..22, 3), (16..17, 103)];
        assert_eq!(runs.attribute_count(), 4);
        let all: Vec<_> =
            runs.entries().map(|run| run.map(|run| (run.range, run.value.number)).unwrap()).collect();
        assert_eq!(all, expected);
        for (index, (range, number)) in (0..).zip(expected) {
            let run = runs.get(index).unwrap();
            assert_eq!((run.range, run.value.number), (range, number));
        }
        let covering =
            |entry| -> Vec<u32> { runs.covering(entry).map(|run| run.unwrap().value.number).collect() };
        assert_eq!(
            [0, 1, 9, 10, 14, 15, 16, 22].map(covering),
            [vec![1], vec![1, 101], vec![1], vec![], vec![], vec![3], vec![3, 103], vec![]]
        );
        let error = reader.attributes::<Run>("nothing").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
}

#[test]
fn a_walk_opens_each_file_once() {
    /// Files in memory, and how often each was opened.
    struct Shelf(Vec<Memory>, Vec<AtomicUsize>);

    impl Protocol for Shelf {
        fn open(&self, url: &str) -> std::io::Result<Arc<dyn ReadAt>> {
            let index: usize = url.rsplit('/').next().unwrap().parse().unwrap();
            self.1[index].fetch_add(1, Relaxed);
            Ok(Arc::new(self.0[index].clone()))
        }
    }

    let all = events(0..60);
    let files: Vec<_> = all.chunks(5).map(|events| memory(events, small())).collect();
    let urls: Vec<_> = (0..files.len()).map(|index| format!("once://shelf/{index}")).collect();
    for open_files in [1, 2, 16] {
        let opened: Vec<_> = files.iter().map(|_| AtomicUsize::new(0)).collect();
        let shelf = Arc::new(Shelf(files.clone(), opened));
        rntuple::storage::register("once", shelf.clone());
        let options = ReadOptions::new().same_schema(true).open_files(open_files);
        let reader = Reader::<Event>::open_with(&urls, "Events", options).unwrap();
        assert!(reader.entries().map(Result::unwrap).eq(all.iter().cloned()));
        let opened: Vec<_> = shelf.1.iter().map(|count| count.load(Relaxed)).collect();
        assert_eq!(opened, vec![1; files.len()], "{open_files} files stay open");
    }
}

#[test]
fn threads_share_a_reader() {
    let (reader, all) = in_memory(&[100, 0, 60], ReadOptions::new());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (reader, all) = (&reader, &all);
            scope.spawn(move || {
                for i in 0..200 {
                    let index = (i * 7919 + thread * 31) % all.len();
                    assert_eq!(reader.get(index as u64).unwrap(), all[index]);
                }
                assert!(reader.entries().map(Result::unwrap).eq(all.iter().cloned()));
            });
        }
    });
}

#[test]
fn files_without_entries_are_files() {
    let (reader, all) = in_memory(&[0, 0, 0], ReadOptions::new());
    assert!(all.is_empty());
    compare(&reader, &all, 0..10, 5);
    let (reader, all) = in_memory(&[0, 3, 0, 0, 2, 0], ReadOptions::new());
    compare(&reader, &all, 1..10, 2);
    let error = Reader::<Event>::open([] as [&Path; 0], "Events").unwrap_err();
    assert_eq!(
        (error.kind(), &*error.to_string()),
        (ErrorKind::InvalidArgument, "a reader needs at least one file")
    );
}

#[derive(RNTuple)]
struct Old {
    id: u32,
    met: f32,
}

#[derive(RNTuple)]
struct New {
    number: u64,
    met: f64,
    weight: f32,
    more: Vec<u8>,
}

fn one() -> f32 {
    1.0
}

#[derive(RNTuple, Debug, PartialEq)]
#[rntuple(columnar)]
struct Any {
    #[rntuple(alias = "id")]
    number: u64,
    met: f64,
    #[rntuple(default = "one")]
    weight: f32,
}

#[test]
fn each_file_is_read_by_its_own_schema() {
    let old = memory(&[Old { id: 1, met: 0.5 }, Old { id: 2, met: 1.5 }], small());
    let new = memory(&[New { number: 3, met: 2.5, weight: 0.25, more: vec![1, 2] }], small());
    let files = || [&old, &new, &old].map(|file| opened(file.clone()));
    let reader = Reader::<Any>::open(files(), "Events").unwrap();
    let any = |number, met, weight| Any { number, met, weight };
    let expected =
        [any(1, 0.5, 1.0), any(2, 1.5, 1.0), any(3, 2.5, 0.25), any(1, 0.5, 1.0), any(2, 1.5, 1.0)];
    assert!(reader.entries().map(Result::unwrap).eq(expected));
    assert_eq!(reader.get(2).unwrap(), any(3, 2.5, 0.25));
    assert_eq!(reader.get(3).unwrap(), any(1, 0.5, 1.0));
    let batch = reader.batches(4).next().unwrap().unwrap();
    assert_eq!(batch.weight, [1.0, 1.0, 0.25, 1.0]);
    let mut met = Vec::new();
    reader.column::<f32>("met").unwrap().read_into(4, &mut met).unwrap();
    assert_eq!(met, [0.5, 1.5, 2.5, 0.5]);
    // What the walk along a column finds out later, it says of the file.
    let (files, _) = self::files(&[1]);
    let mixed: Files = [opened(old.clone())].into_iter().chain(files).collect();
    let reader = Reader::<Value>::open_with([] as [&Path; 0], "Events", ReadOptions::new().fields(["met"]));
    assert_eq!(reader.unwrap_err().kind(), ErrorKind::InvalidArgument);
    #[derive(RNTuple)]
    struct Met {
        met: f32,
    }
    let reader = Reader::<Met>::open(mixed, "Events").unwrap();
    let mut column = reader.column::<u32>("id").unwrap();
    let mut ids = Vec::new();
    assert_eq!(column.read_into(9, &mut ids).unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(ids, [1, 2]);
    assert_eq!(column.read_into(9, &mut ids).unwrap(), 0, "an error ends it");
}

#[test]
fn the_wrong_file_is_found_before_anything_is_read() {
    #[derive(RNTuple)]
    struct Other {
        number: u64,
        met: String,
    }
    let directory = tempfile::tempdir().unwrap();
    let (mut paths, _) = on_disk(directory.path(), &[3, 3, 3]);
    write(&paths[1], &[Other { number: 1, met: "much".into() }]);
    let error = Reader::<Event>::open(&paths, "Events").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert_eq!(error.location().file.as_deref(), paths[1].to_str());
    let fields: Vec<&str> = error.mismatches().iter().map(|mismatch| &*mismatch.field).collect();
    assert_eq!(fields, ["met", "label", "muons"]);

    let named = |error: Error, path: &Path| error.to_string().starts_with(path.to_str().unwrap());
    std::fs::write(&paths[1], b"this is no ROOT file, whatever its name is").unwrap();
    let error = Reader::<Event>::open(&paths, "Events").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfSpec);
    assert!(named(error, &paths[1]));
    paths[1] = directory.path().join("nowhere.root");
    let error = Reader::<Event>::open(&paths, "Events").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(named(error, &paths[1]));
    let error = Reader::<Event>::open(&paths, "Nothing").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(named(error, &paths[0]));
}

/// The storage with other bytes where the pages of a column begin.
fn spoilt(storage: &Memory, cluster: usize) -> Memory {
    let mut bytes = storage.block(0..storage.size()).unwrap().to_vec();
    let dataset = Dataset::open(&opened(storage.clone()), "Events").unwrap();
    let Locator::File { offset, .. } = clusters(&dataset)[cluster].columns[0].pages[0].locator else {
        panic!()
    };
    bytes[offset as usize] ^= 0xff;
    Memory::from(bytes)
}

#[test]
fn damage_is_told_with_its_file_and_entry() {
    let directory = tempfile::tempdir().unwrap();
    let (paths, all) = on_disk(directory.path(), &[40, 60, 50]);
    let good = Memory::from(std::fs::read(&paths[1]).unwrap());
    let cluster = clusters(&Dataset::open(&opened(good.clone()), "Events").unwrap())[1].clone();
    let bad = spoilt(&good, 1);
    std::fs::write(&paths[1], &*bad.block(0..bad.size()).unwrap()).unwrap();

    let reader = Reader::<Event>::open(&paths, "Events").unwrap();
    let first = 40 + cluster.first_entry;
    let mut entries = reader.entries();
    for event in &all[..first as usize] {
        assert_eq!(&entries.next().unwrap().unwrap(), event);
    }
    let check = |error: &Error| {
        assert_eq!(error.kind(), ErrorKind::OutOfSpec);
        assert_eq!(error.location().file.as_deref(), paths[1].to_str());
        assert_eq!(error.location().ntuple.as_deref(), Some("Events"));
        assert_eq!(error.location().entry, Some(cluster.first_entry));
    };
    check(&entries.next().unwrap().unwrap_err());
    assert!(entries.next().is_none());
    check(&reader.get(first).unwrap_err());
    let mut batches = reader.batches_in(first..all.len() as u64, 5);
    check(&batches.lend().map(drop).unwrap_err());
    check(&reader.batches(1000).next().unwrap().map(drop).unwrap_err());

    // Others are not harmed.
    assert_eq!(reader.get(first - 1).unwrap(), all[first as usize - 1]);
    assert_eq!(reader.get(100).unwrap(), all[100]);
    assert!(reader.entries_in(100..150).map(Result::unwrap).eq(all[100..].iter().cloned()));
    let parallel: Vec<_> = reader.par_entries().collect();
    assert_eq!(parallel.iter().filter(|event| event.is_err()).count(), 1);
    assert_eq!(parallel.last().unwrap().as_ref().unwrap(), &all[149]);
}

#[test]
fn no_byte_of_a_file_in_the_middle_makes_it_panic() {
    let (files, all) = files(&[3, 0, 3]);
    let good = memory(&all, WriteOptions::new());
    let bytes = good.block(0..good.size()).unwrap().to_vec();
    let mut read = 0;
    for position in places(bytes.len()) {
        let mut bytes = bytes.clone();
        bytes[position] ^= 1 << (position % 8);
        let Ok(file) = RootFile::from_storage(Memory::from(bytes)) else { continue };
        let files = [files[0].clone(), file, files[2].clone()];
        let Ok(reader) = Reader::<Event>::open_with(files, "Events", ReadOptions::new().open_files(0)) else {
            continue;
        };
        read += reader.entries().filter(Result::is_ok).count();
        let _ =
            (0..reader.entry_count().unwrap()).map(|entry| reader.get(entry)).filter(Result::is_err).count();
        let _ = reader.sizes("muons").and_then(|mut sizes| sizes.read_into(usize::MAX, &mut Vec::new()));
    }
    assert!(read > 0);
}

#[test]
fn a_file_that_changes_is_noticed() {
    #[derive(RNTuple)]
    struct Longer {
        number: u64,
        met: f32,
        label: String,
        muons: Vec<Muon>,
        new: u8,
    }
    let directory = tempfile::tempdir().unwrap();
    let (paths, all) = on_disk(directory.path(), &[5, 5, 5]);
    let longer = |number| Longer { number, met: 0.0, label: String::new(), muons: vec![], new: 1 };
    let good = std::fs::read(&paths[1]).unwrap();
    let replaced: [(&dyn Fn(), ErrorKind, &str); 5] = [
        (&|| write(&paths[1], &events(5..12)), ErrorKind::Io, "it had 5 entries and has 7"),
        (
            &|| write(&paths[1], &(5..10).map(longer).collect::<Vec<_>>()),
            ErrorKind::Io,
            "the description of its ntuple differs",
        ),
        (&|| std::fs::write(&paths[1], b"nothing").unwrap(), ErrorKind::Io, "was changed after"),
        (&|| std::fs::write(&paths[1], &good[..good.len() / 2]).unwrap(), ErrorKind::Io, "was changed after"),
        (&|| std::fs::remove_file(&paths[1]).unwrap(), ErrorKind::Io, ""),
    ];
    for (change, kind, says) in replaced {
        std::fs::write(&paths[1], &good).unwrap();
        let reader = Reader::<Event>::open_with(&paths, "Events", ReadOptions::new().open_files(0)).unwrap();
        assert_eq!(reader.get(7).unwrap(), all[7]);
        change();
        let read: Vec<_> = reader.entries().collect();
        assert_eq!(read.len(), 6, "five, and an error");
        let error = read[5].as_ref().unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert_eq!(error.location().file.as_deref(), paths[1].to_str());
        assert!(error.to_string().contains(says), "{error}");
        assert_eq!(error.location().entry, Some(0));
        assert_eq!(reader.get(0).unwrap(), all[0]);
        let error = reader.get(7).unwrap_err();
        assert_eq!((error.kind(), error.location().entry), (kind, Some(2)));
        assert_eq!(error.location().file.as_deref(), paths[1].to_str());
        assert!(reader.entries_in(10..15).map(Result::unwrap).eq(all[10..].iter().cloned()));
        assert_eq!(
            reader.column::<f32>("met").unwrap().read_into(20, &mut Vec::new()).unwrap_err().kind(),
            kind
        );
        let failed = reader.par_entries().filter(|event| event.is_err()).count();
        assert!(failed > 0);
        std::fs::write(&paths[1], &good).unwrap();
        assert_eq!(reader.get(7).unwrap(), all[7], "the same file is back");
    }
}

#[test]
fn a_file_that_changes_between_two_readers_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let (paths, _) = on_disk(directory.path(), &[5, 5, 5]);
    let open = || Reader::<Event>::open_with(&paths, "Events", ReadOptions::new().open_files(0)).unwrap();
    let before = open();
    open().check_unchanged(&before).unwrap();
    Reader::<Value>::open(&paths[..2], "Events").unwrap().check_unchanged(&before).unwrap();
    let error = Reader::<Event>::open(&paths[1..], "Events").unwrap().check_unchanged(&before).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    assert!(error.to_string().contains("the other reader has"), "{error}");
    write(&paths[1], &events(5..12));
    let error = open().check_unchanged(&before).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert_eq!(error.location().file.as_deref(), paths[1].to_str());
    assert!(error.to_string().contains("it had 5 entries and has 7"), "{error}");
    // As many entries, of which other things are said.
    std::fs::write(&paths[1], memory(&events(5..10), small().description("new")).as_bytes()).unwrap();
    let error = open().check_unchanged(&before).unwrap_err();
    assert!(error.to_string().contains("the description of its ntuple differs"), "{error}");
}

#[test]
fn patterns_are_files_in_alphabetical_order() {
    let directory = tempfile::tempdir().unwrap();
    for (run, name, number) in [("run2", "events_b", 3), ("run1", "events_b", 2), ("run1", "events_a", 1)] {
        let folder = directory.path().join(run);
        std::fs::create_dir_all(&folder).unwrap();
        write(&folder.join(format!("{name}.root")), &events(number..number + 1));
    }
    std::fs::create_dir_all(directory.path().join("run1/events_dir.root")).unwrap();
    std::fs::write(directory.path().join("run1/notes.txt"), "not a file of events").unwrap();
    let pattern = |text: &str| directory.path().join(text).to_str().unwrap().to_owned();
    let numbers = |text: &str| {
        let reader = Reader::<Event>::open(Files::glob(&pattern(text)).unwrap(), "Events").unwrap();
        reader.entries().map(|event| event.unwrap().number).collect::<Vec<_>>()
    };
    assert_eq!(numbers("run*/events_*.root"), [1, 2, 3]);
    assert_eq!(numbers("**/events_[b].root"), [2, 3]);
    let error = Files::glob(&pattern("run3/*.root")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("run3"), "{error}");
    let error = Files::glob(&pattern("run[/*.root")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(Reader::<Event>::open(Files::glob(&pattern("run1/*")).unwrap(), "Events").is_err(), "the notes");
}

#[test]
fn values_are_of_files_that_are_alike() {
    let (files, all) = files(&[3, 4]);
    let reader = Reader::<Value>::open(files.clone(), "Events").unwrap();
    assert_eq!(reader.entry_count().unwrap(), 7);
    let number = |value: Value| {
        let Value::Record(record) = value else { panic!() };
        record.get("number").cloned()
    };
    let read: Vec<_> = reader.entries().map(|value| number(value.unwrap())).collect();
    assert!(read.into_iter().eq(all.iter().map(|event| Some(Value::U64(event.number)))));
    assert_eq!(number(reader.get(5).unwrap()), Some(Value::U64(5)));

    #[derive(RNTuple)]
    struct HighMuon {
        pt: f64,
        charge: i8,
    }
    #[derive(RNTuple)]
    struct High {
        number: u64,
        met: f32,
        label: String,
        muons: Vec<HighMuon>,
    }
    #[derive(RNTuple)]
    struct More {
        number: u64,
        met: f32,
        label: String,
        muons: Vec<Muon>,
        more: bool,
    }
    let high =
        High { number: 9, met: 1.0, label: String::new(), muons: vec![HighMuon { pt: 1.0, charge: 1 }] };
    let more = More { number: 9, met: 1.0, label: String::new(), muons: vec![], more: true };
    let few = Old { id: 1, met: 1.0 };
    let cases = [
        (memory(&[high], small()), "muons._0.pt", "double (plain)", "float (plain)"),
        (memory(&[more], small()), "more", "bool (plain)", "no such field"),
        (memory(&[few], small()), "number", "no such field", "std::uint64_t (plain)"),
    ];
    for (file, field, found, wanted) in cases {
        let files: Files = files.iter().cloned().chain([opened(file)]).collect();
        let error = Reader::<Value>::open(files, "Events").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
        let [mismatch] = error.mismatches() else { panic!("{error}") };
        assert_eq!((&*mismatch.field, &*mismatch.found, &*mismatch.wanted), (field, found, wanted));
        assert_eq!(mismatch.help.as_deref(), Some("every file must have the fields of memory (file 0)"));
    }
}

#[test]
fn values_of_files_mean_the_same() {
    #[derive(RNTuple)]
    struct Hit<T> {
        side: T,
        #[rntuple(unit = "mm")]
        x: f32,
    }
    #[derive(RNTuple)]
    struct InCentimetres {
        side: Side,
        #[rntuple(unit = "cm")]
        x: f32,
    }
    #[derive(RNTuple)]
    struct Plain {
        side: u8,
        x: f32,
    }
    let first = || opened(memory(&[Hit { side: Side::Right, x: 1.0 }], small()));
    let plain = opened(memory(&[Plain { side: 1, x: 2.0 }], small()));
    let reader = Reader::<Value>::open([first(), plain.clone()], "Events").unwrap();
    assert_eq!(reader.entries().map(Result::unwrap).count(), 2);
    let reader = Reader::<Value>::open([plain, first()], "Events").unwrap();
    assert_eq!(reader.entries().map(Result::unwrap).count(), 2);
    let swapped = [Hit { side: Swapped::Left, x: 1.0 }, Hit { side: Swapped::Right, x: 1.0 }];
    let cases = [
        (memory(&swapped, small()), "side", "`Right` as 0", "`Right` as 1"),
        (memory(&[InCentimetres { side: Side::Left, x: 0.1 }], small()), "x", "values in cm", "values in mm"),
    ];
    for (file, field, found, wanted) in cases {
        let error = Reader::<Value>::open([first(), opened(file)], "Events").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
        assert_eq!(error.location().file.as_deref(), Some("memory (file 1)"));
        let [mismatch] = error.mismatches() else { panic!("{error}") };
        assert_eq!((&*mismatch.field, &*mismatch.found, &*mismatch.wanted), (field, found, wanted));
    }
}

#[test]
fn members_that_are_values_are_of_files_that_are_alike() {
    #[derive(RNTuple)]
    struct With<T> {
        number: u64,
        extra: T,
    }
    #[derive(RNTuple)]
    struct Narrow {
        extra: f32,
        number: u32,
    }
    #[derive(RNTuple)]
    struct Renamed {
        number: u64,
        more: String,
    }
    #[derive(RNTuple)]
    struct Millimetres {
        number: u64,
        #[rntuple(unit = "mm")]
        extra: f32,
    }
    #[derive(RNTuple)]
    struct Centimetres {
        number: u64,
        #[rntuple(unit = "cm")]
        extra: f32,
    }
    #[derive(RNTuple, Debug, PartialEq)]
    #[rntuple(skip_writing)]
    struct Loose<T> {
        number: u64,
        #[rntuple(alias = "more")]
        extra: T,
    }
    fn refused<T>(files: [Memory; 2]) -> [String; 3]
    where
        Loose<T>: rntuple::Entry + ReadField,
    {
        let error = Reader::<Loose<T>>::open(files, "Events").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
        assert_eq!(error.location().file.as_deref(), Some("memory (file 1)"));
        let [mismatch] = error.mismatches() else { panic!("{error}") };
        [mismatch.field.clone(), mismatch.found.clone(), mismatch.wanted.clone()]
    }

    let number = || memory(&[With { number: 1, extra: 1.5f32 }], small());
    let text = || memory(&[With { number: 2, extra: "x".to_owned() }], small());
    let (wanted, found) = ("float (plain)", "std::string (plain)");
    assert_eq!(refused::<Value>([number(), text()]), ["extra", found, wanted]);
    assert_eq!(refused::<Box<Value>>([number(), text()]), ["extra", found, wanted]);
    let renamed = memory(&[Renamed { number: 3, more: "x".to_owned() }], small());
    assert_eq!(refused::<Value>([number(), renamed]), ["extra", found, wanted]);
    let lists = [
        memory(&[With { number: 1, extra: vec![1.5f32] }], small()),
        memory(&[With { number: 2, extra: vec!["x".to_owned()] }], small()),
    ];
    assert_eq!(refused::<Vec<Value>>(lists), ["extra._0", found, wanted]);
    let optional = || memory(&[With { number: 4, extra: Some(2.5f32) }], small());
    assert_eq!(refused::<Option<Value>>([optional(), text()]), ["extra._0", found, wanted]);
    let units = [
        memory(&[Millimetres { number: 1, extra: 1.5 }], small()),
        memory(&[Centimetres { number: 2, extra: 0.2 }], small()),
    ];
    assert_eq!(refused::<Value>(units), ["extra", "values in cm", "values in mm"]);

    // The first file may lack the member.
    #[derive(RNTuple)]
    struct Bare {
        number: u64,
    }
    #[derive(RNTuple, Debug, PartialEq)]
    #[rntuple(skip_writing)]
    struct Late {
        number: u64,
        #[rntuple(default)]
        extra: Option<Value>,
    }
    let bare = || memory(&[Bare { number: 0 }], small());
    let same = ReadOptions::new().same_schema(true);
    let extras = |reader: Reader<Late>| -> Result<Vec<_>, Error> {
        reader.entries().map(|entry| Ok(entry?.extra)).collect()
    };
    for (options, at_once) in [(ReadOptions::new(), true), (same, false)] {
        let files = [bare(), number(), text()];
        let reader = Reader::<Late>::open_with(files, "Events", options.clone());
        assert_eq!(reader.is_err(), at_once);
        let error = reader.and_then(extras).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
        assert_eq!(error.location().file.as_deref(), Some("memory (file 2)"));
        let [mismatch] = error.mismatches() else { panic!("{error}") };
        assert_eq!((&*mismatch.field, &*mismatch.found, &*mismatch.wanted), ("extra", found, wanted));
        let files = [bare(), number(), bare(), number()];
        let reader = Reader::<Late>::open_with(files, "Events", options).unwrap();
        let number = || Some(Value::F32(1.5));
        assert_eq!(extras(reader).unwrap(), [None, number(), None, number()]);
    }

    // The other members may differ as they do without it.
    let narrow = memory(&[Narrow { extra: 2.5, number: 4 }], small());
    let reader = Reader::<Loose<Value>>::open([number(), narrow], "Events").unwrap();
    let read: Vec<_> = reader.entries().map(Result::unwrap).collect();
    let loose = |number, extra| Loose { number, extra: Value::F32(extra) };
    assert_eq!(read, [loose(1, 1.5), loose(4, 2.5)]);
    let reader = Reader::<Loose<Option<Value>>>::open([number(), optional()], "Events").unwrap();
    assert_eq!(reader.entries().filter(|entry| entry.as_ref().unwrap().extra.is_some()).count(), 2);
}

#[test]
fn chosen_fields_of_files_that_differ_elsewhere() {
    let directory = tempfile::tempdir().unwrap();
    let paths = [directory.path().join("a.root"), directory.path().join("b.root")];
    write(&paths[0], &events(0..3));
    write(&paths[1], &[Old { id: 1, met: 8.0 }]);
    let reader = Reader::<Value>::open_with(&paths, "Events", ReadOptions::new().fields(["met"])).unwrap();
    let read: Vec<Value> = reader.entries().map(Result::unwrap).collect();
    let met = |value: &Value| {
        let Value::Record(record) = value else { panic!() };
        record.get("met").cloned().unwrap()
    };
    assert_eq!(read.iter().map(met).collect::<Vec<_>>(), [0.0, 0.5, 1.0, 8.0].map(Value::F32));
    let error =
        Reader::<Value>::open_with(&paths, "Events", ReadOptions::new().fields(["label"])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(error.location().file.as_deref(), paths[1].to_str());
}

#[test]
fn a_list_of_one_file_is_the_file() {
    let file = opened(memory(&events(0..200), small()));
    let list = Reader::<Event>::open([file.clone()], "Events").unwrap();
    let reader = Reader::<Event>::open(&file, "Events").unwrap();
    for target in [1, 2, 7, 50] {
        assert_eq!(list.partitions(target).unwrap(), reader.partitions(target).unwrap());
    }
    let shared = Arc::new(reader);
    let sum: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = shared
            .partitions(3)
            .unwrap()
            .into_iter()
            .map(|range| {
                scope.spawn(|| shared.entries_in(range).map(|event| event.unwrap().number).sum::<u64>())
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(sum, 199 * 200 / 2);
}

#[test]
fn files_by_root_are_read_as_one() {
    for reference in reference::files("-v1.") {
        let file = RootFile::open(&reference.file).unwrap();
        for key in file.ntuples().unwrap() {
            let Ok(reader) = Reader::<Value>::open(&file, &key.path()) else {
                continue;
            };
            let once = |range| reader.entries_in(range).collect::<Result<Vec<_>, _>>();
            let total = reader.entry_count().unwrap();
            let count = total.min(200);
            let reader = Reader::<Value>::open([&reference.file; 3], &key.path()).unwrap();
            let (first, last) = (0..count, total - count..total);
            let middle = reader.entries_in(2 * total - count..2 * total + count);
            let middle: Vec<Value> = middle.collect::<Result<_, _>>().unwrap();
            let expected = [once(last).unwrap(), once(first).unwrap()].concat();
            // Not a number does not equal itself.
            assert_eq!(format!("{middle:?}"), format!("{expected:?}"), "{}", reference.name);
        }
    }
}

/// The system allows a process a number of open files: the test below runs itself where it is small.
#[cfg(unix)]
const FEW_HANDLES: &str = "RNTUPLE_TEST_FEW_HANDLES";

#[cfg(unix)]
#[test]
fn three_hundred_files_need_few_handles() {
    if std::env::var_os(FEW_HANDLES).is_none() {
        let test = std::env::current_exe().unwrap();
        let script = "ulimit -n 64 && exec \"$0\" --exact many_files::three_hundred_files_need_few_handles --nocapture";
        let status =
            std::process::Command::new("sh").arg("-c").arg(script).arg(test).env(FEW_HANDLES, "1").status();
        assert!(status.unwrap().success());
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let (paths, all) = on_disk(directory.path(), &[4; 300]);
    // The limit is there: as many readers are too many.
    let readers: Result<Vec<_>, _> = paths.iter().map(|path| Reader::<Event>::open(path, "Events")).collect();
    assert_eq!(readers.unwrap_err().kind(), ErrorKind::Io);
    let reader = Reader::<Event>::open(&paths, "Events").unwrap();
    compare(&reader, &all, 17..1100, 250);
}
