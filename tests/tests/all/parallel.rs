//! Many threads fill one ntuple: every entry is there, once, and where it was ordered to be.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::io::IoSlice;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::parallel::{FillContext, Order};
use rntuple::storage::{Memory, WriteAt};
use rntuple::{
    Compression, ErrorKind, ParallelWriter, Pool, RNTuple, ReadOptions, Reader, Result, RootFile,
    WriteOptions, Writer, check,
};
use rntuple_tests::sample::{Event, samples};
use rntuple_tests::switched::Switched;

type Parallel = ParallelWriter<Event, Memory>;

/// Many small pages and clusters.
fn small() -> WriteOptions {
    WriteOptions::new().max_page_length(1024).cluster_size(20_000).write_buffer_length(4000)
}

fn parallel(options: WriteOptions) -> Parallel {
    Parallel::new(Memory::new(), "Events", options).unwrap()
}

fn read(file: &Memory) -> Vec<Event> {
    let root = RootFile::from_storage(file.clone()).unwrap();
    let report = check::check_file(&root, Default::default());
    // Transactions that were never published may have left pages.
    assert!(report.faults.is_empty(), "{report:?}");
    let reader = Reader::<Event>::open(file.clone(), "Events").unwrap();
    reader.entries().collect::<Result<_>>().unwrap()
}

/// Entries without their order.
fn sorted(entries: &[Event]) -> Vec<String> {
    let mut texts: Vec<String> = entries.iter().map(|entry| format!("{entry:?}")).collect();
    texts.sort();
    texts
}

fn failing(result: Result<impl Sized>) -> String {
    result.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn every_entry_of_every_thread_is_there_once() {
    let entries: Vec<Event> = samples(2000, 1);
    for threads in [1, 2, 5] {
        let writer = parallel(small());
        writer
            .scope(|scope| {
                for part in entries.chunks(entries.len().div_ceil(threads)) {
                    scope.spawn(|context| context.fill_all(part));
                }
            })
            .unwrap();
        assert_eq!(writer.entry_count(), 2000);
        let (summary, file) = writer.finish_into().unwrap();
        assert_eq!(summary.entries, 2000);
        assert!(summary.clusters > 10 && summary.pages > 500, "{summary:?}");
        let found = read(&file);
        assert_eq!(sorted(&found), sorted(&entries), "{threads} threads");
        if threads == 1 {
            assert_eq!(found, entries);
        }
    }
}

#[test]
fn one_context_writes_what_a_writer_writes() {
    let entries: Vec<Event> = samples(500, 2);
    let parallel = parallel(small());
    let mut context = parallel.context();
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", small()).unwrap();
    for entry in &entries {
        context.fill(entry).unwrap();
        writer.fill(entry).unwrap();
    }
    drop(context);
    let file = parallel.finish_into().unwrap().1;
    assert!(file.as_bytes() == writer.finish_into().unwrap().1.as_bytes());
}

/// Fills transactions of various lengths, taken by the threads as they come.
fn in_order(entries: &[Event], order: Order, threads: usize, options: WriteOptions) -> Memory {
    let mut transactions = Vec::new();
    let mut rest = entries;
    let mut key = match order {
        Order::Transactions { first } | Order::Entries { first } => first,
        _ => panic!("another order"),
    };
    for length in [1, 0, 70, 3, 200].into_iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (transaction, other) = rest.split_at(rest.len().min(length));
        transactions.push((key, transaction));
        key += match order {
            Order::Transactions { .. } => 1,
            _ => transaction.len() as u64,
        };
        rest = other;
    }
    if let Order::Entries { .. } = order {
        // Transactions without entries have the key of the next one, which may come first.
        transactions.retain(|(_, transaction)| !transaction.is_empty());
    }
    let writer = parallel(options).ordered(order);
    let next = AtomicUsize::new(0);
    writer
        .scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|context| {
                    while let Some((key, entries)) = transactions.get(next.fetch_add(1, Relaxed)) {
                        let mut transaction = context.begin_ordered(*key)?;
                        transaction.fill_all(entries)?;
                        transaction.commit()?;
                    }
                    Ok(())
                });
            }
        })
        .unwrap();
    writer.finish_into().unwrap().1
}

#[test]
fn an_order_gives_the_same_bytes_however_many_threads_there_are() {
    let entries: Vec<Event> = samples(2000, 3);
    for order in [Order::Transactions { first: 0 }, Order::Entries { first: 1_000_000 }] {
        for options in [
            small(),
            small().compression(Compression::NONE),
            small().memory_budget(8 << 20),
            WriteOptions::new(),
        ] {
            let one = in_order(&entries, order, 1, options.clone());
            assert_eq!(read(&one), entries);
            for threads in [2, 8] {
                let other = in_order(&entries, order, threads, options.clone());
                assert!(one.as_bytes() == other.as_bytes(), "{order:?} {threads} {options:?}");
            }
        }
    }
}

#[test]
fn a_pool_changes_no_byte() {
    let entries: Vec<Event> = samples(1500, 4);
    for compression in [Compression::NONE, Compression::lz4(1), Compression::zstd(1), Compression::lzma(1)] {
        let write = |options: WriteOptions| {
            let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
            writer.fill_all(&entries).unwrap();
            writer.finish_into().unwrap().1
        };
        let options = small().compression(compression);
        let alone = write(options.clone());
        assert_eq!(read(&alone), entries);
        for threads in [1, 3] {
            let pooled = write(options.clone().pool(&Pool::new(threads).unwrap()));
            assert!(alone.as_bytes() == pooled.as_bytes(), "{compression} {threads}");
        }
    }
}

#[test]
fn threads_of_a_pool_may_fill_and_compress_at_once() {
    let pool = Pool::new(2).unwrap();
    let entries: Vec<Event> = samples(1000, 5);
    let writer = parallel(small().pool(&pool));
    pool.as_rayon().scope(|scope| {
        for part in entries.chunks(100) {
            let writer = &writer;
            scope.spawn(move |_| {
                let mut context = writer.context();
                context.fill_all(part).unwrap();
            });
        }
    });
    let file = writer.finish_into().unwrap().1;
    assert_eq!(sorted(&read(&file)), sorted(&entries));
}

