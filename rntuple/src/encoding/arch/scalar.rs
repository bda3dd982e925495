//! Every kernel in plain Rust: what runs where there is nothing better, and what the others are compared with.
//!
//! Each takes up the work at an element, where another kernel has left it.

use std::mem::MaybeUninit;

use super::{Kind, Step, Word};

/// Writes byte `b` of word `i`, mapped, to position `b * n + i`, for the words from `from` on.
pub(super) fn split<W: Word, M: Step>(words: &[W], from: usize, planes: &mut [MaybeUninit<u8>]) {
    if words.len() <= from {
        return;
    }
    let start = from.checked_sub(1).and_then(|before| words.get(before)).copied().unwrap_or_default();
    for (position, plane) in planes.chunks_exact_mut(words.len()).enumerate() {
        let mut before = start;
        for (slot, &word) in plane.iter_mut().zip(words).skip(from) {
            let mapped = match M::KIND {
                Kind::AsIs => word,
                Kind::Zigzag => word.zigzag(),
                Kind::Delta => word.wrapping_sub(before),
            };
            slot.write(mapped.byte(position));
            before = word;
        }
    }
}

/// Writes the words from `from` on; `last` is the one before them.
pub(super) fn unsplit<W: Word, M: Step>(planes: &[u8], from: usize, last: W, words: &mut [MaybeUninit<W>]) {
    let mut sum = last;
    W::from_planes(planes, from, words, |word| match M::KIND {
        Kind::AsIs => word,
        Kind::Zigzag => word.unzigzag(),
        Kind::Delta => {
            sum = sum.wrapping_add(word);
            sum
        }
    });
}

/// Writes the bytes of the values from `from` on, which is a multiple of 8.
pub(super) fn pack(values: &[bool], from: usize, bytes: &mut [MaybeUninit<u8>]) {
    for (slot, chunk) in bytes.iter_mut().zip(values.chunks(8)).skip(from / 8) {
        slot.write(chunk.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit)));
    }
}

/// Writes the values from `from` on, which is a multiple of 8.
pub(super) fn unpack(bytes: &[u8], from: usize, values: &mut [MaybeUninit<bool>]) {
    for (slots, &byte) in values.chunks_mut(8).zip(bytes).skip(from / 8) {
        for (position, slot) in slots.iter_mut().enumerate() {
            slot.write(byte >> position & 1 != 0);
        }
    }
}
