//! `types.fundamental.integer`: every encoding of integers.

use rntuple::RNTuple;

use crate::show::object;

/// A field for each column type, named like it.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[expect(missing_docs, reason = "the type says it all")]
pub struct Entry {
    #[rntuple(rename = "Int8", encoding = "Int8")]
    pub int8: i8,
    #[rntuple(rename = "UInt8", encoding = "UInt8")]
    pub uint8: u8,
    #[rntuple(rename = "Int16", encoding = "Int16")]
    pub int16: i16,
    #[rntuple(rename = "UInt16", encoding = "UInt16")]
    pub uint16: u16,
    #[rntuple(rename = "Int32", encoding = "Int32")]
    pub int32: i32,
    #[rntuple(rename = "UInt32", encoding = "UInt32")]
    pub uint32: u32,
    #[rntuple(rename = "Int64", encoding = "Int64")]
    pub int64: i64,
    #[rntuple(rename = "UInt64", encoding = "UInt64")]
    pub uint64: u64,
    #[rntuple(rename = "SplitInt16", encoding = "SplitInt16")]
    pub split_int16: i16,
    #[rntuple(rename = "SplitUInt16", encoding = "SplitUInt16")]
    pub split_uint16: u16,
    #[rntuple(rename = "SplitInt32", encoding = "SplitInt32")]
    pub split_int32: i32,
    #[rntuple(rename = "SplitUInt32", encoding = "SplitUInt32")]
    pub split_uint32: u32,
    #[rntuple(rename = "SplitInt64", encoding = "SplitInt64")]
    pub split_int64: i64,
    #[rntuple(rename = "SplitUInt64", encoding = "SplitUInt64")]
    pub split_uint64: u64,
}

object! { Entry {
    "Int8": int8,
    "UInt8": uint8,
    "Int16": int16,
    "UInt16": uint16,
    "Int32": int32,
    "UInt32": uint32,
    "Int64": int64,
    "UInt64": uint64,
    "SplitInt16": split_int16,
    "SplitUInt16": split_uint16,
    "SplitInt32": split_int32,
    "SplitUInt32": split_uint32,
    "SplitInt64": split_int64,
    "SplitUInt64": split_uint64,
}}

/// One value for each type.
struct Values {
    int8: i8,
    uint8: u8,
    int16: i16,
    uint16: u16,
    int32: i32,
    uint32: u32,
    int64: i64,
    uint64: u64,
}

impl Values {
    /// The same whether split or not.
    fn entry(self) -> Entry {
        Entry {
            int8: self.int8,
            uint8: self.uint8,
            int16: self.int16,
            uint16: self.uint16,
            int32: self.int32,
            uint32: self.uint32,
            int64: self.int64,
            uint64: self.uint64,
            split_int16: self.int16,
            split_uint16: self.uint16,
            split_int32: self.int32,
            split_uint32: self.uint32,
            split_int64: self.int64,
            split_uint64: self.uint64,
        }
    }
}

/// Its entries.
pub fn entries() -> Vec<Entry> {
    let ascending = Entry {
        int8: 1,
        uint8: 2,
        int16: 3,
        uint16: 4,
        int32: 5,
        uint32: 6,
        int64: 7,
        uint64: 8,
        split_int16: 9,
        split_uint16: 10,
        split_int32: 11,
        split_uint32: 12,
        split_int64: 13,
        split_uint64: 14,
    };
    // All bytes differ, so that none can stand in another's place.
    let bytes = Values {
        int8: 0x12,
        uint8: 0x12,
        int16: 0x1234,
        uint16: 0x1234,
        int32: 0x1234_5678,
        uint32: 0x1234_5678,
        int64: 0x1234_5678_0112_358c,
        uint64: 0x1234_5678_0112_358c,
    };
    let negative = Values {
        int8: -110,
        int16: -28108,
        int32: -1_842_063_752,
        int64: -7_911_603_571_969_084_020,
        ..bytes
    };
    let least = Values {
        int8: i8::MIN,
        uint8: u8::MIN,
        int16: i16::MIN,
        uint16: u16::MIN,
        int32: i32::MIN,
        uint32: u32::MIN,
        int64: i64::MIN,
        uint64: u64::MIN,
    };
    let most = Values {
        int8: i8::MAX,
        uint8: u8::MAX,
        int16: i16::MAX,
        uint16: u16::MAX,
        int32: i32::MAX,
        uint32: u32::MAX,
        int64: i64::MAX,
        uint64: u64::MAX,
    };
    vec![ascending, bytes.entry(), negative.entry(), least.entry(), most.entry()]
}
