//! Streams of elements that are not whole bytes wide, the first in the lowest bits.

use super::{ColumnEncoding, Encoding, Fault, arch};

/// One bit per value (format, section 6.6).
pub(crate) struct Bits;

impl Encoding<bool> for Bits {
    fn encode(_: &ColumnEncoding, values: &[bool], out: &mut Vec<u8>) -> Result<(), Fault> {
        arch::pack(values, out);
        Ok(())
    }

    fn decode(_: &ColumnEncoding, bytes: &[u8], count: usize, out: &mut Vec<bool>) -> Result<(), Fault> {
        arch::unpack(bytes, count, out);
        Ok(())
    }
}

/// Elements that are packed at a time: 32 of any width fill whole 32-bit words.
const BLOCK: usize = 32;

/// Appends the bits of a block, and makes a block of as many bytes as they take.
type Packer = (fn(&[u32; BLOCK], &mut Vec<u8>), fn(&[u8]) -> [u32; BLOCK]);

macro_rules! packers {
    ($($bits:literal)*) => {
        /// A pair for each width from 1 on: with the width a constant, every shift is one.
        const PACKERS: [Packer; BLOCK] = [$((pack::<$bits>, unpack::<$bits>)),*];
    };
}

packers! { 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 }

/// The statement once for each element of a block: the compiler would not unroll a loop of that many turns.
macro_rules! unrolled {
    (|$i:ident| $turn:block) => { unrolled!(@each $i $turn
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31) };
    (@each $i:ident $turn:block $($number:literal)*) => {$({ const $i: usize = $number; $turn })*};
}

#[allow(clippy::indexing_slicing, reason = "the last bit of the last word is bit 32 * 32 - 1 at the most")]
fn pack<const BITS: usize>(words: &[u32; BLOCK], out: &mut Vec<u8>) {
    let mut packed = [0u32; BITS];
    unrolled!(|I| {
        let (slot, shift) = (I * BITS / 32, I * BITS % 32);
        packed[slot] |= words[I] << shift;
        if shift + BITS > 32 {
            packed[slot + 1] = words[I] >> (32 - shift);
        }
    });
    out.extend_from_slice(packed.map(u32::to_le_bytes).as_flattened());
}

#[allow(clippy::indexing_slicing, reason = "the last bit of the last word is bit 32 * 32 - 1 at the most")]
fn unpack<const BITS: usize>(bytes: &[u8]) -> [u32; BLOCK] {
    let mut words = [0; BLOCK];
    let Some(packed) = bytes.as_chunks().0.first_chunk::<BITS>() else { return words };
    let packed = packed.map(u32::from_le_bytes);
    unrolled!(|I| {
        let (slot, shift) = (I * BITS / 32, I * BITS % 32);
        let mut word = packed[slot] >> shift;
        if shift + BITS > 32 {
            word |= packed[slot + 1] << (32 - shift);
        }
        words[I] = word & (u32::MAX >> (32 - BITS));
    });
    words
}

/// The functions for this width.
fn packer(bits: u16) -> Result<Packer, Fault> {
    let packer = usize::from(bits).checked_sub(1).and_then(|index| PACKERS.get(index));
    packer.copied().ok_or(Fault::Unrelated)
}

/// Appends the `bits` bits (1 to 32) of the word of each value, the lowest first; the word has no higher ones.
/// Unused bits of the last byte are zero (format, section 6.4).
#[inline]
pub(super) fn put_bits<V: Copy>(
    values: &[V],
    bits: u16,
    word: impl Fn(V) -> u32,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    let (pack, _) = packer(bits)?;
    out.reserve((values.len() * usize::from(bits)).div_ceil(8));
    let (blocks, rest) = values.as_chunks::<BLOCK>();
    for block in blocks {
        pack(&block.map(&word), out);
    }
    if !rest.is_empty() {
        let mut words = [0; BLOCK];
        for (slot, value) in words.iter_mut().zip(rest) {
            *slot = word(*value);
        }
        // Apart, since `out` has room for no more than the part of it that is wanted.
        let mut packed = Vec::with_capacity(4 * BLOCK);
        pack(&words, &mut packed);
        packed.truncate((rest.len() * usize::from(bits)).div_ceil(8));
        out.extend_from_slice(&packed);
    }
    Ok(())
}

/// Appends the values of `count` words of `bits` bits (1 to 32), as many as there are bytes for.
#[inline]
pub(super) fn take_bits<V>(
    bytes: &[u8],
    bits: u16,
    count: usize,
    value: impl Fn(u32) -> V,
    out: &mut Vec<V>,
) -> Result<(), Fault> {
    let (_, unpack) = packer(bits)?;
    let count = count.min(bytes.len().saturating_mul(8) / usize::from(bits));
    out.reserve(count);
    let length = usize::from(bits) * BLOCK / 8;
    let (blocks, rest) = (count / BLOCK, count % BLOCK);
    let mut bytes = bytes.chunks(length);
    for block in bytes.by_ref().take(blocks) {
        out.extend(unpack(block).iter().map(|word| value(*word)));
    }
    if let Some(block) = bytes.next().filter(|_| rest > 0) {
        let mut room = [0; 4 * BLOCK];
        for (slot, byte) in room.iter_mut().zip(block) {
            *slot = *byte;
        }
        out.extend(unpack(&room).iter().take(rest).map(|word| value(*word)));
    }
    Ok(())
}
