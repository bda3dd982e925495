//! All ways to walk ask for much at a time, and for no byte twice.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use rayon::iter::ParallelIterator;
use rntuple::columns::AnyColumns;
use rntuple::field::ReadField;
use rntuple::schema::{ColumnId, Locator};
use rntuple::storage::{Block, Cache, Memory, ReadAt};
use rntuple::{
    Compression, Entry, EntryList, ErrorKind, Pool, RNTuple, ReadOptions, Reader, Value, WriteOptions, Writer,
};
use rntuple_tests::clusters;
use rntuple_tests::far::{Far, bytes, repeated, requests};
use rntuple_tests::sample::{Noisy, noisy};

use super::{MIB, NO_TIME, written_noisy};

const COUNT: u64 = 600_000;

/// An event of which columns can be made.
#[derive(RNTuple)]
#[rntuple(columnar)]
struct Event {
    number: u64,
    hits: Vec<f32>,
}

fn is_hit(hit: f32) -> bool {
    hit.fract() == 0.0 && (0.0..65536.0).contains(&hit)
}

/// Checks an event by its number, and counts it.
fn check(event: &Noisy) -> u64 {
    assert_eq!(event.hits.len() as u64, event.number % 20);
    assert!(event.hits.iter().all(|hit| is_hit(*hit)));
    1
}

fn check_value(value: &Value, number: u64) -> u64 {
    assert_eq!(value.get("number"), Some(&Value::from(number)));
    1
}

/// Large clusters, and small ones.
fn files() -> impl Iterator<Item = Memory> {
    [20 * MIB, 300_000].into_iter().map(|size| written_noisy(COUNT, WriteOptions::new().cluster_size(size)))
}

fn open<T: Entry + ReadField>(far: &Far, options: ReadOptions) -> Reader<T> {
    let reader = Reader::open_with(far.clone(), "Events", options).unwrap();
    assert_eq!(reader.entry_count().unwrap(), COUNT);
    far.take_calls();
    reader
}

/// The bytes of pages of columns.
fn stored<T: ReadField>(reader: &Reader<T>, columns: &BTreeSet<ColumnId>) -> u64 {
    let clusters = clusters(&reader.dataset(0).unwrap());
    let columns = clusters.iter().flat_map(|cluster| columns.iter().map(|id| &cluster.columns[id.index()]));
    let size = |locator: &Locator| match locator {
        Locator::File { size, .. } => size + 8,
        _ => panic!("a page that is not in the file"),
    };
    columns.flat_map(|column| &column.pages).map(|page| size(&page.locator)).sum()
}

/// Checks what a walk asked for: a request for 8 MiB, and `others` more, and no byte twice.
fn assert_few(name: &str, calls: &[Vec<Range<u64>>], size: u64, others: usize) {
    assert_few_but(name, calls, size, others, 0);
}

/// As [`assert_few`]; up to `twice` bytes may be asked for twice.
fn assert_few_but(name: &str, calls: &[Vec<Range<u64>>], size: u64, others: usize, twice: u64) {
    let requests = requests(calls);
    let sizes: Vec<u64> = calls.iter().map(|call| bytes(std::slice::from_ref(call))).collect();
    let most = size.div_ceil(8 * MIB) as usize + others;
    assert!(requests <= most, "{name}: {requests} requests for {size} bytes: {sizes:?}");
    assert!(repeated(calls) <= twice, "{name}: {} bytes twice", repeated(calls));
}

type Walk = fn(&Far) -> u64;

/// Walks over all columns, each of which returns how many entries it had.
const WALKS: [(&str, Walk); 6] = [
    ("entries at run time", |far| {
        let reader = open::<Value>(far, ReadOptions::new());
        (0..).zip(reader.entries()).map(|(number, value)| check_value(&value.unwrap(), number)).sum()
    }),
    ("lent batches", |far| {
        let reader = open::<Event>(far, ReadOptions::new());
        let (mut batches, mut count) = (reader.batches(5_000), 0);
        while let Some(events) = batches.lend().unwrap() {
            assert!(events.hits.items().iter().all(|hit| is_hit(*hit)));
            for number in events.number {
                assert_eq!(*number, count);
                count += 1;
            }
        }
        count
    }),
    ("owned batches", |far| {
        let reader = open::<Event>(far, ReadOptions::new());
        let mut count = 0;
        for events in reader.batches(5_000) {
            for number in events.unwrap().number {
                assert_eq!(number, count);
                count += 1;
            }
        }
        count
    }),
    ("batches at run time", |far| {
        let reader = open::<Value>(far, ReadOptions::new());
        let mut count = 0;
        for events in reader.batches(5_000) {
            let AnyColumns::Record(events) = events.unwrap() else { panic!("entries are records") };
            let Some(AnyColumns::U64(numbers)) = events.get("number") else { panic!("numbers are integers") };
            assert!(numbers.iter().copied().eq(count..count + numbers.len() as u64));
            count += numbers.len() as u64;
        }
        count
    }),
    ("a pool that reads ahead", |far| {
        let reader = open::<Noisy>(far, ReadOptions::new().pool(&Pool::new(2).unwrap()));
        reader.entries().map(|event| check(&event.unwrap())).sum()
    }),
    ("a list of all entries", |far| {
        let reader = open::<Noisy>(far, ReadOptions::new());
        let halves: EntryList = [0..COUNT / 2, COUNT / 2..COUNT].into_iter().flatten().collect();
        reader.entries_in(halves).map(|event| check(&event.unwrap())).sum()
    }),
];