#[test]
fn transactions_are_published_whole_or_not_at_all() {
    let entries: Vec<Event> = samples(600, 6);
    let writer = parallel(small());
    let (mut a, mut b) = (writer.context(), writer.context());
    b.fill_all(&entries[..10]).unwrap();
    let mut kept = a.begin().unwrap();
    kept.fill_all(&entries[10..200]).unwrap();
    // Others go on in between.
    b.commit_cluster().unwrap();
    b.fill_all(&entries[400..410]).unwrap();
    b.commit_cluster().unwrap();
    assert_eq!(writer.entry_count(), 20);
    kept.fill_all(&entries[200..400]).unwrap();
    kept.commit().unwrap();
    assert_eq!(writer.entry_count(), 410);
    let mut dropped = a.begin().unwrap();
    dropped.fill_all(&entries).unwrap();
    drop(dropped);
    a.fill_all(&entries[410..420]).unwrap();
    drop((a, b));
    let file = writer.finish_into().unwrap().1;
    let found = read(&file);
    let wanted = [&entries[..10], &entries[400..410], &entries[10..400], &entries[410..420]].concat();
    assert_eq!(found, wanted);
}

#[test]
fn what_a_context_does_not_publish_finish_publishes() {
    let entries: Vec<Event> = samples(300, 7);
    let writer = parallel(small());
    for part in entries.chunks(3) {
        // Each continues the open cluster of the one before.
        writer.context().fill_all(part).unwrap();
    }
    assert!(writer.entry_count() < 300);
    let (summary, file) = writer.finish_into().unwrap();
    assert_eq!(read(&file), entries);
    let mut alone = Writer::<Event, _>::new(Memory::new(), "Events", small()).unwrap();
    alone.fill_all(&entries).unwrap();
    assert_eq!(alone.finish().unwrap(), summary);
}

#[test]
fn a_context_that_is_given_back_has_the_first_representations() {
    #[derive(RNTuple)]
    struct Met {
        met: f32,
    }
    let packings = [ColumnType::SplitReal32, ColumnType::Real16].map(ColumnEncoding::of);
    let options = WriteOptions::new().representations("met", packings);
    let writer = ParallelWriter::<Met, _>::new(Memory::new(), "Events", options).unwrap();
    let mut context = writer.context();
    context.use_representation("met", 1).unwrap();
    context.fill(&Met { met: 1.0001 }).unwrap();
    drop(context);
    writer.context().fill(&Met { met: 1.0001 }).unwrap();
    let reader = Reader::<Met>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    let found: Vec<f32> = reader.entries().map(|entry| entry.unwrap().met).collect();
    assert_eq!(found, [1.0, 1.0001]);
}

/// Storage that outlives its writer, and fails from the write with some number on.
#[derive(Clone)]
struct SharedMemory(std::sync::Arc<std::sync::Mutex<Memory>>, std::sync::Arc<AtomicU64>);

impl Default for SharedMemory {
    fn default() -> Self {
        Self(Default::default(), std::sync::Arc::new(AtomicU64::new(u64::MAX)))
    }
}

impl SharedMemory {
    fn memory(&self) -> Memory {
        self.0.lock().unwrap().clone()
    }
}

