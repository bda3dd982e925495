//! Scalars: their names in C++ and Rust, and whether a column can be read as one.

use rntuple::encoding::{ColumnType, Element, Index, SCALARS, Switch};
use rntuple::schema::{FieldId, Schema};

/// Types that fill one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scalar {
    Bool,
    Byte,
    Char,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
    /// A `double` that ROOT knows to be stored with less precision.
    Double32,
}

/// Scalar, C++, Rust.
const NAMES: [(Scalar, &str, &str); 14] = [
    (Scalar::Bool, "bool", "bool"),
    (Scalar::Byte, "std::byte", "Byte"),
    (Scalar::Char, "char", "CxxChar"),
    (Scalar::I8, "std::int8_t", "i8"),
    (Scalar::U8, "std::uint8_t", "u8"),
    (Scalar::I16, "std::int16_t", "i16"),
    (Scalar::U16, "std::uint16_t", "u16"),
    (Scalar::I32, "std::int32_t", "i32"),
    (Scalar::U32, "std::uint32_t", "u32"),
    (Scalar::I64, "std::int64_t", "i64"),
    (Scalar::U64, "std::uint64_t", "u64"),
    (Scalar::F32, "float", "f32"),
    (Scalar::F64, "double", "f64"),
    (Scalar::Double32, DOUBLE32, "f64"),
];

/// What ROOT calls it, and what its fields have for an alias (format, section 9.2).
pub(crate) const DOUBLE32: &str = "Double32_t";

impl Scalar {
    /// The scalar of this name in C++. `Double32_t` is no type, but another name for one.
    pub(crate) fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, cxx, _)| *cxx == name && name != DOUBLE32).map(|(scalar, _, _)| *scalar)
    }

    pub(crate) fn cxx(self) -> &'static str {
        NAMES.iter().find(|(scalar, _, _)| *scalar == self).map_or("", |(_, cxx, _)| cxx)
    }

    /// The last part of its path in Rust: of the crate's for `Byte` and `CxxChar`.
    pub(crate) fn rust(self) -> &'static str {
        NAMES.iter().find(|(scalar, _, _)| *scalar == self).map_or("", |(_, _, rust)| rust)
    }

    /// The smallest and largest value, for integers alone.
    pub(crate) fn range(self) -> Option<(i128, i128)> {
        Some(match self {
            Self::I8 => (i8::MIN.into(), i8::MAX.into()),
            Self::U8 => (0, u8::MAX.into()),
            Self::I16 => (i16::MIN.into(), i16::MAX.into()),
            Self::U16 => (0, u16::MAX.into()),
            Self::I32 => (i32::MIN.into(), i32::MAX.into()),
            Self::U32 => (0, u32::MAX.into()),
            Self::I64 => (i64::MIN.into(), i64::MAX.into()),
            Self::U64 => (0, u64::MAX.into()),
            Self::Bool | Self::Byte | Self::Char | Self::F32 | Self::F64 | Self::Double32 => return None,
        })
    }

    /// The scalar that a column holds, whatever its field says.
    pub(crate) fn of_column(column: ColumnType) -> Option<Self> {
        let default = SCALARS.iter().find(|row| row.defaults.contains(&column));
        let named = default.and_then(|row| NAMES.iter().find(|(.., rust)| *rust == row.name));
        match named.map(|(scalar, ..)| *scalar) {
            Some(Self::Byte | Self::Char) => Some(Self::U8),
            None if f32::reads(column) => Some(Self::F32),
            scalar => scalar,
        }
    }

    /// Whether the first column of a field can be read as this, by a typed reader and by one of any type.
    pub(crate) fn reads(self, schema: &Schema, field: FieldId) -> bool {
        let reads = |name| {
            let row = SCALARS.iter().find(|row| row.name == name);
            row.is_some_and(|row| column_reads(schema, field, 0, row.reads))
        };
        reads(self.rust()) && (!matches!(self, Self::Byte | Self::Char) || reads("u8"))
    }
}

/// Whether the field has end offsets as its `number`-th column.
pub(crate) fn reads_offsets(schema: &Schema, field: FieldId) -> bool {
    column_reads(schema, field, 0, Index::reads)
}

/// Whether the field has the switch of a variant.
pub(crate) fn reads_switch(schema: &Schema, field: FieldId) -> bool {
    column_reads(schema, field, 0, Switch::reads)
}

/// Whether the field has the two columns of a string.
pub(crate) fn reads_string(schema: &Schema, field: FieldId) -> bool {
    column_count(schema, field) == 2
        && reads_offsets(schema, field)
        && column_reads(schema, field, 1, u8::reads)
}

/// Number of columns in each of the field's representations.
pub(crate) fn column_count(schema: &Schema, field: FieldId) -> usize {
    schema.representations(field).first().map_or(0, Vec::len)
}

/// Type of the field's first column.
pub(crate) fn column_type(schema: &Schema, field: FieldId) -> Option<ColumnType> {
    let id = *schema.representations(field).first()?.first()?;
    schema.column(id)?.column_type()
}

fn column_reads(schema: &Schema, field: FieldId, number: usize, can: fn(ColumnType) -> bool) -> bool {
    let all = schema.representations(field);
    !all.is_empty()
        && all.iter().all(|columns| {
            let column = columns.get(number).and_then(|id| schema.column(*id));
            column.and_then(|column| column.column_type()).is_some_and(can)
        })
}