#[test]
fn walks_over_all_columns() {
    for file in files() {
        for (name, walk) in WALKS {
            let far = Far::new(file.clone(), Duration::from_millis(5));
            assert_eq!(walk(&far), COUNT, "{name}");
            assert_few(name, &far.take_calls(), file.size(), 1);
        }
    }
}

#[test]
fn one_column() {
    for file in files() {
        let far = Far::new(file, Duration::from_millis(5));
        let reader = open::<Value>(&far, ReadOptions::new());
        let cluster_count = reader.dataset(0).unwrap().cluster_count() as usize;
        let mut numbers = reader.column::<u64>("number").unwrap();
        let mut count = 0;
        while let Some(chunk) = numbers.next_chunk().unwrap() {
            assert!(chunk.iter().copied().eq(count..count + chunk.len() as u64));
            count += chunk.len() as u64;
        }
        assert_eq!(count, COUNT);
        let size = stored(&reader, numbers.selected_columns());
        let calls = far.take_calls();
        // The pages of large clusters are far from each other.
        let others = if cluster_count < 10 { cluster_count } else { 1 };
        assert_few("number", &calls, size.max(far.size() * (others == 1) as u64), others);

        let mut hits = reader.column::<f32>("hits").unwrap();
        let mut all = Vec::new();
        while hits.read_into(100_000, &mut all).unwrap() > 0 {}
        assert_eq!(all.len() as u64, (0..COUNT).map(|number| number % 20).sum::<u64>());
        assert!(all.into_iter().all(is_hit));
        let size = stored(&reader, hits.selected_columns());
        assert_few("hits", &far.take_calls(), size, others);
    }
}

#[test]
fn the_sizes_of_collections() {
    for file in files() {
        let far = Far::new(file, Duration::from_millis(5));
        let reader = open::<Value>(&far, ReadOptions::new());
        let cluster_count = reader.dataset(0).unwrap().cluster_count() as usize;
        let mut sizes = reader.sizes("hits").unwrap();
        let mut all = Vec::new();
        while sizes.read_into(100_000, &mut all).unwrap() > 0 {}
        assert!(all.into_iter().eq((0..COUNT).map(|number| number % 20)));
        let others = if cluster_count < 10 { cluster_count } else { 1 };
        assert_few("sizes", &far.take_calls(), far.size(), others);
    }
}

/// Pieces of all entries, each of which is asked for by itself. Where a cluster is cut, the reads of 1 MiB at the cut are made
/// for both sides.
#[test]
fn walks_on_several_threads() {
    for (number, file) in files().enumerate() {
        let twice = |pieces: usize| if number == 0 { (pieces as u64 - 1) * 2 * MIB } else { 0 };
        let far = Far::new(file.clone(), Duration::from_millis(5));
        let reader = open::<Noisy>(&far, ReadOptions::new());
        let pieces = reader.partitions(4).unwrap();
        let count = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for piece in &pieces {
                let (reader, count) = (&reader, &count);
                scope.spawn(move || {
                    for event in reader.entries_in(piece.clone()) {
                        count.fetch_add(check(&event.unwrap()), Relaxed);
                    }
                });
            }
        });
        assert_eq!(count.into_inner(), COUNT);
        assert_few_but("threads", &far.take_calls(), file.size(), pieces.len(), twice(pieces.len()));
    }
}

/// Four pieces for each thread, each with a first request and a last one that may be short.
#[test]
fn entries_on_threads_of_rayon() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for (number, file) in files().enumerate() {
        let twice = if number == 0 { 7 * 2 * MIB } else { 0 };
        let far = Far::new(file.clone(), Duration::from_millis(5));
        let reader = open::<Noisy>(&far, ReadOptions::new());
        let count: u64 = pool.install(|| reader.par_entries().map(|event| check(&event.unwrap())).sum());
        assert_eq!(count, COUNT);
        assert_few_but("rayon", &far.take_calls(), file.size(), 2 * 8, twice);
    }
}

