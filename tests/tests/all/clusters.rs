//! Page lists are read when their clusters are needed, group by group; what they say is checked then.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on has failed"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rayon::iter::ParallelIterator as _;
use rntuple::check::{CheckOptions, check_file};
use rntuple::extend::ColumnAdder;
use rntuple::merge::{Input, MergeOptions, merge_into};
use rntuple::schema::Locator;
use rntuple::storage::{Memory, ReadAt};
use rntuple::{
    Dataset, Error, ErrorKind, Pool, RNTuple, ReadOptions, Reader, Result, RootFile, WriteOptions, Writer,
};
use rntuple_tests::clusters;
use rntuple_tests::counting::Counting;

#[derive(Debug, PartialEq, RNTuple)]
struct Number {
    number: u64,
}

#[derive(RNTuple)]
struct Other {
    other: u8,
}

/// Entries of each cluster, clusters of each group, and groups.
const ENTRIES: u64 = 5;
const CLUSTERS: u64 = 4;
const GROUPS: u64 = 3;
const GROUP: u64 = ENTRIES * CLUSTERS;

fn file() -> Memory {
    let mut writer = Writer::<Number, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    for number in 0..GROUPS * GROUP {
        writer.fill(&Number { number }).unwrap();
        if (number + 1) % ENTRIES == 0 {
            writer.commit_cluster().unwrap();
        }
        if (number + 1) % GROUP == 0 {
            writer.commit_cluster_group().unwrap();
        }
    }
    writer.finish_into().unwrap().1
}

fn open(file: impl ReadAt + 'static) -> Dataset {
    Dataset::open(&RootFile::from_storage(file).unwrap(), "Events").unwrap()
}

fn list_offset(dataset: &Dataset, group: usize) -> u64 {
    let Locator::File { offset, .. } = dataset.cluster_groups()[group].page_list else { panic!() };
    offset
}

#[test]
fn clusters_have_numbers_and_entries() {
    let dataset = open(file());
    assert_eq!((dataset.cluster_count(), dataset.entry_count()), (GROUPS * CLUSTERS, GROUPS * GROUP));
    for (id, cluster) in (0..).zip(clusters(&dataset)) {
        assert_eq!((cluster.first_entry, cluster.entry_count), (id * ENTRIES, ENTRIES));
        assert_eq!(dataset.cluster(id).unwrap(), cluster);
        for entry in [cluster.first_entry, cluster.first_entry + ENTRIES - 1] {
            assert_eq!(dataset.cluster_of(entry).unwrap(), Some(id));
        }
    }
    assert_eq!(dataset.cluster_of(GROUPS * GROUP).unwrap(), None);
    assert_eq!(dataset.cluster_of(u64::MAX).unwrap(), None);
    let error = dataset.cluster(GROUPS * CLUSTERS).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().ends_with("Events: the ntuple has no cluster 12"), "{error}");
}

#[test]
fn a_page_list_is_read_when_it_is_needed_and_once() {
    let counting = Counting::new(file());
    let reader = Reader::<Number>::open(RootFile::from_storage(counting.clone()).unwrap(), "Events").unwrap();
    let dataset = reader.dataset(0).unwrap();
    let lists: Vec<u64> = (0..3).map(|group| list_offset(&dataset, group)).collect();
    // Which page lists were read since the last call.
    let read = || {
        let reads = counting.take_reads();
        let count = |list: &u64| reads.iter().filter(|read| read.contains(list)).count();
        lists.iter().map(count).collect::<Vec<_>>()
    };
    assert_eq!(read(), [0, 0, 0]);
    assert_eq!(reader.entry_count().unwrap(), GROUPS * GROUP);
    assert_eq!(read(), [0, 0, 0]);
    assert_eq!(reader.get(GROUP).unwrap().number, GROUP);
    assert_eq!(read(), [0, 1, 0]);
    assert_eq!(reader.entries_in(0..GROUP + 1).count() as u64, GROUP + 1);
    assert_eq!(read(), [1, 0, 0]);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let dataset = &dataset;
            scope.spawn(move || {
                for step in 0..50 {
                    let entry = (thread * 17 + step * 7) % dataset.entry_count();
                    let id = dataset.cluster_of(entry).unwrap().unwrap();
                    assert_eq!(dataset.cluster(id).unwrap().first_entry, entry / ENTRIES * ENTRIES);
                }
            });
        }
    });
    assert_eq!(read(), [0, 0, 1]);
    assert_eq!(reader.partitions(4).unwrap(), [0..15, 15..30, 30..45, 45..60]);
    assert_eq!(read(), [0, 0, 0]);
}

