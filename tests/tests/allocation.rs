//! Between the ends of pages, appending allocates nothing; and memory stays within what is promised.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use rntuple::columns::Lists;
use rntuple::cxx::BitSet;
use rntuple::parallel::Order;
use rntuple::storage::{Memory, Null};
use rntuple::{Compression, ParallelWriter, Pool, RNTuple, ReadOptions, Reader, WriteOptions, Writer};
use rntuple_tests::clusters;
use rntuple_tests::memory::{Watched, allocations, alone, peak};
use rntuple_tests::sample::{Event, Muon, samples};

#[global_allocator]
static ALLOCATOR: Watched = Watched;

#[test]
fn appending_allocates_nothing_between_the_ends_of_pages() {
    let _alone = alone();
    let events: Vec<Event> = samples(200, 3);
    // Pages that hold far more than these events, so that none ends while we count.
    let options =
        WriteOptions::new().initial_page_length(1 << 20).max_page_length(1 << 20).page_budget(1 << 30);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    // Each column's first value makes its page.
    events.iter().for_each(|event| writer.fill(event).unwrap());
    let calls = allocations(|| events.iter().for_each(|event| writer.fill(event).unwrap()));
    assert_eq!(calls, 0);
    writer.finish().unwrap();
}

#[test]
fn reading_into_the_same_event_soon_allocates_nothing() {
    #[derive(RNTuple, Default, Clone)]
    struct Flat {
        number: u64,
        hits: Vec<f32>,
        muons: Vec<Muon>,
        label: String,
        triggers: BitSet<64>,
    }
    let _alone = alone();
    let entry = Flat {
        hits: vec![1.0; 7],
        muons: vec![Muon::default(); 3],
        label: "ttbar".into(),
        ..Flat::default()
    };
    let mut writer = Writer::<Flat, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    for number in 0..1000 {
        writer.fill(&Flat { number, ..entry.clone() }).unwrap();
    }
    let reader = Reader::<Flat>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    let mut entries = reader.entries();
    let mut slot = Flat::default();
    for _ in 0..10 {
        assert!(entries.read_into(&mut slot).unwrap());
    }
    let calls = allocations(|| while entries.read_into(&mut slot).unwrap() {});
    assert_eq!(slot.number, 999);
    assert_eq!(calls, 0, "all columns fit into one page each");
}

#[test]
fn a_collection_in_pieces_may_be_larger_than_memory() {
    #[derive(RNTuple)]
    struct Readout {
        samples: Vec<u32>,
    }
    let _alone = alone();
    let block: Vec<u32> = (0..100_000).collect();
    let options = WriteOptions::new().compression(Compression::NONE);
    let (peak, summary) = peak(|| {
        let mut writer = Writer::<Readout, _>::new(Null, "Readouts", options).unwrap();
        for _ in 0..150 {
            writer.append_items("samples", &block).unwrap();
        }
        writer.fill(&Readout { samples: vec![] }).unwrap();
        writer.finish().unwrap()
    });
    assert_eq!((summary.entries, summary.clusters), (1, 1));
    assert!(summary.page_length >= 60_000_000, "{summary:?}");
    assert!(peak < 8_000_000, "{peak} bytes for an entry of 60 MB");
}

#[test]
fn items_that_come_and_go_leave_their_allocations() {
    #[derive(RNTuple, Default, Clone, Debug, PartialEq)]
    struct Track {
        hits: Vec<u32>,
        label: String,
        nested: Vec<Vec<f32>>,
        maybe: Option<String>,
        names: [String; 2],
    }
    #[derive(RNTuple, Default, Clone, Debug, PartialEq)]
    struct Tracks {
        tracks: Vec<Track>,
    }
    let _alone = alone();
    let track = |number: u32| Track {
        hits: vec![number; 8],
        label: "tracked".into(),
        nested: vec![vec![1.0; 8]; 2],
        maybe: (number.is_multiple_of(2)).then(|| "certain".into()),
        names: ["primary".into(), "nothing".into()],
    };
    let event = |number: u32| Tracks { tracks: (0..[5, 2, 0, 3][number as usize % 4]).map(track).collect() };
    let mut writer = Writer::<Tracks, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    (0..200).for_each(|number| writer.fill(&event(number)).unwrap());
    let reader = Reader::<Tracks>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    let wanted: Vec<Tracks> = (0..200).map(event).collect();
    let (mut entries, mut slot, mut number) = (reader.entries(), Tracks::default(), 0);
    let mut next = |calls: usize| {
        for _ in 0..calls {
            assert!(entries.read_into(&mut slot).unwrap());
            assert!(slot == wanted[number], "{number}");
            number += 1;
        }
    };
    next(40);
    // Lists of tracks' own are not kept, those of numbers are.
    let calls = allocations(|| next(100));
    assert!(calls <= 4 * 100, "{calls} for 100 events of 2.5 tracks with 7 lists each");
}

