//! Signed integers as unsigned ones of small magnitude, then split.

use super::arch::{self, Lane, Zigzag};
use super::{ColumnEncoding, Encoding, Fault};

/// `0, -1, 1, -2, ..` become `0, 1, 2, 3, ..`; then the bytes are split (format, section 6.2).
pub(crate) struct ZigzagSplit;

impl<S: Lane> Encoding<S> for ZigzagSplit {
    fn encode(_: &ColumnEncoding, values: &[S], out: &mut Vec<u8>) -> Result<(), Fault> {
        arch::split::<Zigzag, S>(values, out);
        Ok(())
    }

    fn decode(_: &ColumnEncoding, bytes: &[u8], count: usize, out: &mut Vec<S>) -> Result<(), Fault> {
        arch::unsplit::<Zigzag, S>(bytes, count, out);
        Ok(())
    }
}
