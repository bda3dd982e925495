//! `types.fundamental.real`: floating point of all widths, without `Real32Trunc` and `Real32Quant`.

use rntuple::RNTuple;

use crate::show::object;

/// A field for each type and column type, named like both.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase")]
#[expect(missing_docs, reason = "the type says it all")]
pub struct Entry {
    #[rntuple(encoding = "Real16")]
    pub float_real16: f32,
    #[rntuple(encoding = "Real32")]
    pub float_real32: f32,
    #[rntuple(encoding = "Real16")]
    pub double_real16: f64,
    #[rntuple(encoding = "Real32")]
    pub double_real32: f64,
    #[rntuple(encoding = "Real64")]
    pub double_real64: f64,
    #[rntuple(encoding = "SplitReal32")]
    pub float_split_real32: f32,
    #[rntuple(encoding = "SplitReal32")]
    pub double_split_real32: f64,
    #[rntuple(encoding = "SplitReal64")]
    pub double_split_real64: f64,
}

object! { Entry {
    "FloatReal16": float_real16,
    "FloatReal32": float_real32,
    "DoubleReal16": double_real16,
    "DoubleReal32": double_real32,
    "DoubleReal64": double_real64,
    "FloatSplitReal32": float_split_real32,
    "DoubleSplitReal32": double_split_real32,
    "DoubleSplitReal64": double_split_real64,
}}

/// One value for each width.
fn widths(half: f32, single: f32, double: f64) -> Entry {
    Entry {
        float_real16: half,
        float_real32: single,
        double_real16: f64::from(half),
        double_real32: f64::from(single),
        double_real64: double,
        float_split_real32: single,
        double_split_real32: f64::from(single),
        double_split_real64: double,
    }
}

/// Its entries.
pub fn entries() -> Vec<Entry> {
    let ascending = Entry {
        float_real16: 1.0,
        float_real32: 2.0,
        double_real16: 3.0,
        double_real32: 4.0,
        double_real64: 5.0,
        float_split_real32: 6.0,
        double_split_real32: 7.0,
        double_split_real64: 8.0,
    };
    vec![
        ascending,
        // 0x1.234p1, 0x1.23456p1, 0x1.2345678901123p1: something in each byte.
        widths(
            f32::from_bits(0x4011_a000),
            f32::from_bits(0x4011_a2b0),
            f64::from_bits(0x4002_3456_7890_1123),
        ),
        widths(-65504.0, f32::MIN, f64::MIN),
        // The least normal numbers, 0x1p-14 in half precision.
        widths(f32::from_bits(0x3880_0000), f32::MIN_POSITIVE, f64::MIN_POSITIVE),
        // The least of all, 0x1p-24 in half precision.
        widths(f32::from_bits(0x3380_0000), f32::from_bits(1), f64::from_bits(1)),
        widths(65504.0, f32::MAX, f64::MAX),
    ]
}
