//! Work that other threads may take off a thread's hands.

use crate::sync::{Condvar, Mutex, MutexGuard};
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, PoisonError};

#[cfg(all(test, rntuple_model))]
pub(crate) use model::Pool;
#[cfg(not(any(feature = "rayon", all(test, rntuple_model))))]
pub(crate) use none::Pool;
#[cfg(all(feature = "rayon", not(all(test, rntuple_model))))]
pub use rayon_pool::Pool;

#[cfg(all(feature = "rayon", not(all(test, rntuple_model))))]
mod rayon_pool {
    use std::fmt;
    use std::process;
    use std::sync::Arc;

    use crate::error::{Error, Result};
    use crate::sync::PerProcess;

    /// Threads that compress pages for writers and decompress them for readers: a [rayon] pool, shared by
    /// whoever is given a clone.
    ///
    /// Pages are compressed and decompressed on no other pool: never on rayon's global one. A process that was forked does
    /// not have the threads of its parent: it starts the same number when it first needs them.
    ///
    /// ```
    /// # #[cfg(feature = "rayon")] {
    /// use rntuple::Pool;
    /// let pool = Pool::new(2)?;
    /// assert_eq!(pool.threads(), 2);
    /// # }
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    #[derive(Clone)]
    pub struct Pool(Arc<Shared>);

    struct Shared {
        threads: usize,
        /// `None`: the system gives none.
        of_process: PerProcess<Option<Threads>>,
    }

    /// The threads of one process.
    struct Threads {
        process: u32,
        /// `None` when they are dropped.
        pool: Option<Arc<rayon::ThreadPool>>,
    }

    impl Drop for Threads {
        fn drop(&mut self) {
            // A thread of the parent may have held a lock that the end of the pool takes.
            if self.process != process::id() {
                std::mem::forget(self.pool.take());
            }
        }
    }

    fn start(threads: usize) -> Result<Arc<rayon::ThreadPool>, rayon::ThreadPoolBuildError> {
        let name = |number| format!("rntuple-{number}");
        rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build().map(Arc::new)
    }

    impl Pool {
        /// A pool of `threads` threads; 0 means one for each core.
        ///
        /// # Errors
        /// The system gives no such threads.
        pub fn new(threads: usize) -> Result<Self> {
            let pool = start(threads).map_err(|error| Error::from(std::io::Error::other(error)))?;
            Ok(Self::from_rayon(pool))
        }

        /// The threads of a pool that the program has anyway.
        pub fn from_rayon(pool: Arc<rayon::ThreadPool>) -> Self {
            let threads = pool.current_num_threads();
            let own = Threads { process: process::id(), pool: Some(pool) };
            Self(Arc::new(Shared { threads, of_process: PerProcess::from(Some(own)) }))
        }

        /// Its number of threads.
        pub fn threads(&self) -> usize {
            self.0.threads
        }

        /// The pool itself, for parallel iterators that are to run there.
        ///
        /// # Panics
        /// This process was forked from the one that made the pool, and the system gives it no threads.
        #[expect(clippy::expect_used, reason = "nothing else could run what the caller has")]
        pub fn as_rayon(&self) -> &rayon::ThreadPool {
            self.of_process().expect("the system gives no threads to a process that was forked")
        }

        fn of_process(&self) -> Option<&rayon::ThreadPool> {
            let again = || {
                let pool = start(self.0.threads).or_else(|_| start(1)).ok();
                pool.map(|pool| Threads { process: process::id(), pool: Some(pool) })
            };
            self.0.of_process.get_or_init(again).as_ref()?.pool.as_deref()
        }

        pub(super) fn spawn(&self, work: impl FnOnce() + Send + 'static) {
            // Without threads, the one that waits for the work does it.
            if let Some(pool) = self.of_process() {
                pool.spawn(work);
            }
        }

        /// A pool of the process that this one would have been forked from.
        #[cfg(test)]
        pub(super) fn of_parent(pool: Arc<rayon::ThreadPool>) -> Self {
            let threads = pool.current_num_threads();
            let parents = Threads { process: process::id().wrapping_add(1), pool: Some(pool) };
            Self(Arc::new(Shared { threads, of_process: PerProcess::of_parent(Some(parents)) }))
        }
    }

    impl fmt::Debug for Pool {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("Pool").field("threads", &self.threads()).finish()
        }
    }
}

#[cfg(not(any(feature = "rayon", all(test, rntuple_model))))]
mod none {
    /// There are no pools without the feature `rayon`: nobody makes one.
    #[derive(Clone, Debug)]
    #[allow(dead_code, reason = "it is used where a pool might be")]
    pub(crate) struct Pool;

