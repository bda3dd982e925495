//! `types.fundamental.real32trunc`: floating point without its lowest bits.

use rntuple::RNTuple;

use crate::show::object;

/// A field for each type and number of bits, named like both.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase")]
#[expect(missing_docs, reason = "the type says it all")]
pub struct Entry {
    #[rntuple(truncate(bits = 10))]
    pub float_real32_trunc10: f32,
    #[rntuple(truncate(bits = 16))]
    pub float_real32_trunc16: f32,
    #[rntuple(truncate(bits = 31))]
    pub float_real32_trunc31: f32,
    #[rntuple(truncate(bits = 10))]
    pub double_real32_trunc10: f64,
    #[rntuple(truncate(bits = 16))]
    pub double_real32_trunc16: f64,
    #[rntuple(truncate(bits = 31))]
    pub double_real32_trunc31: f64,
}

object! { Entry {
    "FloatReal32Trunc10": float_real32_trunc10,
    "FloatReal32Trunc16": float_real32_trunc16,
    "FloatReal32Trunc31": float_real32_trunc31,
    "DoubleReal32Trunc10": double_real32_trunc10,
    "DoubleReal32Trunc16": double_real32_trunc16,
    "DoubleReal32Trunc31": double_real32_trunc31,
}}

/// One value for each width.
fn widths(bits10: f32, bits16: f32, bits31: f32) -> Entry {
    Entry {
        float_real32_trunc10: bits10,
        float_real32_trunc16: bits16,
        float_real32_trunc31: bits31,
        double_real32_trunc10: f64::from(bits10),
        double_real32_trunc16: f64::from(bits16),
        double_real32_trunc31: f64::from(bits31),
    }
}

/// Its entries.
pub fn entries() -> Vec<Entry> {
    let ascending = Entry {
        float_real32_trunc10: 1.0,
        float_real32_trunc16: 2.0,
        float_real32_trunc31: 3.0,
        double_real32_trunc10: 4.0,
        double_real32_trunc16: 5.0,
        double_real32_trunc31: 6.0,
    };
    // 0x1.8p127 and 0x1.fep127: the largest numbers that the widths can have.
    let (large10, large16) = (f32::from_bits(0x7f40_0000), f32::from_bits(0x7f7f_0000));
    let all_ones = f32::from_bits(0x407f_ffff);
    vec![
        ascending,
        widths(all_ones, all_ones, all_ones),
        widths(-large10, -large16, f32::MIN),
        widths(f32::MIN_POSITIVE, f32::MIN_POSITIVE, f32::MIN_POSITIVE),
        // 0x1p-127, 0x1p-133, 0x1p-148: the last bit that is kept.
        widths(f32::from_bits(1 << 22), f32::from_bits(1 << 16), f32::from_bits(1 << 1)),
        widths(large10, large16, f32::MAX),
    ]
}
