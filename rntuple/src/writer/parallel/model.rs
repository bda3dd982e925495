//! Models of threads that fill one ntuple: each runs in every order in which the threads may meet, up to a number of
//! interruptions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use super::tests::{One, Ones};
use super::*;
use crate::compression::Compression;
use crate::storage::Memory;
use crate::{Reader, Value};

/// Runs a model.
fn check(interruptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(interruptions);
    // Those of one thread, too.
    builder.max_branches = 20_000;
    builder.check(model);
}

/// Starts a thread with a larger stack than those of a model have.
fn spawn<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> loom::thread::JoinHandle<R> {
    loom::thread::Builder::new().stack_size(1 << 17).spawn(work).unwrap()
}

/// A writer of transactions in order. Transactions that come before their turn may take `room` bytes of memory.
fn ordered(room: u64) -> Arc<Ones> {
    let writer = plain();
    writer.shared().lock().set_order(Order::Transactions { first: 0 }, room);
    Arc::new(writer)
}

fn plain() -> Ones {
    let options = WriteOptions::new().compression(Compression::NONE);
    Ones::new(Memory::new(), "Ones", options).unwrap()
}

type Context<'w> = FillContext<'w, One, Memory>;

/// Runs threads with contexts of their own, as a scope does.
fn run<const N: usize>(writer: &Arc<Ones>, works: [(usize, fn(&mut [Context<'_>])); N]) {
    writer.shared().lock().open_scope();
    let threads = works.map(|(contexts, work)| {
        let lent: Vec<_> = (0..contexts).map(|_| writer.contexts.lend().unwrap()).collect();
        let writer = writer.clone();
        spawn(move || {
            let lent = lent.into_iter().map(|filler| FillContext::lent(filler, &writer.contexts));
            let mut lent: Vec<_> = lent.collect();
            work(&mut lent);
            drop(lent);
        })
    });
    writer.shared().lock().close_scope();
    writer.shared().call();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// A transaction of two entries: its key, and a half more.
fn fill(context: &mut Context<'_>, key: u16) {
    let mut transaction = context.begin_ordered(key.into()).unwrap();
    transaction.fill(&One(key.into())).unwrap();
    transaction.commit_cluster().unwrap();
    transaction.fill(&One(f32::from(key) + 0.5)).unwrap();
    transaction.commit().unwrap();
}

fn finish(writer: Arc<Ones>) -> Result<(Summary, Memory)> {
    Arc::into_inner(writer).unwrap().finish_into()
}

fn values(file: Memory) -> Vec<f32> {
    let read = move || {
        let reader = Reader::<Value>::open(file, "Ones").unwrap();
        let value = |entry: Result<Value>| match entry.unwrap().get("x") {
            Some(Value::F32(x)) => *x,
            other => panic!("{other:?}"),
        };
        reader.entries().map(value).collect()
    };
    spawn(read).join().unwrap()
}

/// What one thread writes.
fn wanted(transactions: u16, room: u64) -> Memory {
    let writer = ordered(room);
    let mut context = writer.context();
    (0..transactions).for_each(|key| fill(&mut context, key));
    drop(context);
    finish(writer).unwrap().1
}

/// What a page of one number takes while it waits: more than nothing, and less than half of this.
const ROOM: u64 = 4096;

#[test]
fn transactions_have_the_same_bytes_in_every_order_of_threads() {
    for room in [0, 300, ROOM] {
        check(2, move || {
            let writer = ordered(room);
            run(&writer, [(1, |lent| fill(&mut lent[0], 1)), (1, |lent| fill(&mut lent[0], 0))]);
            let (summary, file) = finish(writer).unwrap();
            assert_eq!((summary.entries, summary.early_transactions), (4, 0));
            assert!(file.as_bytes() == wanted(2, room).as_bytes());
        });
    }
}

#[test]
fn three_threads_publish_what_waits_for_them() {
    check(1, || {
        let writer = ordered(ROOM);
        let works: [(usize, fn(&mut [Context<'_>])); 3] = [
            (1, |lent| fill(&mut lent[0], 2)),
            (1, |lent| fill(&mut lent[0], 0)),
            (1, |lent| fill(&mut lent[0], 1)),
        ];
        run(&writer, works);
        let (summary, file) = finish(writer).unwrap();
        assert_eq!((summary.entries, summary.early_transactions), (6, 0));
        assert_eq!(values(file), [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]);
    });
}

#[test]
fn threads_take_turns() {
    check(2, || {
        let writer = ordered(0);
        let works: [(usize, fn(&mut [Context<'_>])); 2] = [
            (1, |lent| {
                fill(&mut lent[0], 0);
                // The other one has been woken, or both wait.
                fill(&mut lent[0], 2);
            }),
            (1, |lent| fill(&mut lent[0], 1)),
        ];
        run(&writer, works);
        let (summary, file) = finish(writer).unwrap();
        assert_eq!((summary.entries, summary.early_transactions), (6, 0));
        assert_eq!(values(file), [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]);
    });
}

#[test]
fn a_thread_with_two_contexts_does_not_wait_for_itself() {
    // The one that is awaited is open, or was not begun.
    let works: [fn(&mut [Context<'_>]); 2] = [
        |lent| {
            let [a, b] = lent else { panic!() };
            fill(a, 1);
            fill(b, 0);
        },
        |lent| {
            let [a, b] = lent else { panic!() };
            let mut transaction = b.begin_ordered(0).unwrap();
            transaction.fill(&One(0.0)).unwrap();
            fill(a, 1);
            transaction.commit_cluster().unwrap();
            transaction.fill(&One(0.5)).unwrap();
            transaction.commit().unwrap();
        },
    ];
    for work in works {
        let early = Arc::new(AtomicU64::new(0));
        let count = early.clone();
        check(2, move || {
            let writer = ordered(0);
            // Another thread has later transactions only.
            run(&writer, [(2, work), (1, |lent| fill(&mut lent[0], 2))]);
            let (summary, file) = finish(writer).unwrap();
            count.fetch_max(summary.early_transactions, SeqCst);
            assert_eq!(values(file), [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]);
        });
        assert!(early.load(SeqCst) > 0);
    }
}

#[test]
fn a_context_that_comes_back_wakes_the_thread_that_waits() {
    check(2, || {
        let writer = ordered(0);
        run(&writer, [(1, |lent| fill(&mut lent[0], 1)), (1, |_| {})]);
        let message = finish(writer).unwrap_err().to_string();
        assert!(message.contains("transaction 0 was not committed"), "{message}");
        assert!(message.ends_with("; 2 entries can be read"), "{message}");
    });
}

#[test]
fn a_lost_transaction_wakes_the_thread_that_waits_for_it() {
    check(2, || {
        let writer = ordered(0);
        let mut context = writer.context();
        let mut lost = context.begin_ordered(0).unwrap();
        let lent = writer.contexts.lend().unwrap();
        let other = {
            let writer = writer.clone();
            spawn(move || {
                let mut context = FillContext::lent(lent, &writer.contexts);
                // Nothing begins after a loss.
                let Ok(mut transaction) = context.begin_ordered(1) else { return };
                transaction.fill(&One(1.0)).unwrap();
                transaction.commit().unwrap();
            })
        };
        lost.fill(&One(0.0)).unwrap();
        drop(lost);
        // This context is not given back before the other thread is done.
        other.join().unwrap();
        drop(context);
        let message = finish(writer).unwrap_err().to_string();
        assert!(message.contains("1 entry of an unfinished cluster was lost"), "{message}");
        assert!(message.contains("transaction 0 was dropped without `commit`"), "{message}");
    });
}

#[test]
fn contexts_without_order_lose_nothing() {
    check(2, || {
        let writer = Arc::new(plain());
        let work = |lent: &mut [Context<'_>]| {
            lent[0].fill(&One(1.0)).unwrap();
            lent[0].commit_cluster().unwrap();
            lent[0].fill(&One(1.0)).unwrap();
        };
        let other = {
            let writer = writer.clone();
            spawn(move || {
                // It comes and goes, and may get what the other thread gives back.
                for _ in 0..2 {
                    writer.context().fill(&One(1.0)).unwrap();
                }
            })
        };
        run(&writer, [(1, work)]);
        other.join().unwrap();
        let (summary, file) = finish(writer).unwrap();
        assert_eq!(summary.entries, 4);
        assert_eq!(values(file), [1.0; 4]);
    });
}
