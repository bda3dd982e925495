//! Single precision with fewer mantissa bits.

use super::bits::{put_bits, take_bits};
use super::{ColumnEncoding, Encoding, Fault};

/// The highest bits of each `f32`, bit-packed; cut, not rounded (format, section 6.4).
pub(crate) struct Trunc;

impl Encoding<f32> for Trunc {
    fn encode(packing: &ColumnEncoding, values: &[f32], out: &mut Vec<u8>) -> Result<(), Fault> {
        let dropped = 32 - u32::from(packing.bits);
        put_bits(values, packing.bits, |value| value.to_bits() >> dropped, out)
    }

    fn decode(packing: &ColumnEncoding, bytes: &[u8], count: usize, out: &mut Vec<f32>) -> Result<(), Fault> {
        let dropped = 32 - u32::from(packing.bits);
        take_bits(bytes, packing.bits, count, |word| f32::from_bits(word << dropped), out)
    }
}
