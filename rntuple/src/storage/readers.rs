//! The files that this process has open for reading.
//!
//! Creating a file under the name of one that is being read is nearly always a mistake: an output that is named like
//! an input.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::identity::Identity;

/// How long a page that is still being decoded for a dropped reader may take.
const PATIENCE: Duration = Duration::from_millis(500);

/// By file: how many readers it has.
static OPEN: Mutex<BTreeMap<Identity, usize>> = Mutex::new(BTreeMap::new());
static CLOSED: Condvar = Condvar::new();

/// A file that is open for reading, for as long as this value lives.
#[derive(Debug)]
pub(super) struct Reading(Identity);

/// Opens a file for reading.
///
/// # Errors
/// Those of [`File::open`], and [`io::ErrorKind::InvalidInput`] where it is not a regular file.
pub(super) fn open(path: &Path) -> io::Result<(File, Reading)> {
    // Before it is opened: opening a pipe waits for a writer.
    if !std::fs::metadata(path)?.is_file() {
        let message = "not a regular file, so it cannot be read at offsets";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let file = File::open(path)?;
    let identity = Identity::of_file(&file, path)?;
    *known().entry(identity.clone()).or_default() += 1;
    Ok((file, Reading(identity)))
}

impl Drop for Reading {
    fn drop(&mut self) {
        let mut files = known();
        match files.get_mut(&self.0) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(files.remove(&self.0)),
        }
        CLOSED.notify_all();
    }
}

fn known() -> MutexGuard<'static, BTreeMap<Identity, usize>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Refuses a file that is open for reading.
///
/// # Errors
/// [`io::ErrorKind::ResourceBusy`].
pub(super) fn check_unread(file: &Identity) -> io::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    let mut files = known();
    while files.contains_key(file) {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::Error::new(
                io::ErrorKind::ResourceBusy,
                "this process has the file open for reading: drop its readers first, or write to another path",
            ));
        }
        files = CLOSED.wait_timeout(files, left).unwrap_or_else(PoisonError::into_inner).0;
    }
    Ok(())
}
