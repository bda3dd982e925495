//! Steps through a value range.

use super::bits::{put_bits, take_bits};
use super::load::Store;
use super::{ColumnEncoding, Encoding, Fault};

/// An unsigned integer that counts equal steps from the lowest to the highest value, bit-packed
/// (format, section 6.5). All arithmetic is in double precision, as ROOT's is.
pub(crate) struct Quant;

/// Lowest value, highest value, number of steps.
fn scale(packing: &ColumnEncoding) -> Result<(f64, f64, f64), Fault> {
    let (min, max) = packing.range.ok_or(Fault::Unrelated)?;
    let steps = (1u64 << packing.bits) - 1;
    #[expect(clippy::cast_precision_loss, reason = "at most 2^32 - 1, which a double holds")]
    Ok((min, max, steps as f64))
}

/// How many of the values are outside the range; those that are not numbers do not count.
pub(super) fn outside<E: Store<f64> + Copy>(packing: &ColumnEncoding, values: &[E]) -> u64 {
    let Some((min, max)) = packing.range.map(taken) else { return 0 };
    let is_outside = |value: &&E| value.store().is_some_and(|value| value < min || value > max);
    values.iter().filter(is_outside).count() as u64
}

/// The first value that cannot be packed, if the packing has steps.
pub(super) fn misfit<E: Store<f64> + Copy>(packing: &ColumnEncoding, values: &[E]) -> Option<Fault> {
    let range = packing.range?;
    let is_inside = inside(packing, range);
    let is_misfit = |value: &E| value.store().is_some_and(|value| !is_inside(&value));
    let position = values.iter().position(is_misfit)?;
    let value = values.get(position)?.store()?;
    Some(Fault::OutOfQuantizedRange { position, value, range })
}

/// Which values can be packed. NaN is outside, so the tests ask for what is inside; the first has no way out and uses
/// vectors.
#[inline]
fn inside(packing: &ColumnEncoding, range: (f64, f64)) -> impl Fn(&f64) -> bool {
    let (min, max) = taken(range);
    let saturates = packing.saturates;
    move |value| (*value >= min) & (*value <= max) | saturates & !value.is_nan()
}

/// The values that are taken: also the bounds as `f32`, which may be just outside. Readers get them from the lowest and the
/// highest step, and may write them again.
fn taken((min, max): (f64, f64)) -> (f64, f64) {
    #[expect(clippy::cast_possible_truncation, reason = "the nearest `f32` is meant")]
    let narrow = |bound: f64| Some(f64::from(bound as f32)).filter(|bound| bound.is_finite());
    (narrow(min).map_or(min, |near| min.min(near)), narrow(max).map_or(max, |near| max.max(near)))
}

/// The whole part of `x`, which is from 0 to 2^32 - 1.
///
/// As a cast would have it, which the baseline x86-64 has no vector instruction for: this takes additions.
#[inline]
fn whole(x: f64) -> u32 {
    // From here to 2^53 the distance of doubles is 1, and the lowest bits of a mantissa are the number.
    const ONES: f64 = (1u64 << 52) as f64;
    let nearest = (x + ONES) - ONES;
    let below = if nearest > x { nearest - 1.0 } else { nearest };
    #[expect(clippy::cast_possible_truncation, reason = "the lowest 32 bits are the number")]
    let number = (below + ONES).to_bits() as u32;
    number
}

impl Encoding<f64> for Quant {
    fn encode(packing: &ColumnEncoding, values: &[f64], out: &mut Vec<u8>) -> Result<(), Fault> {
        let (min, max, steps) = scale(packing)?;
        let factor = steps / (max - min);
        let inside = inside(packing, (min, max));
        if !values.iter().fold(true, |all, value| all & inside(value)) {
            let position = values.iter().position(|value| !inside(value)).unwrap_or_default();
            let value = values.get(position).copied().unwrap_or(f64::NAN);
            return Err(Fault::OutOfQuantizedRange { position, value, range: (min, max) });
        }
        let word = |value: f64| {
            let steps_up = 0.5 + (value - min) * factor;
            let steps_up = if steps_up < steps { steps_up } else { steps };
            whole(if steps_up > 0.0 { steps_up } else { 0.0 })
        };
        put_bits(values, packing.bits, word, out)
    }

    fn decode(packing: &ColumnEncoding, bytes: &[u8], count: usize, out: &mut Vec<f64>) -> Result<(), Fault> {
        let (min, max, steps) = scale(packing)?;
        let step = (max - min) / steps;
        let value = |word: u32| {
            let value = f64::from(word) * step + min;
            if value < max { value } else { max }
        };
        take_bits(bytes, packing.bits, count, value, out)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "what is compared with")]

    use proptest::prelude::*;

    use super::{taken, whole};

    #[test]
    fn whole_parts_at_the_edges() {
        for number in [0u32, 1, 2, 3, 1 << 20, (1 << 31) - 1, 1 << 31, u32::MAX - 1, u32::MAX] {
            let x = f64::from(number);
            assert_eq!(whole(x), number);
            assert_eq!(whole(x.next_up()), number);
            for part in [0.25, 0.5, 0.75] {
                assert_eq!(whole(x + part), number, "{x} + {part}");
            }
            if number > 0 {
                assert_eq!(whole(x.next_down()), number - 1);
            }
        }
        assert_eq!(whole(-0.0), 0);
    }

    #[test]
    fn bounds_are_taken_as_they_are_read() {
        assert_eq!(taken((0.0, 1.0)), (0.0, 1.0));
        assert_eq!(taken((-3.15, 3.15)), (f64::from(-3.15f32), f64::from(3.15f32)));
        assert_eq!(taken((0.3, 0.7)), (0.3, 0.7), "as `f32` both are inside");
        assert_eq!(taken((-1e300, 1e300)), (-1e300, 1e300));
    }

    proptest! {
        #[test]
        fn whole_is_a_cast(x in 0.0..=4_294_967_295.0f64) {
            prop_assert_eq!(whole(x), x as u32);
        }
    }
}
