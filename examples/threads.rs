//! Writes and reads with many threads, within a stated memory. Explained in the book, chapter "Threads and memory".
#![expect(clippy::unwrap_used, reason = "a thread of the program has panicked")]

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rntuple::parallel::Order;
use rntuple::storage::Memory;
use rntuple::{Error, ParallelWriter, Pool, ReadOptions, Reader, Result, RootFile, WriteOptions, Writer};
use rntuple_examples::Simulation;
use rntuple_examples::event::Event;

const THREADS: usize = 4;

fn in_any_order(events: &[Event]) -> Result<Memory> {
    let file = Memory::new();
    // ANCHOR: any
    let writer = ParallelWriter::<Event, _>::new(file, "Events", WriteOptions::new())?;
    writer.scope(|scope| {
        for part in events.chunks(events.len().div_ceil(THREADS)) {
            scope.spawn(move |context| {
                for event in part {
                    context.fill(event)?;
                }
                Ok(())
            });
        }
    })?;
    let (summary, file) = writer.finish_into()?;
    // ANCHOR_END: any
    assert_eq!(summary.entries, events.len() as u64);
    Ok(file)
}

fn from_rayon(events: &[Event]) -> Result<Memory> {
    let file = Memory::new();
    // ANCHOR: rayon
    let writer = ParallelWriter::<Event, _>::new(file, "Events", WriteOptions::new())?;
    // Borrowed events, or those that are made on the way.
    writer.par_fill(events)?;
    writer.par_fill((0..20).into_par_iter().flat_map_iter(|seed| Simulation::new(seed).take(50)))?;
    // Where making them may fail, or another file is read.
    writer.try_par_fill(events.par_iter().map(|event| Ok::<_, Error>(event.clone())))?;
    let (summary, file) = writer.finish_into()?;
    // ANCHOR_END: rayon
    assert_eq!(summary.entries, 2 * events.len() as u64 + 1000);
    Ok(file)
}

fn with_contexts(events: &[Event]) -> Result<()> {
    let file = Memory::new();
    let writer = ParallelWriter::<Event, _>::new(file, "Events", WriteOptions::new())?;
    // ANCHOR: contexts
    // A context for each piece of the work that rayon makes ..
    events.par_iter().try_for_each_init(|| writer.context(), |context, event| context.fill(event))?;
    // .. or for each event.
    events.par_iter().try_for_each(|event| writer.context().fill(event))?;
    // ANCHOR_END: contexts
    let summary = writer.finish()?;
    assert_eq!(summary.entries, 2 * events.len() as u64);
    assert!(summary.clusters <= rayon::current_num_threads() as u64);
    Ok(())
}

fn in_order(threads: usize) -> Result<Memory> {
    let file = Memory::new();
    // ANCHOR: order
    let writer = ParallelWriter::<Event, _>::new(file, "Events", WriteOptions::new())?;
    let writer = writer.ordered(Order::Transactions { first: 0 });
    let next = AtomicU64::new(0);
    writer.scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|context| {
                loop {
                    let number = next.fetch_add(1, Relaxed);
                    if number >= 20 {
                        return Ok(());
                    }
                    // The seed is the transaction's, not the thread's.
                    let mut transaction = context.begin_ordered(number)?;
                    for event in Simulation::new(number).take(50) {
                        transaction.fill(&event)?;
                    }
                    transaction.commit()?;
                }
            });
        }
    })?;
    let (_, file) = writer.finish_into()?;
    // ANCHOR_END: order
    Ok(file)
}

fn with_a_pool(events: &[Event]) -> Result<Memory> {
    let file = Memory::new();
    // ANCHOR: pool
    let pool = Pool::new(1)?;
    let mut writer = Writer::<Event, _>::new(file, "Events", WriteOptions::new().pool(&pool))?;
    writer.fill_all(events)?;
    let (_, file) = writer.finish_into()?;
    // ANCHOR_END: pool
    Ok(file)
}

fn read_with_threads(file: &Memory) -> Result<()> {
    let file = RootFile::from_storage(file.clone())?;
    // ANCHOR: read
    let pool = Pool::new(2)?;
    let reader = Reader::<Event>::open_with(&file, "Events", ReadOptions::new().pool(&pool))?;
    let muons =
        reader.par_entries().try_fold(|| 0, |count, event| Ok::<_, Error>(count + event?.muons.len()));
    let muons = muons.try_reduce(|| 0, |one, other| Ok(one + other))?;
    // ANCHOR_END: read
    // ANCHOR: partitions
    let ranges = reader.partitions(2)?;
    let counts: Vec<Result<usize>> = std::thread::scope(|scope| {
        let count = |range| reader.entries_in(range).map(|event| Ok(event?.muons.len())).sum();
        let threads: Vec<_> = ranges.into_iter().map(|range| scope.spawn(move || count(range))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let counted: usize = counts.into_iter().sum::<Result<_>>()?;
    // ANCHOR_END: partitions
    assert_eq!(counted, muons);
    // ANCHOR: ahead
    let options = ReadOptions::new().pool(&pool).read_ahead(16 << 20).memory_budget(64 << 20);
    let reader = Reader::<Event>::open_with(&file, "Events", options)?;
    let mut found = 0;
    for event in reader.entries() {
        found += event?.muons.len();
    }
    // ANCHOR_END: ahead
    assert_eq!(found, muons);
    Ok(())
}

fn within_a_budget(events: &[Event]) -> Result<()> {
    let file = Memory::new();
    // ANCHOR: budget
    let options = WriteOptions::new().memory_budget(32 << 20).contexts(4);
    let writer = ParallelWriter::<Event, _>::new(file, "Events", options)?;
    // ANCHOR_END: budget
    let mut context = writer.context();
    context.fill_all(events)?;
    drop(context);
    writer.finish()?;
    Ok(())
}

fn main() -> Result<()> {
    let events: Vec<Event> = Simulation::new(1).take(500).collect();
    let read =
        |file: Memory| -> Result<Vec<Event>> { Reader::<Event>::open(file, "Events")?.entries().collect() };
    let file = in_any_order(&events)?;
    read_with_threads(&file)?;
    assert_eq!(read(file)?.len(), 500);
    assert_eq!(read(from_rayon(&events)?)?.len(), 2000);
    with_contexts(&events)?;
    assert_eq!(in_order(1)?.as_bytes(), in_order(THREADS)?.as_bytes());
    let mut alone = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    alone.fill_all(&events)?;
    assert_eq!(with_a_pool(&events)?.as_bytes(), alone.finish_into()?.1.as_bytes());
    within_a_budget(&events)
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
