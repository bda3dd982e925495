//! What the derive has to know of the runtime. That one depends on this crate, so it cannot be asked: a test of
//! `rntuple-tests`, which compiles this file too, compares the two.

use std::ops::RangeInclusive;

/// The algorithms, and the levels that they have when none is said.
pub(crate) const ALGORITHMS: [(&str, u8); 4] = [("zlib", 6), ("lzma", 7), ("lz4", 4), ("zstd", 1)];

pub(crate) const FLOATS: &[&str] = &["f32", "f64"];
const ALL_FLOATS: &[&str] = &["f16", "f32", "f64"];
pub(crate) const COLLECTIONS: &[&str] = &[];

/// Bits of numbers that are truncated.
pub(crate) const TRUNCATED: RangeInclusive<u16> = 10..=31;
/// Bits of numbers that are quantised.
pub(crate) const QUANTIZED: RangeInclusive<u16> = 1..=32;

/// Column types by name, and the Rust types that may be written as them: the table of the runtime, `elements!` in
/// `encoding/element.rs`, read the other way round.
pub(crate) const COLUMN_TYPES: &[(&str, &[&str])] = &[
    ("Bit", &["bool"]),
    ("Byte", &["Byte"]),
    ("Char", &["CxxChar"]),
    ("Int8", &["i8"]),
    ("UInt8", &["u8"]),
    ("Int16", &["i16"]),
    ("UInt16", &["u16"]),
    ("Int32", &["i32"]),
    ("UInt32", &["u32"]),
    ("Int64", &["i64"]),
    ("UInt64", &["u64"]),
    ("Real16", ALL_FLOATS),
    ("Real32", FLOATS),
    ("Real64", &["f64"]),
    ("Index32", COLLECTIONS),
    ("Index64", COLLECTIONS),
    ("SplitInt16", &["i16"]),
    ("SplitUInt16", &["u16"]),
    ("SplitInt32", &["i32"]),
    ("SplitUInt32", &["u32"]),
    ("SplitInt64", &["i64"]),
    ("SplitUInt64", &["u64"]),
    ("SplitReal16", ALL_FLOATS),
    ("SplitReal32", FLOATS),
    ("SplitReal64", &["f64"]),
    ("SplitIndex32", COLLECTIONS),
    ("SplitIndex64", COLLECTIONS),
];