#[test]
fn lending_soon_allocates_nothing() {
    #[derive(RNTuple, Clone)]
    #[rntuple(columnar)]
    struct Hit {
        energy: f32,
        samples: Vec<u16>,
    }
    #[derive(RNTuple, Clone)]
    #[rntuple(columnar)]
    enum Origin {
        Beam,
        Decay { of: u32, name: String },
    }
    #[derive(RNTuple, Clone)]
    #[rntuple(columnar)]
    struct Flat {
        number: u64,
        hits: Vec<Hit>,
        label: String,
        names: Vec<String>,
        triggers: BitSet<64>,
        origins: Vec<Origin>,
        vertex: Option<[f64; 3]>,
        #[rntuple(rows)]
        list: Vec<u8>,
    }
    let _alone = alone();
    let entry = Flat {
        number: 0,
        hits: vec![Hit { energy: 1.0, samples: vec![1; 5] }; 7],
        label: "ttbar".into(),
        names: vec!["a".into(), "name".into()],
        triggers: BitSet::new(),
        origins: vec![Origin::Beam, Origin::Decay { of: 15, name: "tau".into() }],
        vertex: Some([0.5; 3]),
        list: vec![1; 9],
    };
    // In one page of each column, and in many: what reaches from one into the next is put together in one place.
    for page in [1 << 20, 500] {
        let options =
            WriteOptions::new().compression(Compression::NONE).max_page_length(page).initial_page_length(500);
        let mut writer = Writer::<Flat, _>::new(Memory::new(), "Events", options).unwrap();
        for number in 0..1000 {
            writer.fill(&Flat { number, ..entry.clone() }).unwrap();
        }
        let reader = Reader::<Flat>::open(writer.finish_into().unwrap().1, "Events").unwrap();
        let mut batches = reader.batches(10);
        for _ in 0..30 {
            assert!(batches.lend().unwrap().is_some());
        }
        let mut last = 0;
        let calls = allocations(|| {
            while let Some(entries) = batches.lend().unwrap() {
                for entry in entries {
                    assert_eq!(
                        (entry.hits.samples.items().len(), entry.label, entry.list.len()),
                        (35, "ttbar", 9)
                    );
                    last = entry.number;
                }
            }
        });
        assert_eq!(last, 999);
        assert_eq!(calls, 0, "in pages of {page}");
    }
}

/// Swallows what is written.
struct Sink;

