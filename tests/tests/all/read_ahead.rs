//! Reading ahead and decoding ahead change when the work is done, and nothing else.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use rntuple::schema::Locator;
use rntuple::storage::{Block, Memory, ReadAt};
use rntuple::{
    Compression, Dataset, ErrorKind, Pool, ReadOptions, Reader, RootFile, Value, WriteOptions, Writer,
};
use rntuple_tests::clusters;
use rntuple_tests::counting::Counting;
use rntuple_tests::reference;
use rntuple_tests::sample::{Event, samples};

fn written(count: usize, options: WriteOptions) -> (Vec<Event>, Memory) {
    let events: Vec<Event> = samples(count, 11);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(&events).unwrap();
    (events, writer.finish_into().unwrap().1)
}

/// Small pages, several clusters.
fn small() -> WriteOptions {
    WriteOptions::new().max_page_length(2048).cluster_size(40_000)
}

fn read(file: impl ReadAt + 'static, options: ReadOptions) -> Vec<Event> {
    let file = RootFile::from_storage(file).unwrap();
    let reader = Reader::<Event>::open_with(&file, "Events", options).unwrap();
    reader.entries().map(Result::unwrap).collect()
}

/// Ways to read that must all give the same.
fn ways() -> Vec<(&'static str, ReadOptions)> {
    let (one, three) = (Pool::new(1).unwrap(), Pool::new(3).unwrap());
    vec![
        ("pool of 1", ReadOptions::new().pool(&one)),
        ("pool of 3", ReadOptions::new().pool(&three)),
        ("no bytes ahead", ReadOptions::new().pool(&three).read_ahead(0)),
        ("few bytes ahead", ReadOptions::new().pool(&three).read_ahead(5000)),
        ("large reads", ReadOptions::new().pool(&three).read_size(1 << 20)),
        ("single pages", ReadOptions::new().read_size(0).merge_gap(0)),
        ("budget", ReadOptions::new().memory_budget(64 << 20)),
        ("budget and pool", ReadOptions::new().pool(&three).memory_budget(64 << 20)),
    ]
}

#[test]
fn every_way_of_reading_gives_the_same_events() {
    for compression in [Compression::NONE, Compression::zstd(1)] {
        let (events, file) = written(1500, small().compression(compression));
        for (way, options) in ways() {
            assert_eq!(read(file.clone(), options), events, "{way}");
        }
    }
}

/// What a walk gives, errors as their text.
fn outcome(dataset: &Arc<Dataset>, options: &ReadOptions) -> Vec<Result<Value, String>> {
    match Reader::<Value>::from_dataset(dataset.clone(), options.clone()) {
        Ok(reader) => reader.entries().map(|entry| entry.map_err(|error| error.to_string())).collect(),
        Err(error) => vec![Err(error.to_string())],
    }
}

#[test]
fn every_file_by_root_reads_the_same_in_every_way() {
    let mut ntuples = 0;
    for reference in reference::files("-v1.") {
        let file = RootFile::open(&reference.file).unwrap();
        for ntuple in reference.expected["rntuples"].as_array().unwrap() {
            let dataset = Arc::new(Dataset::open(&file, ntuple["path"].as_str().unwrap()).unwrap());
            // NaN is not equal to itself, its text is.
            let plain = format!("{:?}", outcome(&dataset, &ReadOptions::new()));
            for (way, options) in ways() {
                let other = format!("{:?}", outcome(&dataset, &options));
                assert!(plain == other, "{} {way}", reference.name);
            }
            {
                let options = ReadOptions::new();
                #[expect(unsafe_code, reason = "reference files stay as they are")]
                // SAFETY: no one writes to them.
                let mapped = unsafe { rntuple::storage::MappedFile::open(&reference.file) }.unwrap();
                let mapped = RootFile::from_storage(mapped).unwrap();
                let mapped = Arc::new(Dataset::open(&mapped, ntuple["path"].as_str().unwrap()).unwrap());
                assert!(plain == format!("{:?}", outcome(&mapped, &options)), "{} mapped", reference.name);
            }
            ntuples += 1;
        }
    }
    println!("{ntuples} ntuples");
}

