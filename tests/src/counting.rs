//! Storage that remembers what was read.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use rntuple::storage::{Block, Memory, ReadAt};

/// A file in memory and the ranges that were read from it.
#[derive(Clone, Debug)]
pub struct Counting {
    file: Memory,
    reads: Arc<Mutex<Vec<Range<u64>>>>,
}

impl Counting {
    /// Watches `file`.
    pub fn new(file: Memory) -> Self {
        Self { file, reads: Arc::default() }
    }

    /// The reads since the last call.
    ///
    /// # Panics
    /// If a reader panicked.
    #[expect(clippy::unwrap_used, reason = "the documented panic")]
    pub fn take_reads(&self) -> Vec<Range<u64>> {
        std::mem::take(&mut *self.reads.lock().unwrap())
    }

    fn note(&self, range: Range<u64>) {
        if let Ok(mut reads) = self.reads.lock() {
            reads.push(range);
        }
    }
}

impl ReadAt for Counting {
    fn size(&self) -> u64 {
        self.file.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.note(offset..offset + buffer.len() as u64);
        self.file.read_at(offset, buffer)
    }

    fn block(&self, range: Range<u64>) -> io::Result<Block> {
        self.note(range.clone());
        self.file.block(range)
    }
}
