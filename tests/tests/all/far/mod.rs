//! Storage that is far away is asked for much at a time, and early.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot continue has failed"
)]

mod walks;

use std::ops::Range;
use std::time::Duration;

use rntuple::check::{CheckOptions, check_file};
use rntuple::storage::{Cache, Memory, ReadAt};
use rntuple::{
    Compression, EntryList, ErrorKind, RNTuple, ReadOptions, Reader, RootFile, Value, WriteOptions, Writer,
};
use rntuple_tests::far::{Far, bytes, requests};
use rntuple_tests::reference;
use rntuple_tests::sample::{Event, Noisy, noisy, samples};

use walks::Versioned;

const MIB: u64 = 1 << 20;
const NO_TIME: Duration = Duration::ZERO;

fn written(events: &[Event], options: WriteOptions) -> Memory {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(events).unwrap();
    writer.finish_into().unwrap().1
}

fn written_noisy(count: u64, options: WriteOptions) -> Memory {
    let options = options.compression(Compression::NONE);
    let mut writer = Writer::<Noisy, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(&noisy(count)).unwrap();
    writer.finish_into().unwrap().1
}

#[test]
fn what_is_read_is_the_same_as_from_near() {
    let events = samples(600, 3);
    let file = written(&events, WriteOptions::new().max_page_length(2048).cluster_size(40_000));
    let ways = [
        ("defaults", ReadOptions::new()),
        ("nothing ahead", ReadOptions::new().read_ahead(0)),
        ("few bytes ahead", ReadOptions::new().read_ahead(5000)),
        ("a budget", ReadOptions::new().memory_budget(16 << 20)),
        ("small reads", ReadOptions::new().read_size(0).merge_gap(0)),
        ("a pool", ReadOptions::new().pool(&rntuple::Pool::new(2).unwrap())),
    ];
    for (way, options) in ways {
        let far = Far::new(file.clone(), NO_TIME);
        let reader = Reader::<Event>::open_with(far, "Events", options).unwrap();
        assert!(reader.entries().map(Result::unwrap).eq(events.iter().cloned()), "{way}");
        let some = reader.entries_in(100..333).map(Result::unwrap);
        assert!(some.eq(events[100..333].iter().cloned()), "{way}");
        for entry in [599, 0, 300, 301, 299] {
            assert_eq!(reader.get(entry).unwrap(), events[entry as usize], "{way}");
        }
        let list: EntryList = [5..7, 90..91, 400..450].into_iter().flatten().collect();
        let wanted: Vec<_> = list.iter().map(|entry| events[entry as usize].clone()).collect();
        assert!(reader.entries_in(list).map(Result::unwrap).eq(wanted), "{way}");
    }
}

#[test]
fn every_file_by_root_is_read_as_from_near() {
    for reference in reference::files("-v1.") {
        let near = RootFile::open(&reference.file).unwrap();
        let far = Far::new(Memory::from(std::fs::read(&reference.file).unwrap()), NO_TIME);
        let far = RootFile::from_storage(far).unwrap();
        for ntuple in near.ntuples().unwrap() {
            let texts = [&near, &far].map(|file| match Reader::<Value>::open(file, &ntuple.path()) {
                Ok(reader) => {
                    reader.entries().map(|entry| format!("{:?}", entry.map_err(|it| it.kind()))).collect()
                }
                Err(error) => vec![format!("{:?}", error.kind())],
            });
            assert!(texts[0] == texts[1], "{}", reference.name);
        }
    }
}

#[test]
fn opening_asks_once_for_both_ends() {
    let file = written_noisy(200_000, WriteOptions::new());
    assert!(file.size() > 8 * MIB);
    let far = Far::new(file, NO_TIME);
    let reader = Reader::<Noisy>::open(far.clone(), "Events").unwrap();
    assert_eq!(reader.entry_count().unwrap(), 200_000);
    let calls = far.take_calls();
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert_eq!(calls[0].len(), 2);
    assert_eq!(calls[0][0].start, 0);
    assert_eq!(calls[0][1].end, far.size());
    // The page list is at the end as well.
    reader.get(7).unwrap();
    assert_eq!(far.take_calls().len(), 1);
}

#[test]
fn a_walk_makes_at_most_one_request_for_8_mib() {
    // Clusters that are larger than a request, and clusters of which many are.
    for cluster_size in [50 * MIB, 20 * MIB, 300_000] {
        let file = written_noisy(2_000_000, WriteOptions::new().cluster_size(cluster_size));
        let size = file.size();
        let far = Far::new(file, Duration::from_millis(20));
        let reader = Reader::<Noisy>::open(far.clone(), "Events").unwrap();
        far.take_calls();
        let mut count = 0u64;
        for event in reader.entries() {
            assert_eq!(event.unwrap().number, count);
            count += 1;
        }
        let calls = far.take_calls();
        let (requests, bytes) = (requests(&calls) as u64, bytes(&calls));
        let each: Vec<u64> =
            calls.iter().map(|ranges| ranges.iter().map(|it| it.end - it.start).sum()).collect();
        assert!(requests <= size.div_ceil(8 * MIB) + 1, "{requests} requests for {size} bytes: {each:?}");
        assert!(bytes <= size, "{bytes} of {size}");
        assert!(far.most_at_once() > 1);
        assert_eq!(count, 2_000_000);
    }
}

