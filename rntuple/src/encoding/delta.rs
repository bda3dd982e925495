//! Offsets as differences to their predecessors, then split.

use super::lane::{Lane, Word};
use super::split::put_planes;
use super::{Encoding, Fault, Packing};

/// The first element of a page as it is, every other as difference; then split (format, section 6.3).
pub(crate) struct DeltaSplit;

impl<S: Lane> Encoding<S> for DeltaSplit {
    fn encode(_: &Packing, values: &[S], out: &mut Vec<u8>) -> Result<(), Fault> {
        let predecessors =
            std::iter::once(S::Word::default()).chain(values.iter().map(|value| value.to_word()));
        let differences: Vec<S::Word> = values
            .iter()
            .zip(predecessors)
            .map(|(value, before)| value.to_word().wrapping_sub(before))
            .collect();
        put_planes(differences.iter().copied(), out);
        Ok(())
    }

    fn decode(_: &Packing, bytes: &[u8], count: usize, out: &mut Vec<S>) -> Result<(), Fault> {
        out.reserve(count);
        let mut sum = S::Word::default();
        S::Word::from_planes(bytes, count, |difference| {
            sum = sum.wrapping_add(difference);
            out.push(S::from_word(sum));
        });
        Ok(())
    }
}
