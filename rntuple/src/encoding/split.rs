//! Bytes sorted by significance: all lowest bytes first, then all second ones, ...

use super::arch::{self, AsIs, Lane};
use super::{ColumnEncoding, Encoding, Fault};

/// Byte `b` of element `i` goes to position `b * n + i` (format, section 6.1).
pub(crate) struct Split;

impl<S: Lane> Encoding<S> for Split {
    fn encode(_: &ColumnEncoding, values: &[S], out: &mut Vec<u8>) -> Result<(), Fault> {
        arch::split::<AsIs, S>(values, out);
        Ok(())
    }

    fn decode(_: &ColumnEncoding, bytes: &[u8], count: usize, out: &mut Vec<S>) -> Result<(), Fault> {
        arch::unsplit::<AsIs, S>(bytes, count, out);
        Ok(())
    }
}