impl WriteAt for SharedMemory {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> std::io::Result<()> {
        if self.1.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err() {
            // Only once: what comes later can be written again.
            self.1.store(u64::MAX, Relaxed);
            return Err(std::io::Error::other("no space left"));
        }
        self.0.lock().unwrap().write_at(offset, parts)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_storage_that_fails_costs_only_what_was_not_published() {
    let entries: Vec<Event> = samples(1200, 8);
    let mut failed = 0;
    for write in (2..40).step_by(3) {
        let storage = SharedMemory::default();
        let options = small();
        let writer = ParallelWriter::<Event, _>::new(storage.clone(), "Events", options).unwrap();
        storage.1.store(write, Relaxed);
        let result = writer.scope(|scope| {
            for part in entries.chunks(400) {
                scope.spawn(|context: &mut FillContext<'_, Event, SharedMemory>| context.fill_all(part));
            }
        });
        let published = writer.entry_count();
        let finished = writer.finish();
        if result.is_err() {
            failed += 1;
            assert!(failing(result).contains("no space left"));
            assert!(failing(finished).contains("no space left"));
        }
        let found = read(&storage.memory());
        assert_eq!(found.len() as u64, published);
        let known: std::collections::BTreeSet<String> = sorted(&entries).into_iter().collect();
        assert!(found.iter().all(|entry| known.contains(&format!("{entry:?}"))));
    }
    assert!(failed > 5, "{failed}");
}

#[test]
fn a_missing_transaction_is_told_and_the_others_are_kept() {
    let entries: Vec<Event> = samples(90, 9);
    let storage = SharedMemory::default();
    let writer = ParallelWriter::<Event, _>::new(storage.clone(), "Events", small()).unwrap();
    let writer = writer.ordered(Order::Transactions { first: 5 });
    let mut context = writer.context();
    for key in [8, 5, 7] {
        let mut transaction = context.begin_ordered(key).unwrap();
        transaction.fill_all(&entries[(key as usize - 5) * 20..][..20]).unwrap();
        transaction.commit().unwrap();
    }
    for key in [5, 7, 4] {
        let message = failing(context.begin_ordered(key));
        assert!(message.contains(&format!("transaction {key} was begun before")), "{message}");
    }
    drop(context);
    assert_eq!(writer.entry_count(), 20);
    let message = failing(writer.finish());
    assert!(
        message.contains("transaction 6 was not committed, but later ones, up to transaction 8, were begun"),
        "{message}"
    );
    let wanted = [&entries[..20], &entries[40..80]].concat();
    assert_eq!(read(&storage.memory()), wanted);
}

#[test]
fn transactions_and_orders_belong_together() {
    let entries: Vec<Event> = samples(50, 10);
    let unordered = parallel(small());
    let mut context = unordered.context();
    assert_eq!(
        failing(context.begin_ordered(0)),
        "memory: Events: transactions can have keys only after `ParallelWriter::ordered`"
    );
    let ordered = parallel(small()).ordered(Order::Entries { first: 0 });
    let mut context = ordered.context();
    assert_eq!(
        failing(context.begin()),
        "memory: Events: the transactions of an ordered writer need keys: begin them with `FillContext::begin_ordered`"
    );
    // A transaction that reaches into the next one.
    let mut second = ordered.context();
    let mut transaction = second.begin_ordered(30).unwrap();
    transaction.fill_all(&entries[30..]).unwrap();
    transaction.commit().unwrap();
    let mut transaction = context.begin_ordered(0).unwrap();
    transaction.fill_all(&entries[..31]).unwrap();
    let message = failing(transaction.commit());
    assert!(
        message.contains("transaction 0 has 31 entries, but the next transaction has key 30"),
        "{message}"
    );
    let plain = parallel(small()).ordered(Order::Transactions { first: 0 });
    let mut context = plain.context();
    assert!(failing(context.fill_all(&entries[..1])).contains(
        "an ordered writer takes entries only in transactions: begin them with `FillContext::begin_ordered`"
    ));
}

/// Nothing of it was appended, so that nothing is lost.
#[test]
fn an_entry_outside_a_transaction_is_refused_alone() {
    let entries: Vec<Event> = samples(30, 13);
    let writer = parallel(small()).ordered(Order::Transactions { first: 0 });
    let (mut context, mut other) = (writer.context(), writer.context());
    for (key, part) in (0..).zip(entries.chunks(10)) {
        for _ in 0..2 {
            let error = context.fill(&entries[0]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            assert!(error.to_string().contains("only in transactions"), "{error}");
        }
        let context = if key == 1 { &mut other } else { &mut context };
        let mut transaction = context.begin_ordered(key).unwrap();
        transaction.fill_all(part).unwrap();
        transaction.commit().unwrap();
    }
    drop((context, other));
    let (summary, file) = writer.finish_into().unwrap();
    assert_eq!(summary.entries, 30);
    assert_eq!(read(&file), entries);
}

#[test]
fn an_ordered_transaction_that_is_dropped_ends_the_writing() {
    let entries: Vec<Event> = samples(50, 11);
    let writer = parallel(small()).ordered(Order::Transactions { first: 0 });
    let mut context = writer.context();
    let mut transaction = context.begin_ordered(0).unwrap();
    transaction.fill_all(&entries).unwrap();
    drop(transaction);
    assert!(failing(context.begin_ordered(1)).contains("transaction 0 was dropped without `commit`"));
    drop(context);
    let message = failing(writer.finish());
    assert!(message.contains("50 entries of an unfinished cluster were lost"), "{message}");
}

#[test]
fn an_error_of_a_thread_comes_out() {
    let writer = parallel(small());
    let result = writer.scope(|scope| {
        scope.spawn(|_| Ok(()));
        scope.spawn(|context| {
            context.fill_all(&samples(5, 12))?;
            // An error of the thread's own work.
            Reader::<Event>::open("no/such/file.root", "Events").map(|_| ())
        });
    });
    assert!(failing(result).contains("no/such/file.root"));
    // What was filled before it stays.
    assert_eq!(writer.finish().unwrap().entries, 5);
}

#[test]
fn a_write_that_fails_costs_its_context_s_cluster() {
    #[derive(RNTuple)]
    struct Narrow {
        x: f32,
    }
    let (storage, fails) = Switched::new();
    let writer = ParallelWriter::<Narrow, _>::new(storage, "Events", small()).unwrap();
    let (mut good, mut bad) = (writer.context(), writer.context());
    good.fill(&Narrow { x: 0.5 }).unwrap();
    good.commit_cluster().unwrap();
    bad.fill(&Narrow { x: 2.0 }).unwrap();
    fails.store(true, Relaxed);
    let message = failing(bad.commit_cluster());
    fails.store(false, Relaxed);
    drop(bad);
    assert!(message.contains("no storage space"), "{message}");
    good.fill(&Narrow { x: 0.5 }).unwrap();
    // Its own cluster is published, the other's loss is reported.
    assert!(failing(good.commit_cluster()).contains("1 entry of an unfinished cluster was lost"));
    assert_eq!(writer.entry_count(), 2);
    assert!(failing(good.fill(&Narrow { x: 0.5 })).contains("no storage space"));
    drop(good);
    let message = failing(writer.finish());
    assert!(message.contains("no storage space"), "{message}");
    assert!(message.ends_with("; 2 entries can be read"), "{message}");
}

#[test]
fn transactions_that_come_too_early_wait_or_are_written_before_their_turn() {
    let entries: Vec<Event> = samples(4000, 13);
    let options = || small().memory_budget(2 << 20).contexts(2);
    // No other thread could make room: they are written before their turn.
    let writer = parallel(options()).ordered(Order::Transactions { first: 0 });
    let mut context = writer.context();
    for key in (0..8).rev() {
        let mut transaction = context.begin_ordered(key).unwrap();
        transaction.fill_all(&entries[key as usize * 500..][..500]).unwrap();
        transaction.commit().unwrap();
    }
    drop(context);
    let (summary, file) = writer.finish_into().unwrap();
    // The last one came in its turn.
    assert!((1..7).contains(&summary.early_transactions), "{summary:?}");
    assert_eq!(read(&file), entries);
    // With another thread that comes with what is missing, it waits.
    let writer = parallel(options()).ordered(Order::Transactions { first: 0 });
    let parts: Vec<&[Event]> = entries.chunks(500).collect();
    writer
        .scope(|scope| {
            scope.spawn(|context| {
                for key in [1u64, 2, 3, 4, 5, 6, 7] {
                    let mut transaction = context.begin_ordered(key)?;
                    transaction.fill_all(parts[key as usize])?;
                    transaction.commit()?;
                }
                Ok(())
            });
            // Until now there is no other context at all, but one may still come.
            std::thread::sleep(std::time::Duration::from_millis(200));
            scope.spawn(|context| {
                let mut transaction = context.begin_ordered(0)?;
                transaction.fill_all(parts[0])?;
                transaction.commit()
            });
        })
        .unwrap();
    let (summary, file) = writer.finish_into().unwrap();
    assert_eq!(summary.early_transactions, 0);
    assert_eq!(read(&file), entries);
}

#[test]
fn a_budget_is_split_among_as_many_contexts_as_were_announced() {
    let writer = parallel(WriteOptions::new().memory_budget(16 << 20).contexts(2));
    let (one, two) = (writer.context(), writer.context());
    let message = failing(writer.context().commit_cluster());
    assert!(message.contains("split among 2 contexts"), "{message}");
    drop(one);
    writer.context().commit_cluster().unwrap();
    drop(two);
    let error =
        Parallel::new(Memory::new(), "Events", WriteOptions::new().memory_budget(10_000)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    let message = error.to_string();
    assert!(message.contains("for 8 contexts of 48 columns"), "{message}");
    // What it says is enough.
    let needed = message.split("at least ").nth(1).and_then(|text| text.split(' ').next());
    let needed: usize = needed.unwrap().parse().unwrap();
    parallel(WriteOptions::new().memory_budget(needed + 16)).finish().unwrap();
}

#[test]
fn a_transaction_that_is_dropped_leaves_nothing_behind() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Two {
        #[rntuple(quantize(bits = 8, min = 0.0, max = 1.0))]
        x: f32,
        n: u32,
        v: Vec<u16>,
    }
    let writer = ParallelWriter::<Two, _>::new(Memory::new(), "Events", small()).unwrap();
    let mut context = writer.context();
    let mut transaction = context.begin().unwrap();
    for n in 0..10 {
        transaction.fill(&Two { x: 0.5, n, v: vec![7; 3] }).unwrap();
        transaction.fill(&Two { x: 2.0, n, v: vec![7; 3] }).unwrap_err();
    }
    drop(transaction);
    let good = Two { x: 1.0, n: 77, v: vec![1, 2] };
    for _ in 0..5 {
        context.fill(&good).unwrap();
    }
    drop(context);
    let file = writer.finish_into().unwrap().1;
    let reader = Reader::<Two>::open(file, "Events").unwrap();
    assert_eq!(reader.entries().collect::<Result<Vec<_>>>().unwrap(), vec![good; 5]);
}

#[test]
fn pages_do_not_depend_on_what_a_context_filled_before() {
    #[derive(RNTuple, Default)]
    struct Wide {
        a: Vec<u64>,
        b: Vec<u64>,
        c: Vec<u64>,
        d: Vec<u64>,
    }
    let write = |threads: usize, options: WriteOptions| {
        let writer = ParallelWriter::<Wide, _>::new(Memory::new(), "Events", options).unwrap();
        let writer = writer.ordered(Order::Transactions { first: 0 });
        let next = AtomicU64::new(0);
        writer
            .scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|context| {
                        loop {
                            let key = next.fetch_add(1, Relaxed);
                            if key >= 40 {
                                return Ok(());
                            }
                            let mut transaction = context.begin_ordered(key)?;
                            for entry in 0..100 {
                                let values = vec![key * entry; 30];
                                let mut wide = Wide::default();
                                *[&mut wide.a, &mut wide.b, &mut wide.c, &mut wide.d][key as usize % 4] =
                                    values;
                                transaction.fill(&wide)?;
                            }
                            transaction.commit()?;
                        }
                    });
                }
            })
            .unwrap();
        writer.finish_into().unwrap().1
    };
    let none = || WriteOptions::new().compression(Compression::NONE);
    for options in
        [none().page_budget(64 << 10), none().page_budget(8 << 10), none().memory_budget(1 << 20).contexts(4)]
    {
        let one = write(1, options.clone());
        for threads in [2, 4] {
            assert!(one.as_bytes() == write(threads, options.clone()).as_bytes(), "{threads} {options:?}");
        }
    }
}