#[test]
fn damage_is_told_at_the_same_entry_in_the_same_words() {
    for (compression, checksums) in
        [(Compression::zstd(1), true), (Compression::NONE, true), (Compression::lz4(1), false)]
    {
        let (_, file) = written(200, small().compression(compression).checksums(checksums));
        let bytes = file.into_bytes();
        let pool = Pool::new(2).unwrap();
        let (mut faults, step) = (0, bytes.len() / 60);
        for position in (step / 2..bytes.len()).step_by(step) {
            let mut bytes = bytes.clone();
            bytes[position] ^= 0x11;
            let Ok(file) = RootFile::from_storage(Memory::from(bytes)) else { continue };
            let Ok(dataset) = Dataset::open(&file, "Events") else { continue };
            // With a budget, a reader looks at page lists before it comes to an entry.
            if dataset.clusters().any(|cluster| cluster.is_err()) {
                continue;
            }
            let dataset = Arc::new(dataset);
            let plain = outcome(&dataset, &ReadOptions::new());
            faults += usize::from(plain.iter().any(Result::is_err));
            for options in [
                ReadOptions::new().pool(&pool),
                ReadOptions::new().pool(&pool).memory_budget(64 << 20),
                ReadOptions::new().memory_budget(64 << 20).read_size(0),
            ] {
                let other = outcome(&dataset, &options);
                assert!(format!("{plain:?}") == format!("{other:?}"), "byte {position}: {plain:?} {other:?}");
            }
        }
        assert!(faults > 20 || !checksums, "{faults}");
    }
}

/// Storage where every call takes its time, which counts how many are under way at once.
struct Slow {
    file: Memory,
    calls: AtomicUsize,
    most: Arc<AtomicUsize>,
}

impl ReadAt for Slow {
    fn size(&self) -> u64 {
        self.file.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(calls, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(5));
        self.calls.fetch_sub(1, Ordering::Relaxed);
        self.file.read_at(offset, buffer)
    }
}

#[test]
fn slow_storage_is_waited_for_by_several_threads_at_once() {
    let (events, file) = written(4000, WriteOptions::new().max_page_length(2048).cluster_size(100_000));
    let at_once = |options: ReadOptions| {
        let most = Arc::new(AtomicUsize::new(0));
        let slow = Slow { file: file.clone(), calls: AtomicUsize::new(0), most: most.clone() };
        let storage = RootFile::from_storage(slow).unwrap();
        let reader = Reader::<Event>::open_with(&storage, "Events", options).unwrap();
        assert!(reader.dataset(0).unwrap().cluster_count() > 3);
        assert!(reader.entries().map(Result::unwrap).eq(events.iter().cloned()));
        most.load(Ordering::Relaxed)
    };
    let options = ReadOptions::new().read_size(20_000);
    assert_eq!(at_once(options.clone()), 1);
    assert!(at_once(options.pool(&Pool::new(4).unwrap())) > 1);
}

fn total(reads: &[Range<u64>]) -> u64 {
    reads.iter().map(|range| range.end - range.start).sum()
}

#[test]
fn no_byte_is_read_twice_and_none_behind_the_end_of_a_range() {
    let (events, file) = written(3000, small());
    let counting = Counting::new(file);
    let storage = RootFile::from_storage(counting.clone()).unwrap();
    let plain = Reader::<Event>::open(&storage, "Events").unwrap();
    let clusters = clusters(&plain.dataset(0).unwrap());
    assert!(clusters.len() > 4);
    counting.take_reads();
    assert_eq!(plain.entries().count(), events.len());
    let wanted = total(&counting.take_reads());

    let options = ReadOptions::new().pool(&Pool::new(2).unwrap());
    let reader = Reader::<Event>::open_with(&storage, "Events", options).unwrap();
    // Reads the page list, as was done for the other reader.
    reader.dataset(0).unwrap().cluster(0).unwrap();
    counting.take_reads();
    assert_eq!(reader.entries().count(), events.len());
    assert_eq!(total(&counting.take_reads()), wanted);

    // Into the third cluster, and to its end.
    let third = &clusters[2];
    let page_end = |index: usize| {
        let pages = clusters[index].columns.iter().flat_map(|column| &column.pages);
        let ends = pages.map(|page| match page.locator {
            Locator::File { offset, size } => offset + size + 8,
            _ => panic!("in the file"),
        });
        ends.max().unwrap()
    };
    for end in [third.first_entry + 1, third.first_entry + third.entry_count] {
        let read: Vec<Event> = reader.entries_in(0..end).map(Result::unwrap).collect();
        assert_eq!(read, events[..end as usize]);
        let last = counting.take_reads().iter().map(|range| range.end).max().unwrap();
        assert!(last <= page_end(2), "{last}");
    }
}

