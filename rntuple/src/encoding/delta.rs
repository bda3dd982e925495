//! Offsets as differences to their predecessors, then split.

use super::arch::{self, Delta, Lane};
use super::{ColumnEncoding, Encoding, Fault};

/// The first element of a page as it is, every other as difference; then split (format, section 6.3).
pub(crate) struct DeltaSplit;

impl<S: Lane> Encoding<S> for DeltaSplit {
    fn encode(_: &ColumnEncoding, values: &[S], out: &mut Vec<u8>) -> Result<(), Fault> {
        arch::split::<Delta, S>(values, out);
        Ok(())
    }

    fn decode(_: &ColumnEncoding, bytes: &[u8], count: usize, out: &mut Vec<S>) -> Result<(), Fault> {
        arch::unsplit::<Delta, S>(bytes, count, out);
        Ok(())
    }
}
