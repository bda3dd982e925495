//! Enums without data.

use std::collections::BTreeMap;

use rntuple::RNTuple;
use serde_json::{Value as Json, json};

use crate::model::{Model, Side};
use crate::random::Random;
use crate::record::record;
use crate::sample::Sample;
use crate::shape::Shape;

macro_rules! enums {
    ($($name:ident$(($class:literal))? : $inner:ident {
        $first:ident = $low:literal,
        $($(#[$variant_meta:meta])* $variant:ident = $value:literal $(is $kept:literal)?,)*
    })*) => {$(
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, RNTuple)]
        $(#[rntuple(type_name = $class)])?
        #[repr($inner)]
        pub(crate) enum $name {
            $first = $low,
            $($(#[$variant_meta])* $variant = $value,)*
        }

        impl Model for $name {
            fn shape(compressed: bool) -> Shape {
                let integers = [
                    (stringify!($first), $low),
                    $((enums!(@kept $variant $($kept)?), $value),)*
                ];
                let inner = $inner::shape(compressed).named(&integers);
                enums!(@shape inner $($class)?)
            }

            fn json(&self, _: Side) -> Json {
                json!(*self as $inner)
            }
        }

        impl Sample for $name {
            fn sample(random: &mut Random) -> Self {
                random.pick(&[$(Self::$variant),*]).filter(|_| bool::sample(random)).unwrap_or(Self::$first)
            }
        }
    )*};
    (@shape $inner:ident) => { $inner };
    (@shape $inner:ident $class:literal) => { Shape::plain_enum($class, $inner) };
    (@kept $variant:ident) => { stringify!($variant) };
    (@kept $variant:ident $kept:literal) => { $kept };
}

enums! {
    Tiny("Tiny"): i8 { Low = -128, Zero = 0, High = 127, }
    Detector("Detector"): u8 { Tracker = 0, Calorimeter = 1, Muons = 255, }
    Short("Short"): i16 { Low = -32_768, High = 32_767, }
    Word("Word"): u16 { Low = 0, High = 65_535, }
    Charge("ns::Charge"): i32 { Negative = -1, Neutral = 0, Positive = 1,
        #[rntuple(rename = "not_a_charge")] Broken = 2_147_483_647 is "not_a_charge",
    }
    Code("Code"): u32 { Low = 0, High = 4_294_967_295, }
    Long("Long"): i64 { Low = -9_223_372_036_854_775_808, High = 9_223_372_036_854_775_807, }
    Quality("Quality"): u8 { Loose = 1, Tight = 2, #[rntuple(other)] Unknown = 9, }
    Identity("Identity"): u64 { Low = 0, High = 18_446_744_073_709_551_615, }
    Slope: i8 { Down = -1, Up = 1, }
    Grade: u16 { Poor = 3, #[rntuple(other)] Unknown = 99, }
}

record! {
    untyped struct Enums {
        tiny: Tiny => "enum as i8",
        detector: Detector => "enum as u8",
        short: Short => "enum as i16",
        word: Word => "enum as u16",
        charge: Charge => "enum as i32",
        code: Code => "enum as u32",
        long: Long => "enum as i64",
        identity: Identity => "enum as u64",
        quality: Quality => "enum with `other`",
        many: Vec<Detector> => "Vec<enum>",
        some: Option<Charge> => "Option<enum>",
        array: [Detector; 3] => "[enum; 3]",
        pair: (Charge, f32) => "(enum, f32)",
        map: BTreeMap<Detector, Vec<Charge>> => "BTreeMap<enum, Vec<enum>>",
        slope: Slope => "enum without a class",
        grades: Vec<Option<Grade>> => "Vec<Option<enum without a class>>",
        slopes: BTreeMap<Slope, [Grade; 2]> => "BTreeMap<enum without a class, [enum without a class; 2]>",
    }
}
