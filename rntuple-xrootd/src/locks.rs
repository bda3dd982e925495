//! Locks that threads which panicked leave usable.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks; what a thread that panicked has left is whole, since nothing here is half done between two statements.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
