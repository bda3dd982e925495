//! Every column type, asked for by attribute.

use half::f16;
use rntuple::cxx::{Byte, CxxChar};

use crate::record::record;
use crate::stored::Stored::{Column, Index, Quantized, Truncated as Trunc};

record! {
    untyped struct ColumnTypes {
        #[rntuple(encoding = "Bit")]
        bool_bit: bool as Column("Bit") => "bool as Bit",
        #[rntuple(encoding = "Byte")]
        byte_byte: Byte as Column("Byte") => "Byte as Byte",
        #[rntuple(encoding = "Char")]
        cxxchar_char: CxxChar as Column("Char") => "CxxChar as Char",
        #[rntuple(encoding = "Int8")]
        i8_int8: i8 as Column("Int8") => "i8 as Int8",
        #[rntuple(encoding = "UInt8")]
        u8_uint8: u8 as Column("UInt8") => "u8 as UInt8",
        #[rntuple(encoding = "Int16")]
        i16_int16: i16 as Column("Int16") => "i16 as Int16",
        #[rntuple(encoding = "SplitInt16")]
        i16_splitint16: i16 as Column("SplitInt16") => "i16 as SplitInt16",
        #[rntuple(encoding = "UInt16")]
        u16_uint16: u16 as Column("UInt16") => "u16 as UInt16",
        #[rntuple(encoding = "SplitUInt16")]
        u16_splituint16: u16 as Column("SplitUInt16") => "u16 as SplitUInt16",
        #[rntuple(encoding = "Int32")]
        i32_int32: i32 as Column("Int32") => "i32 as Int32",
        #[rntuple(encoding = "SplitInt32")]
        i32_splitint32: i32 as Column("SplitInt32") => "i32 as SplitInt32",
        #[rntuple(encoding = "UInt32")]
        u32_uint32: u32 as Column("UInt32") => "u32 as UInt32",
        #[rntuple(encoding = "SplitUInt32")]
        u32_splituint32: u32 as Column("SplitUInt32") => "u32 as SplitUInt32",
        #[rntuple(encoding = "Int64")]
        i64_int64: i64 as Column("Int64") => "i64 as Int64",
        #[rntuple(encoding = "SplitInt64")]
        i64_splitint64: i64 as Column("SplitInt64") => "i64 as SplitInt64",
        #[rntuple(encoding = "UInt64")]
        u64_uint64: u64 as Column("UInt64") => "u64 as UInt64",
        #[rntuple(encoding = "SplitUInt64")]
        u64_splituint64: u64 as Column("SplitUInt64") => "u64 as SplitUInt64",
        #[rntuple(encoding = "Real16")]
        f16_real16: f16 as Column("Real16") => "f16 as Real16",
        #[rntuple(encoding = "SplitReal16")]
        f16_splitreal16: f16 as Column("SplitReal16") => "f16 as SplitReal16",
        #[rntuple(encoding = "Real16")]
        f32_real16: f32 as Column("Real16") => "f32 as Real16",
        #[rntuple(encoding = "SplitReal16")]
        f32_splitreal16: f32 as Column("SplitReal16") => "f32 as SplitReal16",
        #[rntuple(encoding = "Real32")]
        f32_real32: f32 as Column("Real32") => "f32 as Real32",
        #[rntuple(encoding = "SplitReal32")]
        f32_splitreal32: f32 as Column("SplitReal32") => "f32 as SplitReal32",
        #[rntuple(encoding = "Real16")]
        f64_real16: f64 as Column("Real16") => "f64 as Real16",
        #[rntuple(encoding = "SplitReal16")]
        f64_splitreal16: f64 as Column("SplitReal16") => "f64 as SplitReal16",
        #[rntuple(encoding = "Real32")]
        f64_real32: f64 as Column("Real32") => "f64 as Real32",
        #[rntuple(encoding = "SplitReal32")]
        f64_splitreal32: f64 as Column("SplitReal32") => "f64 as SplitReal32",
        #[rntuple(encoding = "Real64")]
        f64_real64: f64 as Column("Real64") => "f64 as Real64",
        #[rntuple(encoding = "SplitReal64")]
        f64_splitreal64: f64 as Column("SplitReal64") => "f64 as SplitReal64",
        #[rntuple(offsets = "Index32")]
        list_index32: Vec<i32> as Index("Index32") => "Vec<i32>, Index32",
        #[rntuple(offsets = "Index32")]
        string_index32: String as Index("Index32") => "String, Index32",
        #[rntuple(offsets = "Index32")]
        option_index32: Option<f32> as Index("Index32") => "Option<f32>, Index32",
        #[rntuple(offsets = "Index32")]
        nested_index32: Vec<Vec<String>> as Index("Index32") => "Vec<Vec<String>>, Index32",
        #[rntuple(offsets = "Index64")]
        list_index64: Vec<i32> as Index("Index64") => "Vec<i32>, Index64",
        #[rntuple(offsets = "Index64")]
        string_index64: String as Index("Index64") => "String, Index64",
        #[rntuple(offsets = "Index64")]
        option_index64: Option<f32> as Index("Index64") => "Option<f32>, Index64",
        #[rntuple(offsets = "Index64")]
        nested_index64: Vec<Vec<String>> as Index("Index64") => "Vec<Vec<String>>, Index64",
        #[rntuple(offsets = "SplitIndex32")]
        list_splitindex32: Vec<i32> as Index("SplitIndex32") => "Vec<i32>, SplitIndex32",
        #[rntuple(offsets = "SplitIndex32")]
        string_splitindex32: String as Index("SplitIndex32") => "String, SplitIndex32",
        #[rntuple(offsets = "SplitIndex32")]
        option_splitindex32: Option<f32> as Index("SplitIndex32") => "Option<f32>, SplitIndex32",
        #[rntuple(offsets = "SplitIndex32")]
        nested_splitindex32: Vec<Vec<String>> as Index("SplitIndex32") => "Vec<Vec<String>>, SplitIndex32",
        #[rntuple(offsets = "SplitIndex64")]
        list_splitindex64: Vec<i32> as Index("SplitIndex64") => "Vec<i32>, SplitIndex64",
        #[rntuple(offsets = "SplitIndex64")]
        string_splitindex64: String as Index("SplitIndex64") => "String, SplitIndex64",
        #[rntuple(offsets = "SplitIndex64")]
        option_splitindex64: Option<f32> as Index("SplitIndex64") => "Option<f32>, SplitIndex64",
        #[rntuple(offsets = "SplitIndex64")]
        nested_splitindex64: Vec<Vec<String>> as Index("SplitIndex64") => "Vec<Vec<String>>, SplitIndex64",
        #[rntuple(f16)]
        half_list: Vec<f32> as Column("Real16") => "Vec<f32> as Real16",
        #[rntuple(encoding = "Real32")]
        deep: Vec<Vec<Option<f64>>> as Column("Real32") => "Vec<Vec<Option<f64>>> as Real32",
        #[rntuple(encoding = "Int16")]
        shorts: Vec<i16> as Column("Int16") => "Vec<i16> as Int16",
    }

