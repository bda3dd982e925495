//! The room of unsafe code: memory seen as other memory, and kernels for the CPU that is there.
//!
//! What comes out of the door is safe. It rests on five things:
//!
//! * [`Lane`]: types that are plain memory (`word.rs`), and the views that follow from it (`memory.rs`);
//! * [`Values`]: a buffer of values, or a view of a file that is in memory (`values.rs`);
//! * kernels that write every element of a buffer that they are given uninitialised: in plain Rust
//!   (`scalar.rs`: the fallback, and the oracle of the tests), and with AVX2 where the CPU has it;
//! * [`append`], which gives a kernel the spare room of a `Vec` and then counts it in;
//! * loops that only read (`extremes.rs`), compiled for AVX2 as well.
//!
//! On other targets than x86-64 the scalar kernels are all there is.
#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(unused_mut, reason = "nothing is done before the scalar kernels")
)]

use std::mem::MaybeUninit;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(feature = "internals")]
pub mod bench;
mod extremes;
mod memory;
mod scalar;
mod step;
#[cfg(test)]
mod tests;
mod values;
mod word;

pub(super) use extremes::{Extremes, differences};
pub(super) use memory::{as_lanes, bool_bytes, with_lanes};
pub(super) use step::{AsIs, Delta, Step, Zigzag};
pub(crate) use values::Values;
pub(super) use word::{Lane, Word};

use memory::{as_bytes, as_words, with_words};
use word::Split;

impl Split for u8 {
    fn split<M: Step>(words: &[Self], planes: &mut [MaybeUninit<u8>]) {
        scalar::split::<_, M>(words, 0, planes);
    }
    fn unsplit<M: Step>(planes: &[u8], words: &mut [MaybeUninit<Self>]) {
        scalar::unsplit::<_, M>(planes, 0, 0, words);
    }
}

macro_rules! dispatched {
    ($($word:ty: $split:ident $unsplit:ident;)*) => {$(
        impl Split for $word {
            fn split<M: Step>(words: &[Self], planes: &mut [MaybeUninit<u8>]) {
                let mut done = 0;
                #[cfg(target_arch = "x86_64")]
                if let Some(avx2) = avx2::Avx2::new() {
                    done = avx2.$split::<M>(words, planes);
                }
                scalar::split::<_, M>(words, done, planes);
            }

            fn unsplit<M: Step>(planes: &[u8], words: &mut [MaybeUninit<Self>]) {
                let (mut done, mut last) = (0, 0);
                #[cfg(target_arch = "x86_64")]
                if let Some(avx2) = avx2::Avx2::new() {
                    (done, last) = avx2.$unsplit::<M>(planes, words);
                }
                scalar::unsplit::<_, M>(planes, done, last, words);
            }
        }
    )*};
}

dispatched! {
    u16: split2 unsplit2;
    u32: split4 unsplit4;
    u64: split8 unsplit8;
}

/// Appends `count` elements, which `fill` writes.
///
/// # Safety
/// `fill` must write every element of the slice that it gets.
unsafe fn append<T>(out: &mut Vec<T>, count: usize, fill: impl FnOnce(&mut [MaybeUninit<T>])) {
    out.reserve(count);
    let Some(room) = out.spare_capacity_mut().get_mut(..count) else { return };
    fill(room);
    let length = out.len() + count;
    // SAFETY: the capacity is at least this since `get_mut` found the room, and the elements up to the old
    // length were there; the `count` behind them have just been written, as the caller promises.
    unsafe { out.set_len(length) };
}

/// Appends the byte planes of `values`, each mapped by `M`.
pub(super) fn split<M: Step, S: Lane>(values: &[S], out: &mut Vec<u8>) {
    let words = as_words(values);
    // SAFETY: `split` writes every byte: of each plane the kernel those of the first words, of which it returns
    // the number, and the scalar twin the rest.
    unsafe { append(out, size_of_val(words), |planes| S::Word::split::<M>(words, planes)) };
}

/// Appends the `count` values whose planes these are; nothing if their number of bytes is another.
pub(super) fn unsplit<M: Step, S: Lane>(planes: &[u8], count: usize, out: &mut Vec<S>) {
    if count.checked_mul(S::Word::WIDTH) != Some(planes.len()) {
        return;
    }
    with_words(out, |words| {
        // SAFETY: `unsplit` writes every word: the kernel the first ones, of which it returns the number, and
        // the scalar twin the rest, since the planes have bytes for each, as was just checked.
        unsafe { append(words, count, |words| S::Word::unsplit::<M>(planes, words)) };
    });
}

/// Appends the little-endian bytes of `values`.
pub(super) fn put_plain<S: Lane>(values: &[S], out: &mut Vec<u8>) {
    if cfg!(target_endian = "little") {
        out.extend_from_slice(as_bytes(values));
    } else {
        for word in as_words(values) {
            word.put(out);
        }
    }
}

/// Appends the values that stand little-endian in `bytes`.
pub(super) fn take_plain<S: Lane>(bytes: &[u8], out: &mut Vec<S>) {
    if cfg!(target_endian = "big") {
        return with_words(out, |words| words.extend(S::Word::from_bytes(bytes)));
    }
    let count = bytes.len() / size_of::<S>();
    let fill = |room: &mut [MaybeUninit<S>]| {
        // SAFETY: `room` is `count` elements long, which is not more than `bytes` has; it was just borrowed
        // mutably, so they do not overlap; a `Lane` is whatever its bytes are.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), room.as_mut_ptr().cast(), size_of_val(room));
        }
    };
    // SAFETY: the copy above is as long as the room.
    unsafe { append(out, count, fill) };
}

/// The bytes as values, without a copy, where they stand in memory as the values would.
pub(super) fn view<S: Lane>(bytes: &[u8]) -> Option<&[S]> {
    if cfg!(target_endian = "big") {
        return None;
    }
    // SAFETY: whatever the bytes are, they are values of a `Lane`.
    match unsafe { bytes.align_to::<S>() } {
        ([], values, []) => Some(values),
        _ => None,
    }
}

/// The values as bytes, without a copy, where they are in memory as they would be on storage.
pub(super) fn bytes<S: Lane>(values: &[S]) -> Option<&[u8]> {
    cfg!(target_endian = "little").then(|| as_bytes(values))
}

/// Appends `values` as bits, the first in the lowest one.
pub(super) fn pack(values: &[bool], out: &mut Vec<u8>) {
    let fill = |bytes: &mut [MaybeUninit<u8>]| {
        let mut done = 0;
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = avx2::Avx2::new() {
            done = avx2.pack(values, bytes);
        }
        scalar::pack(values, done, bytes);
    };
    // SAFETY: the kernel writes the bytes of the first values, of which it returns the number, and the scalar
    // twin the rest: a byte for every eight values.
    unsafe { append(out, values.len().div_ceil(8), fill) };
}

/// Appends `count` bits; nothing if there are fewer.
pub(super) fn unpack(bytes: &[u8], count: usize, out: &mut Vec<bool>) {
    if bytes.len() < count.div_ceil(8) {
        return;
    }
    let fill = |values: &mut [MaybeUninit<bool>]| {
        let mut done = 0;
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = avx2::Avx2::new() {
            done = avx2.unpack(bytes, values);
        }
        scalar::unpack(bytes, done, values);
    };
    // SAFETY: the kernel writes the first values, of which it returns the number, and the scalar twin the
    // rest, since there are bytes for all, as was just checked.
    unsafe { append(out, count, fill) };
}
