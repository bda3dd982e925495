//! `types.user.enum`: enums of every integer type.

use rntuple::RNTuple;

use crate::Show;
use crate::json::Json;
use crate::show::object;

macro_rules! enums {
    ($($name:ident($class:literal): $repr:ident, $simple:literal;)*) => {$(
        #[doc = concat!("An enum of `", stringify!($repr), "`.")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, RNTuple)]
        #[rntuple(type_name = $class)]
        #[repr($repr)]
        pub enum $name {
            /// 0
            Zero = 0,
            /// Another number for each of the enums.
            Simple = $simple,
        }

        impl Show for $name {
            fn show(&self) -> Json {
                (*self as $repr).show()
            }
        }
    )*};
}

enums! {
    EnumInt8("EnumInt8"): i8, 1;
    EnumUInt8("EnumUInt8"): u8, 2;
    EnumInt16("EnumInt16"): i16, 3;
    EnumUInt16("EnumUInt16"): u16, 4;
    EnumInt32("EnumInt32"): i32, 5;
    EnumUInt32("EnumUInt32"): u32, 6;
    EnumInt64("EnumInt64"): i64, 7;
    EnumUInt64("EnumUInt64"): u64, 8;
}

/// A field for each enum, named like it.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Entry {
    #[rntuple(rename = "EnumInt8")]
    pub int8: EnumInt8,
    #[rntuple(rename = "EnumUInt8")]
    pub uint8: EnumUInt8,
    #[rntuple(rename = "EnumInt16")]
    pub int16: EnumInt16,
    #[rntuple(rename = "EnumUInt16")]
    pub uint16: EnumUInt16,
    #[rntuple(rename = "EnumInt32")]
    pub int32: EnumInt32,
    #[rntuple(rename = "EnumUInt32")]
    pub uint32: EnumUInt32,
    #[rntuple(rename = "EnumInt64")]
    pub int64: EnumInt64,
    #[rntuple(rename = "EnumUInt64")]
    pub uint64: EnumUInt64,
}

object! { Entry {
    "EnumInt8": int8,
    "EnumUInt8": uint8,
    "EnumInt16": int16,
    "EnumUInt16": uint16,
    "EnumInt32": int32,
    "EnumUInt32": uint32,
    "EnumInt64": int64,
    "EnumUInt64": uint64,
}}

/// Its entries: simple values, zero.
pub fn entries() -> Vec<Entry> {
    vec![
        Entry {
            int8: EnumInt8::Simple,
            uint8: EnumUInt8::Simple,
            int16: EnumInt16::Simple,
            uint16: EnumUInt16::Simple,
            int32: EnumInt32::Simple,
            uint32: EnumUInt32::Simple,
            int64: EnumInt64::Simple,
            uint64: EnumUInt64::Simple,
        },
        Entry {
            int8: EnumInt8::Zero,
            uint8: EnumUInt8::Zero,
            int16: EnumInt16::Zero,
            uint16: EnumUInt16::Zero,
            int32: EnumInt32::Zero,
            uint32: EnumUInt32::Zero,
            int64: EnumInt64::Zero,
            uint64: EnumUInt64::Zero,
        },
    ]
}