    untyped struct Truncated {
        #[rntuple(truncate(bits = 10))]
        single_10: f32 as Trunc(10) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 11))]
        single_11: f32 as Trunc(11) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 12))]
        single_12: f32 as Trunc(12) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 13))]
        single_13: f32 as Trunc(13) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 14))]
        single_14: f32 as Trunc(14) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 15))]
        single_15: f32 as Trunc(15) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 16))]
        single_16: f32 as Trunc(16) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 17))]
        single_17: f32 as Trunc(17) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 18))]
        single_18: f32 as Trunc(18) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 19))]
        single_19: f32 as Trunc(19) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 20))]
        single_20: f32 as Trunc(20) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 21))]
        single_21: f32 as Trunc(21) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 22))]
        single_22: f32 as Trunc(22) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 23))]
        single_23: f32 as Trunc(23) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 24))]
        single_24: f32 as Trunc(24) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 25))]
        single_25: f32 as Trunc(25) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 26))]
        single_26: f32 as Trunc(26) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 27))]
        single_27: f32 as Trunc(27) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 28))]
        single_28: f32 as Trunc(28) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 29))]
        single_29: f32 as Trunc(29) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 30))]
        single_30: f32 as Trunc(30) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 31))]
        single_31: f32 as Trunc(31) => "f32 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 10))]
        double_10: f64 as Trunc(10) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 11))]
        double_11: f64 as Trunc(11) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 12))]
        double_12: f64 as Trunc(12) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 13))]
        double_13: f64 as Trunc(13) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 14))]
        double_14: f64 as Trunc(14) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 15))]
        double_15: f64 as Trunc(15) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 16))]
        double_16: f64 as Trunc(16) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 17))]
        double_17: f64 as Trunc(17) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 18))]
        double_18: f64 as Trunc(18) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 19))]
        double_19: f64 as Trunc(19) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 20))]
        double_20: f64 as Trunc(20) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 21))]
        double_21: f64 as Trunc(21) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 22))]
        double_22: f64 as Trunc(22) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 23))]
        double_23: f64 as Trunc(23) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 24))]
        double_24: f64 as Trunc(24) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 25))]
        double_25: f64 as Trunc(25) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 26))]
        double_26: f64 as Trunc(26) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 27))]
        double_27: f64 as Trunc(27) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 28))]
        double_28: f64 as Trunc(28) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 29))]
        double_29: f64 as Trunc(29) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 30))]
        double_30: f64 as Trunc(30) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 31))]
        double_31: f64 as Trunc(31) => "f64 as Real32Trunc, 10 to 31 bits",
        #[rntuple(truncate(bits = 19))]
        list: Vec<[f32; 2]> as Trunc(19) => "Vec<[f32; 2]> as Real32Trunc",
    }

    untyped struct Quantised {
        #[rntuple(quantize(bits = 1, min = -2.0, max = 3.0))]
        single_1: f32 as Quantized(1, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 2, min = -2.0, max = 3.0))]
        single_2: f32 as Quantized(2, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 3, min = -2.0, max = 3.0))]
        single_3: f32 as Quantized(3, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 4, min = -2.0, max = 3.0))]
        single_4: f32 as Quantized(4, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 5, min = -2.0, max = 3.0))]
        single_5: f32 as Quantized(5, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 6, min = -2.0, max = 3.0))]
        single_6: f32 as Quantized(6, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 7, min = -2.0, max = 3.0))]
        single_7: f32 as Quantized(7, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 8, min = -2.0, max = 3.0))]
        single_8: f32 as Quantized(8, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 9, min = -2.0, max = 3.0))]
        single_9: f32 as Quantized(9, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 10, min = -2.0, max = 3.0))]
        single_10: f32 as Quantized(10, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 11, min = -2.0, max = 3.0))]
        single_11: f32 as Quantized(11, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 12, min = -2.0, max = 3.0))]
        single_12: f32 as Quantized(12, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 13, min = -2.0, max = 3.0))]
        single_13: f32 as Quantized(13, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 14, min = -2.0, max = 3.0))]
        single_14: f32 as Quantized(14, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 15, min = -2.0, max = 3.0))]
        single_15: f32 as Quantized(15, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 16, min = -2.0, max = 3.0))]
        single_16: f32 as Quantized(16, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 17, min = -2.0, max = 3.0))]
        single_17: f32 as Quantized(17, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 18, min = -2.0, max = 3.0))]
        single_18: f32 as Quantized(18, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 19, min = -2.0, max = 3.0))]
        single_19: f32 as Quantized(19, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 20, min = -2.0, max = 3.0))]
        single_20: f32 as Quantized(20, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 21, min = -2.0, max = 3.0))]
        single_21: f32 as Quantized(21, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 22, min = -2.0, max = 3.0))]
        single_22: f32 as Quantized(22, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 23, min = -2.0, max = 3.0))]
        single_23: f32 as Quantized(23, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 24, min = -2.0, max = 3.0))]
        single_24: f32 as Quantized(24, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 25, min = -2.0, max = 3.0))]
        single_25: f32 as Quantized(25, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 26, min = -2.0, max = 3.0))]
        single_26: f32 as Quantized(26, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 27, min = -2.0, max = 3.0))]
        single_27: f32 as Quantized(27, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 28, min = -2.0, max = 3.0))]
        single_28: f32 as Quantized(28, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 29, min = -2.0, max = 3.0))]
        single_29: f32 as Quantized(29, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 30, min = -2.0, max = 3.0))]
        single_30: f32 as Quantized(30, -2.0, 3.0) => "f32 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 31, min = -2.0, max = 3.0))]
        single_31: f32 as Quantized(31, -2.0, 3.0) => "f32 as Real32Quant, 31 bits",
        #[rntuple(quantize(bits = 32, min = -2.0, max = 3.0))]
        single_32: f32 as Quantized(32, -2.0, 3.0) => "f32 as Real32Quant, 32 bits",
        #[rntuple(quantize(bits = 1, min = -2.0, max = 3.0))]
        double_1: f64 as Quantized(1, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 2, min = -2.0, max = 3.0))]
        double_2: f64 as Quantized(2, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 3, min = -2.0, max = 3.0))]
        double_3: f64 as Quantized(3, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 4, min = -2.0, max = 3.0))]
        double_4: f64 as Quantized(4, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 5, min = -2.0, max = 3.0))]
        double_5: f64 as Quantized(5, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 6, min = -2.0, max = 3.0))]
        double_6: f64 as Quantized(6, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 7, min = -2.0, max = 3.0))]
        double_7: f64 as Quantized(7, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 8, min = -2.0, max = 3.0))]
        double_8: f64 as Quantized(8, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 9, min = -2.0, max = 3.0))]
        double_9: f64 as Quantized(9, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 10, min = -2.0, max = 3.0))]
        double_10: f64 as Quantized(10, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 11, min = -2.0, max = 3.0))]
        double_11: f64 as Quantized(11, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 12, min = -2.0, max = 3.0))]
        double_12: f64 as Quantized(12, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 13, min = -2.0, max = 3.0))]
        double_13: f64 as Quantized(13, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 14, min = -2.0, max = 3.0))]
        double_14: f64 as Quantized(14, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 15, min = -2.0, max = 3.0))]
        double_15: f64 as Quantized(15, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 16, min = -2.0, max = 3.0))]
        double_16: f64 as Quantized(16, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 17, min = -2.0, max = 3.0))]
        double_17: f64 as Quantized(17, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 18, min = -2.0, max = 3.0))]
        double_18: f64 as Quantized(18, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 19, min = -2.0, max = 3.0))]
        double_19: f64 as Quantized(19, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 20, min = -2.0, max = 3.0))]
        double_20: f64 as Quantized(20, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 21, min = -2.0, max = 3.0))]
        double_21: f64 as Quantized(21, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 22, min = -2.0, max = 3.0))]
        double_22: f64 as Quantized(22, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 23, min = -2.0, max = 3.0))]
        double_23: f64 as Quantized(23, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 24, min = -2.0, max = 3.0))]
        double_24: f64 as Quantized(24, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 25, min = -2.0, max = 3.0))]
        double_25: f64 as Quantized(25, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 26, min = -2.0, max = 3.0))]
        double_26: f64 as Quantized(26, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 27, min = -2.0, max = 3.0))]
        double_27: f64 as Quantized(27, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 28, min = -2.0, max = 3.0))]
        double_28: f64 as Quantized(28, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 29, min = -2.0, max = 3.0))]
        double_29: f64 as Quantized(29, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 30, min = -2.0, max = 3.0))]
        double_30: f64 as Quantized(30, -2.0, 3.0) => "f64 as Real32Quant, 1 to 30 bits",
        #[rntuple(quantize(bits = 31, min = -2.0, max = 3.0))]
        double_31: f64 as Quantized(31, -2.0, 3.0) => "f64 as Real32Quant, 31 bits",
        #[rntuple(quantize(bits = 32, min = -2.0, max = 3.0))]
        double_32: f64 as Quantized(32, -2.0, 3.0) => "f64 as Real32Quant, 32 bits",
        #[rntuple(quantize(bits = 12, min = 0.0, max = 1e6))]
        list: Vec<Option<f32>> as Quantized(12, 0.0, 1e6) => "Vec<Option<f32>> as Real32Quant",
    }
}