/// A storage that fails while that is set.
struct Failing(Memory, Arc<AtomicBool>);

impl ReadAt for Failing {
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        match self.1.load(Relaxed) {
            true => Err(std::io::ErrorKind::ConnectionReset.into()),
            false => self.0.read_at(offset, buffer),
        }
    }

    fn name(&self) -> &str {
        "failing"
    }
}

/// Parts that are found by two attempts are the same, or there are none.
#[test]
fn an_ntuple_is_not_cut_while_its_page_lists_cannot_be_read() {
    let fails = Arc::new(AtomicBool::new(false));
    let reader = Reader::<Number>::open(Failing(file(), fails.clone()), "Events").unwrap();
    fails.store(true, Relaxed);
    assert_eq!(reader.partitions(12).unwrap_err().kind(), ErrorKind::Io);
    fails.store(false, Relaxed);
    assert_eq!(reader.partitions(12).unwrap().len(), 12);
}

/// Ten columns for each of `T`.
#[derive(Clone, Default, RNTuple)]
struct Ten<T> {
    a: T,
    b: T,
    c: T,
    d: T,
    e: T,
    f: T,
    g: T,
    h: T,
    i: T,
    j: T,
}

/// Page lists together take more memory than those that are kept.
#[test]
fn page_lists_are_dropped_behind_a_walk() {
    let options = WriteOptions::new().compression(rntuple::Compression::NONE);
    let mut writer = Writer::<Ten<Ten<u8>>, _>::new(Memory::new(), "Events", options).unwrap();
    for number in 1..=600 {
        writer.fill(&Ten::default()).unwrap();
        writer.commit_cluster().unwrap();
        if number % 50 == 0 {
            writer.commit_cluster_group().unwrap();
        }
    }
    let counting = Counting::new(writer.finish_into().unwrap().1);
    let file = RootFile::from_storage(counting.clone()).unwrap();
    let reader = Reader::<Ten<Ten<u8>>>::open(file, "Events").unwrap();
    let dataset = reader.dataset(0).unwrap();
    let lists: Vec<u64> = (0..12).map(|group| list_offset(&dataset, group)).collect();
    let length: u64 = dataset.cluster_groups().iter().map(|group| group.page_list_length).sum();
    assert!(length > 2 << 20, "{length}");
    let read = || {
        let reads = counting.take_reads();
        lists.iter().map(|list| reads.iter().any(|read| read.contains(list))).collect::<Vec<_>>()
    };

    assert_eq!(read(), [false; 12]);
    assert_eq!(reader.entries().map(Result::unwrap).count(), 600);
    assert_eq!(read(), [true; 12]);
    // The last one is still there, the first one is not: it is read again.
    assert_eq!(dataset.cluster_of(599).unwrap(), Some(599));
    assert_eq!(read(), [false; 12]);
    assert_eq!(dataset.cluster_of(0).unwrap(), Some(0));
    let first = std::iter::once(true).chain([false; 11]).collect::<Vec<_>>();
    assert_eq!(read(), first);
}

