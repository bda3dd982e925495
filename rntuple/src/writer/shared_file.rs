//! The file under one ntuple or several.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::root::FileWriter;

/// The file that several writers may share.
pub(super) type SharedFile<W> = Arc<Mutex<FileWriter<W>>>;

/// A lock that survives a panic of another writer: each call leaves the file writer consistent.
pub(super) fn lock_file<W>(file: &SharedFile<W>) -> MutexGuard<'_, FileWriter<W>> {
    file.lock().unwrap_or_else(PoisonError::into_inner)
}