/// Storage that panics at one of its writes.
struct Panicking(u32);

impl WriteAt for Panicking {
    fn write_at(&mut self, _: u64, _: &[IoSlice<'_>]) -> std::io::Result<()> {
        self.0 = self.0.wrapping_sub(1);
        assert!(self.0 != 0, "the storage has a fault");
        Ok(())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_panic_of_the_storage_costs_the_cluster_and_is_told() {
    let entries: Vec<Event> = samples(400, 14);
    let options = small().compression(Compression::NONE);
    let mut writer = Writer::<Event, _>::new(Panicking(4), "Events", options).unwrap();
    let mut panics = 0;
    for entry in &entries {
        let fill = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| writer.fill(entry)));
        panics += u32::from(fill.is_err());
    }
    assert_eq!(panics, 1);
    let message = failing(writer.finish());
    assert!(message.contains("a panic interrupted"), "{message}");
}

/// Storage that outlives its writer, and panics once, at the write with some number.
#[derive(Clone)]
struct PanicsOnce(SharedMemory);

impl WriteAt for PanicsOnce {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> std::io::Result<()> {
        self.0.write_at(offset, parts).unwrap();
        Ok(())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// All numbers in front of a word of a message.
fn numbers_before(message: &str, wanted: &str) -> u64 {
    let words: Vec<&str> = message.split(' ').collect();
    let pairs = words.windows(3).filter(|words| words[1].starts_with("entr") && words[2] == wanted);
    pairs.map(|words| words[0].parse::<u64>().unwrap()).sum()
}

/// Two contexts in one thread take turns; one stops when it panics. Returns the number of entries that were taken, and
/// what `finish` said, unless the storage panicked then.
fn fill_until_a_panic(
    entries: &[Event],
    writer: ParallelWriter<Event, PanicsOnce>,
    is_ordered: bool,
) -> (usize, Option<Result<rntuple::summary::Summary>>) {
    let mut contexts = [Some(writer.context()), Some(writer.context())];
    let mut taken = 0;
    for (key, entries) in entries.chunks(60).enumerate() {
        // Transactions come in pairs, the later one first.
        let key = key ^ 1;
        let slot = &mut contexts[key % 2];
        let Some(context) = slot else { continue };
        let fill = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            if !is_ordered {
                return entries.iter().try_for_each(|entry| {
                    taken += 1;
                    context.fill(entry)
                });
            }
            let mut transaction = context.begin_ordered(key as u64)?;
            entries.iter().try_for_each(|entry| {
                taken += 1;
                transaction.fill(entry)
            })?;
            transaction.commit()
        }));
        match fill {
            Ok(result) if is_ordered => drop(result),
            Ok(result) => result.unwrap(),
            // The context is dropped as if nothing had happened.
            Err(_) => *slot = None,
        }
    }
    drop(contexts);
    let finish = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| writer.finish()));
    (taken, finish.ok())
}

