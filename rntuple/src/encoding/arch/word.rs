//! Unsigned words, what the kernels work on, and values that are the same memory.

use std::mem::MaybeUninit;

use super::step::Step;

/// A value that is the same memory as some word.
///
/// # Safety
/// The type has the size and the alignment of its word and no padding, and whatever its bytes are, they are a
/// value of it. So `bool` is none.
pub(in crate::encoding) unsafe trait Lane: Copy + Default + 'static {
    type Word: Split;
}

/// An unsigned word of 1, 2, 4 or 8 bytes.
pub(in crate::encoding) trait Word: Lane<Word = Self> {
    /// Bytes of one word.
    const WIDTH: usize;
    /// Byte `position`, counted from the least significant.
    fn byte(self, position: usize) -> u8;
    fn wrapping_add(self, other: Self) -> Self;
    fn wrapping_sub(self, other: Self) -> Self;
    /// `0, -1, 1, -2, ..` as `0, 1, 2, 3, ..`.
    fn zigzag(self) -> Self;
    fn unzigzag(self) -> Self;
    /// Writes the words from position `from` on, as `map` makes them of those whose byte planes stand one
    /// behind the other in `planes`, the least significant first.
    fn from_planes(
        planes: &[u8],
        from: usize,
        words: &mut [MaybeUninit<Self>],
        map: impl FnMut(Self) -> Self,
    );
    /// The words that stand little-endian one behind the other in `bytes`.
    fn from_bytes(bytes: &[u8]) -> impl ExactSizeIterator<Item = Self>;
    /// Appends the bytes, little-endian.
    fn put(self, out: &mut Vec<u8>);
}

/// Words with split kernels. Both write every element of their last argument.
pub(in crate::encoding) trait Split: Word {
    /// The byte planes of `words`, each mapped by `M`; `planes` has as many bytes as the words.
    fn split<M: Step>(words: &[Self], planes: &mut [MaybeUninit<u8>]);
    /// The words whose planes these are; `planes` has as many bytes as the words.
    fn unsplit<M: Step>(planes: &[u8], words: &mut [MaybeUninit<Self>]);
}

macro_rules! words {
    ($($word:ty: $($plane:ident)*;)*) => {$(
        impl Word for $word {
            const WIDTH: usize = size_of::<$word>();

            #[inline]
            #[allow(clippy::cast_possible_truncation, reason = "one byte is what is asked for")]
            fn byte(self, position: usize) -> u8 {
                (self >> (8 * position)) as u8
            }

            #[inline]
            fn wrapping_add(self, other: Self) -> Self {
                <$word>::wrapping_add(self, other)
            }

            #[inline]
            fn wrapping_sub(self, other: Self) -> Self {
                <$word>::wrapping_sub(self, other)
            }

            #[inline]
            fn zigzag(self) -> Self {
                let sign = self.cast_signed() >> (<$word>::BITS - 1);
                (self << 1) ^ sign.cast_unsigned()
            }

            #[inline]
            fn unzigzag(self) -> Self {
                // The shift must be the logical one of the unsigned word.
                (self >> 1) ^ (self & 1).wrapping_neg()
            }

            #[inline]
            fn from_planes(
                planes: &[u8],
                from: usize,
                words: &mut [MaybeUninit<Self>],
                mut map: impl FnMut(Self) -> Self,
            ) {
                let count = words.len();
                let mut rest = planes;
                $(
                    let Some(($plane, tail)) = rest.split_at_checked(count) else { return };
                    rest = tail;
                )*
                let _ = rest;
                // Equal lengths, stated once, let the compiler drop the bounds checks and use vectors.
                for i in from..count {
                    #[allow(clippy::indexing_slicing, reason = "each plane is `count` long, and so are the words")]
                    words[i].write(map(<$word>::from_le_bytes([$($plane[i]),*])));
                }
            }

            #[inline]
            fn from_bytes(bytes: &[u8]) -> impl ExactSizeIterator<Item = Self> {
                bytes.as_chunks().0.iter().map(|chunk| <$word>::from_le_bytes(*chunk))
            }

            #[inline]
            fn put(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

words! {
    u8: p0;
    u16: p0 p1;
    u32: p0 p1 p2 p3;
    u64: p0 p1 p2 p3 p4 p5 p6 p7;
}
