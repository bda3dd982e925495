//! Bytes sorted by significance: all lowest bytes first, then all second ones, ...

use super::lane::{Lane, Word};
use super::{Encoding, Fault, Packing};

/// Byte `b` of element `i` goes to position `b * n + i` (format, section 6.1).
pub(crate) struct Split;

/// Appends the byte planes of `words`.
pub(super) fn put_planes<W: Word>(words: impl ExactSizeIterator<Item = W> + Clone, out: &mut Vec<u8>) {
    let (start, count) = (out.len(), words.len());
    if count == 0 {
        return;
    }
    out.resize(start + count * W::WIDTH, 0);
    let Some(planes) = out.get_mut(start..) else { return };
    for (position, plane) in planes.chunks_exact_mut(count).enumerate() {
        for (slot, word) in plane.iter_mut().zip(words.clone()) {
            *slot = word.byte(position);
        }
    }
}

impl<S: Lane> Encoding<S> for Split {
    fn encode(_: &Packing, values: &[S], out: &mut Vec<u8>) -> Result<(), Fault> {
        put_planes(values.iter().map(|value| value.to_word()), out);
        Ok(())
    }

    fn decode(_: &Packing, bytes: &[u8], count: usize, out: &mut Vec<S>) -> Result<(), Fault> {
        out.reserve(count);
        S::Word::from_planes(bytes, count, |word| out.push(S::from_word(word)));
        Ok(())
    }
}
