//! Storage that keeps nothing.

use std::io::{self, IoSlice};

use super::WriteAt;

/// Takes everything and keeps nothing: to see what writing costs without a medium.
/// [`Writer::estimate`](crate::Writer::estimate) says what it would come to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Null;

impl WriteAt for Null {
    fn write_at(&mut self, _: u64, _: &[IoSlice<'_>]) -> io::Result<()> {
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn name(&self) -> &str {
        "nowhere"
    }
}
