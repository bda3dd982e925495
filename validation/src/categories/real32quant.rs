//! `types.fundamental.real32quant`: floating point as steps from a least to a greatest value.

use std::f32::consts::PI;

use rntuple::RNTuple;

use crate::show::object;

/// A field for each type and number of bits, named like both.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase")]
#[expect(missing_docs, reason = "the type says it all")]
pub struct Entry {
    #[rntuple(quantize(bits = 1, min = -1.0, max = 1.0))]
    pub float_real32_quant1: f32,
    #[rntuple(quantize(bits = 8, min = -1.0, max = 1.0))]
    pub float_real32_quant8: f32,
    #[rntuple(quantize(bits = 32, min = f64::from(-PI), max = f64::from(PI)))]
    pub float_real32_quant32: f32,
    #[rntuple(quantize(bits = 1, min = -1.0, max = 1.0))]
    pub double_real32_quant1: f64,
    #[rntuple(quantize(bits = 20, min = -1.0, max = 1.0))]
    pub double_real32_quant20: f64,
    #[rntuple(quantize(bits = 32, min = -100.0, max = 25.0))]
    pub double_real32_quant32: f64,
}

object! { Entry {
    "FloatReal32Quant1": float_real32_quant1,
    "FloatReal32Quant8": float_real32_quant8,
    "FloatReal32Quant32": float_real32_quant32,
    "DoubleReal32Quant1": double_real32_quant1,
    "DoubleReal32Quant20": double_real32_quant20,
    "DoubleReal32Quant32": double_real32_quant32,
}}

/// Its entries.
pub fn entries() -> Vec<Entry> {
    let entry = |float: [f32; 3], double: [f64; 3]| {
        let ([float_real32_quant1, float_real32_quant8, float_real32_quant32], [bits1, bits20, bits32]) =
            (float, double);
        Entry {
            float_real32_quant1,
            float_real32_quant8,
            float_real32_quant32,
            double_real32_quant1: bits1,
            double_real32_quant20: bits20,
            double_real32_quant32: bits32,
        }
    };
    // 2.3509885e-38, whose mantissa is all ones.
    let all_ones = f32::from_bits(0x00ff_ffff);
    vec![
        entry([-1.0, -0.5, 0.25], [0.5, 1.0, 2.0]),
        entry([all_ones; 3], [f64::from(all_ones); 3]),
        entry([0.0; 3], [0.0, 0.0, -37.5]),
        entry([-1.0, -1.0, -PI], [-1.0, -1.0, -100.0]),
        entry([1.0, 1.0, PI], [1.0, 1.0, 25.0]),
    ]
}
