//! Bytes sorted by significance: all lowest bytes first, then all second ones, ...

use std::marker::PhantomData;

use super::arch::{self, AsIs, Delta, Lane, Step, Zigzag};
use super::{ColumnEncoding, Encoding, Fault};

/// Byte `b` of element `i` goes to position `b * n + i` (format, section 6.1), after a step that makes elements small.
pub(crate) struct SplitAfter<M>(PhantomData<M>);

/// Elements as they are.
pub(crate) type Split = SplitAfter<AsIs>;

/// The first element of a page as it is, every other as difference: offsets (format, section 6.3).
pub(crate) type DeltaSplit = SplitAfter<Delta>;

/// `0, -1, 1, -2, ..` become `0, 1, 2, 3, ..`: signed integers (format, section 6.2).
pub(crate) type ZigzagSplit = SplitAfter<Zigzag>;

impl<S: Lane, M: Step> Encoding<S> for SplitAfter<M> {
    fn encode(_: &ColumnEncoding, values: &[S], out: &mut Vec<u8>) -> Result<(), Fault> {
        arch::split::<M, S>(values, out);
        Ok(())
    }

    fn decode(_: &ColumnEncoding, bytes: &[u8], count: usize, out: &mut Vec<S>) -> Result<(), Fault> {
        arch::unsplit::<M, S>(bytes, count, out);
        Ok(())
    }
}
