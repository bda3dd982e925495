//! Signed integers as unsigned ones of small magnitude, then split.

use super::lane::{Lane, Word};
use super::split::put_planes;
use super::{Encoding, Fault, Packing};

/// `0, -1, 1, -2, ..` become `0, 1, 2, 3, ..`; then the bytes are split (format, section 6.2).
pub(crate) struct ZigzagSplit;

macro_rules! zigzag {
    ($($signed:ty, $unsigned:ty;)*) => {$(
        impl Encoding<$signed> for ZigzagSplit {
            fn encode(_: &Packing, values: &[$signed], out: &mut Vec<u8>) -> Result<(), Fault> {
                put_planes(values.iter().map(|&x| ((x << 1) ^ (x >> (<$signed>::BITS - 1))).to_word()), out);
                Ok(())
            }

            fn decode(_: &Packing, bytes: &[u8], count: usize, out: &mut Vec<$signed>) -> Result<(), Fault> {
                out.reserve(count);
                <$unsigned>::from_planes(bytes, count, |u| {
                    // The shift must be the logical one of the unsigned word.
                    out.push(<$signed>::from_word((u >> 1) ^ (u & 1).wrapping_neg()));
                });
                Ok(())
            }
        }
    )*};
}

zigzag! {
    i16, u16;
    i32, u32;
    i64, u64;
}
