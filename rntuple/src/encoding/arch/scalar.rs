//! Every kernel in plain Rust: what runs where there is nothing better, and what the others are compared with.
//!
//! Each takes up the work at an element, where another kernel has left it.

use std::mem::MaybeUninit;

use super::step::{Kind, Step};
use super::word::Word;

/// Writes byte `b` of word `i`, mapped, to position `b * n + i`, for the words from `from` on.
pub(super) fn split<W: Word, M: Step>(words: &[W], from: usize, planes: &mut [MaybeUninit<u8>]) {
    let count = words.len();
    let Some((done, words)) = words.split_at_checked(from) else { return };
    let Some(&first) = words.first() else { return };
    let last = done.last().copied().unwrap_or_default();
    for (position, plane) in planes.chunks_exact_mut(count).enumerate() {
        let slots = plane.get_mut(from..).unwrap_or_default();
        // Loops over nothing but slices of one length are what the compiler makes vectors of.
        match M::KIND {
            Kind::AsIs => slots.iter_mut().zip(words).for_each(|(slot, word)| {
                slot.write(word.byte(position));
            }),
            Kind::Zigzag => slots.iter_mut().zip(words).for_each(|(slot, word)| {
                slot.write(word.zigzag().byte(position));
            }),
            Kind::Delta => {
                let Some((slot, slots)) = slots.split_first_mut() else { continue };
                slot.write(first.wrapping_sub(last).byte(position));
                let pairs = words.iter().zip(words.get(1..).unwrap_or_default());
                slots.iter_mut().zip(pairs).for_each(|(slot, (before, word))| {
                    slot.write(word.wrapping_sub(*before).byte(position));
                });
            }
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
    let (values, slots) =
        (values.get(from..).unwrap_or_default(), bytes.get_mut(from / 8..).unwrap_or_default());
    let (whole, rest) = values.as_chunks::<8>();
    for (slot, chunk) in slots.iter_mut().zip(whole) {
        // The product brings bit 0 of byte `i` to bit `56 + i`, and nothing else there.
        let bits = u64::from_le_bytes(chunk.map(u8::from)).wrapping_mul(0x0102_0408_1020_4080);
        let [.., byte] = bits.to_le_bytes();
        slot.write(byte);
    }
    if let Some(slot) = slots.get_mut(whole.len()) {
        slot.write(rest.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit)));
    }
}

/// The bits of every byte, the lowest first.
static BITS: [[bool; 8]; 256] = {
    let mut table = [[false; 8]; 256];
    let mut at = 0;
    while at < 256 * 8 {
        #[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        {
            table[at / 8][at % 8] = (at / 8) >> (at % 8) & 1 != 0;
        }
        at += 1;
    }
    table
};

/// Writes the values from `from` on, which is a multiple of 8.
pub(super) fn unpack(bytes: &[u8], from: usize, values: &mut [MaybeUninit<bool>]) {
    let (bytes, slots) =
        (bytes.get(from / 8..).unwrap_or_default(), values.get_mut(from..).unwrap_or_default());
    let (whole, rest) = slots.as_chunks_mut::<8>();
    for (slots, &byte) in whole.iter_mut().zip(bytes) {
        let bits = BITS.get(usize::from(byte)).copied().unwrap_or_default();
        *slots = bits.map(MaybeUninit::new);
    }
    if let Some(&byte) = bytes.get(whole.len()) {
        for (position, slot) in rest.iter_mut().enumerate() {
            slot.write(byte >> position & 1 != 0);
        }
    }
}