    impl Pool {
        pub(crate) fn threads(&self) -> usize {
            0
        }

        pub(super) fn spawn(&self, work: impl FnOnce() + Send + 'static) {
            // The thread that waits for the work does it.
            drop(work);
        }
    }
}

#[cfg(all(test, rntuple_model))]
mod model {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::sync::{Arc, Mutex};

    use super::Task;

    /// Each piece of work has a thread of its own, which begins at any time: so may that of a pool.
    #[derive(Clone, Debug)]
    pub(crate) struct Pool;

    impl Pool {
        pub(crate) fn threads(&self) -> usize {
            1
        }

        pub(super) fn spawn(&self, work: impl FnOnce() + Send + 'static) {
            loom::thread::spawn(work);
        }
    }

    #[test]
    fn a_task_is_done_once_by_the_pool_or_by_the_thread_that_waits() {
        let (by_pool, by_waiter) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let counts = (by_pool.clone(), by_waiter.clone());
        loom::model(move || {
            let runs = Arc::new(AtomicUsize::new(0));
            let done = Arc::new(Mutex::new(Vec::new()));
            let tasks = [1, 2].map(|number| {
                let (runs, done) = (runs.clone(), done.clone());
                Task::spawn(&Pool, move || {
                    runs.fetch_add(1, SeqCst);
                    done.lock().unwrap().push(loom::thread::current().id());
                    number
                })
            });
            assert_eq!(tasks.map(Task::wait), [1, 2]);
            assert_eq!(runs.load(SeqCst), 2);
            let me = loom::thread::current().id();
            let mine = done.lock().unwrap().iter().filter(|thread| **thread == me).count();
            counts.1.fetch_add(mine, SeqCst);
            counts.0.fetch_add(2 - mine, SeqCst);
        });
        // Both were seen.
        assert!(by_pool.load(SeqCst) > 0 && by_waiter.load(SeqCst) > 0);
    }

    #[test]
    fn a_task_that_is_dropped_is_done_once_or_not_at_all() {
        loom::model(|| {
            let runs = Arc::new(AtomicUsize::new(0));
            let other = runs.clone();
            let dropped = Task::spawn(&Pool, move || other.fetch_add(1, SeqCst));
            let other = Task::spawn(&Pool, || 7);
            drop(dropped);
            assert_eq!(other.wait(), 7);
            assert!(runs.load(SeqCst) < 2);
        });
    }
}

#[cfg(not(all(test, rntuple_model)))]
fn spawn_thread(work: impl FnOnce() + Send + 'static) {
    // Without a thread, the work is done by the thread that waits for it.
    let _ = std::thread::Builder::new().name("rntuple requests".to_owned()).spawn(work);
}

#[cfg(all(test, rntuple_model))]
fn spawn_thread(work: impl FnOnce() + Send + 'static) {
    loom::thread::spawn(work);
}

/// A piece of work that is done by a thread of a pool, or by the thread that needs its result, whichever comes
/// first.
///
/// So nobody ever waits for work that has not begun: a pool that is busy, or whose only thread is the one that
/// waits, costs time and nothing else.
pub(crate) struct Task<T>(Arc<Shared<T>>);

struct Shared<T> {
    state: Mutex<State<T>>,
    done: Condvar,
}

enum State<T> {
    Waiting(Box<dyn FnOnce() -> T + Send>),
    Running,
    Done(T),
    Panicked(Box<dyn Any + Send>),
    /// The result was fetched.
    Taken,
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // Nothing panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does the work, unless another thread has begun.
    fn run(&self) {
        let mut state = self.lock();
        if !matches!(*state, State::Waiting(_)) {
            return;
        }
        let State::Waiting(work) = std::mem::replace(&mut *state, State::Running) else { return };
        drop(state);
        let outcome = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(value) => State::Done(value),
            Err(panic) => State::Panicked(panic),
        };
        *self.lock() = outcome;
        self.done.notify_all();
    }
}