#[test]
fn a_panic_of_the_storage_costs_one_context_and_is_told_exactly() {
    let entries: Vec<Event> = samples(600, 14);
    // Page lists are written early, and transactions before their turn.
    let options = || small().compression(Compression::NONE).memory_budget(500_000).contexts(2);
    let (mut lost_some, mut in_finish) = (0, 0);
    for is_ordered in [false, true] {
        for write in 0.. {
            let storage = PanicsOnce(SharedMemory::default());
            let writer = ParallelWriter::<Event, _>::new(storage.clone(), "Events", options()).unwrap();
            let writer = if is_ordered { writer.ordered(Order::Transactions { first: 0 }) } else { writer };
            storage.0.1.store(write, Relaxed);
            let (taken, finish) = fill_until_a_panic(&entries, writer, is_ordered);
            // The storage did not come to that write.
            let is_over = storage.0.1.load(Relaxed) < u64::MAX / 2;
            let Some(finish) = finish else {
                in_finish += 1;
                continue;
            };
            let found = read(&storage.0.memory());
            if is_over {
                assert_eq!(finish.unwrap().entries, 600);
                assert_eq!(found.len(), 600);
                assert!(write > 20, "{write}");
                break;
            }
            let (lost, message) = match finish {
                Ok(_) => (0, "nothing was lost".to_owned()),
                Err(error) => (numbers_before(&error.to_string(), "of"), error.to_string()),
            };
            lost_some += u32::from(lost > 0);
            assert_eq!(found.len() as u64 + lost, taken as u64, "{is_ordered}, write {write}: {message}");
            assert_eq!(
                message.matches("memory: ").count(),
                usize::from(message.contains("can be read")),
                "{message}"
            );
        }
    }
    assert!(lost_some > 15 && in_finish > 1, "{lost_some} {in_finish}");
}

#[test]
fn what_is_forgotten_is_told() {
    let entries: Vec<Event> = samples(40, 15);
    // A transaction.
    let writer = parallel(small());
    let mut context = writer.context();
    std::mem::forget(context.begin().unwrap());
    context.fill_all(&entries).unwrap();
    assert!(failing(context.commit_cluster()).contains("neither committed nor dropped"));
    drop(context);
    assert!(failing(writer.finish()).contains("40 entries"));
    // A context: what is published is in the file.
    let storage = SharedMemory::default();
    let writer = ParallelWriter::<Event, _>::new(storage.clone(), "Events", small()).unwrap();
    let mut context = writer.context();
    context.fill_all(&entries).unwrap();
    context.commit_cluster().unwrap();
    std::mem::forget(context);
    assert!(failing(writer.finish()).contains("a fill context was forgotten"));
    assert_eq!(read(&storage.memory()), entries);
    // A transaction, by a second order.
    let writer = parallel(small()).ordered(Order::Transactions { first: 0 });
    let mut context = writer.context();
    assert!(failing(context.begin_ordered(u64::MAX)).contains("cannot be a key"));
    let mut transaction = context.begin_ordered(1).unwrap();
    transaction.fill_all(&entries).unwrap();
    transaction.commit().unwrap();
    drop(context);
    let message = failing(writer.ordered(Order::Transactions { first: 5 }).finish());
    assert!(message.contains("transaction 0 was not committed"), "{message}");
}

/// A part of an event whose storing may panic.
mod fragile {
    pub(super) type Stored = f32;

    pub(super) fn store(value: &f32) -> f32 {
        assert!(*value >= 0.0, "no energy is negative");
        *value
    }

    pub(super) fn load(value: f32) -> Result<f32, &'static str> {
        Ok(value)
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Fragile {
    number: u64,
    #[rntuple(with = fragile)]
    energy: f32,
}

fn good(number: u64) -> Fragile {
    Fragile { number, energy: 1.0 }
}

fn bad() -> Fragile {
    Fragile { number: 0, energy: -1.0 }
}

fn panics<R>(work: impl FnOnce() -> R) -> bool {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err()
}

fn fragile_numbers(storage: &SharedMemory) -> Vec<u64> {
    let reader = Reader::<Fragile>::open(storage.memory(), "Events").unwrap();
    reader.entries().map(|entry| entry.unwrap().number).collect()
}

#[test]
fn the_first_fill_after_a_panic_fails() {
    let storage = SharedMemory::default();
    let mut writer = Writer::<Fragile, _>::new(storage.clone(), "Events", WriteOptions::new()).unwrap();
    (0..20).for_each(|number| writer.fill(&good(number)).unwrap());
    writer.commit_cluster().unwrap();
    (20..30).for_each(|number| writer.fill(&good(number)).unwrap());
    assert!(panics(|| writer.fill(&bad())));
    for _ in 0..3 {
        let message = failing(writer.fill(&good(30)));
        assert!(message.contains("a panic interrupted the filling"), "{message}");
    }
    let message = failing(writer.finish());
    assert!(message.contains("10 entries of an unfinished cluster were lost: a panic"), "{message}");
    assert!(message.ends_with("; 20 entries can be read"), "{message}");
    assert_eq!(fragile_numbers(&storage), (0..20).collect::<Vec<_>>());
    // Also if nothing else was ever filled.
    let mut writer = Writer::<Fragile, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    assert!(panics(|| writer.fill(&bad())));
    let error = writer.finish().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Panicked);
    let said = "a panic interrupted the filling or writing of an entry; 0 entries can be read";
    assert!(error.to_string().ends_with(said), "{error}");
}

