//! The file under one ntuple or several.

use crate::sync::{Mutex, MutexGuard};
use std::sync::{Arc, PoisonError};

use crate::root::{Author, FileWriter};
use crate::storage::WriteAt;

/// The file that several writers may share.
pub(super) type SharedFile<W> = Arc<Mutex<FileWriter<W>>>;

/// The same, whatever its storage is.
pub(super) type AnyFile<'a> = Mutex<FileWriter<dyn WriteAt + 'a>>;

/// A lock that survives a panic of another writer: each call leaves the file writer consistent.
pub(super) fn lock_file<W>(file: &SharedFile<W>) -> MutexGuard<'_, FileWriter<W>> {
    file.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The same for a file of any storage.
pub(super) fn lock_any<'a, 'b>(file: &'a AnyFile<'b>) -> MutexGuard<'a, FileWriter<dyn WriteAt + 'b>> {
    file.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The same for a file to which this author writes next.
pub(super) fn lock_as<'a, 'b>(
    file: &'a AnyFile<'b>,
    author: Author,
) -> MutexGuard<'a, FileWriter<dyn WriteAt + 'b>> {
    let mut file = lock_any(file);
    file.turn_to(author);
    file
}
