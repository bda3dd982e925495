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

use rntuple::storage::{Memory, WriteAt};
use rntuple::{
    ErrorKind, FillContext, Order, ParallelWriter, Pool, RNTuple, Reader, Result, RootFile, Settings,
    WriteOptions, Writer, check,
};
use rntuple_tests::sample::{Event, samples};

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
    assert!(report.is_sound(), "{report:?}");
    let reader = Reader::<Event>::from_storage(file.clone(), "Events").unwrap();
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
    let mut context = parallel.context().unwrap();
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", small()).unwrap();
    for entry in &entries {
        context.fill(entry).unwrap();
        writer.fill(entry).unwrap();
    }
    context.finish().unwrap();
    let file = parallel.finish_into().unwrap().1;
    assert!(file.as_bytes() == writer.finish_into().unwrap().1.as_bytes());
}

/// Fills units of various lengths, taken by the threads as they come.
fn in_order(entries: &[Event], order: Order, threads: usize, options: WriteOptions) -> Memory {
    let mut units = Vec::new();
    let mut rest = entries;
    let mut key = match order {
        Order::Units { first } | Order::Entries { first } => first,
        _ => panic!("another order"),
    };
    for length in [1, 0, 70, 3, 200].into_iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (unit, other) = rest.split_at(rest.len().min(length));
        units.push((key, unit));
        key += match order {
            Order::Units { .. } => 1,
            _ => unit.len() as u64,
        };
        rest = other;
    }
    if let Order::Entries { .. } = order {
        // Units without entries have the key of the next one, which may come first.
        units.retain(|(_, unit)| !unit.is_empty());
    }
    let writer = parallel(options).ordered(order);
    let next = AtomicUsize::new(0);
    writer
        .scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|context| {
                    while let Some((key, entries)) = units.get(next.fetch_add(1, Relaxed)) {
                        let mut unit = context.unit(*key)?;
                        unit.fill_all(entries)?;
                        unit.commit()?;
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
    for order in [Order::Units { first: 0 }, Order::Entries { first: 1_000_000 }] {
        for options in [
            small(),
            small().compression(Settings::NONE),
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
    for compression in [Settings::NONE, Settings::lz4(1), Settings::zstd(1), Settings::lzma(1)] {
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
                let mut context = writer.context().unwrap();
                context.fill_all(part).unwrap();
                context.finish().unwrap();
            });
        }
    });
    let file = writer.finish_into().unwrap().1;
    assert_eq!(sorted(&read(&file)), sorted(&entries));
}

#[test]
fn staged_units_are_published_whole_or_not_at_all() {
    let entries: Vec<Event> = samples(600, 6);
    let writer = parallel(small());
    let (mut a, mut b) = (writer.context().unwrap(), writer.context().unwrap());
    b.fill_all(&entries[..10]).unwrap();
    let mut kept = a.stage().unwrap();
    kept.fill_all(&entries[10..200]).unwrap();
    // Others go on in between.
    b.commit_cluster().unwrap();
    b.fill_all(&entries[400..410]).unwrap();
    b.commit_cluster().unwrap();
    assert_eq!(writer.entry_count(), 20);
    kept.fill_all(&entries[200..400]).unwrap();
    kept.commit().unwrap();
    assert_eq!(writer.entry_count(), 410);
    let mut dropped = a.stage().unwrap();
    dropped.fill_all(&entries).unwrap();
    drop(dropped);
    a.fill_all(&entries[410..420]).unwrap();
    a.finish().unwrap();
    b.finish().unwrap();
    let file = writer.finish_into().unwrap().1;
    let found = read(&file);
    let wanted = [&entries[..10], &entries[400..410], &entries[10..400], &entries[410..420]].concat();
    assert_eq!(found, wanted);
}