impl<T: Send + 'static> Task<T> {
    /// Work that is done by the thread that needs its result.
    pub(crate) fn new(work: impl FnOnce() -> T + Send + 'static) -> Self {
        let state = Mutex::new(State::Waiting(Box::new(work)));
        Self(Arc::new(Shared { state, done: Condvar::new() }))
    }

    /// Puts work into the queue of a pool.
    pub(crate) fn spawn(pool: &Pool, work: impl FnOnce() -> T + Send + 'static) -> Self {
        let task = Self::new(work);
        let other = task.0.clone();
        pool.spawn(move || other.run());
        task
    }

    /// Does work that mostly waits in a thread of its own, where the system gives one.
    pub(crate) fn spawn_waiting(work: impl FnOnce() -> T + Send + 'static) -> Self {
        let task = Self::new(work);
        let other = task.0.clone();
        spawn_thread(move || other.run());
        task
    }

    /// The result: work that nobody has begun is done here.
    pub(crate) fn wait(self) -> T {
        self.0.run();
        let mut state = self.0.lock();
        loop {
            match std::mem::replace(&mut *state, State::Taken) {
                State::Done(value) => return value,
                State::Panicked(panic) => {
                    drop(state);
                    resume_unwind(panic);
                }
                other => {
                    *state = other;
                    state = self.0.done.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

impl<T> Drop for Task<T> {
    /// A result that is not needed is not worked for.
    fn drop(&mut self) {
        let mut state = self.0.lock();
        if matches!(*state, State::Waiting(_)) {
            *state = State::Taken;
        }
    }
}

impl<T> fmt::Debug for Task<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Task")
    }
}

#[cfg(all(test, feature = "rayon", not(rntuple_model)))]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_task_is_done_once() {
        let pool = Pool::new(2).unwrap();
        let runs = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..1000)
            .map(|i| {
                let runs = runs.clone();
                Task::spawn(&pool, move || {
                    runs.fetch_add(1, Ordering::Relaxed);
                    i
                })
            })
            .collect();
        assert!(tasks.into_iter().map(Task::wait).eq(0..1000));
        assert_eq!(runs.load(Ordering::Relaxed), 1000);
    }

    #[test]
    fn a_process_that_was_forked_starts_threads_of_its_own() {
        // The only thread is busy for as long as the test takes, as one is that does not exist.
        let parents = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap());
        let (end, busy) = std::sync::mpsc::channel::<()>();
        parents.spawn(move || {
            let _ = busy.recv();
        });
        let pool = Pool::of_parent(parents.clone());
        assert_eq!((pool.threads(), pool.as_rayon().current_num_threads()), (1, 1));
        let name = pool.as_rayon().install(|| std::thread::current().name().map(str::to_owned));
        assert_eq!(name.as_deref(), Some("rntuple-0"));
        let (done, result) = std::sync::mpsc::channel();
        let task = Task::spawn(&pool, move || {
            let _ = done.send(());
        });
        result.recv_timeout(std::time::Duration::from_secs(30)).unwrap();
        task.wait();
        drop(pool);
        // What is the parent's was not dropped.
        assert_eq!(Arc::strong_count(&parents), 2);
        drop(end);
    }

    #[test]
    fn the_only_thread_of_a_pool_may_wait_for_its_own_queue() {
        let pool = Pool::new(1).unwrap();
        let inner = pool.clone();
        let sum: i32 = pool.as_rayon().install(move || {
            let tasks: Vec<_> = (0..10).map(|i| Task::spawn(&inner, move || i)).collect();
            tasks.into_iter().map(Task::wait).sum()
        });
        assert_eq!(sum, 45);
    }

    #[test]
    fn a_panic_comes_out_where_the_result_is_wanted() {
        let pool = Pool::new(1).unwrap();
        let task = Task::spawn(&pool, || -> i32 { panic!("no number") });
        let panic = catch_unwind(AssertUnwindSafe(|| task.wait())).unwrap_err();
        assert_eq!(*panic.downcast_ref::<&str>().unwrap(), "no number");
        assert_eq!(Task::spawn(&pool, || 1).wait(), 1, "the pool still works");
    }

    #[test]
    fn a_result_that_nobody_wants_is_not_worked_for() {
        let pool = Pool::new(1).unwrap();
        let (open, gate) = std::sync::mpsc::channel::<()>();
        let first = Task::spawn(&pool, move || gate.recv().is_ok());
        let ran = Arc::new(AtomicUsize::new(0));
        let second = ran.clone();
        // The only thread may be at the gate, but the queue is after it in any case.
        while !matches!(*first.0.lock(), State::Running) {
            std::thread::yield_now();
        }
        drop(Task::spawn(&pool, move || second.fetch_add(1, Ordering::Relaxed)));
        open.send(()).unwrap();
        assert!(first.wait());
        assert_eq!(Task::spawn(&pool, || 2).wait(), 2);
        assert_eq!(ran.load(Ordering::Relaxed), 0);
    }
}
