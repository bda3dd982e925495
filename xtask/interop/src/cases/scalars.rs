//! Values that fill one column.

use half::f16;
use rntuple::cxx::{Byte, CxxChar};

use crate::record::record;

record! {
    untyped struct Scalars {
        flag: bool,
        signed_8: i8,
        unsigned_8: u8,
        signed_16: i16,
        unsigned_16: u16,
        signed_32: i32,
        unsigned_32: u32,
        signed_64: i64,
        unsigned_64: u64,
        half: f16,
        single: f32,
        double: f64,
        byte: Byte,
        character: CxxChar,
    }
}