impl rntuple::storage::WriteAt for Sink {
    fn write_at(&mut self, _: u64, _: &[std::io::IoSlice<'_>]) -> std::io::Result<()> {
        Ok(())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_holds_its_pages_and_a_buffer() {
    let _alone = alone();
    let events: Vec<Event> = samples(2000, 4);
    for compression in [Compression::NONE, Compression::zstd(1), Compression::lz4(1)] {
        let page = 64 << 10;
        let mut columns = 0;
        let (peak, length) = peak(|| {
            let options = WriteOptions::new().compression(compression).max_page_length(page);
            let mut writer = Writer::<Event, _>::new(Sink, "Events", options).unwrap();
            for _ in 0..60 {
                writer.fill_all(&events).unwrap();
            }
            writer.finish().unwrap().page_length
        });
        let file = {
            let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
            writer.fill(&events[0]).unwrap();
            writer.finish_into().unwrap().1
        };
        columns += Reader::<Event>::open(file, "Events").unwrap().schema().columns().count();
        let promise = columns * page * 2 + (4 << 20) + (4 << 20);
        assert!(length > 20 * promise as u64 / 10, "enough to matter: {length}");
        assert!(
            peak <= promise,
            "{compression}: {peak} bytes at once, {promise} promised for {columns} columns"
        );
    }
}

#[test]
fn a_forecast_of_memory_is_near_what_a_writer_takes() {
    let _alone = alone();
    let events: Vec<Event> = samples(2000, 4);
    for (times, options) in [
        (50, WriteOptions::new()),
        (50, WriteOptions::new().compression(Compression::NONE)),
        (50, WriteOptions::fast()),
        (50, WriteOptions::low_memory()),
        (10, WriteOptions::new().compression(Compression::lzma(6))),
    ] {
        let forecast = Writer::<Event>::estimate(&events, 2000 * times, options.clone()).unwrap();
        let (peak, _) = peak(|| {
            let mut writer = Writer::<Event, _>::new(Null, "Events", options.clone()).unwrap();
            (0..times).for_each(|_| writer.fill_all(&events).unwrap());
            writer.finish().unwrap()
        });
        let (said, held) = (forecast.memory as usize, peak);
        assert!(held <= said + said / 4, "{options:?}: {held} bytes held, {said} foreseen");
        assert!(said <= 4 * held, "{options:?}: {held} bytes held, {said} foreseen");
    }
}

#[test]
fn little_memory_is_little_whatever_comes() {
    let _alone = alone();
    let events: Vec<Event> = samples(2000, 4);
    let held = |options: WriteOptions| {
        let (peak, _) = peak(|| {
            let mut writer = Writer::<Event, _>::new(Null, "Events", options).unwrap();
            (0..60).for_each(|_| writer.fill_all(&events).unwrap());
            writer.finish().unwrap()
        });
        peak
    };
    let (little, usual) = (held(WriteOptions::low_memory()), held(WriteOptions::new()));
    assert!(little <= 3 << 20, "{little} bytes");
    assert!(4 * little <= usual, "{little} of {usual} bytes");
}

#[test]
fn a_memory_budget_is_kept_by_one_thread() {
    let _alone = alone();
    let events: Vec<Event> = samples(2000, 4);
    for compression in [Compression::NONE, Compression::zstd(1), Compression::lz4(1)] {
        for budget in [2 << 20, 5 << 20, 20 << 20] {
            let (peak, summary) = peak(|| {
                let options = WriteOptions::new().compression(compression).memory_budget(budget);
                let mut writer = Writer::<Event, _>::new(Sink, "Events", options).unwrap();
                for _ in 0..20 {
                    writer.fill_all(&events).unwrap();
                }
                writer.finish().unwrap()
            });
            assert!(summary.page_length > 9 << 20, "enough to matter: {summary:?}");
            assert!(peak <= budget, "{compression}: {peak} bytes at once, {budget} allowed");
            assert!(peak > budget / 8 || budget > 5 << 20, "and made use of: {peak} of {budget}");
        }
    }
}

#[test]
fn a_memory_budget_is_kept_by_a_pool() {
    let _alone = alone();
    let events: Vec<Event> = samples(2000, 4);
    let pool = Pool::new(2).unwrap();
    let budget = 6 << 20;
    for compression in [Compression::zstd(1), Compression::lz4(1)] {
        let (peak, _) = peak(|| {
            let options = WriteOptions::new().compression(compression).memory_budget(budget).pool(&pool);
            let mut writer = Writer::<Event, _>::new(Sink, "Events", options).unwrap();
            for _ in 0..20 {
                writer.fill_all(&events).unwrap();
            }
            writer.finish().unwrap()
        });
        assert!(peak <= budget, "{compression}: {peak} bytes at once, {budget} allowed");
    }
}

#[test]
fn a_memory_budget_is_kept_by_all_contexts_together() {
    let _alone = alone();
    let events: Vec<Event> = samples(2000, 4);
    let budget = 12 << 20;
    for order in [None, Some(Order::Transactions { first: 0 })] {
        let (peak, summary) = peak(|| {
            let options = WriteOptions::new().memory_budget(budget).contexts(4);
            let mut writer = ParallelWriter::<Event, _>::new(Sink, "Events", options).unwrap();
            if let Some(order) = order {
                writer = writer.ordered(order);
            }
            let next = std::sync::atomic::AtomicU64::new(0);
            writer
                .scope(|scope| {
                    for _ in 0..4 {
                        scope.spawn(|context| {
                            loop {
                                let key = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                                if key >= 24 {
                                    return Ok(());
                                }
                                let mut transaction = match order {
                                    Some(_) => context.begin_ordered(key)?,
                                    None => context.begin()?,
                                };
                                transaction.fill_all(&events)?;
                                transaction.commit()?;
                            }
                        });
                    }
                })
                .unwrap();
            writer.finish().unwrap()
        });
        assert_eq!(summary.entries, 48_000);
        assert!(peak <= budget, "{order:?}: {peak} bytes at once, {budget} allowed");
    }
}

#[test]
fn many_columns_with_little_in_them_take_little() {
    /// 50 columns.
    #[derive(RNTuple, Default, Clone)]
    struct Block {
        a: (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32),
        b: (u64, u64, u64, u64, u64, u64, u64, u64, u64, u64),
        c: (u8, u8, u8, u8, u8, u8, u8, u8, u8, u8),
        d: (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64),
        e: (bool, bool, bool, bool, bool, i32, i32, i32, i32, i32),
    }
    /// 500 columns.
    type Ten = (Block, Block, Block, Block, Block, Block, Block, Block, Block, Block);
    #[derive(RNTuple, Default, Clone)]
    struct Wide {
        a: Ten,
        b: Ten,
        c: Ten,
        d: Ten,
    }
    let _alone = alone();
    let event = Wide::default();
    let mut columns = 0;
    for (budget, allowed, entries) in
        [(None, 5 << 20, 20), (Some(4 << 20), 4 << 20, 20), (Some(6 << 20), 6 << 20, 500)]
    {
        let (peak, summary) = peak(|| {
            let mut options = WriteOptions::new();
            if let Some(budget) = budget {
                options = options.memory_budget(budget);
            }
            columns = rntuple::schema::Schema::of::<Wide>(&options).unwrap().columns().count();
            let mut writer = Writer::<Wide, _>::new(Sink, "Events", options).unwrap();
            for _ in 0..entries {
                writer.fill(&event).unwrap();
            }
            writer.finish().unwrap()
        });
        assert_eq!((summary.entries, columns), (entries, 2000));
        assert!(peak <= allowed, "{budget:?}: {peak} bytes at once");
    }
}

/// However many attributes there are, a set takes what its documentation says beyond the writer's budget.
#[test]
fn attribute_sets_take_little_memory() {
    #[derive(RNTuple)]
    struct Block {
        run: u32,
        block: u32,
        luminosity: f64,
        trigger: String,
    }
    let _alone = alone();
    let events: Vec<Event> = samples(100, 4);
    let write = |attributes: u32| {
        peak(|| {
            let options = WriteOptions::new().memory_budget(2 << 20);
            let mut writer = Writer::<Event, _>::new(Sink, "Events", options).unwrap();
            let blocks = writer.attributes::<Block>("blocks").unwrap();
            writer.fill_all(&events).unwrap();
            for block in 0..attributes {
                let value = Block {
                    run: 7,
                    block,
                    luminosity: f64::from(block).sqrt(),
                    trigger: format!("{}", block ^ 0x5555),
                };
                blocks.add(0..100, &value).unwrap();
            }
            writer.finish().unwrap();
        })
        .0
    };
    let (few, many) = (write(20_000), write(200_000));
    assert!(many <= (2 << 20) + (1 << 20), "{many} bytes at once");
    assert!(many < few + (256 << 10), "{many} bytes for many, {few} for few");
}

/// A file on disk whose reads go through buffers.
fn file_of(
    events: &[Event],
    rounds: usize,
    page: usize,
    compression: Compression,
) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    let options = WriteOptions::new().max_page_length(page).compression(compression);
    let mut writer = Writer::<Event, _>::create(file.path(), "Events", options).unwrap();
    for _ in 0..rounds {
        writer.fill_all(events).unwrap();
    }
    writer.finish().unwrap();
    file
}

/// The most memory that a walk through all entries holds, beyond what opening the file takes; and the number of
/// columns.
fn walk_peak(file: &tempfile::NamedTempFile, options: &ReadOptions) -> (usize, usize) {
    let reader = Reader::<Event>::open_with(file.path(), "Events", options.clone()).unwrap();
    let columns = reader.selected_columns().len();
    let (peak, count) = peak(|| walk(&reader, u64::MAX));
    assert_eq!(count, reader.entry_count().unwrap());
    (peak, columns)
}

/// The same of several walks, one after the other, with one that ends early and a single entry between them.
fn walks_peak(file: &tempfile::NamedTempFile, options: &ReadOptions) -> usize {
    let reader = Reader::<Event>::open_with(file.path(), "Events", options.clone()).unwrap();
    let (peak, counts) = peak(|| {
        let mut counts = [0; 4];
        counts[0] = walk(&reader, u64::MAX);
        counts[1] = walk(&reader, u64::MAX);
        walk(&reader, 1000);
        counts[2] = walk(&reader, u64::MAX);
        reader.get(1000).unwrap();
        counts[3] = walk(&reader, u64::MAX);
        counts
    });
    assert_eq!(counts, [reader.entry_count().unwrap(); 4]);
    peak
}

/// Reads up to `most` entries, and returns how many there were.
fn walk(reader: &Reader<Event>, most: u64) -> u64 {
    let mut event = Event::default();
    let (mut entries, mut count) = (reader.entries(), 0);
    while count < most && entries.read_into(&mut event).unwrap() {
        count += 1;
    }
    count
}

#[test]
fn a_reader_holds_two_pages_of_each_column() {
    let _alone = alone();
    let events: Vec<Event> = samples(2000, 4);
    for compression in [Compression::NONE, Compression::zstd(1)] {
        let page = 8 << 10;
        let file = file_of(&events, 12, page, compression);
        let (peak, columns) = walk_peak(&file, &ReadOptions::new());
        // Where each page begins, and where it stands in the file: the plan of a cluster.
        let reader = Reader::<Event>::open(file.path(), "Events").unwrap();
        let dataset = reader.dataset(0).unwrap();
        let clusters = clusters(&dataset);
        let pages =
            clusters.iter().map(|one| one.columns.iter().map(|column| column.pages.len()).sum::<usize>());
        let plan = 256 * pages.max().unwrap() + 2048 * columns;
        let promise = columns * page * 2 + plan;
        let size = std::fs::metadata(file.path()).unwrap().len() as usize;
        assert!(size > 2 * promise, "enough to matter: {size}");
        assert!(peak <= promise, "{compression}: {peak} bytes at once, {promise} promised");
    }
}

#[test]
fn a_readers_memory_budget_is_kept_with_and_without_a_pool() {
    let _alone = alone();
    let events: Vec<Event> = samples(2000, 4);
    for compression in [Compression::NONE, Compression::zstd(1)] {
        let file = file_of(&events, 10, 8 << 10, compression);
        let pool = Pool::new(2).unwrap();
        // The threads have their own memory to begin with.
        walk_peak(&file, &ReadOptions::new().pool(&pool));
        let refused = ReadOptions::new().memory_budget(1000);
        let error = Reader::<Event>::open_with(file.path(), "Events", refused).unwrap_err();
        let text = error.to_string();
        let least = text.split("at least ").nth(1).and_then(|text| text.split(' ').next());
        let least: usize = least.unwrap().parse().unwrap();
        for budget in [least, least + (64 << 10), least + (2 << 20)] {
            for options in [
                ReadOptions::new(),
                ReadOptions::new().read_size(4 << 20),
                ReadOptions::new().pool(&pool),
                ReadOptions::new().pool(&pool).read_size(1 << 20),
            ] {
                let peak = walks_peak(&file, &options.clone().memory_budget(budget as u64));
                assert!(peak <= budget, "{compression}: {peak} bytes at once, {budget} allowed: {options:?}");
            }
        }
        let (free, _) = walk_peak(&file, &ReadOptions::new().pool(&pool).read_size(4 << 20));
        assert!(free > least + (1 << 20), "the budgets were no empty words: {free}");
    }
}

#[test]
fn a_second_batch_of_equal_shape_allocates_nothing() {
    #[derive(RNTuple, Clone)]
    #[rntuple(columnar)]
    struct Flat {
        number: u64,
        hits: Vec<f32>,
        muons: Vec<Muon>,
        label: String,
        triggers: BitSet<64>,
        best: Option<(f32, i8)>,
    }
    let _alone = alone();
    let entry = Flat {
        number: 0,
        hits: vec![1.0; 7],
        muons: vec![Muon::default(); 3],
        label: "ttbar".into(),
        triggers: BitSet::new(),
        best: Some((1.0, 2)),
    };
    let mut writer = Writer::<Flat, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    for number in 0..2000 {
        writer.fill(&Flat { number, ..entry.clone() }).unwrap();
    }
    let reader = Reader::<Flat>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    let mut batches = reader.batches(500);
    let mut columns = FlatColumns::default();
    assert!(batches.read_into(&mut columns).unwrap());
    let calls = allocations(|| while batches.read_into(&mut columns).unwrap() {});
    assert_eq!(calls, 0, "all columns fit into one page each");
}

#[test]
fn writing_columns_holds_no_copy_of_them() {
    #[derive(RNTuple)]
    #[rntuple(columnar)]
    struct Wide {
        values: Vec<f64>,
    }
    let _alone = alone();
    let values = Lists::from_counts(std::iter::repeat_n(10, 200_000), vec![0.5; 2_000_000]).unwrap();
    let columns = WideColumns { values };
    let options = WriteOptions::new()
        .compression(Compression::NONE)
        .cluster_size(1 << 20)
        .page_budget(1 << 20)
        .max_page_length(64 << 10)
        .write_buffer_length(1 << 20);
    let mut writer = Writer::<Wide, _>::new(Sink, "Events", options).unwrap();
    let (held, ()) = peak(|| writer.fill_columns(columns.as_slice()).unwrap());
    assert!(held < 6 << 20, "{held} bytes for columns of 16 MB");
    writer.finish().unwrap();
}

#[test]
fn a_small_budget_is_kept_whatever_the_columns_and_codecs() {
    type Ten = (f32, f64, u64, u8, bool, i32, u16, f32, f32, i64);
    #[derive(RNTuple, Clone)]
    struct Fifty {
        a: (Ten, Ten, Ten, Ten, Ten),
    }
    #[derive(RNTuple, Clone)]
    struct One {
        bits: u64,
    }
    fn ten(bits: u64) -> Ten {
        let small = bits as f32;
        (small, f64::from(small), bits, 1, bits > 1 << 40, 7, bits as u16, small * 0.5, 0.0, -1)
    }
    fn run<T: rntuple::Entry + rntuple::field::WriteField<Writer: Send>>(
        make: impl Fn(u64) -> T + Sync,
        count: u64,
        options: &WriteOptions,
    ) -> usize {
        let random = |number: u64| number.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31);
        let (alone, _) = peak(|| {
            let mut writer = Writer::<T, _>::new(Sink, "Events", options.clone()).unwrap();
            (0..count).for_each(|number| writer.fill(&make(random(number))).unwrap());
            writer.finish().unwrap()
        });
        let (together, _) = peak(|| {
            let options = options.clone().contexts(2);
            let writer = ParallelWriter::<T, _>::new(Sink, "Events", options).unwrap();
            writer
                .scope(|scope| {
                    for _ in 0..2 {
                        scope.spawn(|context| {
                            (0..count / 2).try_for_each(|number| context.fill(&make(random(number))))
                        });
                    }
                })
                .unwrap();
            writer.finish().unwrap()
        });
        alone.max(together)
    }
    let _alone = alone();
    let pool = Pool::new(2).unwrap();
    for compression in [Compression::NONE, Compression::zlib(6), Compression::zstd(1), Compression::lz4(1)] {
        for (budget, pool) in [(3 << 20, None), (8 << 20, Some(&pool))] {
            let mut options = WriteOptions::new().compression(compression).memory_budget(budget);
            if let Some(pool) = pool {
                options = options.pool(pool);
            }
            let held = run(|bits| One { bits }, 400_000, &options);
            assert!(held <= budget, "one column, {compression}, {pool:?}: {held} of {budget}");
            let held = run(
                |bits| Fifty { a: (ten(bits), ten(bits), ten(bits), ten(bits), ten(bits)) },
                8_000,
                &options,
            );
            assert!(held <= budget, "fifty columns, {compression}, {pool:?}: {held} of {budget}");
        }
    }
}
