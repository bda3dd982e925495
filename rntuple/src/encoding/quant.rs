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
        // NaN is outside, so the test asks for what is inside.
        if let Some(position) = values.iter().position(|value| !(min..=max).contains(value)) {
            let value = values.get(position).copied().unwrap_or(f64::NAN);
            return Err(Fault::OutOfQuantizedRange { position, value });
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 2^32 - 1, whole")]
        let words = values.iter().map(|value| (0.5 + (value - min) * factor).floor().min(steps) as u32);
        put_bits(words, packing.bits, out);
        Ok(())
    }

    fn decode(packing: &Packing, bytes: &[u8], count: usize, out: &mut Vec<f64>) -> Result<(), Fault> {
        let (min, max, steps) = scale(packing)?;
        let step = (max - min) / steps;
        out.reserve(count);
        take_bits(bytes, packing.bits, count, |word| out.push((f64::from(word) * step + min).min(max)));
        Ok(())
    }
}
