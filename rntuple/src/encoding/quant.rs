//! Steps through a value range.

use super::bits::{put_bits, take_bits};
use super::{Encoding, Fault, Packing};

/// An unsigned integer that counts equal steps from the lowest to the highest value, bit-packed
/// (format, section 6.5). All arithmetic is in double precision, as ROOT's is.
pub(crate) struct Quant;

/// Lowest value, highest value, number of steps.
fn scale(packing: &Packing) -> Result<(f64, f64, f64), Fault> {
    let (min, max) = packing.range.ok_or(Fault::Unrelated)?;
    let steps = (1u64 << packing.bits) - 1;
    #[expect(clippy::cast_precision_loss, reason = "at most 2^32 - 1, which a double holds")]
    Ok((min, max, steps as f64))
}

impl Encoding<f64> for Quant {
    fn encode(packing: &Packing, values: &[f64], out: &mut Vec<u8>) -> Result<(), Fault> {
        let (min, max, steps) = scale(packing)?;
        let factor = steps / (max - min);
        // NaN is outside, so the tests ask for what is inside; the first has no way out and uses vectors.
        let inside = |value: &f64| (*value >= min) & (*value <= max);
        if !values.iter().fold(true, |all, value| all & inside(value)) {
            let position = values.iter().position(|value| !inside(value)).unwrap_or_default();
            let value = values.get(position).copied().unwrap_or(f64::NAN);
            return Err(Fault::OutOfQuantizedRange { position, value });
        }
        // Nothing is negative, so to cut off is to round down, and needs no call of a function.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 2^32 - 1")]
        let word = |value: f64| (0.5 + (value - min) * factor).min(steps) as u32;
        put_bits(values, packing.bits, word, out)
    }

    fn decode(packing: &Packing, bytes: &[u8], count: usize, out: &mut Vec<f64>) -> Result<(), Fault> {
        let (min, max, steps) = scale(packing)?;
        let step = (max - min) / steps;
        take_bits(bytes, packing.bits, count, |word| (f64::from(word) * step + min).min(max), out)
    }
}