#[test]
fn a_panic_in_one_thread_costs_the_others_nothing() {
    let storage = SharedMemory::default();
    let writer = ParallelWriter::<Fragile, _>::new(storage.clone(), "Events", WriteOptions::new()).unwrap();
    let started = std::sync::Barrier::new(2);
    assert!(panics(|| {
        writer.scope(|scope| {
            scope.spawn(|context| {
                (0..50).try_for_each(|number| context.fill(&good(number)))?;
                started.wait();
                // The other one has panicked by now, or will.
                (50..100).try_for_each(|number| context.fill(&good(number)))
            });
            scope.spawn(|context| {
                started.wait();
                context.fill(&bad())
            });
        })
    }));
    assert_eq!(writer.entry_count(), 100);
    writer.context().fill(&good(100)).unwrap();
    let message = failing(writer.finish());
    assert!(message.ends_with("writing of an entry; 101 entries can be read"), "{message}");
    assert_eq!(fragile_numbers(&storage), (0..101).collect::<Vec<_>>());
}

#[test]
fn other_contexts_continue_after_a_panic_and_stop_after_an_error() {
    let storage = SharedMemory::default();
    let writer = ParallelWriter::<Fragile, _>::new(storage.clone(), "Events", small()).unwrap();
    let mut healthy = writer.context();
    (0..5).for_each(|number| healthy.fill(&good(number)).unwrap());
    let mut victim = writer.context();
    (0..3).for_each(|_| victim.fill(&good(0)).unwrap());
    assert!(panics(|| victim.fill(&bad())));
    // Its own entries are lost, and it takes no others. A new one does.
    for _ in 0..3 {
        let message = failing(victim.fill(&good(0)));
        assert!(message.contains("a panic interrupted the filling"), "{message}");
    }
    drop(victim);
    (5..20_000).for_each(|number| healthy.fill(&good(number)).unwrap());
    healthy.commit_cluster().unwrap();
    writer.context().fill(&good(20_000)).unwrap();
    // A storage that fails concerns all.
    storage.1.store(0, Relaxed);
    let mut failed = writer.context();
    failed.fill(&good(0)).unwrap();
    assert!(failing(failed.commit_cluster()).contains("no space left"));
    drop(failed);
    let filled = (0..1_000_000).take_while(|_| healthy.fill(&good(0)).is_ok()).count() as u64;
    assert!(filled < 1_000_000);
    assert!(failing(writer.context().fill(&good(0))).contains("no space left"));
    drop(healthy);
    let message = failing(writer.finish());
    assert!(message.contains("3 entries of an unfinished cluster were lost"), "{message}");
    assert!(message.contains("no space left"), "{message}");
    assert_eq!(fragile_numbers(&storage)[..20_000], (0..20_000).collect::<Vec<_>>());
}

#[test]
fn a_panic_says_what_it_cost_in_which_thread() {
    let storage = SharedMemory::default();
    let writer = ParallelWriter::<Fragile, _>::new(storage.clone(), "Events", WriteOptions::new()).unwrap();
    assert!(panics(|| {
        writer.scope(|scope| {
            scope.spawn(|context| (0..10).try_for_each(|number| context.fill(&good(number))));
            scope.spawn(|context| {
                (10..17).try_for_each(|number| context.fill(&good(number)))?;
                context.fill(&bad())
            });
        })
    }));
    let message = failing(writer.finish());
    let wanted = "7 entries of an unfinished cluster were lost in thread \"fill 1\": a panic interrupted";
    assert!(message.contains(wanted), "{message}");
    assert!(message.ends_with("; 10 entries can be read"), "{message}");
    assert_eq!(fragile_numbers(&storage), (0..10).collect::<Vec<_>>());
}

#[test]
fn a_panic_between_entries_costs_none_and_is_reported() {
    let storage = SharedMemory::default();
    let writer = ParallelWriter::<Fragile, _>::new(storage.clone(), "Events", WriteOptions::new()).unwrap();
    assert!(panics(|| {
        let mut context = writer.context();
        (0..7).for_each(|number| context.fill(&good(number)).unwrap());
        panic!("something else");
    }));
    let message = failing(writer.finish());
    assert!(
        message.ends_with("a thread panicked while it had a fill context; 7 entries can be read"),
        "{message}"
    );
    assert_eq!(fragile_numbers(&storage), (0..7).collect::<Vec<_>>());
}

#[test]
fn a_panic_in_a_transaction_costs_that_transaction() {
    let storage = SharedMemory::default();
    let writer = ParallelWriter::<Fragile, _>::new(storage.clone(), "Events", WriteOptions::new()).unwrap();
    let writer = writer.ordered(Order::Transactions { first: 0 });
    let begun = std::sync::Barrier::new(3);
    assert!(panics(|| {
        writer.scope(|scope| {
            for key in 0..3u64 {
                let begun = &begun;
                scope.spawn(move |context| {
                    let mut transaction = context.begin_ordered(key)?;
                    begun.wait();
                    for number in 0..10 {
                        transaction.fill(&if (key, number) == (1, 4) {
                            bad()
                        } else {
                            good(10 * key + number)
                        })?;
                    }
                    transaction.commit()
                });
            }
        })
    }));
    let message = failing(writer.finish());
    let wanted = "4 entries of an unfinished cluster were lost in thread \"fill 1\": transaction 1 was dropped by a panic";
    assert!(message.contains(wanted), "{message}");
    assert!(message.ends_with("; 20 entries can be read"), "{message}");
    assert_eq!(fragile_numbers(&storage), (0..10).chain(20..30).collect::<Vec<_>>());
}

