//! Locks of the operating system: one writer at a time for each file.
//!
//! A lock belongs to an open file and ends with it, at the latest with the process. Programs that do not ask for it
//! are not held back.

use std::fs::{File, OpenOptions};
use std::io;
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

/// Opens a file and locks it.
///
/// # Errors
/// Those of opening it, and [`io::ErrorKind::WouldBlock`] where another writer has it.
pub(super) fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    for _ in 0..MAX_ATTEMPTS {
        let file = system::open(options, path)?;
        match acquire(&file) {
            Lock::Held if is_at(&file, path) => return Ok(file),
            // The writer that had the lock has replaced the file, or removed it.
            Lock::Held => {}
            Lock::Taken => break,
            // A file system without locks does not prevent writing.
            Lock::Unavailable => return Ok(file),
        }
    }
    Err(taken())
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

pub(super) use system::acquire;

#[cfg(any(
    target_os = "linux",
    target_os = "android",
    target_os = "freebsd",
    target_os = "netbsd",
    target_os = "openbsd",
    target_vendor = "apple"
))]
mod system {
    use super::{File, Lock, OpenOptions, Path, io};
    use rustix::fs::{FlockOperation, flock};
    use rustix::io::Errno;

    pub(super) fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
        options.open(path)
    }

    /// Asks for the lock of an open file; does not wait.
    pub(in super::super) fn acquire(file: &File) -> Lock {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Lock::Held,
            Err(Errno::WOULDBLOCK) => Lock::Taken,
            Err(_) => Lock::Unavailable,
        }
    }
}

#[cfg(not(any(
    target_os = "linux",
    target_os = "android",
    target_os = "freebsd",
    target_os = "netbsd",
    target_os = "openbsd",
    target_vendor = "apple"
)))]
mod system {
    use super::{File, Lock, OpenOptions, Path, io};

    #[cfg(windows)]
    pub(super) fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
        use std::os::windows::fs::OpenOptionsExt;

        /// Others may read the file and rename it (`FILE_SHARE_READ | FILE_SHARE_DELETE`), not write to it.
        const SHARED: u32 = 1 | 4;
        /// `ERROR_SHARING_VIOLATION`
        const IN_USE: i32 = 32;
        let file = options.share_mode(SHARED).open(path);
        file.map_err(|error| if error.raw_os_error() == Some(IN_USE) { super::taken() } else { error })
    }

    #[cfg(not(windows))]
    pub(super) fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
        options.open(path)
    }

    /// No lock can be had after a file is open.
    pub(in super::super) fn acquire(_: &File) -> Lock {
        Lock::Unavailable
    }
}