/// Page by page, and not only cluster by cluster.
#[test]
fn no_page_behind_the_end_of_a_range_is_read() {
    let (events, file) = written(1000, WriteOptions::new().max_page_length(256));
    let counting = Counting::new(file);
    let pool = Pool::new(1).unwrap();
    let options = ReadOptions::new().pool(&pool).read_size(0).merge_gap(0);
    let reader = Reader::<Event>::open_with(counting.clone(), "Events", options).unwrap();
    let dataset = reader.dataset(0).unwrap();
    let number = dataset.schema().find("number").unwrap();
    let column = dataset.schema().representations(number)[0][0];
    let cluster = dataset.cluster(0).unwrap();
    let pages = &cluster.columns[column.index()].pages;
    assert!(pages.len() > 10, "{}", pages.len());
    for count in [1, 3] {
        counting.take_reads();
        let end: usize = pages[..count].iter().map(|page| page.count as usize).sum();
        let read: Vec<Event> = reader.entries_in(0..end as u64).map(Result::unwrap).collect();
        assert_eq!(read, events[..end]);
        // The thread has done what it was given before.
        pool.as_rayon().install(|| ());
        let reads = counting.take_reads();
        let was_read = pages.iter().map(|page| {
            let Locator::File { offset, .. } = page.locator else { panic!("in the file") };
            reads.iter().any(|range| range.contains(&offset))
        });
        assert!(was_read.eq((0..pages.len()).map(|page| page < count)), "{count}: {reads:?}");
    }
}

/// Storage of which one of many reads panics.
struct Panicking {
    file: Memory,
    reads: AtomicU64,
}

impl ReadAt for Panicking {
    fn size(&self) -> u64 {
        self.file.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        if self.reads.fetch_add(1, Ordering::Relaxed) % 97 == 96 {
            // A panic without a message on the screen.
            resume_unwind(Box::new("out of order"));
        }
        self.file.read_at(offset, buffer)
    }
}

#[test]
fn a_panic_of_the_storage_leaves_no_entry_half_read() {
    let (events, file) = written(1500, small());
    let file = RootFile::from_storage(Panicking { file, reads: AtomicU64::new(0) }).unwrap();
    let options = ReadOptions::new().read_size(0).merge_gap(0);
    let reader = Reader::<Event>::open_with(&file, "Events", options).unwrap();
    let (mut right, mut panics) = (0, 0);
    for index in (0..events.len()).chain((0..events.len()).rev()) {
        for _ in 0..2 {
            match catch_unwind(AssertUnwindSafe(|| reader.get(index as u64))) {
                Ok(entry) => {
                    assert_eq!(entry.unwrap(), events[index]);
                    right += 1;
                }
                Err(_) => panics += 1,
            }
        }
    }
    assert!(panics > 5 && right > events.len(), "{panics}, {right}");
}

#[test]
fn what_is_read_ahead_is_bounded() {
    let (_, file) = written(6000, small());
    let size = file.size();
    let counting = Counting::new(file);
    let storage = RootFile::from_storage(counting.clone()).unwrap();
    let limit = 30_000;
    let pool = Pool::new(2).unwrap();
    let options = ReadOptions::new().pool(&pool).read_ahead(limit).read_size(5000);
    let reader = Reader::<Event>::open_with(&storage, "Events", options).unwrap();
    counting.take_reads();
    let mut entries = reader.entries();
    entries.next().unwrap().unwrap();
    // Whatever was begun is over when the pool has nothing to do.
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(5));
        pool.as_rayon().install(|| ());
    }
    let columns = reader.selected_columns().len() as u64;
    let read = total(&counting.take_reads());
    // One read for each column, and one of those that decode ahead.
    let most = limit + 2 * columns * (5000 + 2048);
    assert!(read <= most && 4 * read < size, "{read} of {size} bytes, at most {most}");
    drop(entries);
    // Of a walk that is given up, no more than what was on its way.
    assert!(total(&counting.take_reads()) <= limit);
}

#[test]
fn a_budget_without_room_for_the_pages_says_what_they_need() {
    let (events, file) = written(2000, WriteOptions::new().max_page_length(8192));
    let file = RootFile::from_storage(file).unwrap();
    let open = |bytes| {
        let options = ReadOptions::new().memory_budget(bytes).pool(&Pool::new(2).unwrap());
        Reader::<Event>::open_with(&file, "Events", options)
    };
    let error = open(100_000).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    let text = error.to_string();
    let least = text.split("at least ").nth(1).and_then(|text| text.split(' ').next());
    let least: u64 = least.unwrap().parse().unwrap();
    assert!(text.contains("columns, each with a stored and a decoded page"), "{text}");
    assert!(open(least - 1).is_err());
    let reader = open(least).unwrap();
    assert_eq!(reader.entries().map(Result::unwrap).collect::<Vec<_>>(), events);
}

#[test]
fn a_block_of_a_mapped_or_loaded_file_is_no_copy() {
    let file = Memory::from((0..100u8).collect::<Vec<u8>>());
    let block: Block = file.block(10..20).unwrap();
    assert_eq!(block.as_ptr(), file.as_bytes()[10..].as_ptr());
}