/// Does work that could wait for ever.
fn in_time<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
    let (send, receive) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || send.send(work()));
    match receive.recv_timeout(std::time::Duration::from_secs(100)) {
        Ok(result) => result,
        Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("it waits for ever"),
        Err(_) => std::panic::resume_unwind(thread.join().unwrap_err()),
    }
}

/// Too many for the room that transactions have, which come before their turn.
fn many() -> Vec<Event> {
    samples(20_000, 16)
}

fn with_budget() -> Parallel {
    parallel(small().memory_budget(4 << 20).contexts(4)).ordered(Order::Transactions { first: 0 })
}

fn fill_transaction(context: &mut FillContext<'_, Event, Memory>, key: u64, entries: &[Event]) -> Result<()> {
    let mut transaction = context.begin_ordered(key)?;
    transaction.fill_all(entries)?;
    transaction.commit()
}

/// All entries are in the order of their transactions, some of which were written before their turn.
fn assert_in_order(writer: Parallel, entries: &[Event]) {
    let (summary, file) = writer.finish_into().unwrap();
    assert!(summary.early_transactions > 0, "{summary:?}");
    assert_eq!(read(&file), entries);
}

#[test]
fn one_thread_may_fill_a_later_transaction_before_it_begins_an_earlier_one() {
    in_time(|| {
        let entries = many();
        let (first, second) = entries.split_at(10);
        let writer = with_budget();
        let (mut a, mut b) = (writer.context(), writer.context());
        // Both have been used here: neither may be on its way to another thread.
        fill_transaction(&mut a, 0, &[]).unwrap();
        fill_transaction(&mut b, 1, &[]).unwrap();
        fill_transaction(&mut a, 3, second).unwrap();
        fill_transaction(&mut b, 2, first).unwrap();
        drop((a, b));
        assert_in_order(writer, &entries);
    });
}

#[test]
fn one_thread_may_fill_a_later_transaction_while_an_earlier_one_is_open() {
    in_time(|| {
        let entries = many();
        let (first, second) = entries.split_at(10);
        let writer = with_budget();
        let (mut a, mut b) = (writer.context(), writer.context());
        // Another context could be filled, but only with transactions that come later.
        let other = writer.context();
        let mut open = b.begin_ordered(0).unwrap();
        open.fill_all(&first[..5]).unwrap();
        fill_transaction(&mut a, 1, second).unwrap();
        open.fill_all(&first[5..]).unwrap();
        open.commit().unwrap();
        drop((a, b, other));
        assert_in_order(writer, &entries);
    });
}

#[test]
fn threads_with_two_contexts_each_do_not_wait_for_each_other() {
    for key_first in [false, true] {
        in_time(move || {
            let entries = many();
            let parts: Vec<&[Event]> = entries.chunks(5_000).collect();
            let writer = with_budget();
            std::thread::scope(|threads| {
                for number in 0..2 {
                    let (writer, parts) = (&writer, &parts);
                    threads.spawn(move || {
                        let (mut a, mut b) = (writer.context(), writer.context());
                        // Both are used here, so none is on its way to another thread.
                        fill_transaction(&mut a, 2 * number as u64, &[]).unwrap();
                        fill_transaction(&mut b, 2 * number as u64 + 1, &[]).unwrap();
                        let (early, late) = (number, number + 2);
                        let key = |part: usize| 4 + part as u64;
                        if key_first {
                            // The lowest transaction is open in a thread that waits.
                            let mut transaction = a.begin_ordered(key(early)).unwrap();
                            fill_transaction(&mut b, key(late), parts[late]).unwrap();
                            transaction.fill_all(parts[early]).unwrap();
                            transaction.commit().unwrap();
                        } else {
                            fill_transaction(&mut b, key(late), parts[late]).unwrap();
                            fill_transaction(&mut a, key(early), parts[early]).unwrap();
                        }
                    });
                }
            });
            assert_in_order(writer, &entries);
        });
    }
}

#[test]
fn a_transaction_that_waits_for_a_lost_one_is_kept() {
    in_time(|| {
        let entries = many();
        let storage = SharedMemory::default();
        let options = small().memory_budget(4 << 20).contexts(4);
        let writer = ParallelWriter::<Event, _>::new(storage.clone(), "Events", options).unwrap();
        let writer = writer.ordered(Order::Transactions { first: 0 });
        let begun = std::sync::Barrier::new(2);
        let message = std::thread::scope(|threads| {
            let waiter = threads.spawn(|| {
                let mut context = writer.context();
                let mut transaction = context.begin_ordered(1).unwrap();
                begun.wait();
                transaction.fill_all(&entries).unwrap();
                transaction.commit().unwrap();
                failing(context.begin_ordered(2))
            });
            let mut context = writer.context();
            let mut transaction = context.begin_ordered(0).unwrap();
            transaction.fill_all(&entries[..7]).unwrap();
            begun.wait();
            // The other one waits by then, or will not have to.
            std::thread::sleep(std::time::Duration::from_millis(200));
            drop(transaction);
            waiter.join().unwrap()
        });
        let lost = "memory: Events: 7 entries of an unfinished cluster were lost";
        assert!(
            message.starts_with(lost) && message.contains("transaction 0 was dropped without `commit`"),
            "{message}"
        );
        assert_eq!(message.matches("memory: ").count(), 1, "{message}");
        let message = failing(writer.finish());
        assert!(message.starts_with(lost), "{message}");
        assert_eq!(message.matches("memory: ").count(), 1, "{message}");
        assert!(message.contains("those after it follow, with 20000 entries"), "{message}");
        assert_eq!(read(&storage.memory()), entries);
    });
}

mod from_rayon {
    use rayon::prelude::*;

    use super::*;

    const COUNT: u64 = 600;

