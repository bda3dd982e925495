//! Locks of the operating system: one writer at a time for each file.
//!
//! A lock belongs to an open file and ends with it, at the latest with the process. Programs that do not ask for it
//! are not held back.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::ops::Deref;
use std::path::Path;

use crate::storage::identity::Identity;

/// How often other writers may come first.
pub(super) const MAX_ATTEMPTS: usize = 100;

/// What came of asking for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    Held,
    /// Another writer has it.
    Taken,
    /// The file system or the operating system has no such locks.
    Unavailable,
}

/// A file that is locked as long as this is there, where the file system has locks.
///
/// Closing the file would not be enough: a child process that is being started holds copies of all open files, and
/// with them their locks, until its program begins.
#[derive(Debug)]
pub(super) struct Locked(File);

impl Locked {
    /// Takes over a file whose lock was asked for.
    pub(super) fn new(file: File) -> Self {
        Self(file)
    }

    /// Another handle of the file.
    pub(super) fn file(&self) -> io::Result<File> {
        self.0.try_clone()
    }
}

impl Deref for Locked {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        if !cfg!(windows) {
            // Where the file system has no locks there is none to give back.
            let _ = self.0.unlock();
        }
    }
}

/// Opens a file and locks it.
///
/// # Errors
/// Those of opening it, and [`io::ErrorKind::WouldBlock`] where another writer has it.
pub(super) fn open(options: &mut OpenOptions, path: &Path) -> io::Result<Locked> {
    for _ in 0..MAX_ATTEMPTS {
        let file = open_shared(options, path)?;
        match acquire(&file) {
            Lock::Held if is_at(&file, path) => return Ok(Locked(file)),
            // The writer that had the lock has replaced the file, or removed it.
            Lock::Held => {}
            Lock::Taken => break,
            // A file system without locks does not prevent writing.
            Lock::Unavailable => return Ok(Locked(file)),
        }
    }
    Err(taken())
}

/// Asks for the lock of an open file; does not wait.
pub(super) fn acquire(file: &File) -> Lock {
    if cfg!(windows) {
        // There a lock would keep readers out; how the file was opened keeps writers out.
        return Lock::Unavailable;
    }
    match file.try_lock() {
        Ok(()) => Lock::Held,
        Err(TryLockError::WouldBlock) => Lock::Taken,
        Err(TryLockError::Error(_)) => Lock::Unavailable,
    }
}

/// Whether a path still leads to the file that was opened as it.
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    match (Identity::of_file(file, path), Identity::of_path(path)) {
        (Ok(file), Ok(path)) => file == path,
        _ => false,
    }
}

/// The error where another writer has a file.
fn taken() -> io::Error {
    io::Error::new(io::ErrorKind::WouldBlock, "another writer has the file open")
}

#[cfg(not(windows))]
fn open_shared(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.open(path)
}

/// Others may read the file and rename it, not write to it.
#[cfg(windows)]
fn open_shared(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt;

    /// `FILE_SHARE_READ | FILE_SHARE_DELETE`
    const SHARED: u32 = 1 | 4;
    /// `ERROR_SHARING_VIOLATION`
    const IN_USE: i32 = 32;
    let file = options.share_mode(SHARED).open(path);
    file.map_err(|error| if error.raw_os_error() == Some(IN_USE) { taken() } else { error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_ends_although_a_child_process_has_the_file_too() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("locked");
        std::fs::write(&path, "").unwrap();
        let edit = || open(File::options().read(true).write(true), &path);
        let locked = edit().unwrap();
        // A handle that stays open, as in a child process that has not begun its program.
        let inherited = locked.file().unwrap();
        if acquire(&inherited) != Lock::Unavailable {
            assert_eq!(edit().unwrap_err().kind(), io::ErrorKind::WouldBlock);
        }
        drop(locked);
        edit().unwrap();
        drop(inherited);
    }
}
