//! Types that are plain memory, seen as bytes and as words.

use std::mem;

use half::f16;

use super::word::Lane;
use crate::encoding::{Byte, CxxChar, Index, Index32};

macro_rules! lanes {
    ($($lane:ty: $word:ty;)*) => {$(
        const _: () = assert!(size_of::<$lane>() == size_of::<$word>());
        const _: () = assert!(align_of::<$lane>() == align_of::<$word>());
        // SAFETY: size and alignment were just compared. Each is an integer or a float, which have no padding
        // and no invalid values, or a `repr(transparent)` struct of one.
        unsafe impl Lane for $lane {
            type Word = $word;
        }
    )*};
}

lanes! {
    u8: u8;
    i8: u8;
    Byte: u8;
    CxxChar: u8;
    u16: u16;
    i16: u16;
    f16: u16;
    u32: u32;
    i32: u32;
    f32: u32;
    Index32: u32;
    u64: u64;
    i64: u64;
    f64: u64;
    Index: u64;
}

/// The same memory as values of another type.
pub(in crate::encoding) fn as_lanes<A: Lane, B: Lane<Word = A::Word>>(values: &[A]) -> &[B] {
    // SAFETY: both types have the size and the alignment of one word, and the bytes of an `A`, all of which are
    // initialised, are a value of `B`.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}

/// The values as words.
pub(super) fn as_words<S: Lane>(values: &[S]) -> &[S::Word] {
    // SAFETY: a lane has the size and the alignment of its word, and no padding; every word is valid.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}

/// The bytes of the values, in the order of this machine.
pub(super) fn as_bytes<S: Lane>(values: &[S]) -> &[u8] {
    // SAFETY: a lane has no padding, so all its bytes are initialised; a byte needs no alignment.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// Each bool as a byte, 0 or 1.
pub(in crate::encoding) fn bool_bytes(values: &[bool]) -> &[u8] {
    // SAFETY: a bool is one byte, and initialised.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}

/// Lends `out` as a buffer of words.
pub(super) fn with_words<S: Lane, R>(out: &mut Vec<S>, run: impl FnOnce(&mut Vec<S::Word>) -> R) -> R {
    // SAFETY: a lane has the size and the alignment of its word, and both are whatever their bytes are.
    unsafe { with_other(out, run) }
}

/// Lends `out` as a buffer of another type.
pub(in crate::encoding) fn with_lanes<A: Lane, B: Lane<Word = A::Word>, R>(
    out: &mut Vec<A>,
    run: impl FnOnce(&mut Vec<B>) -> R,
) -> R {
    // SAFETY: both types have the size and the alignment of one word, and both are whatever their bytes are.
    unsafe { with_other(out, run) }
}

/// Lends `out` as a buffer of `B`.
///
/// # Safety
/// `A` and `B` have the same size and alignment, and a value of one is a value of the other.
unsafe fn with_other<A, B, R>(out: &mut Vec<A>, run: impl FnOnce(&mut Vec<B>) -> R) -> R {
    // If `run` panics, `out` stays empty.
    // SAFETY: by the contract above.
    let mut lent = unsafe { relabel::<A, B>(mem::take(out)) };
    let result = run(&mut lent);
    // SAFETY: the contract is symmetric.
    *out = unsafe { relabel::<B, A>(lent) };
    result
}

/// The same allocation under another element type.
///
/// # Safety
/// `A` and `B` have the same size and alignment, and a value of `A` is a value of `B`.
unsafe fn relabel<A, B>(values: Vec<A>) -> Vec<B> {
    let mut values = mem::ManuallyDrop::new(values);
    let (start, length, capacity) = (values.as_mut_ptr(), values.len(), values.capacity());
    // SAFETY: the parts come from a `Vec` that will not be dropped. Equal sizes and alignments make the layout
    // of the allocation the same, and its first `length` elements are values of `B`.
    unsafe { Vec::from_raw_parts(start.cast(), length, capacity) }
}