    fn pool() -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap()
    }

    /// Fills in three threads; all entries are in the file once, in few clusters.
    fn fills(write: impl Fn(&Parallel, &[Event]) -> Result<u64> + Sync) {
        let entries: Vec<Event> = samples(COUNT as usize, 18);
        let writer = parallel(WriteOptions::new());
        assert_eq!(pool().install(|| write(&writer, &entries)).unwrap(), COUNT);
        let (summary, file) = writer.finish_into().unwrap();
        assert!((1..=3).contains(&summary.clusters), "{summary:?}");
        assert_eq!(sorted(&read(&file)), sorted(&entries));
    }

    #[test]
    fn all_entries_of_an_iterator() {
        fills(|writer, entries| writer.par_fill(entries));
        fills(|writer, entries| writer.par_fill(entries.par_iter().map(Clone::clone)));
        fills(|writer, entries| writer.try_par_fill(entries.par_iter().map(Ok::<_, rntuple::Error>)));
        fills(|writer, entries| {
            let (one, other) = entries.split_at(entries.len() / 2);
            Ok(writer.par_fill(one)? + writer.par_fill(other)?)
        });
    }

    #[test]
    fn a_context_for_each_piece_or_each_entry() {
        fills(|writer, entries| {
            let filled = entries
                .par_iter()
                .try_for_each_init(|| writer.context(), |context, entry| context.fill(entry));
            filled.map(|()| COUNT)
        });
        fills(|writer, entries| {
            entries.par_iter().try_for_each(|entry| writer.context().fill(entry)).map(|()| COUNT)
        });
        fills(|writer, entries| {
            entries.par_chunks(10).try_for_each(|part| writer.context().fill_all(part)).map(|()| COUNT)
        });
    }

    #[test]
    fn an_error_of_an_item_ends_it_and_what_was_filled_stays() {
        let entries: Vec<Event> = samples(COUNT as usize, 19);
        let writer = parallel(small());
        let items = entries.par_iter().enumerate().map(|(number, entry)| {
            if number == 450 { Err("no such event".to_owned().into()) } else { Ok(entry) }
        });
        let result: Result<u64, Box<dyn std::error::Error + Send + Sync>> =
            pool().install(|| writer.try_par_fill(items));
        assert_eq!(result.unwrap_err().to_string(), "no such event");
        let (summary, file) = writer.finish_into().unwrap();
        assert!(summary.entries < COUNT);
        assert_eq!(read(&file).len() as u64, summary.entries);
    }

    #[test]
    fn a_panic_comes_out_and_is_reported() {
        let writer = ParallelWriter::<Fragile, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
        let items = (0..1000).into_par_iter().map(|number| if number == 700 { bad() } else { good(number) });
        assert!(panics(|| pool().install(|| writer.par_fill(items))));
        let before = writer.entry_count();
        assert_eq!(writer.par_fill([good(1)]).unwrap(), 1);
        let message = failing(writer.finish());
        assert!(message.contains("a panic interrupted"), "{message}");
        let count = message.split("; ").last().unwrap().split(' ').next().unwrap().parse::<u64>().unwrap();
        assert!(count > before, "{message}");
    }

    #[test]
    fn a_memory_budget_has_room_for_all_threads_or_says_so() {
        let entries: Vec<Event> = samples(COUNT as usize, 20);
        let options = |contexts| WriteOptions::new().memory_budget(16 << 20).contexts(contexts);
        let writer = parallel(options(2));
        let error = pool().install(|| writer.par_fill(&entries)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert!(error.to_string().ends_with("set `WriteOptions::contexts(3)`"), "{error}");
        assert_eq!(writer.finish().unwrap().entries, 0);
        let writer = parallel(options(3));
        for _ in 0..5 {
            assert_eq!(pool().install(|| writer.par_fill(&entries)).unwrap(), COUNT);
        }
        assert_eq!(writer.finish().unwrap().entries, 5 * COUNT);
    }

    #[test]
    fn a_memory_budget_has_room_for_the_threads_of_a_reader_or_says_so() {
        let entries: Vec<Event> = samples(COUNT as usize, 22);
        let source = parallel(small());
        source.par_fill(&entries).unwrap();
        let file = source.finish_into().unwrap().1;
        let open = |threads| {
            let options = ReadOptions::new().pool(&Pool::new(threads).unwrap());
            Reader::<Event>::open_with(file.clone(), "Events", options).unwrap()
        };
        let options = |contexts| WriteOptions::new().memory_budget(16 << 20).contexts(contexts);
        // Called on three threads, and filled on two.
        let writer = parallel(options(2));
        assert_eq!(pool().install(|| writer.try_par_fill(open(2).par_entries())).unwrap(), COUNT);
        assert_eq!(writer.finish().unwrap().entries, COUNT);
        // The other way round.
        let writer = parallel(options(2).pool(&Pool::new(2).unwrap()));
        let error = writer.try_par_fill(open(3).par_entries()).unwrap_err();
        assert!(error.to_string().ends_with("set `WriteOptions::contexts(3)`"), "{error}");
        assert_eq!(writer.finish().unwrap().entries, 0);
    }

    #[test]
    fn it_runs_on_the_pool_of_the_options() {
        let pool = Pool::new(2).unwrap();
        let writer = parallel(small().pool(&pool));
        let entries: Vec<Event> = samples(COUNT as usize, 21);
        let items = entries.par_iter().map(|entry| {
            let thread = std::thread::current();
            assert!(thread.name().is_some_and(|name| name.starts_with("rntuple-")));
            entry
        });
        assert_eq!(writer.par_fill(items).unwrap(), COUNT);
        assert_eq!(sorted(&read(&writer.finish_into().unwrap().1)), sorted(&entries));
    }

    #[test]
    fn entries_have_no_order_of_their_own() {
        let writer = parallel(small()).ordered(Order::Transactions { first: 0 });
        assert!(failing(writer.par_fill(samples::<Event>(3, 22))).contains("the writer has an order"));
        writer.finish().unwrap();
    }
}
