//! What the values of a page say together: their bounds, and how many are exceptions.

use half::f16;

use super::arch::{Extremes, as_lanes, bool_bytes, differences};
use super::{Byte, ColumnEncoding, ColumnType, Conversion, CxxChar, Element, Index, Switch};

/// What the values of a page say together, as a reader will find them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(hidden)]
pub enum Observed {
    /// Signed integers.
    Signed {
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// Unsigned integers; `false` and `true` are 0 and 1.
    Unsigned {
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
    },
    /// Numbers with a fraction.
    Real {
        /// The least, or positive infinity if none is a number.
        min: f64,
        /// The greatest, or negative infinity if none is a number.
        max: f64,
        /// How many are not numbers.
        nan: u32,
    },
    /// The ends of collections: their sizes, except for that of the first, which depends on the page before.
    Ends {
        /// The first end.
        first: u64,
        /// The last end.
        last: u64,
        /// The least size after the first collection, or the greatest number if there is no other.
        min: u64,
        /// The greatest size after the first collection, or 0 if there is no other.
        max: u64,
        /// How many collections after the first are empty.
        empty: u32,
    },
    /// Which alternatives of a variant there are.
    Tags {
        /// The least.
        min: u32,
        /// The greatest.
        max: u32,
        /// How many have no value.
        none: u32,
    },
}

/// A scalar whose values may be observed; the values are in columns of its own kind.
pub(super) trait Observe: Sized {
    /// Returns what the values of a page say, of which there is one at least.
    fn observe(packing: &ColumnEncoding, values: &[Self]) -> Option<Observed>;
}

/// How many of the values of a page; a page has fewer than 2^32.
fn count(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

macro_rules! integers {
    ($($integer:ty: $kind:ident;)*) => {$(
        impl Observe for $integer {
            fn observe(packing: &ColumnEncoding, values: &[Self]) -> Option<Observed> {
                // Bytes and characters are not numbers, whatever the type that holds them.
                if matches!(packing.column_type, ColumnType::Byte | ColumnType::Char) {
                    return None;
                }
                let (min, max, _) = Self::extremes(values);
                Some(Observed::$kind { min: min.into(), max: max.into() })
            }
        }
    )*};
}

integers! {
    i8: Signed;
    u8: Unsigned;
    i16: Signed;
    u16: Unsigned;
    i32: Signed;
    u32: Unsigned;
    i64: Signed;
    u64: Unsigned;
}

impl Observe for bool {
    fn observe(_: &ColumnEncoding, values: &[Self]) -> Option<Observed> {
        let (min, max, _) = u8::extremes(bool_bytes(values));
        Some(Observed::Unsigned { min: min.into(), max: max.into() })
    }
}

macro_rules! nothing {
    ($($type:ty)*) => {$(
        impl Observe for $type {
            fn observe(_: &ColumnEncoding, _: &[Self]) -> Option<Observed> {
                None
            }
        }
    )*};
}

nothing! { Byte CxxChar }

impl Observe for Index {
    fn observe(_: &ColumnEncoding, values: &[Self]) -> Option<Observed> {
        let (first, last) = (values.first()?.0, values.last()?.0);
        let (min, max, empty) = differences(as_lanes(values));
        // A falling offset is damage: what follows from it is not known.
        (max <= last).then_some(Observed::Ends { first, last, min, max, empty: count(empty) })
    }
}

impl Observe for Switch {
    fn observe(_: &ColumnEncoding, values: &[Self]) -> Option<Observed> {
        let (min, max, none) = values.iter().fold((u32::MAX, 0, 0), |(min, max, none), value| {
            (value.tag.min(min), value.tag.max(max), none + u32::from(value.tag == 0))
        });
        Some(Observed::Tags { min, max, none })
    }
}

impl Observe for f16 {
    fn observe(_: &ColumnEncoding, values: &[Self]) -> Option<Observed> {
        let values: Vec<f32> = values.iter().map(|value| value.to_f32()).collect();
        let (min, max, nan) = f32::extremes(&values);
        Some(Observed::Real { min: min.into(), max: max.into(), nan: count(nan) })
    }
}

macro_rules! reals {
    ($($real:ty: $($exact:ident)*;)*) => {$(
        impl Observe for $real {
            fn observe(packing: &ColumnEncoding, values: &[Self]) -> Option<Observed> {
                let (min, max, nan) = Self::extremes(values);
                let nan = count(nan);
                if matches!(packing.column_type, $(ColumnType::$exact)|*) {
                    return Some(Observed::Real { min: min.into(), max: max.into(), nan });
                }
                if nan > 0 && packing.column_type == ColumnType::Real32Trunc {
                    // What is cut off may be all that makes it not a number: an infinity remains.
                    return stored(packing, values);
                }
                if nan as usize == values.len() {
                    return Some(Observed::Real { min: min.into(), max: max.into(), nan });
                }
                // Every other encoding keeps the order of values, so that the extremes stay the extremes.
                stored(packing, &[min, max]).map(|found| match found {
                    Observed::Real { min, max, .. } => Observed::Real { min, max, nan },
                    other => other,
                })
            }
        }
    )*};
}

reals! {
    f32: Real32 SplitReal32;
    f64: Real64 SplitReal64;
}

/// What values say after they were stored and read.
fn stored<E: Element>(packing: &ColumnEncoding, values: &[E]) -> Option<Observed> {
    let mut bytes = Vec::new();
    E::encode(packing, values, &mut bytes).ok()?;
    observe_bytes(packing, &bytes, u32::try_from(values.len()).ok()?)
}

/// What the decoded bytes of a page of real numbers say.
fn observe_bytes(packing: &ColumnEncoding, bytes: &[u8], count_of_values: u32) -> Option<Observed> {
    let mut values = Vec::<f64>::new();
    f64::decode_as(packing, bytes, count_of_values, Conversion::default(), &mut values).ok()?;
    observe_decoded(packing, &values)
}

/// What the values of a page of real numbers say, however they were encoded.
pub(crate) fn observe_decoded(packing: &ColumnEncoding, values: &[f64]) -> Option<Observed> {
    let (mut min, mut max, nan) = f64::extremes(values);
    if packing.column_type == ColumnType::Real32Quant {
        // It has steps of double precision, and most are read in single precision: these round to either side.
        #[expect(clippy::cast_possible_truncation, reason = "what a reader does")]
        let single = |value: f64| f64::from(value as f32);
        (min, max) = (min.min(single(min)), max.max(single(max)));
    }
    Some(Observed::Real { min, max, nan: count(nan) })
}