#[test]
fn what_a_context_does_not_publish_is_told() {
    let entries: Vec<Event> = samples(300, 7);
    let writer = parallel(small());
    let mut good = writer.context().unwrap();
    good.fill_all(&entries).unwrap();
    good.commit_cluster().unwrap();
    let mut bad = writer.context().unwrap();
    bad.fill_all(&entries[..3]).unwrap();
    drop(bad);
    let message = failing(good.fill(&entries[0]).and_then(|()| good.finish()));
    assert!(message.contains("3 entries of an unfinished cluster were lost"), "{message}");
    assert!(message.contains("dropped without `finish`"), "{message}");
    let message = failing(writer.context());
    assert!(message.contains("dropped without `finish`"), "{message}");
    // The storage is gone with the error, so once more, to look into the file.
    let shared = SharedMemory::default();
    let writer = ParallelWriter::<Event, _>::new(shared.clone(), "Events", small()).unwrap();
    let mut context = writer.context().unwrap();
    context.fill_all(&entries).unwrap();
    context.commit_cluster().unwrap();
    context.fill(&entries[0]).unwrap();
    drop(context);
    assert!(writer.finish().is_err());
    assert_eq!(read(&shared.memory()), entries);
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
fn a_missing_unit_is_told_and_the_others_are_kept() {
    let entries: Vec<Event> = samples(90, 9);
    let storage = SharedMemory::default();
    let writer = ParallelWriter::<Event, _>::new(storage.clone(), "Events", small()).unwrap();
    let writer = writer.ordered(Order::Units { first: 5 });
    let mut context = writer.context().unwrap();
    for key in [8, 5, 7] {
        let mut unit = context.unit(key).unwrap();
        unit.fill_all(&entries[(key as usize - 5) * 20..][..20]).unwrap();
        unit.commit().unwrap();
    }
    for key in [5, 7, 4] {
        let message = failing(context.unit(key));
        assert!(message.contains(&format!("unit {key} was begun before")), "{message}");
    }
    context.finish().unwrap();
    assert_eq!(writer.entry_count(), 20);
    let message = failing(writer.finish());
    assert!(
        message.contains("unit 6 was not committed, but later ones, up to unit 8, were begun"),
        "{message}"
    );
    let wanted = [&entries[..20], &entries[40..80]].concat();
    assert_eq!(read(&storage.memory()), wanted);
}

#[test]
fn units_and_orders_belong_together() {
    let entries: Vec<Event> = samples(50, 10);
    let unordered = parallel(small());
    let mut context = unordered.context().unwrap();
    assert_eq!(
        failing(context.unit(0)),
        "memory: Events: units can have keys only after `ParallelWriter::ordered`"
    );
    let ordered = parallel(small()).ordered(Order::Entries { first: 0 });
    let mut context = ordered.context().unwrap();
    assert_eq!(
        failing(context.stage()),
        "memory: Events: the units of an ordered writer need keys: begin them with `FillContext::unit`"
    );
    // A unit that reaches into the next one.
    let mut second = ordered.context().unwrap();
    let mut unit = second.unit(30).unwrap();
    unit.fill_all(&entries[30..]).unwrap();
    unit.commit().unwrap();
    let mut unit = context.unit(0).unwrap();
    unit.fill_all(&entries[..31]).unwrap();
    let message = failing(unit.commit());
    assert!(message.contains("unit 0 has 31 entries, but the next unit has key 30"), "{message}");
    let plain = parallel(small()).ordered(Order::Units { first: 0 });
    let mut context = plain.context().unwrap();
    let result = context.fill_all(&entries).and_then(|()| context.finish());
    assert!(
        failing(result)
            .contains("an ordered writer takes entries only in units: begin them with `FillContext::unit`")
    );
}

#[test]
fn an_ordered_unit_that_is_dropped_ends_the_writing() {
    let entries: Vec<Event> = samples(50, 11);
    let writer = parallel(small()).ordered(Order::Units { first: 0 });
    let mut context = writer.context().unwrap();
    let mut unit = context.unit(0).unwrap();
    unit.fill_all(&entries).unwrap();
    drop(unit);
    assert!(failing(context.unit(1)).contains("unit 0 was dropped without `commit`"));
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
    assert!(failing(writer.finish()).contains("5 entries"));
}

#[test]
fn a_value_that_does_not_fit_costs_its_context_s_cluster() {
    #[derive(RNTuple)]
    struct Narrow {
        #[rntuple(quantize(bits = 8, min = 0.0, max = 1.0))]
        x: f32,
    }
    let writer = ParallelWriter::<Narrow, _>::new(Memory::new(), "Events", small()).unwrap();
    let (mut good, mut bad) = (writer.context().unwrap(), writer.context().unwrap());
    good.fill(&Narrow { x: 0.5 }).unwrap();
    good.commit_cluster().unwrap();
    bad.fill(&Narrow { x: 2.0 }).unwrap();
    let message = failing(bad.finish());
    assert!(message.contains("column 0 (x), element 0: the value 2 is outside"), "{message}");
    assert!(
        failing(good.fill(&Narrow { x: 0.5 }).and_then(|()| good.finish()))
            .contains("1 entry of an unfinished cluster was lost")
    );
    assert!(failing(writer.finish()).contains("element 0"));
}

#[test]
fn units_that_come_too_early_wait_or_are_refused() {
    let entries: Vec<Event> = samples(4000, 13);
    let options = || small().memory_budget(2 << 20).contexts(2);
    // Alone, nobody can make room: that is told instead of waiting for ever.
    let writer = parallel(options()).ordered(Order::Units { first: 0 });
    let mut context = writer.context().unwrap();
    let mut refused = None;
    for key in (1..40).rev() {
        let mut unit = context.unit(key).unwrap();
        if let Err(error) = unit.fill_all(&entries).and_then(|()| unit.commit()) {
            refused = Some(error);
            break;
        }
    }
    let error = refused.unwrap();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert!(error.to_string().contains("unit 0, which is next, was not begun"), "{error}");
    drop(context);
    drop(writer);
    // With another thread that comes with what is missing, it waits.
    let writer = parallel(options()).ordered(Order::Units { first: 0 });
    let parts: Vec<&[Event]> = entries.chunks(500).collect();
    writer
        .scope(|scope| {
            scope.spawn(|context| {
                for key in [1u64, 2, 3, 4, 5, 6, 7] {
                    let mut unit = context.unit(key)?;
                    unit.fill_all(parts[key as usize])?;
                    unit.commit()?;
                }
                Ok(())
            });
            // Until now there is no other context at all, but one may still come.
            std::thread::sleep(std::time::Duration::from_millis(200));
            scope.spawn(|context| {
                let mut unit = context.unit(0)?;
                unit.fill_all(parts[0])?;
                unit.commit()
            });
        })
        .unwrap();
    assert_eq!(read(&writer.finish_into().unwrap().1), entries);
}

#[test]
fn a_budget_is_split_among_as_many_contexts_as_were_announced() {
    let writer = parallel(WriteOptions::new().memory_budget(16 << 20).contexts(2));
    let (one, two) = (writer.context().unwrap(), writer.context().unwrap());
    let message = failing(writer.context());
    assert!(message.contains("split among 2 contexts"), "{message}");
    drop(one);
    writer.context().unwrap().finish().unwrap();
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
fn a_staged_unit_with_a_value_that_does_not_fit_leaves_nothing_behind() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Two {
        #[rntuple(quantize(bits = 8, min = 0.0, max = 1.0))]
        x: f32,
        n: u32,
        v: Vec<u16>,
    }
    let writer = ParallelWriter::<Two, _>::new(Memory::new(), "Events", small()).unwrap();
    let mut context = writer.context().unwrap();
    let mut unit = context.stage().unwrap();
    for n in 0..10 {
        unit.fill(&Two { x: 2.0, n, v: vec![7; 3] }).unwrap();
    }
    drop(unit);
    let good = Two { x: 1.0, n: 77, v: vec![1, 2] };
    for _ in 0..5 {
        context.fill(&good).unwrap();
    }
    context.finish().unwrap();
    let file = writer.finish_into().unwrap().1;
    let reader = Reader::<Two>::from_storage(file, "Events").unwrap();
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
        let writer = writer.ordered(Order::Units { first: 0 });
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
                            let mut unit = context.unit(key)?;
                            for entry in 0..100 {
                                let values = vec![key * entry; 30];
                                let mut wide = Wide::default();
                                *[&mut wide.a, &mut wide.b, &mut wide.c, &mut wide.d][key as usize % 4] =
                                    values;
                                unit.fill(&wide)?;
                            }
                            unit.commit()?;
                        }
                    });
                }
            })
            .unwrap();
        writer.finish_into().unwrap().1
    };
    let none = || WriteOptions::new().compression(Settings::NONE);
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
    let options = small().compression(Settings::NONE);
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

