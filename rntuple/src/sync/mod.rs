//! Locks, atomics and the names of threads: those of the standard library, or in models those of `loom`, which runs a
//! model in every order in which its threads may meet.
//!
//! ```text
//! cargo xtask model
//! ```
//!
//! What threads share through these is modelled: the order of units, the contexts, the file, tasks of a pool, reads that
//! are begun ahead, the memory that they may take. A lock that a thread releases without taking another one, or asking
//! for anything that is modelled, may be the standard library's.

mod per_process;

pub use per_process::PerProcess;

#[cfg(not(all(test, rntuple_model)))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, atomic};
#[cfg(not(all(test, rntuple_model)))]
pub(crate) use std::thread::{ThreadId, current as current_thread};

#[cfg(all(test, rntuple_model))]
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard, atomic};
#[cfg(all(test, rntuple_model))]
pub(crate) use loom::thread::{ThreadId, current as current_thread};
