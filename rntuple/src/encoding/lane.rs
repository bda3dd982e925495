//! Values as little-endian words: what `Plain`, `Split`, `DeltaSplit` and `ZigzagSplit` work on.

use half::f16;

/// An unsigned word of 1, 2, 4 or 8 bytes.
pub(crate) trait Word: Copy + Default {
    /// Bytes of one word.
    const WIDTH: usize;
    /// Byte `position`, counted from the least significant.
    fn byte(self, position: usize) -> u8;
    fn wrapping_add(self, other: Self) -> Self;
    fn wrapping_sub(self, other: Self) -> Self;
    /// The words whose byte planes stand one behind the other in `planes`, the least significant first.
    fn from_planes(planes: &[u8], count: usize, put: impl FnMut(Self));
    /// The words that stand one behind the other in `bytes`.
    fn from_bytes(bytes: &[u8]) -> impl ExactSizeIterator<Item = Self>;
    fn put(self, out: &mut [u8]);
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
            fn from_planes(planes: &[u8], count: usize, mut put: impl FnMut(Self)) {
                let mut rest = planes;
                $(
                    let Some(($plane, tail)) = rest.split_at_checked(count) else { return };
                    rest = tail;
                )*
                let _ = rest;
                // Equal lengths, stated once, let the compiler drop the bounds checks and use vectors.
                for i in 0..count {
                    #[allow(clippy::indexing_slicing, reason = "each plane is `count` long")]
                    put(<$word>::from_le_bytes([$($plane[i]),*]));
                }
            }

            #[inline]
            fn from_bytes(bytes: &[u8]) -> impl ExactSizeIterator<Item = Self> {
                bytes.as_chunks().0.iter().map(|chunk| <$word>::from_le_bytes(*chunk))
            }

            #[inline]
            fn put(self, out: &mut [u8]) {
                out.copy_from_slice(&self.to_le_bytes());
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

/// A value with the same bits as some [`Word`].
pub(crate) trait Lane: Copy + Default {
    type Word: Word;
    fn to_word(self) -> Self::Word;
    fn from_word(word: Self::Word) -> Self;
}

macro_rules! lanes {
    ($($lane:ty as $word:ty: $to:expr, $from:expr;)*) => {$(
        impl Lane for $lane {
            type Word = $word;
            #[inline]
            fn to_word(self) -> $word {
                ($to)(self)
            }
            #[inline]
            fn from_word(word: $word) -> Self {
                ($from)(word)
            }
        }
    )*};
}

lanes! {
    u8 as u8: |v: u8| v, |w: u8| w;
    i8 as u8: i8::cast_unsigned, u8::cast_signed;
    u16 as u16: |v: u16| v, |w: u16| w;
    i16 as u16: i16::cast_unsigned, u16::cast_signed;
    u32 as u32: |v: u32| v, |w: u32| w;
    i32 as u32: i32::cast_unsigned, u32::cast_signed;
    u64 as u64: |v: u64| v, |w: u64| w;
    i64 as u64: i64::cast_unsigned, u64::cast_signed;
    f16 as u16: f16::to_bits, f16::from_bits;
    f32 as u32: f32::to_bits, f32::from_bits;
    f64 as u64: f64::to_bits, f64::from_bits;
    super::Index as u64: |v: super::Index| v.0, super::Index;
    super::Index32 as u32: |v: super::Index32| v.0, super::Index32;
}
