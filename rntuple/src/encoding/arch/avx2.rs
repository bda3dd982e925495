//! Kernels for x86-64 with AVX2: blocks of 32 values, the rest is left to the scalar twins.
//!
//! Registers are only ever filled from, and written to, arrays of 32 bytes, so there is no pointer arithmetic:
//! which block is read and written is decided by slices.

#![allow(
    clippy::indexing_slicing,
    reason = "arrays of fixed sizes, and slices with a block each for every turn"
)]

use std::arch::x86_64::*;
use std::mem::{self, MaybeUninit};

use super::memory::bool_bytes;
use super::step::{Kind, Step};
use super::word::{Lane, Word};

/// Values that a kernel takes at a time.
const BLOCK: usize = 32;

/// A proof that this CPU has AVX2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2(());

macro_rules! doors {
    ($(
        $(#[$doc:meta])*
        fn $name:ident $(<$step:ident>)? ($($argument:ident: $type:ty),*) -> $result:ty;
    )*) => {
        impl Avx2 {
            /// The proof, if it is true. The standard library asks the CPU only once.
            #[inline]
            pub(super) fn new() -> Option<Self> {
                is_x86_feature_detected!("avx2").then_some(Self(()))
            }

            $(
                $(#[$doc])*
                pub(super) fn $name $(<$step: Step>)? (self, $($argument: $type),*) -> $result {
                    // SAFETY: `self` exists, so the CPU has AVX2; the function asks for nothing else.
                    unsafe { $name $(::<$step>)? ($($argument),*) }
                }
            )*
        }
    };
}

doors! {
    /// Splits the first words; returns how many.
    fn split2<M>(words: &[u16], planes: &mut [MaybeUninit<u8>]) -> usize;
    /// Splits the first words; returns how many.
    fn split4<M>(words: &[u32], planes: &mut [MaybeUninit<u8>]) -> usize;
    /// Splits the first words; returns how many.
    fn split8<M>(words: &[u64], planes: &mut [MaybeUninit<u8>]) -> usize;
    /// Makes the first words; returns how many, and the last of them.
    fn unsplit2<M>(planes: &[u8], words: &mut [MaybeUninit<u16>]) -> (usize, u16);
    /// Makes the first words; returns how many, and the last of them.
    fn unsplit4<M>(planes: &[u8], words: &mut [MaybeUninit<u32>]) -> (usize, u32);
    /// Makes the first words; returns how many, and the last of them.
    fn unsplit8<M>(planes: &[u8], words: &mut [MaybeUninit<u64>]) -> (usize, u64);
    /// Packs the first values; returns how many.
    fn pack(values: &[bool], bytes: &mut [MaybeUninit<u8>]) -> usize;
    /// Unpacks the first values; returns how many.
    fn unpack(bytes: &[u8], values: &mut [MaybeUninit<bool>]) -> usize;
}

#[inline]
#[target_feature(enable = "avx2")]
fn load<T: Lane, const N: usize>(from: &[T; N]) -> __m256i {
    const { assert!(size_of::<[T; N]>() == 32) };
    // SAFETY: 32 bytes may be read, as was just asserted; they need no alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

/// Two halves that stand apart.
#[inline]
#[target_feature(enable = "avx2")]
fn load_halves<T: Lane, const N: usize>(low: &[T; N], high: &[T; N]) -> __m256i {
    const { assert!(size_of::<[T; N]>() == 16) };
    // SAFETY: 16 bytes may be read, as was just asserted; they need no alignment.
    let low = unsafe { _mm_loadu_si128(low.as_ptr().cast()) };
    // SAFETY: as above.
    let high = unsafe { _mm_loadu_si128(high.as_ptr().cast()) };
    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
}

#[inline]
#[target_feature(enable = "avx2")]
fn store<T: Lane, const N: usize>(to: &mut [MaybeUninit<T>; N], vector: __m256i) {
    const { assert!(size_of::<[T; N]>() == 32) };
    // SAFETY: 32 bytes may be written, as was just asserted; they need no alignment, and whatever they become,
    // they are values of a `Lane`.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), vector) }
}

/// Asks for the memory some blocks behind `block`, which is about to be written.
///
/// The CPU notices on its own where a program reads on, but not where it writes on in several places at once.
#[inline]
#[target_feature(enable = "avx2")]
#[allow(unused_unsafe, reason = "older compilers call the hint unsafe")]
fn prefetch(block: &[MaybeUninit<u8>; BLOCK]) {
    const AHEAD: usize = 8;
    let address = block.as_ptr().wrapping_add(AHEAD * BLOCK);
    // SAFETY: a hint, which may name any address: nothing is read.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
}

/// Writes two halves that stand apart.
#[inline]
#[target_feature(enable = "avx2")]
fn store_halves<T: Lane, const N: usize>(
    low: &mut [MaybeUninit<T>; N],
    high: &mut [MaybeUninit<T>; N],
    vector: __m256i,
) {
    const { assert!(size_of::<[T; N]>() == 16) };
    let (lower, upper) = (_mm256_castsi256_si128(vector), _mm256_extracti128_si256::<1>(vector));
    // SAFETY: 16 bytes may be written, as was just asserted; they need no alignment, and whatever they become,
    // they are values of a `Lane`.
    unsafe { _mm_storeu_si128(low.as_mut_ptr().cast(), lower) };
    // SAFETY: as above.
    unsafe { _mm_storeu_si128(high.as_mut_ptr().cast(), upper) };
}

/// Writes bools.
#[inline]
#[target_feature(enable = "avx2")]
fn store_bools(to: &mut [MaybeUninit<bool>; 32], bits: __m256i) {
    let zeros_and_ones = _mm256_and_si256(bits, _mm256_set1_epi8(1));
    // SAFETY: 32 bytes may be written, they need no alignment, and each is 0 or 1, which are the bytes of a bool.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), zeros_and_ones) }
}

/// A function that splits words of one width; `$transpose` makes the pieces of all planes of a block.
macro_rules! split {
    ($name:ident, $word:ty, $transpose:ident) => {
        #[target_feature(enable = "avx2")]
        fn $name<M: Step>(words: &[$word], planes: &mut [MaybeUninit<u8>]) -> usize {
            // The first word has none before it, so where differences are taken the blocks begin behind it.
            let skip = usize::from(M::KIND == Kind::Delta);
            let blocks = words.get(skip..).unwrap_or_default().as_chunks::<BLOCK>().0;
            if blocks.is_empty() {
                return 0;
            }
            let mut parts: [&mut [[MaybeUninit<u8>; BLOCK]]; <$word>::WIDTH] = Default::default();
            let mut rest = planes;
            for (position, part) in parts.iter_mut().enumerate() {
                let Some((plane, tail)) = mem::take(&mut rest).split_at_mut_checked(words.len()) else {
                    return 0;
                };
                rest = tail;
                let (first, plane) = plane.split_at_mut(skip);
                for (slot, word) in first.iter_mut().zip(words) {
                    slot.write(word.byte(position));
                }
                *part = plane.as_chunks_mut().0;
            }
            for (index, (block, before)) in blocks.iter().zip(words.as_chunks().0).enumerate() {
                for (part, vector) in parts.iter_mut().zip($transpose::<M>(block, before)) {
                    prefetch(&part[index]);
                    store(&mut part[index], vector);
                }
            }
            skip + blocks.len() * BLOCK
        }
    };
}

split!(split2, u16, transpose2);
split!(split4, u32, transpose4);
split!(split8, u64, transpose8);

/// Function `$load` gives a block as registers, each with words of the first half of the block in its lower
/// lane and words of the second half in its upper one: since AVX2 shuffles within lanes, planes then come out
/// in order. `$map` is what a step does to a register.
macro_rules! registers {
    ($load:ident, $map:ident, $word:ty, $size:literal) => {
        #[inline]
        #[target_feature(enable = "avx2")]
        fn $load<M: Step>(block: &[$word; BLOCK], before: &[$word; BLOCK]) -> [__m256i; $size] {
            const HALF: usize = 16 / size_of::<$word>();
            let (words, before) = (block.as_chunks::<HALF>().0, before.as_chunks::<HALF>().0);
            let mut registers = [_mm256_setzero_si256(); $size];
            for (i, register) in registers.iter_mut().enumerate() {
                let now = load_halves(&words[i], &words[i + $size]);
                *register = $map::<M>(now, load_halves(&before[i], &before[i + $size]));
            }
            registers
        }
    };
}

registers!(load2, forward2, u16, 2);
registers!(load4, forward4, u32, 4);
registers!(load8, forward8, u64, 8);

#[inline]
#[target_feature(enable = "avx2")]
fn forward2<M: Step>(word: __m256i, before: __m256i) -> __m256i {
    match M::KIND {
        Kind::AsIs => word,
        Kind::Zigzag => _mm256_xor_si256(_mm256_slli_epi16::<1>(word), _mm256_srai_epi16::<15>(word)),
        Kind::Delta => _mm256_sub_epi16(word, before),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn forward4<M: Step>(word: __m256i, before: __m256i) -> __m256i {
    match M::KIND {
        Kind::AsIs => word,
        Kind::Zigzag => _mm256_xor_si256(_mm256_slli_epi32::<1>(word), _mm256_srai_epi32::<31>(word)),
        Kind::Delta => _mm256_sub_epi32(word, before),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn forward8<M: Step>(word: __m256i, before: __m256i) -> __m256i {
    match M::KIND {
        Kind::AsIs => word,
        Kind::Zigzag => {
            // There is no arithmetic shift of 64 bits: all ones where the word is negative.
            let sign = _mm256_cmpgt_epi64(_mm256_setzero_si256(), word);
            _mm256_xor_si256(_mm256_slli_epi64::<1>(word), sign)
        }
        Kind::Delta => _mm256_sub_epi64(word, before),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn transpose2<M: Step>(block: &[u16; BLOCK], before: &[u16; BLOCK]) -> [__m256i; 2] {
    let [a, b] = load2::<M>(block, before);
    let low = _mm256_set1_epi16(0xff);
    [
        _mm256_packus_epi16(_mm256_and_si256(a, low), _mm256_and_si256(b, low)),
        _mm256_packus_epi16(_mm256_srli_epi16::<8>(a), _mm256_srli_epi16::<8>(b)),
    ]
}

#[inline]
#[target_feature(enable = "avx2")]
fn transpose4<M: Step>(block: &[u32; BLOCK], before: &[u32; BLOCK]) -> [__m256i; 4] {
    // The four bytes of each significance side by side, then a transposition of such fours.
    let order =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    let mut fours = load4::<M>(block, before);
    for register in &mut fours {
        *register = _mm256_shuffle_epi8(*register, order);
    }
    let [a, b, c, d] = fours;
    let (ab, cd) = (_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d));
    let (ab_high, cd_high) = (_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d));
    [
        _mm256_unpacklo_epi64(ab, cd),
        _mm256_unpackhi_epi64(ab, cd),
        _mm256_unpacklo_epi64(ab_high, cd_high),
        _mm256_unpackhi_epi64(ab_high, cd_high),
    ]
}

#[inline]
#[target_feature(enable = "avx2")]
fn transpose8<M: Step>(block: &[u64; BLOCK], before: &[u64; BLOCK]) -> [__m256i; 8] {
    // The two bytes of each significance side by side, then a transposition of such pairs.
    let order =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
    let mut pairs = load8::<M>(block, before);
    for register in &mut pairs {
        *register = _mm256_shuffle_epi8(*register, order);
    }
    let [a, b, c, d, e, f, g, h] = pairs;
    let (ab, cd) = (_mm256_unpacklo_epi16(a, b), _mm256_unpacklo_epi16(c, d));
    let (ef, gh) = (_mm256_unpacklo_epi16(e, f), _mm256_unpacklo_epi16(g, h));
    let (ab_high, cd_high) = (_mm256_unpackhi_epi16(a, b), _mm256_unpackhi_epi16(c, d));
    let (ef_high, gh_high) = (_mm256_unpackhi_epi16(e, f), _mm256_unpackhi_epi16(g, h));
    let (p01, q01) = (_mm256_unpacklo_epi32(ab, cd), _mm256_unpacklo_epi32(ef, gh));
    let (p23, q23) = (_mm256_unpackhi_epi32(ab, cd), _mm256_unpackhi_epi32(ef, gh));
    let (p45, q45) = (_mm256_unpacklo_epi32(ab_high, cd_high), _mm256_unpacklo_epi32(ef_high, gh_high));
    let (p67, q67) = (_mm256_unpackhi_epi32(ab_high, cd_high), _mm256_unpackhi_epi32(ef_high, gh_high));
    [
        _mm256_unpacklo_epi64(p01, q01),
        _mm256_unpackhi_epi64(p01, q01),
        _mm256_unpacklo_epi64(p23, q23),
        _mm256_unpackhi_epi64(p23, q23),
        _mm256_unpacklo_epi64(p45, q45),
        _mm256_unpackhi_epi64(p45, q45),
        _mm256_unpacklo_epi64(p67, q67),
        _mm256_unpackhi_epi64(p67, q67),
    ]
}

/// A function that makes words of one width; `$gather` is the inverse of the transposition, `$back` that of the
/// step, and `$last` takes the lowest word out of a register.
macro_rules! unsplit {
    ($name:ident, $word:ty, $gather:ident, $back:ident, $last:expr) => {
        #[target_feature(enable = "avx2")]
        fn $name<M: Step>(planes: &[u8], words: &mut [MaybeUninit<$word>]) -> (usize, $word) {
            const HALF: usize = 16 / size_of::<$word>();
            let count = words.len();
            let mut parts: [&[[u8; BLOCK]]; <$word>::WIDTH] = Default::default();
            let mut rest = planes;
            for part in &mut parts {
                let Some((plane, tail)) = rest.split_at_checked(count) else { return (0, 0) };
                (*part, rest) = (plane.as_chunks().0, tail);
            }
            let blocks = words.as_chunks_mut::<BLOCK>().0;
            // In every word of it, the sum of all differences so far.
            let mut sum = _mm256_setzero_si256();
            for (index, block) in blocks.iter_mut().enumerate() {
                let mut pieces = [_mm256_setzero_si256(); <$word>::WIDTH];
                for (piece, part) in pieces.iter_mut().zip(&parts) {
                    *piece = load(&part[index]);
                }
                let registers = $back::<M>($gather(pieces), &mut sum);
                let (low, high) = block.split_at_mut(BLOCK / 2);
                let (low, high) = (low.as_chunks_mut::<HALF>().0, high.as_chunks_mut::<HALF>().0);
                for (i, register) in registers.into_iter().enumerate() {
                    store_halves(&mut low[i], &mut high[i], register);
                }
            }
            (blocks.len() * BLOCK, $last(sum))
        }
    };
}

unsplit!(unsplit2, u16, gather2, back2, |sum| {
    // It comes with zeros above.
    u16::try_from(_mm256_extract_epi16::<0>(sum)).unwrap_or_default()
});
unsplit!(unsplit4, u32, gather4, back4, |sum| _mm256_cvtsi256_si32(sum).cast_unsigned());
unsplit!(unsplit8, u64, gather8, back8, |sum| _mm_cvtsi128_si64(_mm256_castsi256_si128(sum)).cast_unsigned());

#[inline]
#[target_feature(enable = "avx2")]
fn gather2([p0, p1]: [__m256i; 2]) -> [__m256i; 2] {
    [_mm256_unpacklo_epi8(p0, p1), _mm256_unpackhi_epi8(p0, p1)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn gather4([p0, p1, p2, p3]: [__m256i; 4]) -> [__m256i; 4] {
    let [a, b] = gather2([p0, p1]);
    let [c, d] = gather2([p2, p3]);
    [
        _mm256_unpacklo_epi16(a, c),
        _mm256_unpackhi_epi16(a, c),
        _mm256_unpacklo_epi16(b, d),
        _mm256_unpackhi_epi16(b, d),
    ]
}

#[inline]
#[target_feature(enable = "avx2")]
fn gather8([p0, p1, p2, p3, p4, p5, p6, p7]: [__m256i; 8]) -> [__m256i; 8] {
    let [a, b, c, d] = gather4([p0, p1, p2, p3]);
    let [e, f, g, h] = gather4([p4, p5, p6, p7]);
    [
        _mm256_unpacklo_epi32(a, e),
        _mm256_unpackhi_epi32(a, e),
        _mm256_unpacklo_epi32(b, f),
        _mm256_unpackhi_epi32(b, f),
        _mm256_unpacklo_epi32(c, g),
        _mm256_unpackhi_epi32(c, g),
        _mm256_unpacklo_epi32(d, h),
        _mm256_unpackhi_epi32(d, h),
    ]
}

/// A function that undoes a step on a block. Prefix sums run through both lanes side by side; in the end the
/// upper one, which is the second half of the block, gets the total of the lower one as well.
macro_rules! back {
    ($name:ident, $size:literal, $add:ident, $sub:ident, $one:expr, $half:ident, $sums:ident, $spread:expr) => {
        #[inline]
        #[target_feature(enable = "avx2")]
        fn $name<M: Step>(mut registers: [__m256i; $size], sum: &mut __m256i) -> [__m256i; $size] {
            match M::KIND {
                Kind::AsIs => {}
                Kind::Zigzag => {
                    for register in &mut registers {
                        let sign = $sub(_mm256_setzero_si256(), _mm256_and_si256(*register, $one));
                        *register = _mm256_xor_si256($half::<1>(*register), sign);
                    }
                }
                Kind::Delta => {
                    // Of each lane, in every word of it.
                    let mut totals = _mm256_setzero_si256();
                    for register in &mut registers {
                        *register = $add($sums(*register), totals);
                        totals = $spread(*register);
                    }
                    // Nothing in the lower lane, its total in the upper one.
                    let lower = _mm256_permute2x128_si256::<0x08>(totals, totals);
                    let before = $add(*sum, lower);
                    for register in &mut registers {
                        *register = $add(*register, before);
                    }
                    let swapped = _mm256_permute4x64_epi64::<0b01_00_11_10>(totals);
                    *sum = $add(*sum, $add(totals, swapped));
                }
            }
            registers
        }
    };
}

back!(back2, 2, _mm256_add_epi16, _mm256_sub_epi16, _mm256_set1_epi16(1), _mm256_srli_epi16, sums2, |sums| {
    _mm256_shuffle_epi8(sums, _mm256_set1_epi16(0x0f0e))
});
back!(back4, 4, _mm256_add_epi32, _mm256_sub_epi32, _mm256_set1_epi32(1), _mm256_srli_epi32, sums4, |sums| {
    _mm256_shuffle_epi32::<0b11_11_11_11>(sums)
});
back!(
    back8,
    8,
    _mm256_add_epi64,
    _mm256_sub_epi64,
    _mm256_set1_epi64x(1),
    _mm256_srli_epi64,
    sums8,
    |sums| { _mm256_unpackhi_epi64(sums, sums) }
);

/// The prefix sums of each lane.
#[inline]
#[target_feature(enable = "avx2")]
fn sums2(words: __m256i) -> __m256i {
    let words = _mm256_add_epi16(words, _mm256_slli_si256::<2>(words));
    let words = _mm256_add_epi16(words, _mm256_slli_si256::<4>(words));
    _mm256_add_epi16(words, _mm256_slli_si256::<8>(words))
}

/// The prefix sums of each lane.
#[inline]
#[target_feature(enable = "avx2")]
fn sums4(words: __m256i) -> __m256i {
    let words = _mm256_add_epi32(words, _mm256_slli_si256::<4>(words));
    _mm256_add_epi32(words, _mm256_slli_si256::<8>(words))
}

/// The prefix sums of each lane.
#[inline]
#[target_feature(enable = "avx2")]
fn sums8(words: __m256i) -> __m256i {
    _mm256_add_epi64(words, _mm256_slli_si256::<8>(words))
}

#[target_feature(enable = "avx2")]
fn pack(values: &[bool], bytes: &mut [MaybeUninit<u8>]) -> usize {
    let blocks = bool_bytes(values).as_chunks::<BLOCK>().0;
    for (block, slots) in blocks.iter().zip(bytes.as_chunks_mut::<{ BLOCK / 8 }>().0) {
        // The lowest bit of each byte becomes its highest, which is the one that is collected.
        let bits = _mm256_movemask_epi8(_mm256_slli_epi16::<7>(load(block)));
        *slots = bits.to_le_bytes().map(MaybeUninit::new);
    }
    blocks.len().min(bytes.len() / (BLOCK / 8)) * BLOCK
}

#[target_feature(enable = "avx2")]
fn unpack(bytes: &[u8], values: &mut [MaybeUninit<bool>]) -> usize {
    // Every byte eight times, of which each keeps another bit.
    let repeat = _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
    let bits = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64.cast_signed());
    let (words, blocks) = (bytes.as_chunks::<{ BLOCK / 8 }>().0, values.as_chunks_mut::<BLOCK>().0);
    for (word, block) in words.iter().zip(&mut *blocks) {
        let word = _mm256_set1_epi32(i32::from_le_bytes(*word));
        let kept = _mm256_and_si256(_mm256_shuffle_epi8(word, repeat), bits);
        store_bools(block, _mm256_cmpeq_epi8(kept, bits));
    }
    blocks.len().min(words.len()) * BLOCK
}
