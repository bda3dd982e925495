//! A storage that fails while a switch is on.

use std::io::{self, IoSlice};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rntuple::storage::{Memory, WriteAt};

/// A file in memory that takes nothing while its switch is on.
#[derive(Debug, Default)]
pub struct Switched {
    /// What was written.
    pub file: Memory,
    fails: Arc<AtomicBool>,
}

impl Switched {
    /// An empty file, and its switch.
    pub fn new() -> (Self, Arc<AtomicBool>) {
        let storage = Self::default();
        let switch = storage.fails.clone();
        (storage, switch)
    }

    fn check(&self) -> io::Result<()> {
        if self.fails.load(Ordering::Relaxed) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

impl WriteAt for Switched {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        self.check()?;
        self.file.write_at(offset, parts)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.check()
    }
}
