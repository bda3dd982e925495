//! Records that are put together in memory before their place in the file is written.

use std::io::{self, IoSlice};

/// A storage whose first byte is that at `start` of a file.
#[derive(Debug)]
pub(crate) struct Desk {
    start: u64,
    bytes: Vec<u8>,
}

impl Desk {
    pub(super) fn new(start: u64) -> Self {
        Self { start, bytes: Vec::new() }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl crate::storage::WriteAt for Desk {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        // Records come one after the other.
        if offset != self.start.saturating_add(self.bytes.len() as u64) {
            return Err(io::Error::other("records of a checkpoint are not in order"));
        }
        parts.iter().for_each(|part| self.bytes.extend_from_slice(part));
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