#[test]
fn entries_of_a_list() {
    // Runs of entries, each over several small clusters, and what is between them is not read.
    let list: EntryList = [1_000..150_000, 300_000..450_000].into_iter().flatten().collect();
    for file in files() {
        let far = Far::new(file.clone(), Duration::from_millis(5));
        let reader = open::<Noisy>(&far, ReadOptions::new());
        let numbers = reader.entries_in(list.clone()).map(|event| event.unwrap().number);
        assert!(numbers.eq(list.iter()));
        let calls = far.take_calls();
        // Half of them, and pages at four ends.
        let size = file.size() / 2 + 4 * MIB;
        assert_few("list", &calls, size, 4);
        assert!(bytes(&calls) <= size + MIB, "{}", bytes(&calls));
    }
}

/// One entry of each small cluster, and some of each large one: the reads of all of them are known beforehand.
#[test]
fn entries_that_are_far_from_each_other() {
    let list: EntryList = (77..COUNT).step_by(2_000).collect();
    for file in files() {
        let far = Far::new(file.clone(), Duration::from_millis(5));
        let reader = open::<Event>(&far, ReadOptions::new());
        assert!(reader.entries_in(list.clone()).map(|event| event.unwrap().number).eq(list.iter()));
        assert_few("entries", &far.take_calls(), file.size(), 2);
        let batches = reader.batches_in(list.clone(), 100);
        assert!(batches.flat_map(|events| events.unwrap().number).eq(list.iter()));
        assert_few("batches", &far.take_calls(), file.size(), 2);
        let reader = open::<Noisy>(&far, ReadOptions::new().only(list.clone()));
        assert!(reader.entries().map(|event| event.unwrap().number).eq(list.iter()));
        assert_few("only", &far.take_calls(), file.size(), 2);
    }
}

#[test]
fn a_column_of_some_entries() {
    let list: EntryList = [1_000..150_000, 300_000..450_000].into_iter().flatten().collect();
    for file in files() {
        let far = Far::new(file.clone(), Duration::from_millis(5));
        let reader = open::<Value>(&far, ReadOptions::new().only(list.clone()));
        let mut hits = reader.column::<f32>("hits").unwrap();
        let mut all = Vec::new();
        while hits.read_into(100_000, &mut all).unwrap() > 0 {}
        assert_eq!(all.len() as u64, list.iter().map(|number| number % 20).sum::<u64>());
        let calls = far.take_calls();
        assert_few("column of a list", &calls, file.size() / 2 + 4 * MIB, 8);
    }
}

/// The cluster of the value is attached again, and those after it were read ahead.
#[test]
fn entries_after_a_value_that_does_not_fit() {
    #[derive(RNTuple)]
    struct Narrow {
        number: u32,
        hits: Vec<f32>,
    }
    let mut events = noisy(COUNT);
    events[1_000].number = u64::MAX;
    let options = WriteOptions::new().cluster_size(300_000).compression(Compression::NONE);
    let mut writer = Writer::<Noisy, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(&events).unwrap();
    let far = Far::new(writer.finish_into().unwrap().1, Duration::from_millis(5));
    let reader = open::<Narrow>(&far, ReadOptions::new());
    let (mut read, mut refused) = (0, 0);
    for event in reader.entries() {
        match event {
            Ok(event) => {
                assert_eq!(event.hits.len() as u32, event.number % 20);
                read += 1;
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::SchemaMismatch, "{error}");
                refused += 1;
            }
        }
    }
    assert_eq!((read, refused), (COUNT - 1, 1));
    let twice = repeated(&far.take_calls());
    assert!(twice <= 2 * MIB, "{twice} bytes twice");
}

/// What was read ahead of a later place is not what comes next.
#[test]
fn a_column_from_its_beginning_again() {
    let far =
        Far::new(written_noisy(COUNT, WriteOptions::new().cluster_size(300_000)), Duration::from_millis(5));
    let reader = open::<Value>(&far, ReadOptions::new());
    let mut numbers = reader.column::<u64>("number").unwrap();
    numbers.seek_entry(COUNT / 2).unwrap();
    assert_eq!(numbers.next_chunk().unwrap().unwrap()[0], COUNT / 2);
    far.take_calls();
    numbers.seek_entry(0).unwrap();
    let mut count = 0;
    while let Some(chunk) = numbers.next_chunk().unwrap() {
        assert!(chunk.iter().copied().eq(count..count + chunk.len() as u64));
        count += chunk.len() as u64;
    }
    assert_eq!(count, COUNT);
    let calls = far.take_calls();
    assert!(requests(&calls) <= 20, "{} requests", requests(&calls));
}

