//! The least and the greatest of many values: plain loops that the compiler turns into vectors, compiled for any CPU, once
//! more for AVX2, whose instructions compare integers of 64 bits as well, and for AVX-512, which takes the lesser at once.

/// Calls a function that is compiled for what this CPU has; `#[inline(always)]` makes it part of each caller.
macro_rules! fastest {
    ($plain:ident($values:ident: $type:ty) -> $result:ty) => {{
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn with_avx2($values: $type) -> $result {
            $plain($values)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512vl")]
        fn with_avx512($values: $type) -> $result {
            $plain($values)
        }

        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
            // SAFETY: the CPU has both; the function asks for nothing else.
            unsafe { with_avx512($values) }
        } else if is_x86_feature_detected!("avx2") {
            // SAFETY: the CPU has AVX2; the function asks for nothing else.
            unsafe { with_avx2($values) }
        } else {
            $plain($values)
        }
        #[cfg(not(target_arch = "x86_64"))]
        $plain($values)
    }};
}

/// Values of which the least and the greatest are known. A loop over many needs both in as many lanes as the CPU has.
pub(in crate::encoding) trait Extremes: Copy {
    /// Returns the least value, the greatest, and how many are not numbers, which are otherwise ignored. Without any
    /// number, the least is the type's greatest (or infinite), and the greatest its least.
    fn extremes(values: &[Self]) -> (Self, Self, u64);
}

/// Integers: a fold has any order, so that the compiler finds the lanes itself.
macro_rules! integers {
    ($($integer:ident)*) => {$(
        impl Extremes for $integer {
            fn extremes(values: &[Self]) -> (Self, Self, u64) {
                #[inline(always)]
                fn plain(values: &[$integer]) -> ($integer, $integer) {
                    values.iter().fold(($integer::MAX, $integer::MIN), |(min, max), value| {
                        (min.min(*value), max.max(*value))
                    })
                }

                let (min, max) = fastest!(plain(values: &[$integer]) -> ($integer, $integer));
                (min, max, 0)
            }
        }
    )*};
}

integers! { u8 i8 u16 i16 u32 i32 u64 i64 }

/// Numbers with a fraction, as integers of the same order: a fold of numbers has an order, which NaN and zeros of either
/// sign show, and the compiler keeps it.
macro_rules! reals {
    ($($real:ident as $integer:ident and $bits:ident;)*) => {$(
        impl Extremes for $real {
            fn extremes(values: &[Self]) -> (Self, Self, u64) {
                const MAGNITUDE: $integer = $integer::MAX;
                const INFINITE: $integer = $real::INFINITY.to_bits().cast_signed();

                /// Turns around the order of negative numbers; the same again turns it back.
                #[inline(always)]
                fn turned(bits: $integer) -> $integer {
                    bits ^ ((bits >> ($integer::BITS - 1)) & MAGNITUDE)
                }

                #[inline(always)]
                fn plain(values: &[$real]) -> ($integer, $integer, $bits) {
                    let (mut min, mut max) = ($integer::MAX, $integer::MIN);
                    for value in values {
                        let key = turned(value.to_bits().cast_signed());
                        min = min.min(key);
                        max = max.max(key);
                    }
                    // What is not a number is beyond infinity, on either side.
                    if min >= turned($real::NEG_INFINITY.to_bits().cast_signed()) && max <= INFINITE {
                        return (min, max, 0);
                    }
                    let mut nans = 0;
                    (min, max) = ($integer::MAX, $integer::MIN);
                    for value in values {
                        let bits = value.to_bits().cast_signed();
                        let is_nan = bits & MAGNITUDE > INFINITE;
                        let key = turned(bits);
                        min = min.min(if is_nan { $integer::MAX } else { key });
                        max = max.max(if is_nan { $integer::MIN } else { key });
                        nans += $bits::from(is_nan);
                    }
                    (min, max, nans)
                }

                let (min, max, nans) = fastest!(plain(values: &[$real]) -> ($integer, $integer, $bits));
                if min > max {
                    return ($real::INFINITY, $real::NEG_INFINITY, nans.into());
                }
                let number = |key| $real::from_bits(turned(key).cast_unsigned());
                (number(min), number(max), nans.into())
            }
        }
    )*};
}

// A page has fewer than 2^32 values.
reals! {
    f32 as i32 and u32;
    f64 as i64 and u64;
}

/// Of end offsets: the least and the greatest difference of two that follow each other, and how many are 0. A falling
/// offset has a difference of over 2^63.
pub(in crate::encoding) fn differences(ends: &[u64]) -> (u64, u64, u64) {
    #[inline(always)]
    fn plain(ends: &[u64]) -> (u64, u64, u64) {
        let pairs = ends.iter().zip(ends.get(1..).unwrap_or_default());
        pairs.fold((u64::MAX, 0, 0), |(min, max, empty), (before, end)| {
            let size = end.wrapping_sub(*before);
            (min.min(size), max.max(size), empty + u64::from(size == 0))
        })
    }

    fastest!(plain(ends: &[u64]) -> (u64, u64, u64))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn integers_as_by_the_library(values: Vec<i64>, small: Vec<u8>) {
            let found = i64::extremes(&values);
            prop_assert_eq!(values.iter().min().copied(), (!values.is_empty()).then_some(found.0));
            prop_assert_eq!(values.iter().max().copied(), (!values.is_empty()).then_some(found.1));
            let found = u8::extremes(&small);
            prop_assert_eq!(small.iter().min().copied(), (!small.is_empty()).then_some(found.0));
            prop_assert_eq!(small.iter().max().copied(), (!small.is_empty()).then_some(found.1));
        }

        #[test]
        fn numbers_one_by_one(values in prop::collection::vec(prop::num::f32::ANY, 0..200)) {
            let numbers = || values.iter().copied().filter(|value| !value.is_nan());
            let (min, max, nan) = f32::extremes(&values);
            prop_assert_eq!(min, numbers().fold(f32::INFINITY, f32::min));
            prop_assert_eq!(max, numbers().fold(f32::NEG_INFINITY, f32::max));
            prop_assert_eq!(nan, (values.len() - numbers().count()) as u64);
            let wide: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
            prop_assert_eq!(f64::extremes(&wide), (f64::from(min), f64::from(max), nan));
        }

        #[test]
        fn differences_one_by_one(sizes in prop::collection::vec(0u64..5, 0..100)) {
            let ends: Vec<u64> = sizes.iter().scan(0, |end, size| { *end += size; Some(*end) }).collect();
            let rest = sizes.get(1..).unwrap_or_default();
            let (min, max, empty) = differences(&ends);
            prop_assert_eq!(min, rest.iter().copied().min().unwrap_or(u64::MAX));
            prop_assert_eq!(max, rest.iter().copied().max().unwrap_or(0));
            prop_assert_eq!(empty, rest.iter().filter(|size| **size == 0).count() as u64);
        }
    }
}
