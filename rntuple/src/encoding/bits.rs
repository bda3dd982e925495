//! Streams of elements that are not whole bytes wide, the first in the lowest bits.

use super::{Encoding, Fault, Packing, arch};

/// One bit per value (format, section 6.6).
pub(crate) struct Bits;

impl Encoding<bool> for Bits {
    fn encode(_: &Packing, values: &[bool], out: &mut Vec<u8>) -> Result<(), Fault> {
        arch::pack(values, out);
        Ok(())
    }

    fn decode(_: &Packing, bytes: &[u8], count: usize, out: &mut Vec<bool>) -> Result<(), Fault> {
        arch::unpack(bytes, count, out);
        Ok(())
    }
}

/// Appends `bits` bits of each word, the lowest first; unused bits of the last byte are zero
/// (format, section 6.4).
pub(super) fn put_bits(words: impl Iterator<Item = u32>, bits: u16, out: &mut Vec<u8>) {
    let (mut pending, mut filled) = (0u64, 0u32);
    for word in words {
        pending |= u64::from(word) << filled;
        filled += u32::from(bits);
        while filled >= 8 {
            #[expect(clippy::cast_possible_truncation, reason = "the low byte is what goes out")]
            out.push(pending as u8);
            pending >>= 8;
            filled -= 8;
        }
    }
    if filled > 0 {
        #[expect(clippy::cast_possible_truncation, reason = "fewer than 8 bits are left")]
        out.push(pending as u8);
    }
}

/// Reads back `count` words of `bits` bits (at most 32).
pub(super) fn take_bits(bytes: &[u8], bits: u16, count: usize, mut put: impl FnMut(u32)) {
    let mask = u32::MAX >> (32 - u32::from(bits.clamp(1, 32)));
    let mut bytes = bytes.iter();
    let (mut pending, mut filled) = (0u64, 0u32);
    for _ in 0..count {
        while filled < u32::from(bits) {
            pending |= u64::from(bytes.next().copied().unwrap_or_default()) << filled;
            filled += 8;
        }
        #[expect(clippy::cast_possible_truncation, reason = "the mask keeps the low bits")]
        put(pending as u32 & mask);
        pending >>= bits;
        filled -= u32::from(bits);
    }
}