/// A predicate, what it means, which share of the file has what matches, and which is asked for twice.
type Row = (&'static str, fn(&Noisy) -> bool, f64, f64);

#[test]
fn entries_that_match() {
    for size in [20 * MIB, 300_000] {
        let file = written_noisy(COUNT, WriteOptions::new().cluster_size(size).statistics(true));
        let rows: [Row; 4] = [
            // Statistics decide; of all clusters; of a third of them.
            ("number >= 0", |_| true, 1.0, 0.0),
            (
                "number < 100000 or number >= 500000",
                |event| !(100_000..500_000).contains(&event.number),
                0.34,
                0.05,
            ),
            // Each cluster is looked at.
            ("size(hits) >= 1", |event| !event.hits.is_empty(), 1.0, 0.2),
            // Of the items, every fifth page, which is one in each read of 1 MiB or more. The rows are in these as well.
            ("any(hits, item > 65534)", |event| event.hits.iter().any(|hit| *hit > 65534.0), 1.0, 1.0),
        ];
        for (predicate, matches, share, twice) in rows {
            let near = Reader::<Noisy>::open(file.clone(), "Events").unwrap();
            let expected = near.entries().map(Result::unwrap).filter(matches).map(|event| event.number);
            let Ok(parsed) = predicate.parse() else { panic!("{predicate}") };
            let far = Far::new(file.clone(), Duration::from_millis(5));
            let reader = open::<Noisy>(&far, ReadOptions::new());
            let found = reader.filter(&parsed).unwrap().entries().map(|event| event.unwrap().number);
            assert!(found.eq(expected), "{predicate}");
            // What is compared and then read as well is asked for by both.
            let of_file = |share: f64| (file.size() as f64 * share) as u64;
            let twice = of_file(twice) + MIB;
            let size = of_file(share) + 4 * MIB + twice;
            // The clusters are looked at in portions of 8, 16 and 32 MiB: two requests more for each.
            assert_few_but(predicate, &far.take_calls(), size, 6, twice);
        }
    }
}

/// A file of a known version.
pub(super) struct Versioned(pub(super) Far);

impl ReadAt for Versioned {
    fn size(&self) -> u64 {
        self.0.size()
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        self.0.read_at(offset, buffer)
    }
    fn blocks(&self, ranges: &[Range<u64>]) -> std::io::Result<Vec<Block>> {
        self.0.blocks(ranges)
    }
    fn is_remote(&self) -> bool {
        true
    }
    fn version(&self) -> Option<&str> {
        Some("1")
    }
}

#[test]
fn no_way_to_walk_asks_for_what_is_kept() {
    let far = Far::new(written_noisy(100_000, WriteOptions::new().cluster_size(MIB)), NO_TIME);
    let cache = Cache::new(64 << 20);
    let wrapped = || cache.wrap(Arc::new(Versioned(far.clone())));
    let reader = Reader::<Event>::open(wrapped(), "Events").unwrap();
    assert_eq!(reader.batches(5_000).map(|events| events.unwrap().number.len()).sum::<usize>(), 100_000);
    let first = far.take_calls();
    assert!(repeated(&first) == 0 && bytes(&first) > far.size() / 2, "{}", bytes(&first));

    let reader = Reader::<Noisy>::open(wrapped(), "Events").unwrap();
    assert_eq!(reader.entries().map(|event| check(&event.unwrap())).sum::<u64>(), 100_000);
    assert_eq!(reader.par_entries().map(|event| check(&event.unwrap())).sum::<u64>(), 100_000);
    assert_eq!(reader.entries_in(40_000..60_000).map(|event| check(&event.unwrap())).sum::<u64>(), 20_000);
    let filtered = reader.filter(&"any(hits, item > 65000)".parse().unwrap()).unwrap();
    assert!(filtered.entries().map(|event| check(&event.unwrap())).sum::<u64>() > 0);
    let reader = Reader::<Value>::open(wrapped(), "Events").unwrap();
    assert_eq!(reader.entries().map(Result::unwrap).count(), 100_000);
    let mut numbers = Vec::new();
    reader.column::<u64>("number").unwrap().read_into(100_000, &mut numbers).unwrap();
    assert_eq!(numbers.len(), 100_000);
    assert_eq!(far.take_calls(), [] as [Vec<Range<u64>>; 0]);
}