#[test]
fn a_damaged_page_list_is_an_error_of_its_entries() {
    let mut bytes = file().into_bytes();
    let list = list_offset(&open(Memory::from(bytes.clone())), 1);
    bytes[usize::try_from(list).unwrap() + 20] ^= 1;
    let storage = Memory::from(bytes);
    let file = RootFile::from_storage(storage.clone()).unwrap();
    let is_told = |error: &Error| {
        let place = error.location();
        error.kind() == ErrorKind::OutOfSpec
            && place.ntuple.as_deref() == Some("Events")
            && place.file.as_deref() == Some("memory")
            && place.offset.is_some()
    };

    let reader = Reader::<Number>::open(&file, "Events").unwrap();
    for group in [0, 2] {
        let range = group * GROUP..(group + 1) * GROUP;
        let read: Result<Vec<Number>> = reader.entries_in(range.clone()).collect();
        assert!(read.unwrap().into_iter().map(|one| one.number).eq(range));
    }
    for options in [ReadOptions::new(), ReadOptions::new().pool(&Pool::new(2).unwrap())] {
        let reader = Reader::<Number>::open_with(&file, "Events", options).unwrap();
        let walked: Vec<_> = reader.entries().collect();
        assert_eq!(walked.len() as u64, GROUP + 1);
        let error = walked.last().unwrap().as_ref().unwrap_err();
        assert!(is_told(error) && error.location().entry == Some(GROUP), "{error}");
    }

    let dataset = reader.dataset(0).unwrap();
    let found: Vec<_> = dataset.clusters().collect();
    assert_eq!(found.len() as u64, CLUSTERS + 1);
    assert!(is_told(found.last().unwrap().as_ref().unwrap_err()));
    assert!(is_told(&dataset.cluster(CLUSTERS).unwrap_err()));
    assert!(is_told(&dataset.cluster_of(GROUP).unwrap_err()));
    // What is read in pieces is complete elsewhere.
    assert_eq!(reader.partitions(6).unwrap(), [0..10, 10..20, 20..40, 40..50, 50..60]);
    let (mut numbers, mut faults) = (Vec::new(), 0);
    for event in reader.par_entries().collect::<Vec<_>>() {
        match event {
            Ok(event) => numbers.push(event.number),
            Err(error) => faults += u64::from(is_told(&error)),
        }
    }
    assert!(numbers.into_iter().eq((0..GROUP).chain(2 * GROUP..GROUPS * GROUP)) && faults == 1);
    let budget = ReadOptions::new().memory_budget(64 << 20);
    assert!(is_told(&Reader::<Number>::open_with(&file, "Events", budget).unwrap_err()));
    // Nothing is added to it, or taken over from it.
    let append = Writer::<Number, _>::append_to(storage.clone(), "Events", WriteOptions::new());
    assert!(is_told(&append.unwrap_err()));
    let add = ColumnAdder::<Other, _>::append_to(storage, "Events", WriteOptions::new());
    assert!(is_told(&add.unwrap_err()));
    assert!(is_told(&merge_into(&[Input::open(&file)], Memory::new(), MergeOptions::new()).unwrap_err()));
    let report = check_file(&file, CheckOptions::new());
    assert!(report.faults.iter().any(is_told), "{:?}", report.faults);
}

#[test]
fn a_group_ends_after_4096_clusters() {
    let groups = |clusters: u64| {
        let mut writer = Writer::<Number, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
        for number in 0..clusters {
            writer.fill(&Number { number }).unwrap();
            writer.commit_cluster().unwrap();
        }
        let storage = writer.finish_into().unwrap().1;
        let reader = Reader::<Number>::open(storage.clone(), "Events").unwrap();
        assert_eq!(reader.get(clusters - 1).unwrap().number, clusters - 1);
        let count = |dataset: &Dataset| -> Vec<u32> {
            dataset.cluster_groups().iter().map(|group| group.cluster_count).collect()
        };
        let merge = |options| {
            let input = RootFile::from_storage(storage.clone()).unwrap();
            count(&open(merge_into(&[Input::open(&input)], Memory::new(), options).unwrap().1))
        };
        let counts = count(&reader.dataset(0).unwrap());
        assert_eq!(merge(MergeOptions::new()), counts);
        let all = [u32::try_from(clusters).unwrap()];
        assert_eq!(merge(MergeOptions::new().single_group(true)), all);
        counts
    };
    assert_eq!(groups(4096), [4096]);
    assert_eq!(groups(4097), [4096, 1]);
}
