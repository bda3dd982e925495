//! Random values, the ends of each type's range among them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::Hash;
use std::rc::Rc;
use std::sync::Arc;

use half::f16;
use rntuple::cxx::{BitSet, Byte, CxxChar};

use crate::random::Random;

/// A type of which values can be made up.
pub(crate) trait Sample: Sized {
    fn sample(random: &mut Random) -> Self;
}

macro_rules! integers {
    ($($type:ident)*) => {$(
        impl Sample for $type {
            fn sample(random: &mut Random) -> Self {
                let bits = random.bits();
                #[allow(clippy::cast_possible_truncation, reason = "any bits will do; `u64` takes them all")]
                match random.below(3) {
                    0 => {
                        let ends = [<$type>::MIN, <$type>::MIN + 1, <$type>::MAX - 1, <$type>::MAX, 0, 1];
                        random.pick(&ends).unwrap_or_default()
                    }
                    1 => (bits % 100) as $type,
                    _ => bits as $type,
                }
            }
        }
    )*};
}

integers! { i8 u8 i16 u16 i32 u32 i64 u64 }

impl Sample for bool {
    fn sample(random: &mut Random) -> Self {
        random.below(2) == 0
    }
}

macro_rules! reals {
    ($($type:ident $bits:ident from $narrow:expr;)*) => {$(
        impl Sample for $type {
            fn sample(random: &mut Random) -> Self {
                if let Some(value) = random.in_range() {
                    return $narrow(value);
                }
                let (zero, one) = (<$type>::default(), $narrow(1.0));
                let tiniest = <$type>::from_bits(1);
                let largest_subnormal = <$type>::from_bits(<$type>::MIN_POSITIVE.to_bits() - 1);
                match random.below(3) {
                    0 => random.pick(&[
                        zero, -zero, one, -one, <$type>::NAN, <$type>::INFINITY, <$type>::NEG_INFINITY,
                        tiniest, -tiniest, largest_subnormal, <$type>::MIN_POSITIVE, <$type>::MAX, <$type>::MIN,
                    ]).unwrap_or_default(),
                    1 => $narrow((random.below(2_000_001) as f64 - 1e6) / 1024.0),
                    _ => {
                        let bits = <$type>::from_bits(random.bits() as $bits);
                        // Not-a-number only as the one that every program makes.
                        if bits.is_nan() { one } else { bits }
                    }
                }
            }
        }
    )*};
}

#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "any value will do")]
mod reals {
    use super::{Random, Sample, f16};

    reals! {
        f16 u16 from f16::from_f64;
        f32 u32 from (|wide: f64| wide as f32);
        f64 u64 from (|wide: f64| wide);
    }
}

/// Empty, long, with characters of one to four bytes, with what other programs take for an end.
const TEXTS: [&str; 8] =
    ["", "a", "Zürich", "日本語", "🎼 µ⁺µ⁻", "nul\0inside", "line\nbreak\t\u{7f}", "\"quoted\" \\"];

impl Sample for &'static str {
    fn sample(random: &mut Random) -> Self {
        random.pick(&TEXTS).unwrap_or_default()
    }
}

impl Sample for String {
    fn sample(random: &mut Random) -> Self {
        match random.below(20) {
            0 => "x".repeat(300),
            1 => "größer als eine Seite ".repeat(50),
            _ => <&str>::sample(random).to_owned(),
        }
    }
}

impl Sample for Box<str> {
    fn sample(random: &mut Random) -> Self {
        String::sample(random).into()
    }
}

impl Sample for Cow<'static, str> {
    fn sample(random: &mut Random) -> Self {
        if bool::sample(random) { Cow::Owned(String::sample(random)) } else { <&str>::sample(random).into() }
    }
}

impl<T: Sample + Clone> Sample for Cow<'static, [T]> {
    fn sample(random: &mut Random) -> Self {
        Cow::Owned(Vec::sample(random))
    }
}

impl Sample for &'static [f32] {
    fn sample(random: &mut Random) -> Self {
        const FLOATS: [f32; 6] = [0.0, 1.5, -2.25, f32::MAX, f32::INFINITY, 1e-42];
        let start = usize::try_from(random.below(FLOATS.len() as u64 + 1)).unwrap_or_default();
        FLOATS.get(start..).unwrap_or_default()
    }
}

impl<const N: usize> Sample for BitSet<N> {
    fn sample(random: &mut Random) -> Self {
        <[bool; N]>::sample(random).into()
    }
}

impl<T: Sample, const N: usize> Sample for [T; N] {
    fn sample(random: &mut Random) -> Self {
        std::array::from_fn(|_| T::sample(random))
    }
}

macro_rules! containers {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> Sample for $type {
            fn sample(random: &mut Random) -> Self {
                (0..random.count()).map(|_| Sample::sample(random)).collect()
            }
        }
    )*};
}

containers! {
    [T: Sample] Vec<T>;
    [T: Sample] Box<[T]>;
    [T: Sample + Ord] BTreeSet<T>;
    [T: Sample + Eq + Hash] HashSet<T>;
    [K: Sample + Ord, V: Sample] BTreeMap<K, V>;
    [K: Sample + Eq + Hash, V: Sample] HashMap<K, V>;
}

impl<T: Sample> Sample for VecDeque<T> {
    fn sample(random: &mut Random) -> Self {
        let mut items: Self = (0..random.count()).map(|_| T::sample(random)).collect();
        // So that it is not one slice.
        if bool::sample(random) {
            items.push_front(T::sample(random));
        }
        items
    }
}

impl<T: Sample> Sample for Option<T> {
    fn sample(random: &mut Random) -> Self {
        (random.below(3) != 0).then(|| T::sample(random))
    }
}

macro_rules! wrappers {
    ($([$($generics:tt)*] $type:ty = $wrap:expr;)*) => {$(
        impl<$($generics)*> Sample for $type {
            fn sample(random: &mut Random) -> Self {
                $wrap(Sample::sample(random))
            }
        }
    )*};
}

wrappers! {
    [] Byte = Byte;
    [] CxxChar = CxxChar;
    [T: Sample] Box<T> = Box::new;
    [T: Sample] Rc<T> = Rc::new;
    [T: Sample] Arc<T> = Arc::new;
}

macro_rules! tuples {
    ($($($type:ident)+;)*) => {$(
        impl<$($type: Sample),+> Sample for ($($type,)+) {
            fn sample(random: &mut Random) -> Self {
                ($($type::sample(random),)+)
            }
        }
    )*};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D E F G H I J K L;
}
