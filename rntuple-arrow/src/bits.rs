//! Flags as bits, the first in the lowest, as Arrow and the format have them.

use arrow_buffer::BooleanBuffer;

/// Packs eight flags at a time.
pub(crate) fn pack(flags: &[bool]) -> BooleanBuffer {
    let (eights, rest) = flags.as_chunks::<8>();
    let mut bytes: Vec<u8> = Vec::with_capacity(flags.len().div_ceil(8));
    bytes.extend(eights.iter().map(byte));
    if !rest.is_empty() {
        let mut last = [false; 8];
        last.iter_mut().zip(rest).for_each(|(slot, flag)| *slot = *flag);
        bytes.push(byte(&last));
    }
    BooleanBuffer::new(bytes.into(), 0, flags.len())
}

/// Flag `n` is the lowest bit of byte `n`; the product has it as bit `56 + n`, and nothing else there.
fn byte(flags: &[bool; 8]) -> u8 {
    let word = u64::from_le_bytes(flags.map(u8::from));
    let [.., top] = word.wrapping_mul(0x0102_0408_1020_4080).to_le_bytes();
    top
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_is_where_it_was() {
        for pattern in 0..=u8::MAX {
            let flags: Vec<bool> = (0..8).map(|bit| pattern >> bit & 1 == 1).collect();
            assert_eq!(pack(&flags).values(), [pattern]);
        }
        for count in 0..20 {
            let flags: Vec<bool> = (0..count).map(|number: usize| number.is_multiple_of(3)).collect();
            assert_eq!(pack(&flags).iter().collect::<Vec<_>>(), flags);
        }
    }
}