#[test]
fn what_is_forgotten_is_told() {
    let entries: Vec<Event> = samples(40, 15);
    // A unit.
    let writer = parallel(small());
    let mut context = writer.context().unwrap();
    std::mem::forget(context.stage().unwrap());
    context.fill_all(&entries).unwrap();
    assert!(failing(context.finish()).contains("neither committed nor dropped"));
    assert!(failing(writer.finish()).contains("40 entries"));
    // A context: what is published is in the file.
    let storage = SharedMemory::default();
    let writer = ParallelWriter::<Event, _>::new(storage.clone(), "Events", small()).unwrap();
    let mut context = writer.context().unwrap();
    context.fill_all(&entries).unwrap();
    context.commit_cluster().unwrap();
    std::mem::forget(context);
    assert!(failing(writer.finish()).contains("neither finished nor dropped"));
    assert_eq!(read(&storage.memory()), entries);
    // A unit, by a second order.
    let writer = parallel(small()).ordered(Order::Units { first: 0 });
    let mut context = writer.context().unwrap();
    assert!(failing(context.unit(u64::MAX)).contains("cannot be a key"));
    let mut unit = context.unit(1).unwrap();
    unit.fill_all(&entries).unwrap();
    unit.commit().unwrap();
    context.finish().unwrap();
    let message = failing(writer.ordered(Order::Units { first: 5 }).finish());
    assert!(message.contains("unit 0 was not committed"), "{message}");
}