#[test]
fn requests_that_begin_together_do_not_end_together() {
    let file = written_noisy(3_000_000, WriteOptions::new());
    assert!(file.size() > 60 * MIB);
    let far = Far::new(file, Duration::from_millis(50));
    let reader = Reader::<Noisy>::open(far.clone(), "Events").unwrap();
    far.take_calls();
    assert!(reader.entries().next().unwrap().is_ok());
    let calls = far.take_calls();
    let mut sizes: Vec<_> = calls.iter().map(|call| bytes(std::slice::from_ref(call))).collect();
    assert!(sizes.iter().all(|size| *size < 16 * MIB), "{sizes:?}");
    // The first ones; those after them are as long as the first, or all that is left.
    sizes.retain(|size| *size > 9 * MIB + MIB / 2);
    sizes.sort_unstable();
    assert_eq!(sizes.len(), 4, "{sizes:?}");
    assert!(sizes.windows(2).all(|pair| pair[1] - pair[0] > MIB / 2), "{sizes:?}");
}

#[test]
fn a_check_does_not_ask_for_each_page() {
    let options = WriteOptions::new().cluster_size(10 * MIB).max_page_length(16 << 10);
    let file = written_noisy(1_000_000, options);
    let (size, end) = (file.size(), file.size() - 100_000);
    for damage in [None, Some(9 * MIB), Some(end)] {
        let mut bytes = file.as_bytes().to_vec();
        if let Some(at) = damage {
            bytes[at as usize] ^= 1;
        }
        let near = RootFile::from_storage(Memory::from(bytes.clone())).unwrap();
        let near = check_file(&near, CheckOptions::new());
        let far = Far::new(Memory::from(bytes), NO_TIME);
        let report = check_file(&RootFile::from_storage(far.clone()).unwrap(), CheckOptions::new());
        assert_eq!(report.is_sound(), damage.is_none());
        let faults = report.faults.iter().map(|fault| fault.to_string().replace(&report.file, &near.file));
        assert!(faults.eq(near.faults.iter().map(ToString::to_string)), "{report:?}");
        let calls = far.take_calls();
        assert!(report.ntuples[0].pages > 1000);
        // One for 8 MiB, one for each record of the file, whose headers say where the next one is, and for each cluster.
        let most = size / (8 * MIB) + report.records + report.ntuples[0].clusters + 4;
        assert!((calls.len() as u64) < most, "{} calls, {most}", calls.len());
        assert!(rntuple_tests::far::bytes(&calls) < size + MIB);
    }
}

#[test]
fn a_column_is_not_read_with_what_is_around_it() {
    #[derive(RNTuple)]
    struct Number {
        number: u64,
    }
    let file = written_noisy(1_000_000, WriteOptions::new());
    let far = Far::new(file, NO_TIME);
    let reader = Reader::<Number>::open(far.clone(), "Events").unwrap();
    far.take_calls();
    assert_eq!(reader.entries().map(|event| event.unwrap().number).max(), Some(999_999));
    let bytes = bytes(&far.take_calls());
    assert!(bytes < 1_000_000 * 8 + 2 * MIB, "{bytes}");
}

#[test]
fn one_entry_takes_one_call_or_two() {
    let file = written_noisy(1_000_000, WriteOptions::new());
    let far = Far::new(file, NO_TIME);
    let reader = Reader::<Noisy>::open(far.clone(), "Events").unwrap();
    reader.get(0).unwrap();
    far.take_calls();
    for entry in [123_456, 900_001, 500_000] {
        assert_eq!(reader.get(entry).unwrap().number, entry);
        let calls = far.take_calls();
        // Numbers and sizes; and where these show that the items are elsewhere, those.
        assert!(calls.len() <= 3, "{calls:?}");
        assert!(bytes(&calls) < MIB, "{calls:?}");
    }
}

#[test]
fn what_is_kept_is_not_asked_for_again() {
    let cache = Cache::new(64 << 20);
    let file = written_noisy(100_000, WriteOptions::new());
    let far = Far::new(file, NO_TIME);
    for pass in 0..3 {
        let storage = cache.wrap(std::sync::Arc::new(Versioned(far.clone())));
        let reader = Reader::<Noisy>::open(storage, "Events").unwrap();
        assert_eq!(reader.entries().map(Result::unwrap).count(), 100_000);
        assert_eq!(far.take_calls().is_empty(), pass > 0);
    }
}

#[test]
fn a_failing_network_is_an_error_that_names_file_and_entry_or_nothing_at_all() {
    let file = written_noisy(1_000_000, WriteOptions::new().cluster_size(4 * MIB));
    let walk = |failing: Range<usize>| {
        let far = Far::failing(file.clone(), NO_TIME, failing);
        let reader = Reader::<Noisy>::open(far, "Events")?;
        reader.entries().try_fold(0, |count, event| event.map(|_| count + 1))
    };
    assert_eq!(walk(0..0).unwrap(), 1_000_000);
    let error = walk(0..1).unwrap_err();
    assert_eq!(error.to_string(), "far://away/events.root: the connection was cut");
    let mut errors = 0;
    for first in 1..8 {
        // What failed ahead is asked for once more when it is needed.
        assert_eq!(walk(first..first + 1).unwrap(), 1_000_000);
        let Err(error) = walk(first..usize::MAX) else { continue };
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.to_string().starts_with("far://away/events.root: Events: "), "{error}");
        assert!(error.location().offset.is_some(), "{error}");
        errors += 1;
    }
    assert!(errors > 2);
}
