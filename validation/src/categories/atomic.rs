//! `types.atomic`: atomic numbers. Integers are Rust's own atomics.

use std::sync::atomic::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicU8, AtomicU16, AtomicU32, AtomicU64,
};

use rntuple::RNTuple;
use rntuple::cxx::{Atomic, Byte, CxxChar};

use crate::show::object;

/// A field for each type, named like its column type.
#[derive(Debug, RNTuple)]
#[rntuple(rename_all = "PascalCase")]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Entry {
    pub bit: AtomicBool,
    pub byte: Atomic<Byte>,
    pub char: Atomic<CxxChar>,
    pub int8: AtomicI8,
    #[rntuple(rename = "UInt8")]
    pub uint8: AtomicU8,
    pub int16: AtomicI16,
    #[rntuple(rename = "UInt16")]
    pub uint16: AtomicU16,
    pub int32: AtomicI32,
    #[rntuple(rename = "UInt32")]
    pub uint32: AtomicU32,
    pub int64: AtomicI64,
    #[rntuple(rename = "UInt64")]
    pub uint64: AtomicU64,
    pub real32: Atomic<f32>,
    pub real64: Atomic<f64>,
}

object! { Entry {
    "Bit": bit,
    "Byte": byte,
    "Char": char,
    "Int8": int8,
    "UInt8": uint8,
    "Int16": int16,
    "UInt16": uint16,
    "Int32": int32,
    "UInt32": uint32,
    "Int64": int64,
    "UInt64": uint64,
    "Real32": real32,
    "Real64": real64,
}}

/// Its entries: ascending values, zero.
pub fn entries() -> Vec<Entry> {
    let zero = Entry {
        bit: AtomicBool::new(false),
        byte: Atomic(Byte(0)),
        char: Atomic(CxxChar(0)),
        int8: AtomicI8::new(0),
        uint8: AtomicU8::new(0),
        int16: AtomicI16::new(0),
        uint16: AtomicU16::new(0),
        int32: AtomicI32::new(0),
        uint32: AtomicU32::new(0),
        int64: AtomicI64::new(0),
        uint64: AtomicU64::new(0),
        real32: Atomic(0.0),
        real64: Atomic(0.0),
    };
    let ascending = Entry {
        bit: AtomicBool::new(true),
        byte: Atomic(Byte(2)),
        char: Atomic(CxxChar(3)),
        int8: AtomicI8::new(4),
        uint8: AtomicU8::new(5),
        int16: AtomicI16::new(6),
        uint16: AtomicU16::new(7),
        int32: AtomicI32::new(8),
        uint32: AtomicU32::new(9),
        int64: AtomicI64::new(10),
        uint64: AtomicU64::new(11),
        real32: Atomic(12.0),
        real64: Atomic(13.0),
    };
    vec![ascending, zero]
}
