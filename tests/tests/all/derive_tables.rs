//! What the derive macro knows of the runtime by heart.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use rntuple::Compression;
use rntuple::encoding::{ColumnType, SCALARS};

#[path = "../../../rntuple-derive/src/tables.rs"]
mod tables;

use tables::{ALGORITHMS, COLLECTIONS, COLUMN_TYPES, FLOATS, QUANTIZED, TRUNCATED};

/// The Rust types that the runtime writes as a column type; offsets and switches are of no type of a member.
fn writes(column: ColumnType) -> Vec<&'static str> {
    let scalars = SCALARS.iter().filter(|row| row.writes.contains(&column)).map(|row| row.name);
    scalars.filter(|name| !matches!(*name, "Index" | "Switch")).collect()
}

#[test]
fn column_types_are_those_of_the_runtime() {
    let mut known = COLUMN_TYPES.iter();
    for &column in ColumnType::ALL {
        let (suits, bits) = match column {
            ColumnType::Switch => continue,
            ColumnType::Real32Trunc => (FLOATS, TRUNCATED),
            ColumnType::Real32Quant => (FLOATS, QUANTIZED),
            _ => {
                let (name, suits) = known.next().unwrap();
                assert_eq!(*name, column.name());
                (*suits, column.bit_range())
            }
        };
        assert_eq!(suits, writes(column), "{column}");
        assert_eq!(bits, column.bit_range(), "{column}");
        let is_offset = SCALARS.iter().any(|row| row.name == "Index" && row.writes.contains(&column));
        assert_eq!(column.name().contains("Index"), is_offset, "{column}");
        assert_eq!(suits == COLLECTIONS, is_offset, "{column}");
    }
    assert!(known.next().is_none());
}

#[test]
fn algorithms_are_those_of_the_runtime() {
    let parse = |text: &str| text.parse::<Compression>().unwrap();
    for (name, level) in ALGORITHMS {
        assert_eq!(parse(name), parse(&format!("{name}:{level}")));
    }
}
